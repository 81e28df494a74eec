"""What every test may use: a private home, small projects, assistants with scripted models."""

import gc
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from contextlib import suppress
from pathlib import Path

import ollama_server as server_of_models
import permissions
import psutil
import pytest
from hypothesis import settings

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.embedded import stop

TESTS = Path(__file__).parent

# How many examples each property is tried with; the machine may be busy, so none has a deadline.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("ci", settings.get_profile("ci"), deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=1000)


TOO_LONG = 6
"""The exit status when all tests have passed and a folder took too long: none of pytest's own."""


class FolderTimes:
    """What each folder of tests took, told beside what it takes on two idle cores.

    The seconds are those of its tests added up, whichever process ran them. Machines differ and may
    be busy, so only four times as much, and a minute, is a failure. Nothing is with ``--long``, nor
    for a folder whose seconds are not told.
    """

    def __init__(self, *, is_long):
        self.is_long = is_long
        self.usual = tomllib.loads((TESTS / "support/folder_seconds.toml").read_text())
        self.took = Counter()

    def pytest_runtest_logreport(self, report):
        folders = report.nodeid.partition("::")[0].split("/")[1:-1]
        self.took["/".join(folders[:2])] += report.duration

    def late(self):
        return sorted(
            folder
            for folder, seconds in self.took.items()
            if not self.is_long and seconds > max(60, 4 * self.usual.get(folder, seconds))
        )

    def pytest_sessionfinish(self, session):
        if self.late() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = TOO_LONG

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("seconds by folder, and on two idle cores")
        for folder, seconds in self.took.most_common():
            usual = self.usual.get(folder, "not told")
            terminalreporter.line(f"{seconds:7.0f}  {usual:>8}  {folder}")
        for folder in self.late():
            terminalreporter.line(f"{folder} takes too long: make it quicker, or its tests `long`")


def pytest_addoption(parser):
    parser.addoption(
        "--long", action="store_true", help="run what takes minutes too, with 1000 examples each"
    )
    parser.addoption(
        "--folder-times", action="store_true", help="tell what each folder takes; fail if too long"
    )


def pytest_configure(config):
    is_long = config.getoption("--long")
    settings.load_profile("long" if is_long else "ci" if os.environ.get("CI") else "quick")
    if config.getoption("--folder-times") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FolderTimes(is_long=is_long))


def pytest_xdist_auto_num_workers():
    return (os.cpu_count() or 1) + 1  # many tests wait for a process, a third of the time in all


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish():
    """Leave the thousands of collected tests out of every later garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def ipuaro_home():
    """One embedded server for the whole run, in a folder of its own; no git settings leak in."""
    home = tempfile.mkdtemp(prefix="ipuaro-test-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPUARO_HOME", home)
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
        yield Path(home)
        stop()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user's folder for one test, without settings."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("IPUARO_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def running_in():
    """Return a function that returns the processes whose working directory is in a folder."""

    def find(folder):
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                is_inside = process.cwd().startswith(str(folder))
                if is_inside and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    return find


@pytest.fixture
def permissions_count():
    """Permissions count in the test, and for what it starts, although root runs it."""
    with permissions.counting():
        yield


@pytest.fixture
def make_project(tmp_path):
    """Return a function that writes {path: text or bytes} to a new folder and returns it."""

    def make(files, name="project"):
        root = tmp_path / name
        root.mkdir()
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return make


@pytest.fixture
def open_assistant():
    """Return `start` for a model or its scripted replies; what it opened is closed afterwards."""
    opened = []

    def open_it(root, model, **options):
        model = ScriptedModel(model) if isinstance(model, list) else model
        opened.append(ipuaro_jupyter.start(root, model=model, **options))
        return opened[-1]

    yield open_it
    for assistant in opened:
        assistant.close()


@pytest.fixture
def store():
    """A store on the run's embedded server."""
    opened = connect(StoreSettings())
    yield opened
    opened.close()


@pytest.fixture
def start_redis(tmp_path):
    """A server of the user's own on a unix socket; gives its URL and process."""
    program = shutil.which("redis-server")
    if program is None:
        assert not os.environ.get("CI"), "CI needs redis-server."
        pytest.skip("redis-server is not installed")
    socket = tmp_path / "own.sock"
    options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    url = f"unix://{socket}"
    for _ in range(200):
        if socket.exists():
            break
        time.sleep(0.05)
    yield url, server
    server.kill()
    server.wait(10)


@pytest.fixture(scope="session")
def program():
    """Where the command ``ipuaro`` of this environment is."""
    return Path(sys.executable).with_name("ipuaro")


@pytest.fixture(scope="session")
def ipuaro(program):
    """Return a function that runs the command to its end; ``env`` is added to the environment."""

    def run(*arguments, stdin="", env=None, cwd=None):
        return subprocess.run(
            [program, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        )

    return run


@pytest.fixture
def ollama():
    """Return a module with a server that speaks Ollama's API, and the faults it may have."""
    return server_of_models


@pytest.fixture
def ollama_server(ollama):
    """A running server of that kind, with the default model, on a free port."""
    server = ollama.OllamaServer()
    server.add_model("qwen2.5-coder:7b-instruct")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def unused_host():
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
