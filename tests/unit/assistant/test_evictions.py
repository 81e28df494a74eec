"""A server that deletes data when its memory is short is told of at the start."""

import subprocess
from contextlib import closing

import pytest

from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.topology import told_evictions


@pytest.mark.parametrize(
    ("policy", "is_told"),
    [("noeviction", False), ("volatile-lru", False), ("allkeys-lru", True), ("allkeys-lfu", True)],
)
def test_a_server_that_deletes_any_key_is_told_of(
    start_redis, make_project, open_assistant, policy, is_told
):
    url, _ = start_redis
    socket = url.removeprefix("unix://")
    command = ["redis-cli", "-s", socket, "config", "set", "maxmemory-policy", policy]
    subprocess.run(command, check=True, capture_output=True)
    with closing(connect(StoreSettings(url=url))) as store:
        assert (f"(maxmemory-policy {policy})" in told_evictions(store)) is is_told
    settings = {"redis": {"url": url}}
    assistant = open_assistant(make_project({"a.ts": ""}), [], settings=settings)
    told = [notice for notice in assistant.notices if policy in notice]
    assert bool(told) is is_told
    assert all("noeviction" in notice for notice in told)
