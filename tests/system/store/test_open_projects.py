"""What one process has open is never dropped by another, however long ago it was opened."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import ipuaro_jupyter
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.sessions.open_sessions import opened_by
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.embedded import stop
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id

_HOLD = """
import sys
import ipuaro_jupyter
with ipuaro_jupyter.start(sys.argv[1], model=ipuaro_jupyter.ScriptedModel(["Fine."])) as assistant:
    if sys.argv[2] == "handed over":
        assistant.ask("Hello")
        assistant.hand_over()
    print("open", flush=True)
    for line in sys.stdin:
        found = assistant.call("find_definition", {"symbol": "fee"})
        print(" ".join(found.text().split()), flush=True)
"""


@pytest.fixture
def holding(home, make_project):
    """Return a function that has another process open a project, on the server of a new home."""
    assert list(home.iterdir()) == []
    processes = []

    def hold(how):
        root = make_project({"fee.ts": "export const fee = 2\n"}, "held")
        argv = [sys.executable, "-c", _HOLD, str(root), how]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout.readline() == "open\n"
        return root, process

    yield hold
    for process in processes:
        process.kill()
        process.communicate(timeout=30)
    stop()


def _age(root, days=100):
    """Make a project look as if it was opened so long ago, and its sessions as old."""
    store = connect(StoreSettings())
    keys, then = Keys(project_id(root)), time.time() - days * 86_400
    store.zadd(PROJECTS, {keys.project_id: then})
    for session in store.zrevrange(keys.sessions, 0, -1):
        store.zadd(keys.sessions, {session.decode(): then})
    for owner in store.scan(keys.owner("*")):  # it expires while no message is sent
        store.delete(owner.decode())
    store.close()


def _held(root):
    store = connect(StoreSettings())
    found = {key.decode().rpartition(":")[2] for key in store.scan(Keys(project_id(root)).pattern)}
    store.close()
    return found


@pytest.mark.parametrize("how", ["new", "handed over"])
def test_what_another_process_has_open_is_never_dropped(
    holding, open_assistant, make_project, ipuaro, how
):
    root, process = holding(how)
    _age(root)
    before = _held(root)
    open_assistant(make_project({"b.ts": ""}, "other"), []).close()
    assert _held(root) == before
    pruned = ipuaro("store", "prune", "--older-than", "1", "--sessions", "--yes")
    assert pruned.stdout == "Nothing may go.\n"
    (told,) = [
        one
        for one in json.loads(ipuaro("store", "stats", "--json").stdout)["projects"]
        if one["root"] == str(root)
    ]
    assert told["openedBy"] == [f"process {process.pid} on this machine"]
    process.stdin.write("\n")
    process.stdin.flush()
    assert "fee.ts:1" in process.stdout.readline()

    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    _age(root)  # the call counted as use
    open_assistant(make_project({"c.ts": ""}, "third"), []).close()
    assert _held(root) == set()


@pytest.mark.usefixtures("home")
def test_what_fails_to_open_is_open_for_nobody(make_project):
    store = connect(StoreSettings())
    root = make_project({"a.ts": ""}, "new")
    with pytest.raises(SettingsError):
        ipuaro_jupyter.start(root, model=ipuaro_jupyter.ScriptedModel([]), session="none")
    assert opened_by(store, Keys(project_id(root))) == ()
    store.close()
    stop()
