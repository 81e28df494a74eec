"""Show the project's folders and files."""

from collections.abc import Iterable
from typing import Annotated, cast

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search.files_in import folder_of
from ipuaro_jupyter.records.outputs import TextOutput, Tree
from ipuaro_jupyter.tools.tool import Project, tool

_Folder = dict[str, "_Folder | None"]


@tool(
    aliases=("list_files", "get_tree", "tree", "show_structure", "list_directory"),
    names={"path": "folder"},
)
def get_structure(
    project: Project, path: str = "", depth: Annotated[int, Field(ge=1)] | None = None
) -> TextOutput:
    """Show a folder as a tree, without ignored and binary files.

    Args:
        path: Folder. Default: the root.
        depth: Levels to show, at least 1. Default: all.
    """
    workspace = project.workspace
    path = folder_of(workspace, path)
    if path and not (workspace.root / path).is_dir():
        raise ToolError(
            "file", f"{path} is a file, not a folder.", suggestion="Read it with get_lines."
        )
    left_out = project.index.summary().skipped
    is_binary = {file for file, reason in left_out.items() if reason.startswith("binary")}
    tree = _nest((file for file in workspace.files().files if file not in is_binary), path)
    lines: list[str] = []
    folders, files = _draw(tree, depth, indent="", lines=lines)
    title = f"{path or workspace.root.name}/"
    note = f"Stats: {_count(folders, 'director', 'y', 'ies')}, {_count(files, 'file', '', 's')}"
    return TextOutput(
        content="\n".join([title, *lines, "", note]),
        shown=Tree(title=title, lines=tuple(lines), note=note),
    )


def _nest(paths: Iterable[str], folder: str) -> _Folder:
    """The files below ``folder`` as nested dicts; a file is a None."""
    tree: _Folder = {}
    prefix = f"{folder}/" if folder else ""
    for path in paths:
        if path.startswith(prefix):
            *parents, name = path.removeprefix(prefix).split("/")
            place = tree
            for parent in parents:
                place = cast("_Folder", place.setdefault(parent, {}))
            place[name] = None
    return tree


def _draw(tree: _Folder, depth: int | None, *, indent: str, lines: list[str]) -> tuple[int, int]:
    """Append the tree's lines, folders first; return the numbers of folders and files drawn."""
    folders = files = 0
    entries = sorted(tree.items(), key=lambda item: (item[1] is None, item[0]))
    for place, (name, inner) in enumerate(entries, 1):
        branch, below = ("└── ", "    ") if place == len(entries) else ("├── ", "│   ")
        if inner is None:
            lines.append(f"{indent}{branch}📄 {name}")
            files += 1
            continue
        lines.append(f"{indent}{branch}📁 {name}/")
        folders += 1
        if depth is None or depth > 1:
            deeper = None if depth is None else depth - 1
            more = _draw(inner, deeper, indent=indent + below, lines=lines)
            folders, files = folders + more[0], files + more[1]
    return folders, files


def _count(number: int, stem: str, one: str, many: str) -> str:
    return f"{number} {stem}{one if number == 1 else many}"
