"""List one folder."""

from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.project.search.files_in import folder_of
from ipuaro_jupyter.records.outputs import TextOutput, Tree
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.entries import FolderEntry, entries_of

_SIGNS = {"folder": "/", "program": "*", "link": "@", "other": "?", "file": ""}
_WIDTH, _MOST_WIDTH = 23, 60


@tool(
    aliases=("ls", "dir", "list_folder", "listdir", "read_dir", "list_dir_contents"),
    names={"path": "folder"},
)
def list_dir(
    project: Project,
    path: str = ".",
    limit: Annotated[int, Field(ge=1, le=10_000)] = 200,
    *,
    show_hidden: bool = False,
) -> TextOutput:
    """List one folder, ignored files included, folders first.

    Marks: / folder, * executable, @ symbolic link, ? neither file nor folder.

    Args:
        path: Folder, relative to the project's root. Default: the root.
        limit: The most entries to show. Default: 200.
        show_hidden: Include names that begin with a dot. Default: false.
    """
    folder = folder_of(project.workspace, path)
    every = entries_of(project.workspace.root, folder)
    entries = [entry for entry in every if show_hidden or not entry.name.startswith(".")]
    shown = entries[:limit]
    width = min(_MOST_WIDTH, max([_WIDTH, *(len(_marked(entry)) for entry in shown)]))
    lines = [
        f"  {_marked(entry):<{width}} [{'DIR' if entry.is_folder else 'FILE'}]" for entry in shown
    ]
    count = sum(entry.is_folder for entry in entries)
    notes = [f"Total: {len(entries)} entries ({count} directories, {len(entries) - count} files)"]
    if len(shown) < len(entries):
        notes.append(f"Only the first {len(shown)} are shown; limit gives more.")
    if len(every) > len(entries):
        notes.append(f"{len(every) - len(entries)} hidden; show_hidden shows them.")
    title = f"Contents of '{folder or '.'}':"
    pieces = Parts(
        head=f"{title}\n",
        entries=tuple(lines) or ("  (empty)",),
        tail="\n".join(["", *notes]),
        note="{left} more: glob with path and pattern finds some of them",
    )
    return TextOutput(
        content=pieces.text(),
        pieces=pieces,
        shown=Tree(title=title, lines=tuple(lines), note=" ".join(notes)),
    )


def _marked(entry: FolderEntry) -> str:
    return entry.name + _SIGNS[entry.kind]
