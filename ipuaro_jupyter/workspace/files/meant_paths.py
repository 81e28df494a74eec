"""The file that a model means by a path that does not exist as it is written."""
# strings and os, which take paths as they are
# ruff: noqa: PTH111

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.errors import SeveralMeant, ToolError
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.folders import inner_path, is_inside
from ipuaro_jupyter.workspace.files.paths import relative_path

_URI = re.compile(r"file:/+(?=\S)", re.IGNORECASE)
_DRIVE = re.compile(r"/?[A-Za-z]:(?=[\\/])")
_QUOTES = "\"'`"
_OF_DIFFS = ("a", "b")
_MOST_NAMED = 10


class MeantPath(NamedTuple):
    """A path for `relative_path`; ``remark`` says what was made of the given one, "" if nothing."""

    path: str
    remark: str = ""


def meant_path(
    root: Path,
    path: str,
    *,
    kind: folders.Kind,
    changes: bool,
    files: Callable[[], Iterable[str]] | None,
) -> MeantPath:
    """The path of the project that is meant; ``path`` itself where that cannot be told.

    An absolute path that does not exist means what the rest of its parts names in the project. So
    does a path that begins with the ``a/`` or ``b/`` of a diff, or with the project's own name. A
    part of a path that is the end of one path of the project alone means that one.

    Args:
        root: The project's folder, free of symlinks.
        path: As the model wrote it.
        kind: What it has to name.
        changes: Whether the file is to be changed: then only what leaves no doubt is understood.
        files: Returns the project's files; None for paths of files that need not exist.

    Raises:
        ToolError: "file" when several paths may be meant, or another one and it is for a change.
    """
    plain = _without_scheme(root, path)
    try:
        relative_path(root, plain, kind=kind)
    except ToolError as error:
        if error.type != "file":
            return MeantPath(plain)
        if error.recoverable:
            found = _within(root, plain, kind=kind, changes=changes, files=files)
        else:
            found = _from_elsewhere(root, plain, kind=kind, changes=changes)
        return found or MeantPath(plain)
    return MeantPath(plain)


def _from_elsewhere(
    root: Path, path: str, *, kind: folders.Kind, changes: bool
) -> MeantPath | None:
    """What the rest of a path names that leads out of the project, if nothing is there."""
    drive = _DRIVE.match(path)
    place = path[drive.end() :].replace("\\", "/") if drive else os.path.expanduser(path)
    names = [name for name in place.split("/") if name not in ("", ".")]
    if not place.startswith("/") or ".." in names or is_inside(place, root):
        return None
    if not drive and not _is_absent(place):
        return None
    ends = ["/".join(names[at:]) for at in range(len(names))]
    if any(_leads_out(root, end) for end in ends):
        return None
    found = [end for end in ends if _names(root, end, kind)]
    if len(found) > 1:
        if changes:
            raise _several(path, found)
        return MeantPath(found[0], _remark(path, found[0]))
    if not found and kind != "file" and names[-1:] == [root.name]:
        return MeantPath(".")
    return MeantPath(found[0]) if found else None


def _within(
    root: Path,
    path: str,
    *,
    kind: folders.Kind,
    changes: bool,
    files: Callable[[], Iterable[str]] | None,
) -> MeantPath | None:
    """What a path that is missing in the project may mean; None when it means nothing."""
    bare = path.strip().strip(_QUOTES)
    if bare != path and _names(root, bare, kind):
        return MeantPath(bare)
    inner = (inner_path(root, bare) or bare).replace("\\", "/").removeprefix("./").rstrip("/")
    first, _, rest = inner.partition("/")
    if inner == root.name and kind != "file":
        return MeantPath(".")
    if rest and first in (*_OF_DIFFS, root.name) and not os.path.lexists(root / first):
        if _names(root, rest, kind):
            return MeantPath(rest)
        inner = rest
    if files is None or not inner or not {"", ".", ".."}.isdisjoint(inner.split("/")):
        return None
    found = sorted({end for end in _paths(files(), kind) if end.endswith(f"/{inner}")})
    if len(found) > 1:
        raise _several(path, found)
    if not found:
        return None
    if changes:
        told = f"Did you mean {found[0]}?"
        raise ToolError("file", f"{path} does not exist.", suggestion=told)
    return MeantPath(found[0], _remark(path, found[0]))


def _remark(path: str, found: str) -> str:
    return f"There is no {path}: this is {found}."


def _paths(files: Iterable[str], kind: folders.Kind) -> Iterator[str]:
    """Yield the paths of the kind, some of them more than once."""
    for file in files:
        if kind != "folder":
            yield file
        if kind != "file":
            folder = file.rpartition("/")[0]
            while folder:
                yield folder
                folder = folder.rpartition("/")[0]


def _names(root: Path, path: str, kind: folders.Kind) -> bool:
    """Whether a relative path leads to something of the kind in the project."""
    with suppress(ToolError):
        place = root / relative_path(root, path)
        return {"file": place.is_file, "folder": place.is_dir, "any": place.exists}[kind]()
    return False


def _leads_out(root: Path, path: str) -> bool:
    try:
        relative_path(root, path, must_exist=False)
    except ToolError as error:
        return not error.recoverable
    return False


def _is_absent(place: str) -> bool:
    """Whether it is certain that nothing is there."""
    try:
        os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _several(path: str, found: list[str]) -> SeveralMeant:
    named = ", ".join(found[:_MOST_NAMED])
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return SeveralMeant(
        "file",
        f"{path} does not exist, and could mean {len(found)} paths: {named}{more}.",
        suggestion="Give the whole path, relative to the project's root.",
    )


def _without_scheme(root: Path, path: str) -> str:
    """A path of a ``file:`` URI as a path."""
    found = _URI.match(path)
    if found is None or os.path.lexists(root / "file:"):
        return path
    return "/" + path[found.end() :].replace("%20", " ")
