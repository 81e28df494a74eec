"""The files in a folder of the project, for tools that scan many."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.workspace.files.listing import (
    BADLY_NAMED,
    NOT_CHECKED_OUT,
    UNREADABLE,
    FileStat,
    Listing,
    list_files,
)

if TYPE_CHECKING:
    from ipuaro_jupyter.workspace.workspace import Workspace

_NOT_LOOKED_INTO = ".git"
_MOST_NAMED = 3


@dataclass(frozen=True)
class FilesIn:
    """The files in a folder.

    Attributes:
        folder: Relative to the project, "" for the project itself.
        files: By path relative to the project, sorted.
        closed: The folders in it that cannot be read, so that files may be missing.
        badly_named: Files that are left out, as their names are not UTF-8; in printable form.
    """

    folder: str
    files: dict[str, FileStat]
    closed: tuple[str, ...] = ()
    badly_named: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """A remark on what could not be looked into; "" when everything could."""
        remarks = closed_remark(self.closed), names_remark(self.badly_named)
        return "; ".join(filter(None, remarks))

    def inner(self, path: str) -> str:
        """A path relative to the folder."""
        return path[len(self.folder) + 1 :] if self.folder else path


def text_files_in(
    workspace: "Workspace", directory: str, listed: Callable[[], Listing | None] = lambda: None
) -> FilesIn:
    """The files in ``directory`` that may be text, without ignored ones.

    They are as on disk now. An ignored folder is searched when it is named. A file may be named
    too; it is then the only one.

    Args:
        workspace: The project.
        directory: A folder or a file; "" and "." are the project.
        listed: Returns the project's files where they are known without listing them, else None.

    Raises:
        ToolError: "file" when there is no such folder, or it cannot be read; "validation" when it
            belongs to git.
    """
    place = folder_of(workspace, directory)
    whole = workspace.root / place
    if place and not whole.is_dir():
        return FilesIn(place.rpartition("/")[0], {place: _stat(whole)})
    listing = _listing(workspace, place, listed())
    return FilesIn(place, listing.files, closed_in(listing), badly_named(listing))


def all_files_in(workspace: "Workspace", directory: str) -> FilesIn:
    """The files in ``directory``, including binary files and links to the project's files.

    Args:
        workspace: The project.
        directory: A folder; "" and "." are the project.

    Raises:
        ToolError: As for `text_files_in`, and "file" when it is a file.
    """
    place = folder_of(workspace, directory)
    if place and not (workspace.root / place).is_dir():
        raise ToolError("file", f"{place} is a file, not a folder.", suggestion="Give its folder.")
    listing = _listing(workspace, place)
    files = dict(listing.files)
    binary = [path for path, reason in listing.skipped.items() if reason == "binary"]
    for path in (*binary, *_links_to_files(workspace, listing)):
        with suppress(OSError):  # it may have gone since
            files[path] = _stat(workspace.root / path)
    found = dict(sorted(files.items()))
    return FilesIn(place, found, closed_in(listing), badly_named(listing))


def closed_in(listing: Listing) -> tuple[str, ...]:
    """The folders that could not be read, "." being that of the project; what is not there."""
    told = ((path, why) for path, why in listing.skipped.items())
    return tuple(
        f"{path} ({why})" if why == NOT_CHECKED_OUT else path
        for path, why in told
        if why == NOT_CHECKED_OUT or why.startswith(UNREADABLE)
    )


def closed_remark(closed: Sequence[str]) -> str:
    """A remark on folders that cannot be read; "" when there are none."""
    if not closed:
        return ""
    folders = counted(len(closed), "folder")
    return f"not looked at: {folders} that cannot be read: {named(closed, _MOST_NAMED)}"


def badly_named(listing: Listing) -> tuple[str, ...]:
    """The files that are left out as their names are not UTF-8, in printable form."""
    return tuple(path for path, reason in listing.skipped.items() if reason == BADLY_NAMED)


def names_remark(left_out: Collection[str]) -> str:
    """A remark on files that are left out for their names; "" when there are none."""
    if not left_out:
        return ""
    names = "whose name is" if len(left_out) == 1 else "whose names are"
    return f"not looked at: {counted(len(left_out), 'file')} {names} not UTF-8"


def folder_of(workspace: "Workspace", directory: str) -> str:
    """The real path of ``directory``, relative to the project; it may be a file.

    Raises:
        ToolError: As for `text_files_in`.
    """
    place = workspace.relative(directory.strip() or ".", kind="folder")
    if _NOT_LOOKED_INTO in place.split("/"):
        raise ToolError(
            "validation",
            f"{place} belongs to git and is not looked into.",
            suggestion="Use git_status and git_diff, or run git.",
        )
    return place


def _listing(workspace: "Workspace", place: str, known: Listing | None = None) -> Listing:
    all_ = workspace.files() if known is None else known
    found = _within(all_, f"{place}/") if place else all_
    if not place or found.files or found.symlinks or "binary" in found.skipped.values():
        return found
    ignored = list_files(workspace.root / place)
    if "." in ignored.skipped:
        raise ToolError("file", f"{place} cannot be looked into: {ignored.skipped['.']}.")
    return Listing(
        files={f"{place}/{path}": stat for path, stat in ignored.files.items()},
        skipped={f"{place}/{path}": reason for path, reason in ignored.skipped.items()},
        symlinks={f"{place}/{path}": target for path, target in ignored.symlinks.items()},
    )


def _within(listing: Listing, prefix: str) -> Listing:
    return Listing(
        files={path: stat for path, stat in listing.files.items() if path.startswith(prefix)},
        skipped={path: why for path, why in listing.skipped.items() if path.startswith(prefix)},
        symlinks={path: to for path, to in listing.symlinks.items() if path.startswith(prefix)},
    )


def _links_to_files(workspace: "Workspace", listing: Listing) -> Iterator[str]:
    for path in listing.symlinks:
        try:
            real = workspace.relative(path)
        except ToolError:  # it leads nowhere, or out of the project
            continue
        if (workspace.root / real).is_file():
            yield path


def _stat(place: Path) -> FileStat:
    status = place.stat()
    return FileStat(status.st_size, status.st_mtime_ns)
