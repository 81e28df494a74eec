"""A process that appends lines to a file through a workspace of its own.

Arguments: the project's folder, the file, what the lines begin with, how many lines.
"""

import sys
from pathlib import Path
from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoStack
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings

MOST_TRIES = 2000


def append(workspace, path, line):
    """Append a line, however often somebody else is faster."""
    for _ in range(MOST_TRIES):
        file = workspace.read(path)
        workspace.note_shown(path, file.hash)
        after = file.replaced(len(file.lines) + 1, len(file.lines), line)
        try:
            workspace.apply(Change(path=path, before=file.data, after=after), tool="t", title="T")
        except ToolError as error:
            if error.type != "conflict":
                raise
        else:
            return
    raise SystemExit(f"{MOST_TRIES} conflicts")


def main(root, path, name, count):
    store = connect(StoreSettings())
    keys, session = Keys(project_id(Path(root))), uuid4().hex
    workspace = Workspace(
        Path(root),
        WorkspaceSettings(approve="edits"),
        confirm=lambda _: Decision(action="apply"),  # the text is no TypeScript
        undo=UndoStack(store, keys, session),
        shown=ShownFiles(store, keys, session),
        changed=lambda _: None,
    )
    for number in range(int(count)):
        append(workspace, path, f"{name} {number}")
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
