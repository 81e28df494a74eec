"""Find files by their names."""

import time
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search.files_in import FilesIn, all_files_in
from ipuaro_jupyter.project.search.globs import Glob, GlobPatterns
from ipuaro_jupyter.records.outputs import TextOutput, Tree
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.workspace import Workspace

Order = Literal["alphabetical", "modified", "size", "depth"]

_RULE = "=" * 60
_TIME_S = 20.0
_OFTEN = 500  # files between two looks at the clock and the stop button


@tool(aliases=("find_files", "glob_files", "search_filenames", "file_search", "find_file"))
def glob(
    project: Project,
    pattern: str,
    directory: str = ".",
    *,
    recursive: bool = True,
    include_hidden: bool = False,
    exclude_dirs: list[str] | None = None,
    max_results: Annotated[int, Field(ge=1, le=100_000)] = 5000,
    sort_by: Order = "alphabetical",
) -> TextOutput:
    """Find files whose path matches a glob pattern, without ignored files.

    Args:
        pattern: Such as "*.ts" for the folder itself, "**/*.{js,ts}" for all folders below.
        directory: Folder to search, relative to the project's root. Default: the root.
        recursive: False keeps ** out of the folders below. Default: true.
        include_hidden: Also files and folders whose name begins with a dot. Default: false.
        exclude_dirs: Names or paths of folders to leave out too.
        max_results: The most files to show. Default: 5000.
        sort_by: alphabetical, modified (newest first), size (largest first) or depth.
    """
    pattern, directory = _relative(project.workspace, pattern, directory)
    place = all_files_in(project.workspace, directory)
    excluded = [GlobPatterns(name.rstrip("/")) for name in exclude_dirs or ()]
    hidden = include_hidden or _names_hidden(pattern)
    considered = [
        path
        for path in place.files
        if (hidden or not _is_hidden(place.inner(path))) and not _is_in(place, path, excluded)
    ]
    found = _matching(place, considered, Glob(pattern, recursive=recursive), project.cancel)
    if not found:
        paths = considered if recursive else []
        return TextOutput(content=_nothing(place, paths, pattern, project.cancel))
    shown = _ordered(place, found, sort_by)[:max_results]
    title = f"Found {len(shown)} files matching pattern: {pattern}"
    limited = f"(Results limited to {len(shown)} of {len(found)} files)"
    notes = [limited] if len(shown) < len(found) else []
    lines = list(_grouped(shown))
    return TextOutput(
        content="\n".join([title, *notes, _RULE, *lines]),
        shown=Tree(title=title, lines=tuple(lines[1:]), note="".join(notes)),
    )


def _relative(workspace: Workspace, pattern: str, directory: str) -> tuple[str, str]:
    """Return the pattern and its folder; an absolute pattern is one for the whole project."""
    root = f"{workspace.root.as_posix().rstrip('/')}/"
    if not pattern.startswith("/"):
        return pattern, directory
    if not pattern.startswith(root):
        raise ToolError(
            "validation",
            f"The pattern {pattern!r} is not in the project.",
            suggestion="Give it relative to the project's root, such as src/**/*.ts",
        )
    return pattern.removeprefix(root), "."


def _names_hidden(pattern: str) -> bool:
    return any(part.startswith(".") and part != "." for part in pattern.split("/"))


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _is_in(place: FilesIn, path: str, folders: list[GlobPatterns]) -> bool:
    """Return whether a file is in one of the folders, named from here or from the project."""
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
                    suggestion="Use a smaller directory or a pattern with fewer braces.",
                )
        if glob_.matches(place.inner(path)):
            found.append(path)
    return found


def _nothing(place: FilesIn, paths: list[str], pattern: str, cancel: CancelToken) -> str:
    told = f"No files found matching pattern: {pattern}"
    if "/" not in pattern.strip("/"):
        below = _matching(place, paths, Glob(f"**/{pattern.strip('/')}"), cancel)
        if below:
            told += f"\n{len(below)} files match **/{pattern.strip('/')}, such as {below[0]}"
    return told


def _ordered(place: FilesIn, paths: list[str], order: Order) -> list[str]:
    """Return the paths in order; where that leaves a choice, folder by folder."""
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
    """Yield the files under the heading of their folder, which comes again when they go apart."""
    current = None
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder != current:
            yield from ("", f"📁 {folder or '.'}/")
            current = folder
        yield f"  - {name}"
