"""The keeper, for real."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ipuaro_jupyter.store import embedded
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect
from ipuaro_jupyter.store.data_folder import DataFolder

pytestmark = pytest.mark.usefixtures("home")
Kill = Callable[[], None]
Processes = Callable[[], list[psutil.Process]]
WaitFor = Callable[..., bool]
StartClient = Callable[..., subprocess.Popen[str]]


def data_of(home: Path) -> DataFolder:
    (path,) = home.glob("store/*")
    return DataFolder(path)


def wait_until_seen(store: Store, wait_for: WaitFor) -> None:
    """Return when the keeper has begun and ended a look at the server's clients."""

    def looks() -> int:
        return int(store._client.run("INFO", "commandstats")["cmdstat_client|list"]["calls"])

    assert wait_for(lambda: "cmdstat_client|list" in store._client.run("INFO", "commandstats"))
    before = looks()
    assert wait_for(lambda: looks() >= before + 2)


def test_server_is_stopped_after_its_last_client(
    home: Path, processes: Processes, wait_for: WaitFor
) -> None:
    store = connect(StoreSettings(keeper_idle_s=3))
    store.set("a", b"1")
    assert data_of(home).alive
    wait_until_seen(store, wait_for)
    store.close()
    closed = time.monotonic()
    assert wait_for(lambda: not data_of(home).alive)
    assert time.monotonic() - closed > 1
    assert wait_for(lambda: not processes())
    assert data_of(home).keeper_log.read_text() == ""
    store = connect(StoreSettings(keeper_idle_s=0.5))
    assert store.get("a") == b"1"
    store.close()


def test_server_is_stopped_after_its_last_client_was_killed(
    processes: Processes, wait_for: WaitFor, start_client: StartClient
) -> None:
    client = start_client(idle_s=0.5)
    client.stdout.readline()
    client.send_signal(signal.SIGKILL)
    client.wait()
    assert wait_for(lambda: not processes())


def test_server_is_not_stopped_while_a_client_is_there(
    processes: Processes, wait_for: WaitFor, start_client: StartClient
) -> None:
    client = start_client(idle_s=0.3)
    pid = int(client.stdout.readline())
    time.sleep(1.5)
    assert psutil.pid_exists(pid)
    client.stdin.close()
    assert wait_for(lambda: not processes())


def test_idle_time_starts_anew_with_each_client(processes: Processes, wait_for: WaitFor) -> None:
    settings = StoreSettings(keeper_idle_s=3)
    connect(settings).close()
    pids = {process.pid for process in processes()}
    for _ in range(3):
        time.sleep(1.2)
        store = connect(settings)
        wait_until_seen(store, wait_for)
        store.close()
    assert {process.pid for process in processes()} == pids


def test_interrupt_of_the_process_group_does_not_reach_server_and_keeper(
    processes: Processes, start_client: StartClient
) -> None:
    client = start_client(start_new_session=True)
    client.stdout.readline()
    before = {process.pid for process in processes()}
    os.killpg(client.pid, signal.SIGINT)
    client.wait()
    time.sleep(0.3)
    assert {process.pid for process in processes()} == before
    assert len(before) == 2


def test_keeper_ends_when_the_server_was_killed(
    home: Path, kill_server: Kill, processes: Processes, wait_for: WaitFor
) -> None:
    connect(StoreSettings(keeper_idle_s=60)).close()
    kill_server()
    assert wait_for(lambda: not processes(), 3)
    assert data_of(home).keeper_log.read_text() == ""


def test_keeper_guards_a_server_that_was_started_again(
    kill_server: Kill, processes: Processes, wait_for: WaitFor
) -> None:
    store = connect(StoreSettings(keeper_idle_s=0.6))
    kill_server()
    store.set("a", b"1")
    assert wait_for(lambda: len(processes()) == 2)
    store.close()
    assert wait_for(lambda: not processes())


def test_stop_ends_server_and_keeper(processes: Processes, wait_for: WaitFor) -> None:
    connect(StoreSettings(keeper_idle_s=600)).close()
    embedded.stop()
    assert wait_for(lambda: not processes(), 2)
    connect(StoreSettings(keeper_idle_s=600)).close()
    embedded.EmbeddedServer(keeper_idle_s=600).stop()
    assert wait_for(lambda: not processes(), 2)


@pytest.mark.slow
def test_clients_that_come_and_go_never_meet_a_server_that_is_going(
    processes: Processes, wait_for: WaitFor
) -> None:
    """Each process comes about when the keeper of the one before is stopping the server."""
    code = (
        "import sys, time; from ipuaro_jupyter.store.connection import StoreSettings, connect\n"
        "for n in range(12):\n"
        "    store = connect(StoreSettings(keeper_idle_s=0.1))\n"
        "    assert store.hincrby('h', 'n') > 0\n"
        "    store.close()\n"
        "    time.sleep(0.07 + 0.01 * n)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    store = connect(StoreSettings(keeper_idle_s=0.1))
    assert store.hget("h", "n") == b"24"
    store.close()
    assert wait_for(lambda: not processes())


def test_server_whose_folder_was_deleted_is_stopped_when_it_has_no_clients(
    home: Path, processes: Processes, wait_for: WaitFor
) -> None:
    store = connect(StoreSettings(keeper_idle_s=2))
    old = {process.pid for process in processes()}
    assert wait_for(lambda: store._client.run("INFO", "clients")["connected_clients"] == 2)
    shutil.rmtree(home / "store")
    assert store.get("a") is None
    store.close()
    store = connect(StoreSettings(keeper_idle_s=60))
    store.set("a", b"1")
    assert wait_for(lambda: not old & {process.pid for process in processes()})
    assert store.get("a") == b"1"
    assert len(processes()) == 2
    store.close()
