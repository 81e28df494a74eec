"""Paths of the project: what a path from outside really names, and whether it is ours to touch."""
# strings and os.path, which neither normalise nor interpret what they are given
# ruff: noqa: PTH111, PTH115, PTH118, PTH119, PTH120

import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.text_distance import closest

_MOST_LINKS = 40  # the limit of Linux
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# HFS+ takes no notice of these: git refuses ".g\u200cit" as if it were ".git"
_INVISIBLE = re.compile("[\u200c-\u200f\u202a-\u202e\u2066-\u206f\ufeff]")

_Found = Literal["link", "folder", "file", "absent"]


def relative_path(root: Path, path: str, *, must_exist: bool = True) -> str:
    """Return where ``path`` really leads, relative to the project, "" for the project's root.

    Symlinks are followed, also those on the way to a file that does not exist yet, so that no
    part of the result is one. A backslash separates folders where no such name exists, ``~`` is
    the user's home, and a name that differs from an existing one in its Unicode normal form
    only is that name.

    Args:
        root: The project's folder, free of symlinks.
        path: Relative to ``root``, or absolute.
        must_exist: False allows files and folders that do not exist.

    Raises:
        ToolError: "file" when nothing is there or the way is barred; "validation" for what is
            no path; "file", not recoverable, when it leads out of the project.
    """
    _check_spelling(path)
    walk = _Walk(root, path)
    found = walk.to_the_end()
    if not _is_inside(walk.place, root):
        raise outside(path)
    if walk.problem:
        raise ToolError("file", f"{path} cannot be reached: {walk.problem}.")
    result = walk.place[len(str(root)) :].lstrip("/")
    if must_exist and found == "absent":
        raise missing(root, result)
    return result


def outside(path: str) -> ToolError:
    """Return the error for a path that leads out of the project, which tells nothing of it."""
    return ToolError(
        "file",
        f"{path!r} is outside of the project, which is all that can be read and written.",
        suggestion="Use a path relative to the project's root.",
        recoverable=False,
    )


def missing(root: Path, path: str) -> ToolError:
    """Return the error for a path that does not exist, with the names that may be meant."""
    folder, _, name = path.rpartition("/")
    while folder and not (root / folder).is_dir():
        folder, _, name = folder.rpartition("/")
    near = closest(name, list(_names(root / folder)))
    if near:
        options = ", ".join(f"{folder}/{n}" if folder else n for n in near)
        suggestion = f"Did you mean {options}?"
    else:
        where = f"in {folder}" if folder else "in the project"
        suggestion = f"See what there is {where} with get_structure."
    return ToolError("file", f"{path} does not exist.", suggestion=suggestion)


def check_writable(root: Path, path: str) -> None:
    """Return when ``path``, as `relative_path` gives it, may be written.

    Raises:
        ToolError: "validation" for the root itself and for what belongs to git, in any spelling
            that some file system takes for ``.git``.
    """
    if not path:
        raise ToolError("validation", "The project's root is a folder, not a file.")
    parts = path.split("/")
    if any(_is_git(part) for part in parts) or _is_below(path, _git_folder(root)):
        raise ToolError(
            "validation",
            f"{path} belongs to git and is not written.",
            suggestion="Use the git tools, or run git.",
        )


class _Walk:
    """Follows a path one name at a time, as the operating system would."""

    def __init__(self, root: Path, path: str) -> None:
        self._root = root
        self._links = 0
        self.place = str(root)
        self.problem = ""
        if path.startswith("~") and not os.path.lexists(root / path.partition("/")[0]):
            path = os.path.expanduser(path)
        if "\\" in path and not os.path.lexists(root / path):
            path = path.replace("\\", "/")
        self._rest: list[str] = []
        self._enter(path)

    def to_the_end(self) -> _Found:
        """Go on until no name is left; the last `place` is free of symlinks, if no `problem`."""
        found: _Found = "folder"
        while self._rest:
            name = self._rest.pop()
            if name in ("", "."):
                continue
            if name == "..":
                self.place = os.path.dirname(self.place)
                found = "folder"
                continue
            if found == "file":
                self.problem = self.problem or f"{os.path.basename(self.place)} is no folder"
            found = self._step(name)
        return found

    def _enter(self, path: str) -> None:
        if path.startswith("/"):
            self.place = "/"
        self._rest += reversed(path.split("/"))

    def _step(self, name: str) -> _Found:
        place = os.path.join(self.place, name)
        found = self._look(place)
        if found == "link" and self._links < _MOST_LINKS:
            self._links += 1
            self._enter(os.readlink(place))
            return "folder"
        if found == "link":
            self.problem = self.problem or "its symlinks lead in a circle"
        if (found == "absent" or sys.platform == "darwin") and _is_inside(self.place, self._root):
            true = os.path.join(self.place, _true_name(self.place, name))
            if true != place:
                place, found = true, self._look(true)
        self.place = place
        return found

    def _look(self, place: str) -> _Found:
        try:
            mode = os.lstat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return "absent"
        except OSError as error:
            self.problem = self.problem or f"{error.strerror}"
            return "absent"
        if stat.S_ISLNK(mode):
            return "link"
        return "folder" if stat.S_ISDIR(mode) else "file"


def _check_spelling(path: str) -> None:
    if "\0" in path:
        raise ToolError("validation", f"The path {path!r} holds a NUL byte.")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ToolError("validation", f"The path {path!r} is no valid text.") from None
    if _DRIVE.match(path):
        raise outside(path)


def _is_inside(place: str, root: Path) -> bool:
    return place == str(root) or place.startswith(str(root).rstrip("/") + "/")


def _is_below(path: str, folder: str | None) -> bool:
    return folder is not None and (path == folder or path.startswith(f"{folder}/"))


def _true_name(folder: str, name: str) -> str:
    """Return how the entry ``name`` of ``folder`` is really spelt; ``name`` when there is none."""
    names = list(_names(Path(folder)))
    if name in names:
        return name
    wanted = unicodedata.normalize("NFC", name)
    for same in (str, str.casefold)[: 2 if sys.platform == "darwin" else 1]:
        found = [n for n in names if same(unicodedata.normalize("NFC", n)) == same(wanted)]
        if len(found) == 1:
            return found[0]
    return name


def _names(folder: Path) -> Iterator[str]:
    """Yield the names in a folder; none when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            yield from (entry.name for entry in entries)
    except OSError:
        return


def _is_git(name: str) -> bool:
    plain = _INVISIBLE.sub("", name).casefold().rstrip(". ")
    return plain in (".git", "git~1")


def _git_folder(root: Path) -> str | None:
    """Return where git keeps this project's data if that is elsewhere inside the project."""
    place = root / ".git"
    try:
        if place.is_file():
            target = place.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:")
            real = os.path.realpath(root / target.strip())
        else:
            real = os.path.realpath(place)
    except OSError:
        return None
    inside = _is_inside(real, root) and real != str(root)
    return os.path.relpath(real, root) if inside else None


def project_folder(root: str | Path) -> Path:
    """Return the real folder of a project.

    Raises:
        ProjectError: There is none, it is no folder, or it cannot be read.
    """
    folder = Path(root).expanduser()
    if not folder.exists():
        raise ProjectError(f"{str(root)!r} does not exist; give the folder of a project.")
    if not folder.is_dir():
        raise ProjectError(f"{str(root)!r} is a file; give the folder of a project.")
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise ProjectError(f"{str(root)!r} cannot be read: {error.strerror}.") from error
    return folder.resolve()
