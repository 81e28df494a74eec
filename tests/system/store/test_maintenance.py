"""``ipuaro store``: what is held is measured and cleared, beside kernels that go on."""

import json
import os
import pty
import shutil
import socket
import subprocess
import threading
import time

import pytest
import rights
from deployments import PASSWORD, Authority, ClusterDeployment, SentinelDeployment, Servers
from servers import free_port
from turns import FEE, READ, edit, use_all

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cli.store_prune import Wish, prunable, prune
from ipuaro_jupyter.cli.store_stats import store_stats
from ipuaro_jupyter.index.storage.seals import sealed
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.holdings import holding
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id
from ipuaro_jupyter.store.projects import note_opened, stored_projects

FOREIGN = ("other:app", "ipuaro:v2:project:{x-1}:files", "ipuaro")


@pytest.fixture
def url(servers: Servers) -> str:
    return f"redis://127.0.0.1:{servers.start('--save', '')}"


@pytest.fixture
def opened(url):
    store = connect(StoreSettings(url=url))
    for name in FOREIGN:
        store.set(name, b"not ours")
    yield store
    assert all(map(store.exists, FOREIGN)), "a key that is not ours has gone"
    store.close()


@pytest.fixture
def used(open_assistant, make_project, url):
    """Return a function that makes a project with an index, a session and a change to undo."""

    def make(name="project"):
        root = make_project({"src/fee.ts": FEE, "src/ten.ts": "export const ten = 10\n"}, name)
        use_all(open_assistant, root, {"redis": {"url": url}})
        return root

    return make


@pytest.fixture
def command(ipuaro, url, tmp_path):
    """Return a function that runs ``ipuaro store`` on the server of the test."""

    def run(*arguments):
        return ipuaro("store", *arguments, env={"IPUARO_REDIS_URL": url}, cwd=tmp_path)

    return run


def parts(store, root):
    """The parts that the server holds of a project."""
    held = holding(store, project_id(root))
    return {part for part in ("index", "sessions", "undo") if held.keys_of(part)}


def pruned(store, **wish):
    """Delete what may go; return what is told of each project, by the name of its folder."""
    items = prunable(store, store_stats(store), Wish(**wish))
    return {one.root.rpartition("/")[2]: prune(store, one).kept for one in items}


def test_projects_are_measured(opened, used, open_assistant, url, command) -> None:
    root, other = used("one"), used("two")
    living = open_assistant(other, [], settings={"redis": {"url": url}})
    found = json.loads(command("stats", "--json").stdout)
    two, one = found["projects"]
    assert (one["root"], two["root"]) == (str(root), str(other))
    assert (one["openedBy"], one["folder"], one["index"]) == ([], "there", "whole")
    assert two["openedBy"] == [f"process {os.getpid()} on this machine"]
    assert one["files"] == 2
    assert one["host"] == socket.gethostname()
    held = holding(opened, project_id(root))
    assert one["keys"] == len(held.sizes)
    assert sum(one["sizeBytes"].values()) == sum(held.sizes.values())
    assert min(one["sizeBytes"][part] for part in ("index", "sessions")) > 1000
    assert found["servers"].startswith("one server, redis 7.")
    text = command("stats").stdout
    assert str(root) in text
    assert f"The store is on {found['servers']}." in text
    living.close()
    shutil.rmtree(root)
    assert "folder gone" in command("stats").stdout


def test_the_command_that_checked_says_what_there_is_instead(opened, command, tmp_path) -> None:
    del opened
    done = command("check", tmp_path, "--json")
    assert (done.returncode, done.stdout) == (0, "")
    assert "ipuaro index --full" in done.stderr


def test_a_folder_that_is_gone_leaves_its_sessions_unless_they_are_named(opened, used) -> None:
    gone, there = used("gone"), used("there")
    assert pruned(opened) == {}
    shutil.rmtree(gone)
    assert pruned(opened) == {"gone": ""}
    assert parts(opened, gone) == {"sessions"}
    assert parts(opened, there) >= {"index", "sessions"}
    assert pruned(opened) == {}, "nothing is left to go unnamed"
    assert pruned(opened, sessions=True) == {"gone": ""}
    assert holding(opened, project_id(gone)).sizes == {}
    assert [one.root for one in stored_projects(opened)] == [str(there)]


def test_what_can_be_undone_goes_alone_when_it_is_named(
    opened, open_assistant, make_project, url
) -> None:
    root = make_project({"src/fee.ts": FEE})
    assistant = open_assistant(
        root,
        ScriptedModel([READ, edit(3), "Done."]),
        settings={"redis": {"url": url}},
        confirm=lambda _: True,
    )
    assistant.ask("Make it 3")
    assistant.close()
    assert parts(opened, root) == {"index", "sessions", "undo"}
    shutil.rmtree(root)
    assert pruned(opened, undo=True) == {"project": ""}
    assert parts(opened, root) == {"sessions"}


def test_an_index_of_another_version_goes_and_the_rest_of_the_project_stays(opened, used) -> None:
    root = used()
    keys = Keys(project_id(root))
    opened.hset(keys.index_info, {"format": sealed("format", b"older")})
    assert pruned(opened, sessions=True, undo=True) == {"project": ""}
    assert parts(opened, root) == {"sessions"}
    assert len(stored_projects(opened)) == 1


def test_what_was_not_opened_for_long_goes_when_that_is_named(opened, used) -> None:
    old, new = used("old"), used("new")
    opened.zadd(PROJECTS, {project_id(old): time.time() - 10 * 86_400})
    assert pruned(opened, older_than_days=11) == {}
    assert pruned(opened, older_than_days=9) == {"old": ""}
    assert parts(opened, old) == {"sessions"}
    assert "index" in parts(opened, new)


def test_what_a_killed_kernel_has_left_goes_with_the_last_of_its_project(opened, tmp_path) -> None:
    root = tmp_path / "gone"
    note_opened(opened, root)
    keys = Keys(project_id(root))
    opened.hset(keys.opened, {f"{socket.gethostname()}:4194304:1.0:ab": b""})
    opened.hset(keys.files, {"x.ts": b"1"})
    assert pruned(opened) == {"gone": ""}
    assert list(opened.scan(keys.pattern)) == []
    assert pruned(opened) == {}


def test_an_option_that_no_longer_exists_is_told_and_ignored(command) -> None:
    done = command("prune", "--answers", "--yes")
    assert (done.returncode, done.stdout) == (0, "Nothing may go.\n")
    assert done.stderr.startswith("--answers no longer exists and is ignored: ")
    assert "--answers" not in command("prune", "--help").stdout


def test_what_a_kernel_has_open_stays(opened, used, open_assistant, url) -> None:
    root = used()
    everything = {"older_than_days": 1e-9, "sessions": True, "undo": True}
    living = open_assistant(root, [], settings={"redis": {"url": url}})
    before = holding(opened, project_id(root)).sizes
    assert pruned(opened, **everything) == {}
    assert holding(opened, project_id(root)).sizes == before
    living.close()
    session = opened.zrevrange(Keys(project_id(root)).sessions, 0, -1)[0].decode()
    opened.set(Keys(project_id(root)).owner(session), b"elsewhere:12:1.0:ab")
    assert pruned(opened, **everything) == {}, "a kernel of another machine may live"
    opened.delete(Keys(project_id(root)).owner(session))
    assert pruned(opened, **everything) == {"project": ""}
    assert holding(opened, project_id(root)).sizes == {}


def test_what_is_opened_after_it_was_shown_stays(opened, used, open_assistant, url) -> None:
    root = used()
    (item,) = prunable(opened, store_stats(opened), Wish(older_than_days=1e-9))
    living = open_assistant(root, [], settings={"redis": {"url": url}})
    assert prune(opened, item) == (0, "it is open now")
    living.close()
    told = "it has been opened since, or its index is being written"
    assert prune(opened, item) == (0, told)
    assert "index" in parts(opened, root)


def test_opening_and_pruning_at_once_never_leaves_a_wrong_answer(
    opened, used, open_assistant, url
) -> None:
    """A project is opened again and again while its index is dropped all the time."""
    root = used()
    assert parts(opened, root) == {"index", "sessions"}
    ended, dropped = threading.Event(), []

    def prune_all_the_time():
        store = connect(StoreSettings(url=url))
        while not ended.is_set():
            for item in prunable(store, store_stats(store), Wish(older_than_days=1e-9)):
                dropped.append(prune(store, item).kept)  # noqa: PERF401 - until it ends
        store.close()

    thread = threading.Thread(target=prune_all_the_time)
    thread.start()
    try:
        for _ in range(15):
            assistant = open_assistant(root, [], settings={"redis": {"url": url}})
            found = assistant.call("find_definition", {"symbol": "fee"})
            assert "src/fee.ts" in str(found)
            assert assistant.notices == ()
            assistant.close()
    finally:
        ended.set()
        thread.join()
    assert "" in dropped


def test_what_may_go_is_shown_and_nobody_is_there_to_agree(opened, used, command) -> None:
    root = used()
    shutil.rmtree(root)
    done = command("prune")
    assert done.returncode == 2
    assert "its folder is gone" in done.stdout
    assert "--yes" in done.stderr
    listed = json.loads(command("prune", "--json").stdout)
    assert (listed[0]["root"], listed[0]["parts"][0]) == (str(root), "index")
    assert "index" in parts(opened, root), "nothing was deleted"
    done = command("prune", "--yes")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("Freed 0.0 MB in redis://")
    assert parts(opened, root) == {"sessions"}
    done = command("prune", "--sessions", "--yes", "--json")
    assert json.loads(done.stdout)[0]["freedBytes"] > 1000
    assert command("prune", "--yes").stdout == "Nothing may go.\n"


@pytest.mark.parametrize("typed", [b"y\n", b"n\n", b"\x04"])
def test_what_goes_is_asked_on_a_terminal(opened, used, program, url, typed) -> None:
    root, goes = used(), typed == b"y\n"
    shutil.rmtree(root)
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [program, "store", "prune"],
        stdin=slave,
        stderr=slave,
        stdout=subprocess.PIPE,
        env={**os.environ, "IPUARO_REDIS_URL": url},
    )
    os.close(slave)
    said = b""
    while b"Delete this?" not in said:
        said += os.read(master, 1000)
    os.write(master, typed)
    process.communicate(timeout=60)
    os.close(master)
    assert process.returncode == (0 if goes else 130)
    assert ("index" not in parts(opened, root)) is goes


def measure_and_prune(url, root) -> None:
    """Do both on any kind of server; the folder of the project goes meanwhile."""
    store = connect(StoreSettings(url=url))
    (project,) = store_stats(store).projects
    assert (project.index, project.files) == ("whole", 1)
    shutil.rmtree(root)
    assert pruned(store, sessions=True) == {"project": ""}
    assert store_stats(store).projects == ()
    assert list(store.scan("ipuaro:*")) == []
    store.close()


USER = ("--user", "ipuaro", "on", f">{PASSWORD}", rights.KEYS, *rights.COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        *("one", "tls"),
        *(pytest.param(kind, marks=pytest.mark.long) for kind in ("sentinels", "cluster")),
    ],
)
def test_all_works_on_each_kind_of_server_with_the_listed_rights(
    servers: Servers, open_assistant, make_project, tmp_path, kind
) -> None:
    if kind == "tls":
        authority, port = Authority(tmp_path), free_port()
        options = (*authority.options(), "--tls-port", str(port), "--save", "", *USER)
        url = f"rediss://127.0.0.1:{servers.start(*options, port=port)}"
        url += f"?ssl_ca_certs={authority.file}"
    elif kind == "one":
        url = f"redis://127.0.0.1:{servers.start('--save', '', *USER)}"
    elif kind == "sentinels":
        url = SentinelDeployment(servers, options=USER).url
    else:
        url = ClusterDeployment(servers, options=(*USER, *rights.OF_A_CLUSTER)).url
    url = url.replace("://", f"://ipuaro:{PASSWORD}@")
    if kind == "sentinels":  # they have no users of their own here
        url += "?sentinel_username=default&sentinel_password="
    root = make_project({"src/fee.ts": FEE})
    use_all(open_assistant, root, {"redis": {"url": url}})
    measure_and_prune(url, root)
