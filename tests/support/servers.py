"""Real servers for the store's tests; each test ends with none of its processes left."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from waiting import become

from ipuaro_jupyter.store.connection import Store, StoreSettings, connect
from ipuaro_jupyter.store.data_folder import DataFolder
from ipuaro_jupyter.store.wire import Wire

CLIENT = """
import sys
from ipuaro_jupyter.store.connection import StoreSettings, connect
store = connect(StoreSettings(keeper_idle_s=float(sys.argv[1])))
store.set("seen", b"1")
print(store._client.run("INFO", "server")["process_id"], flush=True)
sys.stdin.read()
"""


def living(mark: str) -> list[psutil.Process]:
    """Return the other processes that have ``mark`` in their command line, zombies left out."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if mark in " ".join(process.cmdline()) and process.pid != os.getpid():
                found.append(process)
    return found


@pytest.fixture
def wait_for() -> Callable[..., bool]:
    return become


@pytest.fixture
def kill_server() -> Callable[[], None]:
    """Give a function that kills the server of IPUARO_HOME and returns when nothing of it is left.

    A process whose main thread has gone already may have other threads that hold its sockets.
    """

    def kill_now() -> None:
        (path,) = Path(os.environ["IPUARO_HOME"]).glob("store/*")
        data = DataFolder(path)
        os.kill(int(data.pid.read_text()), signal.SIGKILL)
        assert become(lambda: not data.alive, 5)

    return kill_now


@pytest.fixture
def processes(home: Path) -> Callable[[], list[psutil.Process]]:
    """Give a function that returns the living servers and keepers of ``home``."""
    return lambda: living(f"{home}/")


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give an IPUARO_HOME with a short path; its servers and keepers are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="ipu-", dir="/tmp"))
    monkeypatch.setenv("IPUARO_HOME", str(folder))
    yield folder
    for data in folder.glob("store/*"):
        record = data / "socket"
        if record.exists():
            try:
                with Wire(Path(record.read_text())) as wire:
                    wire.ask("SHUTDOWN NOSAVE")
            except OSError:
                pass
    left = not become(lambda: not living(f"{folder}/"))
    for process in living(f"{folder}/"):
        process.kill()
    shutil.rmtree(folder)
    assert not left, "a server or keeper was left"


@pytest.fixture
def start_client(home: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Give a function that starts a process which holds a store open until its stdin closes."""
    environment = {**os.environ, "IPUARO_HOME": str(home)}
    started: list[subprocess.Popen[str]] = []

    def start(*, idle_s: float = 60.0, **options: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, str(idle_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            **options,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


@pytest.fixture
def start_redis(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Give a function that starts a redis-server with options and returns its URL."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no redis-server on the PATH: install one (apt-get install redis-server)")
        pytest.skip("no redis-server on the PATH")
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str, port: int | None = None) -> str:
        port = port or free_port()
        with (tmp_path / f"{port}.log").open("wb") as log:
            started.append(
                subprocess.Popen(
                    [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", *options],
                    cwd=tmp_path,
                    stdout=log,
                    stderr=log,
                )
            )
        assert become(lambda: accepts(port))
        return f"redis://127.0.0.1:{port}/0"

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture(params=["embedded", "named"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Give a store on each kind of server."""
    if request.param == "embedded":
        request.getfixturevalue("home")
        url = None
    else:
        url = request.getfixturevalue("start_redis")()
    opened = connect(StoreSettings(url=url, keeper_idle_s=60))
    yield opened
    opened.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
