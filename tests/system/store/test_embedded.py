"""The embedded server, for real."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store import embedded as embedded_module
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect
from ipuaro_jupyter.store.embedded import EmbeddedServer
from ipuaro_jupyter.store.topology import told_servers

SETTINGS = StoreSettings(keeper_idle_s=60)
REPOSITORY = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("home")
Kill = Callable[[], None]
Processes = Callable[[], list[psutil.Process]]
WaitFor = Callable[..., bool]
StartClient = Callable[..., subprocess.Popen[str]]


def pid_of(store: Store) -> int:
    return int(store._client.run("INFO", "server")["process_id"])


def test_server_is_found_again_with_its_data() -> None:
    first = connect(SETTINGS)
    first.set("a", b"1")
    pid = pid_of(first)
    first.close()
    second = connect(SETTINGS)
    assert (second.get("a"), pid_of(second)) == (b"1", pid)
    second.close()


def test_data_outlives_a_stop(processes: Processes, wait_for: WaitFor) -> None:
    store = connect(SETTINGS)
    store.set("a", b"1")
    pid = pid_of(store)
    embedded_module.stop()
    assert wait_for(lambda: not processes(), 1)
    assert store.get("a") == b"1"
    assert pid_of(store) != pid
    store.close()


def test_stop_without_a_server_does_nothing(home: Path) -> None:
    embedded_module.stop()
    assert list(home.iterdir()) == []


def test_server_listens_on_no_port_and_writes_an_append_only_file() -> None:
    store = connect(SETTINGS)
    config = store._client.run("CONFIG GET", "*")
    assert (config["port"], config["appendonly"]) == ("0", "yes")
    assert (config["appendfsync"], config["save"]) == ("everysec", "")
    connections = psutil.Process(pid_of(store)).net_connections(kind="inet")
    assert connections == []
    store.close()


def test_server_and_keeper_run_in_sessions_of_their_own(processes: Processes) -> None:
    store = connect(SETTINGS)
    ours = processes()
    assert len(ours) == 2
    assert all(os.getsid(process.pid) == process.pid for process in ours)
    store.close()


def test_two_processes_that_start_together_share_one_server(start_client: StartClient) -> None:
    clients = [start_client() for _ in range(4)]
    pids = {client.stdout.readline() for client in clients}
    assert len(pids) == 1
    assert int(pids.pop()) > 0


def test_threads_that_start_together_share_one_server() -> None:
    stores: list[Store] = []
    threads = [threading.Thread(target=lambda: stores.append(connect(SETTINGS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({pid_of(store) for store in stores}) == 1
    assert len(stores) == 4
    for store in stores:
        store.close()


def test_killed_server_is_started_again_with_all_that_was_written(kill_server: Kill) -> None:
    store = connect(SETTINGS)
    for number in range(1000):
        store.rpush("l", str(number).encode())
    kill_server()
    assert store.llen("l") == 1000
    assert store.rpush("l", b"more") == 1001
    store.close()


def test_killed_server_is_started_again_for_a_batch(kill_server: Kill) -> None:
    store = connect(SETTINGS)
    kill_server()
    with store.batch(atomic=True) as batch:
        batch.set("a", b"1")
        batch.set("b", b"2")
    assert (store.get("a"), store.get("b")) == (b"1", b"2")
    store.close()


def test_connect_after_a_kill_works_in_spite_of_the_stale_socket_and_pid(kill_server: Kill) -> None:
    first = connect(SETTINGS)
    first.set("a", b"1")
    data = EmbeddedServer(keeper_idle_s=60).data
    kill_server()
    assert data.socket is not None
    assert data.socket.exists()
    data.pid.write_text("1\n")
    second = connect(SETTINGS)
    assert second.get("a") == b"1"
    first.close()
    second.close()


def test_clients_of_several_threads_survive_a_kill(kill_server: Kill) -> None:
    store = connect(SETTINGS)
    kill_server()
    sums: list[int] = []

    def count() -> None:
        sums.append(store.hincrby("h", "n"))

    threads = [threading.Thread(target=count) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sums) == [1, 2, 3, 4, 5]
    store.close()


def test_server_that_dies_during_a_command_is_an_error_and_then_back() -> None:
    store = connect(SETTINGS)
    store.set("a", b"1")
    pid = pid_of(store)
    timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    timer.start()
    with pytest.raises(StorageError, match=r"unix:///.*Try again: it is started anew.*server\.log"):
        store._client.run("BLPOP", "never", 5)
    timer.join()
    assert store.get("a") == b"1"
    store.close()


@pytest.fixture
def dying() -> Iterator[Store]:
    """A store whose server has stopped answering, and is killed while it is waited for."""
    store = connect(SETTINGS)
    store.set("a", b"1")
    pid = pid_of(store)
    os.kill(pid, signal.SIGSTOP)
    timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    timer.start()
    yield store
    timer.join()
    store.close()


def test_server_that_dies_while_something_is_read_is_asked_again(dying: Store) -> None:
    assert dying.get("a") == b"1"


def test_server_that_dies_while_something_is_set_is_told_again(dying: Store) -> None:
    with dying.batch(atomic=True) as batch:
        batch.set("a", b"2")
        batch.hset("h", {"f": b"3"})
    assert (dying.get("a"), dying.hget("h", "f")) == (b"2", b"3")


def test_server_that_dies_before_something_is_added_gets_it_once(dying: Store) -> None:
    assert dying.rpush("l", b"1") == 1
    with dying.batch(atomic=True) as batch:
        batch.rpush("l", b"2")
        batch.set("a", b"2")
    assert dying.lrange("l", 0, -1) == [b"1", b"2"]


def test_killed_keeper_is_replaced_by_the_next_client(
    processes: Processes, wait_for: WaitFor
) -> None:
    first = connect(SETTINGS)
    (keeper,) = (process for process in processes() if process.pid != pid_of(first))
    keeper.kill()
    assert wait_for(lambda: len(processes()) == 1)
    second = connect(SETTINGS)
    assert len(processes()) == 2
    assert keeper.pid not in {process.pid for process in processes()}
    first.close()
    second.close()


def test_file_whose_end_was_cut_off_is_loaded(home: Path) -> None:
    store = connect(SETTINGS)
    store.set("a", b"1")
    store.set("b", b"2" * 100)
    store.close()
    embedded_module.stop()
    (file,) = home.glob("store/*/appendonlydir/*.incr.aof")
    file.write_bytes(file.read_bytes()[:-20])
    store = connect(SETTINGS)
    assert store.get("a") == b"1"
    assert len(store.take_losses()) == 1
    store.close()


def test_modules_of_the_current_folder_do_not_get_into_the_keeper(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / "socket.py").write_text("raise SystemExit('shadowed')")
    code = (
        "import os, sys; from ipuaro_jupyter.store.connection import StoreSettings, connect\n"
        "os.chdir(sys.argv[1]); connect(StoreSettings())"
    )
    safe = "-P"  # this process may import from the folder late itself; the keeper is asked about
    subprocess.run([sys.executable, safe, "-c", code, tmp_path], check=True, cwd=REPOSITORY)
    time.sleep(0.3)
    (log,) = home.glob("store/*/keeper.log")
    assert log.read_bytes() == b""


def test_log_does_not_grow_without_end(home: Path) -> None:
    connect(SETTINGS).close()
    embedded_module.stop()
    (log,) = home.glob("store/*/server.log")
    log.write_bytes(b"x" * 1_100_000)
    connect(SETTINGS).close()
    assert log.stat().st_size < 100_000
    assert log.with_name("server.log.1").stat().st_size >= 1_100_000


@pytest.mark.slow
def test_server_that_does_not_answer_is_an_error_that_says_how_to_end_it(kill_server: Kill) -> None:
    store = connect(SETTINGS)
    pid = pid_of(store)
    data = EmbeddedServer(keeper_idle_s=60).data
    assert data.socket is not None
    data.socket.unlink()
    with pytest.raises(StorageError, match=rf"runs but does not answer.*kill -9 {pid}`"):
        connect(SETTINGS)
    kill_server()
    assert told_servers(connect(SETTINGS)) == told_servers(store)
    store.close()


def test_socket_of_somebody_else_is_not_spoken_to(home: Path) -> None:
    """A path that was ours and can now be entered by others may hold another server's socket."""
    connect(SETTINGS).close()
    embedded_module.stop()
    open_folder = Path(home, "open")
    open_folder.mkdir()
    open_folder.chmod(0o777)
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(str(open_folder / "s"))
        stranger.listen()
        data = EmbeddedServer(keeper_idle_s=60).data
        data.record_socket(open_folder / "s")
        assert data.socket is None
        store = connect(SETTINGS)
        assert "/open/" not in store.url
        store.close()


def deleted(folder: Path) -> bool:
    """Delete a folder, in which the keeper may write meanwhile."""
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def test_server_is_started_again_when_its_folder_was_deleted(
    home: Path, kill_server: Kill, wait_for: WaitFor
) -> None:
    store = connect(SETTINGS)
    store.set("a", b"1")
    kill_server()
    assert wait_for(lambda: deleted(home / "store"), 5)
    assert store.get("a") is None
    assert store.set("a", b"2")
    store.close()
