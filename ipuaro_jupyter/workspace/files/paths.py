"""Paths of the project: the file a given path really names, and whether we may touch it."""
# strings and os.path, which neither normalise nor interpret what they are given
# ruff: noqa: PTH110, PTH111, PTH115, PTH118, PTH119, PTH120

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.git_data import is_git

_MOST_LINKS = 40  # the limit of Linux
_LONGEST = 4096  # characters; no known system takes more
_MOST_SUGGESTED = 3
_SHOWN = 200  # characters of an overlong path
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")

_Found = Literal["link", "folder", "file", "absent"]


def relative_path(
    root: Path, path: str, *, must_exist: bool = True, kind: folders.Kind = "any"
) -> str:
    """The real path of ``path``, relative to the project; "" for the project's root.

    Symlinks are followed, even on the way to a file that does not exist yet, so that no part of the
    result is one. A backslash separates folders where no such name exists, ``~`` is the user's
    home, and a name that differs from an existing one only in its Unicode normal form is that name.
    Where the file system accepts several spellings for one file, such as upper and lower case, the
    result is the one in its folder.

    Args:
        root: The project's folder, free of symlinks.
        path: Relative to ``root``, or absolute.
        must_exist: False allows files and folders that do not exist.
        kind: The kind that the error for a missing path suggests. Existing paths are not checked.

    Raises:
        ToolError: "file" when nothing is there, or the way is blocked; "validation" when it is not
            a path; "file", not recoverable, when it leads out of the project.
    """
    _check_spelling(path)
    walk = _Walk(root, path)
    found = walk.to_the_end()
    result = folders.inner_path(root, walk.place)
    if result is None:
        raise outside(path)
    if walk.problem:
        raise ToolError("file", f"{path} cannot be reached: {walk.problem}.")
    if not _is_text(result):
        raise ToolError("file", f"{path} leads to a name that is not UTF-8.")
    if must_exist and found == "absent":
        raise missing(root, result, kind=kind)
    return result


def entry_path(root: Path, path: str) -> str:
    """The folder entry that ``path`` names: as `relative_path`, but possibly a symlink.

    That is what git means by a path. The symlink must not lead out of the project.

    Raises:
        ToolError: As `relative_path` for a file that need not exist.
    """
    real = relative_path(root, path, must_exist=False)
    folder, _, name = path.rstrip("/").rpartition("/")
    if name in ("", ".", "..") or path.endswith("/"):
        return real
    above = relative_path(root, folder or ("/" if path.startswith("/") else ""), must_exist=False)
    entry = f"{above}/{name}" if above else name
    return entry if (root / entry).is_symlink() else real


def outside(path: str) -> ToolError:
    """The error for a path that leads out of the project; it reveals nothing about the target."""
    return ToolError(
        "file",
        f"{_short(path)!r} is outside of the project, which is all that can be read and written.",
        suggestion="Use a path relative to the project's root.",
        recoverable=False,
    )


def missing(root: Path, path: str, *, kind: folders.Kind = "any") -> ToolError:
    """The error for a path that does not exist, with suggestions of the given kind."""
    folder, _, name = path.rpartition("/")
    below = ""
    while folder and not (root / folder).is_dir():
        below = f"/{name}{below}"
        folder, _, name = folder.rpartition("/")
    beside = folders.entries(root, folder)
    there = []
    if below:
        inner = (each + below for each in _alike(root, folder, name, beside, "folder"))
        there = [each for each in inner if _is_there(root, each, kind)]
    near = there or _alike(root, folder, name, beside, kind)
    if near:
        suggestion = f"Did you mean {', '.join(near)}?"
    else:
        where = f"in {folder}" if folder else "in the project"
        suggestion = f"get_structure shows what there is {where}."
    return ToolError("file", f"{path} does not exist.", suggestion=suggestion)


def _alike(
    root: Path, folder: str, name: str, names: Iterable[str], kind: folders.Kind
) -> list[str]:
    """The useful entries of a folder that are most like ``name``, the most similar first."""
    spellings: dict[str, list[str]] = {}
    for each in names:
        spellings.setdefault(each.lower(), []).append(_joined(folder, each))
    ranked = closest(name, spellings, limit=len(spellings) or 1)  # looking at each would take long
    found: list[str] = []
    for each in ranked:
        found += [path for path in spellings[each] if _is_useful(root, path, kind)][:1]
        if len(found) == _MOST_SUGGESTED:
            break
    return found


def _is_there(root: Path, path: str, kind: folders.Kind) -> bool:
    """Whether a folder has an entry of this very name, and a useful one."""
    folder, _, name = path.rpartition("/")
    return name in folders.entries(root, folder) and _is_useful(root, path, kind)


def _is_useful(root: Path, path: str, kind: folders.Kind) -> bool:
    """Whether an entry is of the kind, has a name in UTF-8, is not git's, and leads somewhere."""
    name = path.rpartition("/")[2]
    if not _is_text(name) or is_git(name) or not _leads_somewhere(root, path):
        return False
    is_kind = {"any": os.path.lexists, "file": os.path.isfile, "folder": os.path.isdir}[kind]
    return is_kind(root / path)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _leads_somewhere(root: Path, path: str) -> bool:
    if not (root / path).is_symlink():
        return True
    try:
        return os.path.lexists(root / relative_path(root, path, must_exist=False))
    except ToolError:
        return False


class _Walk:
    """Follows a path one name at a time, as the operating system would."""

    def __init__(self, root: Path, path: str) -> None:
        self._root = root
        self._links = 0
        self._target = ""  # of the link examined last
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
        unsure = found == "absent" or _has_spellings(self.place, name)
        if unsure and (folder := folders.inner_path(self._root, self.place)) is not None:
            place = os.path.join(self.place, self._true_name(folder, name))
            found = self._look(place)
        if found == "link" and self._links < _MOST_LINKS:
            self._links += 1
            self._enter(self._target)
            return "folder"
        if found == "link":
            self.problem = self.problem or "its symlinks lead in a circle"
        self.place = place
        return found

    def _true_name(self, folder: str, name: str) -> str:
        """The real spelling of an entry of ``folder``, at `place`; ``name`` when there is none.

        One that exists under a name that is not in its folder is found by its inode number.
        """
        entries = folders.entries(self._root, folder)
        if name in entries:
            return name
        wanted = unicodedata.normalize("NFC", name)
        same = [each for each in entries if unicodedata.normalize("NFC", each) == wanted]
        if not same:
            with suppress(OSError):
                inode = os.lstat(os.path.join(self.place, name)).st_ino
                same = [each for each, number in entries.items() if number == inode]
        return same[0] if len(same) == 1 else name

    def _look(self, place: str) -> _Found:
        try:
            mode = os.lstat(place).st_mode
            self._target = os.readlink(place) if stat.S_ISLNK(mode) else ""
        except (FileNotFoundError, NotADirectoryError):
            return "absent"
        except OSError as error:
            self.problem = self.problem or f"{error.strerror}"
            return "absent"
        if self._target:
            return "link"
        return "folder" if stat.S_ISDIR(mode) else "file"


def _check_spelling(path: str) -> None:
    if len(path) > _LONGEST:
        raise ToolError("validation", f"The path {_short(path)!r} is too long ({len(path)}).")
    if "\0" in path:
        raise ToolError("validation", f"The path {path!r} holds a NUL byte.")
    if not _is_text(path):
        raise ToolError("validation", f"The path {path!r} is not valid text.")
    if _DRIVE.match(path):
        raise outside(path)


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_spellings(folder: str, name: str) -> bool:
    """Whether the file system may know an existing file by ``name`` among others.

    It may ignore case, Unicode forms, trailing blanks and dots, or have short names (GIT~1).
    """
    if "~" in name:
        return True
    forms = {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    others = forms | {name.swapcase(), name.rstrip(". ")}
    return any(os.path.lexists(os.path.join(folder, other)) for other in others - {name, ""})


def _short(path: str) -> str:
    return path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"


def project_folder(root: str | Path, *, must_exist: bool = True) -> Path:
    """The real folder of a project.

    Args:
        root: The folder.
        must_exist: False allows one that does not exist, or of which nobody can tell.

    Raises:
        ProjectError: There is none, it is not a folder, or it cannot be read.
    """
    folder = Path(os.path.expanduser(root))
    if not must_exist and not os.path.exists(folder):
        return folder.resolve()
    try:
        if not folder.exists():
            raise ProjectError(f"{str(root)!r} does not exist; give the folder of a project.")
        if not folder.is_dir():
            raise ProjectError(f"{str(root)!r} is a file; give the folder of a project.")
        next(folder.iterdir(), None)
    except OSError as error:
        raise ProjectError(f"{str(root)!r} cannot be read: {error.strerror}.") from error
    real = folder.resolve()
    if real == real.parent:
        raise ProjectError(f"{str(root)!r} is the whole file system; give the folder of a project.")
    return real
