"""The content of one folder, name by name, ignored or not."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import folders
from ipuaro_jupyter.workspace.files.paths import relative_path

Kind = Literal["folder", "file", "program", "link", "other"]

_RUNS = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


@dataclass(frozen=True)
class FolderEntry:
    """One name in a folder.

    Attributes:
        name: In printable form.
        kind: "program" is a file that may be executed, "other" a device, pipe or socket.
        is_folder: Whether it is a folder, or a link to one of the project.
    """

    name: str
    kind: Kind
    is_folder: bool


def entries_of(root: Path, folder: str) -> list[FolderEntry]:
    """The entries of a folder, folders first, both by name.

    Args:
        root: The project's folder.
        folder: Relative to it and free of links, as `files_in.folder_of` gives it.

    Raises:
        ToolError: "file" when it is not a folder, or cannot be read.
    """
    try:
        with folders.opened(root, folder) as opened, os.scandir(opened) as found:
            entries = [_entry(root, folder, entry) for entry in found]
    except NotADirectoryError:
        raise ToolError(
            "file", f"{folder} is a file, not a folder.", suggestion="Read it with get_lines."
        ) from None
    except OSError as error:
        raise ToolError("file", f"{folder or '.'} cannot be listed: {error.strerror}.") from error
    return sorted(entries, key=lambda entry: (not entry.is_folder, entry.name))


def _entry(root: Path, folder: str, entry: "os.DirEntry[str]") -> FolderEntry:
    name = os.fsencode(entry.name).decode(errors="backslashreplace")
    shown = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in name)
    if entry.is_symlink():
        path = f"{folder}/{entry.name}" if folder else entry.name
        return FolderEntry(shown, "link", is_folder=_leads_to_folder(root, path))
    if entry.is_dir(follow_symlinks=False):
        return FolderEntry(shown, "folder", is_folder=True)
    if not entry.is_file(follow_symlinks=False):
        return FolderEntry(shown, "other", is_folder=False)
    try:
        runs = entry.stat(follow_symlinks=False).st_mode & _RUNS
    except OSError:  # it has gone since
        runs = 0
    return FolderEntry(shown, "program" if runs else "file", is_folder=False)


def _leads_to_folder(root: Path, path: str) -> bool:
    try:
        return (root / relative_path(root, path)).is_dir()
    except ToolError:  # nowhere, or out of the project
        return False
