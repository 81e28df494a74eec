"""A project under test, the store behind it, and what must hold of both after every turn."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil

import ipuaro_jupyter
from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.embedded import stop

SUPPORT = Path(__file__).parents[2] / "support"
MARK = "IPUARO_ROBUSTNESS"
SETTINGS = {
    "project": {"inline_bytes": 20_000, "workers": 2},
    "undo": {"stack_size": 1000},
    "llm": {"model": "scripted", "timeout": 1500, "load_timeout": 1500},
    "approve": "ask",
}
SERVERS = ("valkey-server", "redis-server", "ipuaro_jupyter.store.keeper")
_ENDING_S = 10.0
_STEP_S = 0.05


def load(path):
    """Return a module of another folder of tests, which finds those beside it."""
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    return importlib.import_module(path.stem)


def files():
    """Return the project as {path: bytes}: enough for the workers, and every way to end a line."""
    found = {
        f"src/m{n}.ts": "".join(
            f"import {{ f{n + step} }} from './m{(n + step) % 40}'\n" for step in (1, 2)
        )
        + "".join(
            f"export function f{n + i}(a: number) {{\n  return a + {i}\n}}\n" for i in range(20)
        )
        for n in range(40)
    }
    found["README.md"] = "# Room\nTODO: nothing\n"
    found["package.json"] = '{"name": "room", "main": "src/m0.ts"}\n'
    contents = {path: text.encode() for path, text in found.items()}
    contents["src/windows.ts"] = b"export const a = 1\r\nexport const b = 2\r\n"
    contents["src/marked.ts"] = b"\xef\xbb\xbfexport const c = 1\nexport const d = 2"
    contents["tool.py"] = b"#!/usr/bin/env python3\ndef main():\n    return 1\n"
    return contents


def wait_for_writes(url):
    """Wait until a server stores what it is given: it may load, or have found its disk full."""
    deadline = time.monotonic() + _ENDING_S
    while time.monotonic() < deadline:
        with suppress(StorageError), closing(connect(StoreSettings(url=url))) as store:
            store.set("robustness", b"1")
            return
        time.sleep(_STEP_S)
    raise TimeoutError(f"the store at {url or 'the usual place'} takes nothing")


class EmbeddedStore:
    """The server that the package starts by itself."""

    name = "embedded"

    def __init__(self, home):
        self._home = home
        self.settings = {}

    def start(self):
        """It is started when it is needed."""

    def send(self, number):
        """Send its processes a signal."""
        for file in self._home.glob("store/*/server.pid"):
            with suppress(ValueError, ProcessLookupError):
                os.kill(int(file.read_text()), number)

    def stop(self):
        """Stop it and its keeper."""
        stop()


class OwnStore:
    """A server of the user's own, which nobody starts again but its owner."""

    name = "own"

    def __init__(self, home):
        self._folder = Path(tempfile.mkdtemp(prefix="own-", dir=home))
        self._socket = self._folder / "redis.sock"
        self._process = None
        self.settings = {"redis": {"url": f"unix://{self._socket}"}}

    def start(self):
        """Start it on its data, unless it runs; returns when it answers."""
        if self._process is not None and self._process.poll() is None:
            return
        self._socket.unlink(missing_ok=True)
        options = ("--port", "0", "--unixsocket", self._socket, "--save", "", "--appendonly", "yes")
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["redis-server", *options, "--dir", self._folder], stdout=log, stderr=log
            )
        wait_for_writes(self.settings["redis"]["url"])

    def send(self, number):
        """Send its process a signal."""
        self._process.send_signal(number)
        if number == signal.SIGKILL:
            self._process.wait(_ENDING_S)

    def stop(self):
        """Stop it."""
        self.send(signal.SIGTERM)
        self._process.wait(_ENDING_S)


class Room:
    """One project with one session, in which turns are played.

    Args:
        place: An empty folder for the project, which may be a small disk of its own.
        home: IPUARO_HOME.
        store: The server behind it.
        random: The source of everything that is chosen.
    """

    def __init__(self, place, home, *, store, random):
        self.place, self.home, self.store, self.random = place, home, store, random
        self.root = place / "project"
        self.original = {}
        self.known = ()
        self.undone = self.lost = self.differences = 0
        self.faults = []
        self._make()

    def _make(self):
        for path, content in files().items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content)
        (self.root / "tool.py").chmod(0o755)
        self.git("init", "-q")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        self.git("add", ".")
        self.git("commit", "-qm", "Begin")
        self.original = self.content()
        (self.home / "settings.json").write_text(json.dumps({**SETTINGS, **self.store.settings}))
        self.store.start()

    def git(self, *arguments):
        """Return what git says about the project."""
        command = ["git", *arguments]
        return subprocess.check_output(command, cwd=self.root, text=True, timeout=60).strip()

    def content(self):
        """Return every file as {path: (bytes, mode)}, and every folder, without git's."""
        found = {}
        for place in sorted(self.root.rglob("*")):
            path = place.relative_to(self.root)
            if path.parts[0] != ".git":
                data = b"" if place.is_dir() else place.read_bytes()
                found[str(path)] = (data, place.stat().st_mode)
        return found

    def changed(self, before):
        """Return which paths are not as they were, sorted."""
        now = self.content()
        return sorted(path for path in now | before if now.get(path) != before.get(path))

    @contextmanager
    def opened(self, turn):
        """Give the assistant with what the session held before, closed at the end."""
        assistant = ipuaro_jupyter.start(
            self.root,
            model=turn.model,
            confirm=turn.confirm,
            on_error=turn.on_error,
            settings=turn.settings,
        )
        try:
            self.check_history(assistant)
            yield assistant
        finally:
            self.known = messages_of(assistant)
            assistant.close()

    def note(self, what):
        """Remember that something does not hold."""
        self.faults.append(what)

    def check_history(self, assistant):
        """Whatever was said to be stored is there, and the turn in flight is a whole one."""
        loaded = messages_of(assistant)
        missing = [one for one in self.known if one not in loaded]
        if missing or loaded[: len(self.known)] != self.known:
            self.lost += max(1, len(missing))
            self.note(f"{len(missing)} of {len(self.known)} messages lost or moved: {missing[:1]}")
        if loaded:
            last = assistant._conversation.session.messages[-1]
            if last.role != "assistant" or last.calls:
                self.note(f"the session ends with {last.role} {last.content[:80]!r}")
        self.known = loaded

    def check_index(self, assistant):
        """The index is that of a fresh start."""
        everything_in = load(SUPPORT / "index_contents.py").everything_in
        index = assistant._index
        index.refresh()
        by_and_by = everything_in(index)
        index.refresh(full=True)
        fresh = everything_in(index)
        found = [key for key in by_and_by if by_and_by[key] != fresh[key]]
        if found:
            self.differences += 1
            self.note(f"the index differs from a fresh one in {found}")
        if any(b"the parser" in str(fresh[key]).encode() for key in fresh):
            self.note("the index blames a file for a worker that was killed")

    def check_use(self, assistant):
        """The assistant goes on to work."""
        result = assistant.call("get_lines", {"path": "package.json"})
        if not result.success:
            self.note(f"get_lines fails afterwards: {result.error.message}")

    def undo_all(self, assistant):
        """Take everything back; then each file is what it was at first."""
        while (result := assistant.undo()).success:
            self.undone += 1
        if "nothing to undo" not in result.error.message:
            self.note(f"undo stops: {result.error.message}")
        if changed := self.changed(self.original):
            self.note(f"after all undos there differ: {changed[:5]}")

    def close(self):
        """Remove the project."""
        self.store.stop()
        shutil.rmtree(self.root, ignore_errors=True)


def messages_of(assistant):
    """Return the session's messages as text."""
    return tuple(one.model_dump_json() for one in assistant._conversation.session.messages)


def sockets():
    """Return the descriptors of this process that are sockets."""
    return {one.fd for one in psutil.Process().net_connections("all")}


def left_open(before):
    """Return the sockets that this process has opened and not closed, after a while."""
    deadline = time.monotonic() + _ENDING_S
    while found := sockets() - before:
        if time.monotonic() > deadline:
            return [f"socket {one}" for one in sorted(found)]
        time.sleep(_STEP_S)
    return []


def left_running(mark, *, allowed=()):
    """Return what runs with this mark in its environment besides this process, after a while."""
    deadline = time.monotonic() + _ENDING_S
    while found := _marked(mark, allowed):
        if time.monotonic() > deadline:
            return found
        time.sleep(_STEP_S)
    return []


def _marked(mark, allowed):
    children = psutil.Process().children(recursive=True)
    found = []
    for process in {*psutil.process_iter(), *children}:
        with suppress(psutil.Error):
            words = " ".join(process.cmdline())
            is_ours = process in children or process.environ().get(MARK) == mark
            if is_ours and process.pid != os.getpid() and not any(one in words for one in allowed):
                found.append(f"{process.pid} {process.status()} {words[:100]}")
    return found
