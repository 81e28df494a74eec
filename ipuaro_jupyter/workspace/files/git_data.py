"""Folders and files of git within a project, which only git writes."""
# os.path.join neither normalises nor interprets what it is given
# ruff: noqa: PTH118

import os
import re
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.small_file import read_small_text
from ipuaro_jupyter.workspace.files.folders import is_inside

# HFS+ ignores these: git refuses ".g\u200cit" as if it were ".git"
_INVISIBLE = re.compile("[\u200c-\u200f\u202a-\u202e\u2066-\u206f\ufeff]")


def check_writable(root: Path, path: str) -> None:
    """Raise ToolError unless ``path``, as `relative_path` gives it, may be written.

    Raises:
        ToolError: "validation" for the root itself and for everything that belongs to git, in any
            spelling that some file system takes for ``.git``, or in a folder that git takes for
            one.
    """
    if not path:
        raise ToolError("validation", "The project's root is a folder, not a file.")
    parts = path.split("/")
    named_so = any(is_git(part) for part in parts)
    in_its_folder = _is_below(path, _git_folder(root))
    if named_so or in_its_folder or _is_in_git_data(root, parts):
        raise ToolError(
            "validation",
            f"{path} belongs to git and is not written.",
            suggestion="Use the git tools, or run git.",
        )


def is_git(name: str) -> bool:
    """Whether some file system takes a name for ``.git``."""
    visible = _INVISIBLE.sub("", name).casefold()
    plain = visible.partition(":")[0].rstrip(". ")  # NTFS has streams after a colon
    return plain in (".git", "git~1")


def _is_in_git_data(root: Path, parts: list[str]) -> bool:
    """Whether a folder on the way belongs to a repository itself, as git recognizes one."""
    folder = str(root)
    for name in parts:
        inside = (os.path.join(folder, each) for each in ("objects", "refs"))
        if os.path.lexists(os.path.join(folder, "HEAD")) and all(map(os.path.isdir, inside)):
            return True
        folder = os.path.join(folder, name)
    return False


def _git_folder(root: Path) -> str | None:
    """The folder of this project's git data if that is elsewhere inside the project."""
    place = root / ".git"
    try:
        if place.is_file():
            text = read_small_text(place, "replace")
            real = os.path.realpath(root / text.removeprefix("gitdir:").strip().replace("\0", ""))
        else:
            real = os.path.realpath(place)
    except OSError:
        return None
    inside = is_inside(real, root) and real != str(root)
    return os.path.relpath(real, root) if inside else None


def _is_below(path: str, folder: str | None) -> bool:
    return folder is not None and (path == folder or path.startswith(f"{folder}/"))
