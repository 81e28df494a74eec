"""Find files by their names."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.globs import Glob
from ipuaro_jupyter.project.search.files_in import FilesIn, all_files_in
from ipuaro_jupyter.project.search.glob_patterns import GlobPatterns
from ipuaro_jupyter.records.outputs import TextOutput, Tree
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.folders import inner_path
from ipuaro_jupyter.workspace.workspace import Workspace

Order = Literal["alphabetical", "modified", "size", "depth"]

_BEFORE_WILDCARDS = re.compile(r"(?:/[^/*?\[{]+)+(?=/)")
_RULE = "=" * 60
_TIME_S = 20.0
_OFTEN = 500  # files between two checks of the clock and the stop button


@tool(
    aliases=("find_files", "glob_files", "search_filenames", "file_search", "find_file"),
    rare=("recursive", "include_hidden", "exclude_dirs", "limit", "sort_by"),
    names={"path": "folder"},
)
def glob(
    project: Project,
    pattern: str,
    path: str = ".",
    *,
    recursive: bool = True,
    include_hidden: bool = False,
    exclude_dirs: list[str] | None = None,
    limit: Annotated[int, Field(ge=1, le=100_000)] = 5000,
    sort_by: Order = "alphabetical",
) -> TextOutput:
    """Find files by name, without ignored files.

    Args:
        pattern: "*.ts" for the folder itself, "**/*.{js,ts}" for all folders below.
        path: Folder. Default: the root.
        recursive: False keeps ** out of the folders below. Default: true.
        include_hidden: Let wildcards match names that begin with a dot. Default: false.
        exclude_dirs: Names or paths of folders to leave out too.
        limit: The most files to show. Default: 5000.
        sort_by: alphabetical, modified (newest first), size (largest first) or depth.
    """
    pattern, path = _relative(project.workspace, pattern, path)
    place = all_files_in(project.workspace, path)
    excluded = [GlobPatterns(name.rstrip("/")) for name in exclude_dirs or ()]
    considered = [file for file in place.files if not _is_in(place, file, excluded)]
    wanted = Glob(pattern, recursive=recursive, hidden=include_hidden)
    found = _matching(place, considered, wanted, project.cancel)
    unnamed = [file for file in place.badly_named if not _is_in(place, file, excluded)]
    unnamed = _matching(place, unnamed, wanted, project.cancel)
    remark = replace(place, badly_named=tuple(unnamed)).remark
    if not found:
        others = _others(pattern, recursive=recursive, hidden=include_hidden)
        told = _nothing(place, considered, pattern, others, project.cancel)
        return TextOutput(content="\n".join(filter(None, (told, remark))))
    shown = _ordered(place, found, sort_by)[:limit]
    title = f"Found {len(shown)} files matching pattern: {pattern}"
    limited = f"(Results limited to {len(shown)} of {len(found)} files)"
    notes = [limited] if len(shown) < len(found) else []
    notes += [f"({remark})"] if remark else []
    entries = tuple(_grouped(shown))
    pieces = Parts(
        head="\n".join([title, *notes, _RULE]),
        entries=entries,
        groups=tuple(file.rpartition("/")[0] or "." for file in shown),
        group="folder",
        note="{left} more files {inside}: narrow with path or pattern",
    )
    return TextOutput(
        content=pieces.text(),
        shown=Tree(
            title=title, lines=tuple("\n".join(entries).split("\n")[1:]), note=" ".join(notes)
        ),
        pieces=pieces,
    )


def _relative(workspace: Workspace, pattern: str, directory: str) -> tuple[str, str]:
    """The pattern and its folder; an absolute pattern applies to the whole project."""
    if not pattern.startswith("/"):
        return pattern, directory
    inner = inner_path(workspace.root, pattern)
    if not inner:
        folder = _BEFORE_WILDCARDS.match(pattern)
        meant = workspace.meant(folder[0], kind="folder").path if folder else pattern
        if folder and not meant.startswith("/"):
            return f"{meant}{pattern[folder.end() :]}".removeprefix("./"), "."
        raise ToolError(
            "validation",
            f"The pattern {pattern!r} is not in the project.",
            suggestion="Give it relative to the project's root, such as src/**/*.ts",
        )
    return inner, "."


def _is_in(place: FilesIn, path: str, folders: list[GlobPatterns]) -> bool:
    """Whether a file is in one of the folders, named relative to the folder or to the project."""
    ways = {path.rpartition("/")[0], place.inner(path).rpartition("/")[0]} - {""}
    return any(folder.match_within(way) for folder in folders for way in ways)


def _matching(place: FilesIn, paths: list[str], glob_: Glob, cancel: CancelToken) -> list[str]:
    deadline = time.monotonic() + _TIME_S
    found = []
    for number, path in enumerate(paths):
        if number % _OFTEN == 0:
            cancel.check()
            if time.monotonic() > deadline:
                raise ToolError(
                    "timeout",
                    f"The search took longer than {_TIME_S:g} s.",
                    suggestion="Use a smaller path or a pattern with fewer braces.",
                )
        if glob_.matches(place.inner(path)):
            found.append(path)
    return found


def _others(pattern: str, *, recursive: bool, hidden: bool) -> Iterator[tuple[str, Glob]]:
    """Yield likely meanings of a pattern that matches nothing, each with the way to ask for it."""
    name = pattern.strip("/")
    if recursive and "/" not in name:
        yield f"**/{name}", Glob(f"**/{name}", hidden=hidden)
    if not hidden:
        yield f"{pattern} with include_hidden=true", Glob(pattern, recursive=recursive)


def _nothing(
    place: FilesIn,
    paths: list[str],
    pattern: str,
    others: Iterator[tuple[str, Glob]],
    cancel: CancelToken,
) -> str:
    told = [f"No files found matching pattern: {pattern}"]
    for asked, other in others:
        if found := _matching(place, paths, other, cancel):
            told.append(f"{len(found)} files match {asked}, such as {found[0]}")
    return "\n".join(told)


def _ordered(place: FilesIn, paths: list[str], order: Order) -> list[str]:
    """The paths in order; equal ones folder by folder."""
    by_folder = sorted(paths, key=_folder_and_name)
    if order == "modified":
        return sorted(by_folder, key=lambda path: -place.files[path].mtime_ns)
    if order == "size":
        return sorted(by_folder, key=lambda path: -place.files[path].size)
    if order == "depth":
        return sorted(by_folder, key=lambda path: path.count("/"))
    return by_folder


def _folder_and_name(path: str) -> tuple[list[str], str]:
    *folders, name = path.split("/")
    return folders, name


def _grouped(paths: list[str]) -> Iterator[str]:
    """Yield the files, below the heading of their folder whenever the folder changes."""
    current = None
    for path in paths:
        folder, _, name = path.rpartition("/")
        heading = "" if folder == current else f"\n📁 {folder or '.'}/\n"
        current = folder
        yield f"{heading}  - {name}"
