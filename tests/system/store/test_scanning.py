"""Scans miss nothing when another server takes over in the middle, or a slot moves."""

import os
import signal
import threading
import time

import pytest
from deployments import ClusterDeployment, SentinelDeployment, Servers, wait_for_replica
from redis import Redis
from redis.crc import key_slot

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys

COUNT = 4000
KEYS = Keys("scanned-1")
NAMES = {f"{KEYS.prefix}key{number}".encode() for number in range(COUNT)}


def fill(store) -> None:
    """Give one project many keys."""
    with store.batch(atomic=False) as batch:
        for name in NAMES:
            batch.set(name.decode(), b"1")


def found_while(store, happens, pattern=f"{KEYS.prefix}key*") -> set:
    """Return the keys that a scan finds when something happens in the middle of it."""
    began = time.monotonic()
    store.scan(pattern, count=1)
    happening = threading.Timer((time.monotonic() - began) / 3, happens)
    happening.start()
    found = store.scan(pattern, count=1)
    happening.join()
    return found


def test_the_embedded_server_is_killed(home) -> None:
    del home
    store = connect(StoreSettings())
    fill(store)
    time.sleep(1.5)  # until it is on the disk
    pid = store._client.run("INFO", "server")["process_id"]
    assert found_while(store, lambda: os.kill(pid, signal.SIGKILL)) == NAMES
    assert store._client.run("INFO", "server")["process_id"] != pid
    store.close()


@pytest.mark.long
def test_a_primary_fails(servers: Servers) -> None:
    setup = SentinelDeployment(servers)
    store = connect(StoreSettings(url=setup.url, failover_s=30))
    fill(store)
    wait_for_replica(setup.primary)
    assert found_while(store, lambda: servers.kill(setup.primary)) == NAMES
    assert setup.named_primary() == setup.replica
    store.close()


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["ipuaro:v1:*key*", f"{KEYS.prefix}key*"])
def test_a_node_fails(servers: Servers, pattern) -> None:
    setup = ClusterDeployment(servers, replicas=1)
    store = connect(StoreSettings(url=setup.url, failover_s=30))
    fill(store)
    node = store._client._route.server(KEYS.files).connection_pool.connection_kwargs["port"]
    wait_for_replica(node)
    assert found_while(store, lambda: servers.kill(node), pattern) == NAMES
    store.close()


@pytest.mark.long
def test_a_slot_moves(servers: Servers) -> None:
    setup = ClusterDeployment(servers)
    store = connect(StoreSettings(url=setup.url))
    fill(store)
    slot = key_slot(KEYS.files.encode())
    source = store._client._route.server(KEYS.files).connection_pool.connection_kwargs["port"]
    target = next(port for port in setup.nodes if port != source)

    def move() -> None:
        with Redis(port=source) as one, Redis(port=target) as two:
            ids = [node.execute_command("CLUSTER MYID") for node in (one, two)]
            two.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
            one.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
            while some := one.execute_command("CLUSTER GETKEYSINSLOT", slot, 500):
                one.execute_command("MIGRATE", "127.0.0.1", target, "", 0, 5000, "KEYS", *some)
            for port in (target, source, *setup.nodes):
                with Redis(port=port) as node:
                    node.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[1])

    assert found_while(store, move) == NAMES
    store.close()


def test_a_server_that_has_gone_for_good_is_told(servers: Servers) -> None:
    port = servers.start("--save", "")
    store = connect(StoreSettings(url=f"redis://127.0.0.1:{port}"))
    fill(store)
    with pytest.raises(StorageError, match="does not answer"):
        found_while(store, lambda: servers.kill(port))
    store.close()
