"""Show the project's folders and files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, cast

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search.files_in import (
    badly_named,
    closed_in,
    closed_remark,
    folder_of,
    names_remark,
)
from ipuaro_jupyter.records.outputs import TextOutput, Tree
from ipuaro_jupyter.records.result_room import ResultRoom, cut
from ipuaro_jupyter.tools.tool import Project, tool

_CLOSED = "[Folders with a number are closed: ask with path, or with depth for more]"
_CLOSED_FOLDER = re.compile(r"/ \(\d+ files?\)$", re.MULTILINE)
_Folder = dict[str, "_Folder | None"]


class Structure(TextOutput):
    """The tree as text; ``files`` are all below ``folder``, ``depth`` the levels asked for."""

    folder: str = Field(default="", exclude=True)
    files: tuple[str, ...] = Field(default=(), exclude=True, repr=False)
    depth: int | None = Field(default=None, exclude=True)

    def within(self, room: ResultRoom) -> str:
        """The tree down to the depth that fits; of deeper folders, how many files they have.

        It is then drawn by indentation alone, which takes less than half as much.
        """
        if room.holds(self.content):
            return self.content
        tree, stats = _nest(self.files, self.folder), self.content.rpartition("\n")[2]
        title = f"{self.folder or '.'}/"
        left = room.less(title, stats, _CLOSED)
        opened = _opened(tree, self.depth, left)
        drawn = cut("\n".join(_outline(tree, opened)), left, note="glob with path lists some")
        closed = f"\n{_CLOSED}" if _CLOSED_FOLDER.search(drawn) else ""
        return f"{title}\n{drawn}\n\n{stats}{closed}"


@tool(
    aliases=("list_files", "get_tree", "tree", "show_structure", "list_directory"),
    names={"path": "folder"},
)
def get_structure(
    project: Project, path: str = "", depth: Annotated[int, Field(ge=1)] | None = None
) -> Structure:
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
    prefix = f"{path}/" if path else ""
    listing = workspace.files()
    shown = tuple(f for f in listing.files if f not in is_binary and f.startswith(prefix))
    tree = _nest(shown, path)
    lines: list[str] = []
    folders, files = _draw(tree, depth, indent="", lines=lines)
    title = f"{path or workspace.root.name}/"
    note = f"Stats: {_count(folders, 'director', 'y', 'ies')}, {_count(files, 'file', '', 's')}"
    closed = [c for c in closed_in(listing) if c == "." or f"{c}/".startswith(prefix)]
    unnamed = [f for f in badly_named(listing) if f.startswith(prefix)]
    note = "; ".join(filter(None, (note, closed_remark(closed), names_remark(unnamed))))
    return Structure(
        content="\n".join([title, *lines, "", note]),
        shown=Tree(title=title, lines=tuple(lines), note=note),
        folder=path,
        files=shown,
        depth=depth,
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


def _by_depth(tree: _Folder, depth: int | None) -> Iterator[tuple[str, _Folder]]:
    """Yield the folders with their paths in the tree, level by level, but for the last level."""
    level, left = [("", tree)], depth
    while level and (left is None or left > 1):
        level = [
            (f"{path}/{name}" if path else name, inner)
            for path, folder in level
            for name, inner in sorted(folder.items())
            if inner is not None
        ]
        left = None if left is None else left - 1
        yield from level


def _opened(tree: _Folder, depth: int | None, room: ResultRoom) -> dict[str, int]:
    """The folders whose entries fit, level by level, with the number of entries that do.

    Only the first folder that does not fit whole is shown in part.
    """
    opened = {"": len(tree)}
    left = room.less("\n".join(_outline(tree, opened)))
    large: list[tuple[str, _Folder]] = []
    for path, inner in _by_depth(tree, depth):
        if path.rpartition("/")[0] in opened:
            drawn = "\n".join(_outline(inner, {path: len(inner)}, path))
            if room.measure(drawn) <= left.tokens:
                left, opened[path] = left.less(drawn), len(inner)
            else:
                large.append((path, inner))
    if large:
        path, inner = large[0]
        lines = _outline(inner, {path: len(inner)}, path)
        fits = next(n for n in (200, 100, 50, 20, 10, 0) if left.holds("\n".join(lines[:n])))
        opened |= {path: fits} if fits else {}
    return opened


def _outline(tree: _Folder, opened: Mapping[str, int], path: str = "") -> list[str]:
    """The tree's lines, folders first; those that are not open with their number of files."""
    lines = []
    indent = "  " * (path.count("/") + bool(path))
    entries = sorted(tree.items(), key=lambda item: (item[1] is None, item[0]))
    shown = opened.get(path, len(entries))
    for name, inner in entries[:shown]:
        place = f"{path}/{name}" if path else name
        if inner is None:
            lines.append(f"{indent}{name}")
        elif place in opened:
            lines += [f"{indent}{name}/", *_outline(inner, opened, place)]
        else:
            lines.append(f"{indent}{name}/ ({_count(_files_in(inner), 'file', '', 's')})")
    if shown < len(entries):
        lines.append(f"{indent}[… {len(entries) - shown:,} more: glob with path]")
    return lines


def _files_in(tree: _Folder) -> int:
    return sum(1 if inner is None else _files_in(inner) for inner in tree.values())


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
