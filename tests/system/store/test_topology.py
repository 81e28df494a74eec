"""Which servers a store is on, how many replicas they have, and whether they delete data."""

import pytest
from deployments import ClusterDeployment, Servers
from redis import Redis

from ipuaro_jupyter.cli.checkup import check_all
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.topology import told_evictions, told_servers


@pytest.mark.long
def test_the_nodes_of_a_cluster_and_their_replicas_are_told(servers: Servers) -> None:
    setup = ClusterDeployment(servers, replicas=1)
    store = connect(StoreSettings(url=setup.url))
    told = told_servers(store)
    assert told.startswith("a cluster of 3 primaries, redis 7.")
    assert told.endswith(", 3 replicas")
    store.close()


@pytest.mark.long
def test_one_node_that_deletes_data_is_enough_to_be_told(servers: Servers) -> None:
    setup = ClusterDeployment(servers)
    with Redis(port=setup.nodes[2]) as admin:
        admin.config_set("maxmemory-policy", "allkeys-lru")
    store = connect(StoreSettings(url=setup.url))
    assert "(maxmemory-policy allkeys-lru)" in told_evictions(store)
    store.close()


@pytest.fixture
def checked(monkeypatch, tmp_path):
    """Return a function that returns what doctor finds of the server at a URL."""

    def find(url):
        monkeypatch.setenv("IPUARO_REDIS_URL", url)
        return next(check for check in check_all(str(tmp_path)) if check.name == "store")

    return find


def test_doctor_says_on_which_server_the_store_is(servers: Servers, checked) -> None:
    url = f"redis://127.0.0.1:{servers.start('--save', '')}"
    found = checked(url)
    assert (found.state, found.remedy) == ("ok", "")
    assert found.found.startswith(f"{url}: one server, redis 7.")


def test_doctor_warns_of_a_server_that_deletes_data(servers: Servers, checked) -> None:
    port = servers.start("--save", "", "--maxmemory-policy", "allkeys-lfu")
    found = checked(f"redis://127.0.0.1:{port}")
    assert found.state == "missing"
    assert "maxmemory-policy allkeys-lfu" in found.remedy
    assert "noeviction" in found.remedy


def test_what_a_server_hides_is_left_out(servers: Servers) -> None:
    port = servers.start("--save", "", "--rename-command", "INFO", "")
    store = connect(StoreSettings(url=f"redis://127.0.0.1:{port}"))
    store.set("ipuaro:a", b"1")
    assert told_servers(store) == "one server, redis"
    assert told_evictions(store) == ""
    assert list(store.scan("ipuaro:*")) == [b"ipuaro:a"]
    store.close()
