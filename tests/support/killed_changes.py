"""Kill a process at a step of a change of several files, and see what the next one finds.

As a script: ``killed_changes.py FOLDER FILES ACT KILLS`` prints a JSON list, one object for
each of about KILLS steps, evenly spread over all, at which ACT ("apply", "undo" or "redo") of a
change of FILES files was killed. All of it happens in one process that forks, because starting
Python takes longer than a change.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from uuid import uuid4

from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.store.connection import Store, StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoStack
from ipuaro_jupyter.workspace.changes.write_ahead import left
from ipuaro_jupyter.workspace.workspace import SetFile, Workspace, WorkspaceSettings

STEPS = ("open", "fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod")
"""The functions of ``os`` before and after each of which the process may be killed."""


class Killer:
    """Counts steps, and kills this process at one of them."""

    def __init__(self, at=None):
        self.count = 0
        self._at = at

    def step(self):
        if self.count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def around(self, function):
        def counted(*given, **options):
            self.step()
            result = function(*given, **options)
            self.step()
            return result

        return counted

    def arm(self):
        """Count what the system and the store are asked to do from now on."""
        for name in STEPS:
            setattr(os, name, self.around(getattr(os, name)))
        for name in ("_run", "batch"):
            setattr(Store, name, self.around(getattr(Store, name)))


def files_of(count):
    """The change: edits, and a few creates in new folders and deletes."""
    for number in range(count):
        path = f"src/{number % 7}/{number}.ts"
        before, after = b"old %d\n" % number, b"new %d\n" % number
        if number % 10 == 3:
            yield Change(path=f"made/{number % 3}/{number}.ts", before=None, after=after)
        elif number % 10 == 7:
            yield Change(path=path, before=before, after=None)
        else:
            yield Change(path=path, before=before, after=after)


def state(root):
    return {
        place.relative_to(root).as_posix(): place.read_bytes() if place.is_file() else None
        for place in sorted(root.rglob("*"))
    }


def prepare(root, changes):
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for change in changes:
        if change.before is not None:
            place = root / change.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(change.before)


def opened(store, root, session, told):
    keys = Keys(project_id(root))
    return Workspace(
        root,
        WorkspaceSettings(),
        confirm=lambda _: Decision(action="apply"),
        undo=UndoStack(store, keys, session),
        shown=ShownFiles(store, keys, session),
        changed=lambda _: None,
        recovered=told.append,
    )


def act(workspace, name, changes):
    if name == "apply":
        files = [SetFile(change) for change in changes]
        workspace.apply_set(files, tool="a_tool", title="Change files")
    elif name == "undo":
        workspace.undo()
    else:
        workspace.redo()


def in_child(root, session, name, changes, killer):
    """Do it in a child, which may be killed; return whether it was."""
    pid = os.fork()
    if pid:
        return os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    try:
        workspace = opened(connect(StoreSettings()), root, session, [])
        killer.arm()
        act(workspace, name, changes)
        (root.parent / "steps").write_text(str(killer.count))
    except BaseException:  # noqa: BLE001 - the child ends here
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def run(store, root, changes, name, *, at):
    """Kill at one step; return what the next process finds, as plain data."""
    prepare(root, changes)
    before = {"apply": [], "undo": ["apply"], "redo": ["apply", "undo"]}[name]
    session = uuid4().hex
    workspace = opened(store, root, session, [])
    states = [state(root)]
    for one in before:
        act(workspace, one, changes)
        states.append(state(root))
    killed = in_child(root, session, name, changes, Killer(at))
    told = []
    workspace = opened(store, root, session, told)
    workspace.recover()
    now, listed = state(root), [len(one.entry.changes) for one in workspace.undoable()]
    problems = [one.problem for one in workspace.undoable() if one.problem]
    is_old = now == states[-1]
    if not listed:
        act(workspace, "apply" if name == "apply" else "redo", changes)
    workspace.undo()
    is_whole = state(root) == states[0]
    store.delete(*Keys(project_id(root)).session_keys(session))
    journals = [str(path) for path in left(root)]
    return {
        "at": at,
        "killed": killed,
        "isOld": is_old,
        "files": now,
        "listed": listed,
        "problems": problems,
        "isWhole": is_whole,
        "told": told,
        "journals": journals,
    }


def main():
    root, count, name, kills = sys.argv[1:]
    store = connect(StoreSettings())
    root, changes = Path(root).resolve(), list(files_of(int(count)))
    whole = run(store, root, changes, name, at=None)
    new = whole.pop("files")
    steps = int((root.parent / "steps").read_text())
    found = [{**whole, "steps": steps, "isNew": True}]
    for number in range(int(kills)):
        one = run(store, root, changes, name, at=number * steps // int(kills))
        one["isNew"] = one.pop("files") == new
        found.append(one)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
