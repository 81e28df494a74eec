"""Changes that were interrupted, and workspaces that say what became of them."""

from uuid import uuid4

import pytest
from folder_states import snapshot

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.undo_stack import (
    ShownFiles,
    UndoEntry,
    UndoneStep,
    UndoStack,
)
from ipuaro_jupyter.workspace.changes.write_ahead import Intent
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings


def on(store, root, told=None, *, session="session"):
    """Return a workspace on a store; what it says of interrupted changes goes into ``told``."""
    keys = Keys(project_id(root))
    return Workspace(
        root,
        WorkspaceSettings(approve="edits"),
        confirm=lambda _: pytest.fail("nothing is asked"),
        undo=UndoStack(store, keys, session),
        shown=ShownFiles(store, keys, session),
        changed=lambda _: None,
        recovered=([] if told is None else told).append,
    )


def listening(open_workspace, store, root):
    """Open a workspace on a new folder, with its stack and what it was told."""
    session = uuid4().hex
    root.mkdir()
    opened = open_workspace(root, session=session)
    opened.stack = UndoStack(store, Keys(project_id(root)), session)
    opened.told = []
    opened.workspace = on(store, root, opened.told, session=session)
    return opened


def interrupted(opened, *changes, act="apply", pushed=True, written=()):
    """Leave a journal as a kernel that was killed when some of the files were written."""
    first, *others = [Change(path=p, before=b, after=a, mode=0o644) for p, b, a in changes]
    entry = UndoEntry(change=first, others=tuple(others), id="interrupted")
    step = UndoneStep(entries=(entry,))
    stack = opened.stack
    if pushed or act != "apply":
        stack.push(entry)
    if act == "undo" and pushed:
        stack.move_to_redo(step)
    intent = Intent(
        act=act, session=stack.session_id, step=step, modes={path: 0o644 for path, _, _ in changes}
    )
    for path, before, after in changes:
        if path in written:
            opened.write(path, before if act == "undo" else after)
    write_ahead.begin(opened.root, intent).leave()


def contents(root):
    """Return the content of the files of a folder by path."""
    return {path: found[1] for path, found in snapshot(root).items() if found is not None}
