"""A cluster: the keys of a project are on one node, whatever their number and that of nodes."""

import random
import threading
import time

import pytest
from deployments import ClusterDeployment, Servers, wait_for_replica
from redis import Redis
from redis.crc import key_slot
from turns import FEE, READ, edit, use_all

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.store.projects import forget, sizes, stored_projects

pytestmark = pytest.mark.long


@pytest.fixture
def opened(cluster: ClusterDeployment):
    store = connect(StoreSettings(url=cluster.url))
    yield store
    store.close()


def all_keys(cluster: ClusterDeployment) -> dict[str, int]:
    """The node of each key."""
    found = {}
    for port in cluster.primaries():
        with Redis(port=port) as admin:
            found |= {key.decode(): port for key in admin.scan_iter()}
    return found


def test_projects_live_on_their_nodes_and_are_forgotten(
    cluster, opened, open_assistant, make_project
) -> None:
    settings = {"redis": {"url": cluster.url}}
    for name in ("one", "two", "three", "four"):
        use_all(open_assistant, make_project({"src/fee.ts": FEE}, name), settings)
    assert len(sizes(opened)) == 4
    nodes = {}
    for key, port in all_keys(cluster).items():
        if ":project:" in key:
            nodes.setdefault(key[key.index("{") : key.index("}")], set()).add(port)
    assert [len(ports) for ports in nodes.values()] == [1] * 4
    for project in stored_projects(opened):
        forget(opened, project.project_id)
    assert all_keys(cluster) == {}


def test_keys_of_all_nodes_are_found(cluster, opened) -> None:
    names = [f"ipuaro:test:{{{number}}}" for number in range(100)]
    for name in names:
        opened.set(name, b"1")
    assert len(set(all_keys(cluster).values())) == 3
    assert sorted(key.decode() for key in opened.scan("ipuaro:test:*")) == sorted(names)
    for name in names:
        opened.delete(name)


def test_a_batch_of_several_projects_is_sent_in_parts_unless_it_is_a_transaction(opened) -> None:
    names = [f"ipuaro:test:{{{number}}}" for number in range(20)]
    with opened.batch(atomic=False) as batch:
        for number, name in enumerate(names):
            batch.hset(name, {"number": b"%d" % number})
    found = opened.hmget_each(names, ["number"])
    assert found == [[b"%d" % number] for number in range(20)]
    with pytest.raises(ValueError, match="more than one hash tag"):
        _delete_at_once(opened, names)
    for name in names:
        opened.delete(name)


def test_a_slot_that_moves_is_followed(cluster, opened) -> None:
    """While a project's slot moves to another node, its commands wait and are done once."""
    keys = Keys("moving-1")
    names = [f"{keys.prefix}part{number}" for number in range(50)]
    for name in names:
        opened.hset(name, {"a": b"x" * 1000})
    source = _node_of(opened, keys)
    target = random.choice([port for port in cluster.primaries() if port != source])
    slot = key_slot(keys.files.encode())
    with Redis(port=source) as one, Redis(port=target) as two:
        ids = [node.execute_command("CLUSTER MYID") for node in (one, two)]
        two.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
        one.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
        one.execute_command("MIGRATE", "127.0.0.1", target, "", 0, 5000, "KEYS", *names[:25])

        def move_the_others() -> None:
            one.execute_command("MIGRATE", "127.0.0.1", target, "", 0, 5000, "KEYS", *names[25:])
            for port in (target, source, *cluster.nodes):
                with Redis(port=port) as node:
                    node.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[1])

        moving = threading.Timer(0.5, move_the_others)
        moving.start()
        began = time.monotonic()
        with opened.batch(atomic=True) as batch:
            for name in names:
                batch.hincrby(name, "n")
        took_s = time.monotonic() - began
        moving.join()
    assert 0.3 < took_s < 15
    assert [opened.hget(name, "n") for name in names] == [b"1"] * 50
    assert _node_of(opened, keys) == target
    assert forget(opened, "moving-1") == 50


def _delete_at_once(store: Store, names: list[str]) -> None:
    with store.batch(atomic=True) as batch:
        for name in names:
            batch.delete(name)


def _node_of(store: Store, keys: Keys) -> int:
    return store._client._route.server(keys.info).connection_pool.connection_kwargs["port"]


def test_one_node_named_as_a_server_is_told(cluster) -> None:
    names = [f"ipuaro:test:{{{number}}}" for number in range(20)]
    store = connect(StoreSettings(url=f"redis://127.0.0.1:{cluster.nodes[0]}"))
    with pytest.raises(StorageError, match=r"is one node of a cluster: write redis\+cluster://"):
        [store.set(name, b"1") for name in names]
    store.close()


def test_a_server_named_as_a_cluster_is_told(servers: Servers) -> None:
    port = servers.start("--save", "")
    with pytest.raises(StorageError, match=r"is no cluster: write redis:// instead"):
        connect(StoreSettings(url=f"redis+cluster://127.0.0.1:{port}"))


def test_a_cluster_that_does_not_respond_is_told(unused_host: str) -> None:
    with pytest.raises(StorageError, match=r"does not answer: .*cluster info"):
        connect(StoreSettings(url=f"redis+cluster://{unused_host.removeprefix('http://')}"))


def test_a_turn_goes_on_when_the_node_of_its_project_fails(
    servers: Servers, open_assistant, make_project
) -> None:
    setup = ClusterDeployment(servers, replicas=1)
    root = make_project({"src/fee.ts": FEE})

    def fail(_messages):
        store = connect(StoreSettings(url=setup.url))
        node = _node_of(store, Keys(project_id(root)))
        store.close()
        wait_for_replica(node)
        setup.servers.kill(node)
        setup.nodes.remove(node)
        return edit(3)

    settings = {"redis": {"url": setup.url}}
    assistant = open_assistant(
        root,
        ScriptedModel([READ, fail, "It is 3 now."]),
        settings=settings,
        confirm=lambda _proposal: True,
    )
    assert assistant.ask("Make it 3").text.endswith("It is 3 now.")
    assistant.close()
    again = open_assistant(root, ["Good."], settings=settings)
    (turn,) = again.transcript().turns
    assert [one.call.name for one in turn.tool_calls] == ["get_lines", "edit_lines"]
    assert again.undo().success
    assert (root / "src/fee.ts").read_text() == FEE
    again.close()
