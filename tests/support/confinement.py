"""Layouts of links that lead out of a project, and what a tool can do with a path."""

import threading
import unicodedata
from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError

ROUNDS = 2 * settings.default.max_examples
SECRET = b"TOPSECRET"
NFD = unicodedata.normalize("NFD", "né")
NAMES = ("a", "b", "src", "link", "loop", "out", NFD)
TARGETS = (
    *("a", "src", "link", "loop", "../a", "..", ".", "src/link", "nowhere", "nowhere/../../x"),
    *("ROOT", "ROOT/src", "OUTSIDE", "OUTSIDE/secret.txt", "../outside", "../../outside", "/"),
)
PIECES = (
    *(*NAMES, "..", ".", "", "secret.txt", "new", "outside", "project", "~", "né", "SRC", "a."),
    *("..\\outside", ".git", ".GIT"),
)

layouts = st.dictionaries(
    st.tuples(st.sampled_from(("", "src/", "sub/")), st.sampled_from(NAMES)).map("".join),
    st.sampled_from(TARGETS),
    max_size=6,
)
paths = st.builds(
    lambda start, pieces: start + "/".join(pieces),
    st.sampled_from(("", "/", "ROOT/", "~/")),
    st.lists(st.sampled_from(PIECES), max_size=6),
)


def use(opened, path):
    """Do with a path all that a tool can do; return what was read."""
    workspace = opened.workspace
    seen = []
    with suppress(ToolError):
        seen.append(workspace.read_bytes(path)[0])
    with suppress(ToolError):
        workspace.entry(path)
    data = seen[0] if seen else None
    for before, after in ((data, b"written"), (b"written", None), (None, b"new"), (SECRET, None)):
        with suppress(ToolError):
            opened.apply(path, before, after)
    for undo in (workspace.undo, workspace.undo_turn, workspace.undo):
        with suppress(ToolError):
            undo()
    return seen


class Swapper(threading.Thread):
    """Puts a link in the place of something and takes it away, over and over."""

    def __init__(self, place, target):
        super().__init__(daemon=True)
        self.place, self.target = place, target
        self.aside = place.with_name(f"{place.name}.aside")
        self.stopped, self.swaps = threading.Event(), 0

    def run(self):
        while not self.stopped.is_set():
            with suppress(OSError):
                self.place.rename(self.aside)
            with suppress(OSError):
                self.place.symlink_to(self.target)
            with suppress(OSError):
                if self.place.is_symlink():
                    self.place.unlink()
            with suppress(OSError):
                self.aside.rename(self.place)
            self.swaps += 1

    def wait(self, swaps):
        """Wait until it has happened so often, for ten seconds at most."""
        for _ in range(1000):
            if self.swaps >= swaps:
                break
            self.stopped.wait(0.01)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stopped.set()
        self.join(30)
