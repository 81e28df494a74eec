"""Users with the least rights: all works with exactly those that are listed."""

import re
from pathlib import Path

import pytest
import rights
from deployments import PASSWORD, ClusterDeployment, SentinelDeployment, Servers
from redis import Redis
from turns import FEE, use_all

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store import connection
from ipuaro_jupyter.store.connection import PROBES, StoreSettings, connect
from ipuaro_jupyter.store.projects import forget, stored_projects

QUOTA = {"llm": {"maxTokensPerDay": 10**9}}
USER = ("--user", "ipuaro", "on", f">{PASSWORD}")


@pytest.fixture
def project(make_project):
    return make_project({"src/fee.ts": FEE})


def with_login(url: str) -> str:
    return url.replace("://", f"://ipuaro:{PASSWORD}@")


def refused(ports) -> list[str]:
    """What the servers have not let the user do."""
    found = []
    for port in ports:
        with Redis(port=port) as admin:
            found += [f"{entry['reason']} {entry['object']}" for entry in admin.acl_log()]
    return found


def drop_all(url: str) -> None:
    store = connect(StoreSettings(url=url))
    for one in stored_projects(store):
        assert forget(store, one.project_id)
    store.close()


@pytest.mark.slow
def test_a_server_needs_exactly_the_listed_rights(servers: Servers, open_assistant, project):
    port = servers.start("--save", "", *USER, rights.KEYS, *rights.COMMANDS)
    url = with_login(f"redis://127.0.0.1:{port}/0")
    use_all(open_assistant, project, {"redis": {"url": url}, **QUOTA})
    drop_all(url)
    # redis-py tells the server its own name and goes on when it may not.
    assert set(refused([port])) <= {"command client|setinfo"}


@pytest.mark.long
def test_sentinels_need_the_listed_rights(servers: Servers, open_assistant, project):
    user = (*USER, rights.KEYS, *rights.COMMANDS)
    setup = SentinelDeployment(servers, options=user)
    for port in setup.sentinels:
        with Redis(port=port) as admin:
            admin.execute_command(
                *("ACL", "SETUSER", "looks", "on", ">pw", "allchannels", *rights.OF_SENTINELS)
            )
    url = with_login(setup.url) + "?sentinel_username=looks&sentinel_password=pw"
    use_all(open_assistant, project, {"redis": {"url": url}, **QUOTA})
    drop_all(url)
    asked = [setup.primary, setup.replica, *setup.sentinels]
    assert set(refused(asked)) <= {"command client|setinfo"}


@pytest.mark.long
def test_a_cluster_needs_the_listed_rights(servers: Servers, open_assistant, project):
    user = (*USER, rights.KEYS, *rights.COMMANDS, *rights.OF_A_CLUSTER)
    setup = ClusterDeployment(servers, options=user)
    use_all(open_assistant, project, {"redis": {"url": with_login(setup.url)}, **QUOTA})
    drop_all(with_login(setup.url))
    assert set(refused(setup.nodes)) <= {"command client|setinfo"}


def test_each_command_of_the_store_is_listed() -> None:
    """A command that is new in the store has to be listed in `rights`, and no other is."""
    text = "".join(
        path.read_text()
        for path in Path(connection.__file__).parent.glob("*.py")
        if path.stem in {"batch", "client", "connection", "lease"}
    )
    sent = re.findall(r"""(?:run|append|, \[|cursor: |commands = \[)\(*"([A-Z ]{3,})["]""", text)
    in_scripts = re.findall(r"redis\.p?call\('([A-Z]+)'", text)
    names = (*sent, *in_scripts, *PROBES.values())
    used = {"+" + name.lower().replace(" ", "|") for name in names}
    allowed = {*rights.COMMANDS, *rights.OF_A_CLUSTER}
    framing = {"+multi", "+exec", "+watch", "+unwatch"}
    by_redis_py = {"+info", "+scan", "+cluster|slots", "+command", *framing}
    assert used - allowed == set()
    assert allowed - used - by_redis_py == set(), "more rights than needed"


@pytest.mark.checkout
def test_the_readme_lists_the_rights() -> None:
    text = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    listed = text.partition("ACL SETUSER")[2].partition("```")[0]
    assert {word for word in listed.split() if word[0] == "+"} == set(rights.COMMANDS)
    assert rights.KEYS in listed
    for others in (rights.OF_A_CLUSTER, rights.OF_SENTINELS):
        assert f"`{' '.join(others)}`" in text


@pytest.mark.parametrize("right", ["hset", "eval", "get", "pexpire", "scan", "memory|usage"])
def test_a_lacking_right_is_named(servers: Servers, right: str) -> None:
    port = servers.start("--save", "", *USER, rights.KEYS, *rights.COMMANDS, f"-{right}")
    store = connect(StoreSettings(url=with_login(f"redis://127.0.0.1:{port}/0")))
    key = "ipuaro:v1:project:{x-1}:files"
    uses = {
        "get": lambda: store.get(key),
        "hset": lambda: store.hset(key, {"a": b"1"}),
        "eval": lambda: store.evaluate("return 1", key),
        "pexpire": lambda: store.evaluate("return redis.call('PEXPIRE', KEYS[1], 1)", key),
        "scan": lambda: list(store.scan("ipuaro:*")),
        "memory|usage": lambda: store.memory(key),
    }
    with pytest.raises(StorageError, match=r"does not let this user do that: it lacks") as caught:
        uses[right]()
    assert f"the right to {right.upper()}. Give it that (ACL SETUSER)" in str(caught.value)
    store.close()


def test_a_lacking_right_within_a_batch_is_named(servers: Servers) -> None:
    port = servers.start("--save", "", *USER, rights.KEYS, *rights.COMMANDS, "-hset")
    store = connect(StoreSettings(url=with_login(f"redis://127.0.0.1:{port}/0")))

    def write(*, atomic: bool) -> None:
        with store.batch(atomic=atomic) as batch:
            batch.set("ipuaro:a", b"1")
            batch.hset("ipuaro:b", {"a": b"1"})

    for atomic in (True, False):
        with pytest.raises(StorageError, match="lacks the right to HSET"):
            write(atomic=atomic)
    store.close()


def test_keys_that_the_user_may_not_touch_are_told(servers: Servers) -> None:
    port = servers.start("--save", "", *USER, "~other:*", *rights.COMMANDS)
    store = connect(StoreSettings(url=with_login(f"redis://127.0.0.1:{port}/0")))
    with pytest.raises(StorageError, match=r"may not touch the keys .* pattern ~ipuaro:\*"):
        store.get("ipuaro:v1:projects")
    store.close()
