"""The files of a project: those git would track or, without git, those not in ``.gitignore``."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken, watched
from ipuaro_jupyter.small_file import read_small_text
from ipuaro_jupyter.workspace.files.atomic_writes import TEMPORARY
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.walk import BUILT as BUILT  # noqa: PLC0414 - for users
from ipuaro_jupyter.workspace.files.walk import NEVER, USUALLY_NOT, walked_files
from ipuaro_jupyter.workspace.git.git_files import UNREADABLE as UNREADABLE  # noqa: PLC0414 - too
from ipuaro_jupyter.workspace.git.git_files import WORKTREE, GitPath, git_files, rules_stamp

BINARY_EXTENSIONS = frozenset(
    {
        *("7z", "a", "avi", "avif", "bin", "bmp", "br", "bz2", "class", "dll", "dmg", "doc"),
        *("docx", "dylib", "eot", "exe", "flac", "gif", "gz", "heic", "icns", "ico", "iso", "jar"),
        *("jpeg", "jpg", "lib", "m4a", "mkv", "mov", "mp3", "mp4", "mpeg", "node", "o", "obj"),
        *("odt", "ogg", "otf", "pdf", "png", "ppt", "pptx", "psd", "pyc", "pyd", "pyo", "rar"),
        *("so", "sqlite", "sqlite3", "tar", "tgz", "tif", "tiff", "ttf", "war", "wasm", "wav"),
        *("webm", "webp", "whl", "woff", "woff2", "xls", "xlsx", "xz", "zip", "zst"),
    }
)

NOT_CHECKED_OUT = "not checked out"
"""Why a path is skipped that git tracks, and leaves out by its sparse-checkout."""
BADLY_NAMED = "its name is not UTF-8"
"""Why a file is skipped that no tool can name; its path is given in printable form."""


class FileStat(NamedTuple):
    """A cheap way to tell whether a file has changed.

    ``changed_ns`` is the time of the last change of content or attributes, which no program sets;
    0 when it does not matter.
    """

    size: int
    mtime_ns: int
    changed_ns: int = 0


def file_stat(status: os.stat_result) -> FileStat:
    """The part of a file's state that tells whether it has changed."""
    return FileStat(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass
class Listing:
    """The files of a project, relative to its root, sorted.

    Attributes:
        files: All that may be text; their content has not been checked (`text_file.sniff`).
        skipped: Files and folders that are left out, with the reason.
        symlinks: Links to files or folders with the target as written, in printable form; never
            followed.
        temporary: Our own files that are being written, or were when a kernel was killed.
        packages: Links to folders of the project in ``node_modules``, where somebody has looked
            for them; see `linked_packages`.
        linked: Files with another name, perhaps elsewhere, by which they may be changed.
        repositories: Those inside, with the `rules_stamp` from before they were listed.
    """

    files: dict[str, FileStat] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    symlinks: dict[str, str] = field(default_factory=dict)
    temporary: list[str] = field(default_factory=list)
    packages: dict[str, str] = field(default_factory=dict)
    linked: frozenset[str] = frozenset()
    repositories: dict[str, tuple[object, ...]] = field(default_factory=dict)

    @property
    def links(self) -> dict[str, str]:
        """All links."""
        return {**self.symlinks, **self.packages}


def list_files(
    root: Path, *, ignored: IgnoreFile | None = None, cancel: CancelToken | None = None
) -> Listing:
    """The project's files as they are on disk now.

    In a git repository: the files that git tracks or does not ignore, nested repositories and
    submodules included. Elsewhere: those that no ``.gitignore`` names. In both cases without
    ``node_modules``, and without build folders unless git tracks files in them or, without git,
    their code was written by hand. Nothing outside the root is listed. A folder that cannot be
    read, or is judged by its content, is reported in ``skipped``.

    Args:
        root: The project's folder.
        ignored: Rules for files to leave out too, whether git tracks them or not.
        cancel: Cancels the listing; None: the token in force.

    Raises:
        Cancelled: It was broken off.
    """
    scan = _Scan(str(root), ignored, cancel or watched())
    scan.add(root, "")
    return scan.listing()


class _Scan:
    def __init__(self, root: str, ignored: IgnoreFile | None, cancel: CancelToken) -> None:
        self._root = root
        self._ignored = ignored
        self._ignored_folders = {"": False}
        self._cancel = cancel
        self._files: dict[str, FileStat] = {}
        self._skipped: dict[str, str] = {}
        self._present: dict[str, bool] = {}
        self._symlinks: dict[str, str] = {}
        self._temporary: list[str] = []
        self._linked: set[str] = set()
        self._repositories: dict[str, tuple[object, ...]] = {}
        self._real_folders: dict[str, bool] = {}

    def listing(self) -> Listing:
        return Listing(
            files=dict(sorted(self._files.items())),
            skipped=dict(sorted(self._skipped.items())),
            symlinks=dict(sorted(self._symlinks.items())),
            temporary=sorted(self._temporary),
            linked=frozenset(self._linked),
            repositories=self._repositories,
        )

    def add(self, folder: Path, prefix: str) -> None:
        """List ``folder``, whose path relative to the root is ``prefix``, ending with a slash."""
        self._real_folders[prefix.removesuffix("/")] = True
        unreadable: dict[str, str] = {}
        found = git_files(folder, cancel=self._cancel)
        if found is None:
            for path in walked_files(str(folder), unreadable):
                self._note(prefix + path)
        else:
            unreadable = found.unreadable
            for path in _wanted(found.paths):
                self._note(prefix + path)
            for path in found.sparse:
                self._note_absent(prefix + path)
        for path, reason in unreadable.items():
            if reason == BUILT and self._names(prefix + path):
                continue
            self._skipped[printable(prefix + path) or "."] = reason

    def _note(self, path: str) -> None:
        self._cancel.check()
        path = path.removesuffix("/")
        folder, _, name = path.rpartition("/")
        if self._ignored is not None and self._is_ignored(self._ignored, path):
            return
        if not (self._real_folders.get(folder) or self._is_real(folder)):
            return
        try:
            status = os.lstat(f"{self._root}/{path}")
        except OSError:  # tracked, but deleted
            return
        if not (path.isascii() or is_utf8(path)):
            self._skipped[printable(path)] = BADLY_NAMED
        elif stat.S_ISREG(status.st_mode):
            self._note_file(path, name, status)
        elif stat.S_ISLNK(status.st_mode):
            with suppress(OSError):  # it may have gone since
                target = os.readlink(f"{self._root}/{path}")  # noqa: PTH115 - as written
                self._symlinks[path] = printable(target)
        elif stat.S_ISDIR(status.st_mode):
            self._add_repository(path)
        else:
            self._skipped[path] = "no regular file"

    def _note_absent(self, path: str) -> None:
        """Note the first part of a path that is not there."""
        if self._ignored is not None and self._is_ignored(self._ignored, path):
            return
        end = 0
        while end >= 0:
            end = path.find("/", end + 1)
            part = path if end < 0 else path[:end]
            if part not in self._present:
                self._present[part] = os.path.lexists(f"{self._root}/{part}")
            if not self._present[part]:
                self._skipped[printable(part)] = NOT_CHECKED_OUT
                return

    def _note_file(self, path: str, name: str, status: os.stat_result) -> None:
        if is_binary(name):
            self._skipped[path] = "binary"
        elif name.startswith(TEMPORARY):
            self._temporary.append(path)
        else:
            self._files[path] = file_stat(status)
            if status.st_nlink > 1:
                self._linked.add(path)

    def _add_repository(self, path: str) -> None:
        """Add a nested repository, unless it is the same one in another worktree."""
        mark = Path(self._root, path, ".git")
        if not os.path.lexists(mark):  # a submodule that was not fetched
            return
        if mark.is_file() and WORKTREE.fullmatch(read_small_text(mark, "replace").strip()):
            self._skipped[path] = "another worktree of the repository"
            return
        self._repositories[path] = rules_stamp(str(mark.parent))
        self.add(mark.parent, f"{path}/")

    def _names(self, folder: str) -> bool:
        """Whether the rules for files to leave out too name a folder, or one above it."""
        rules = self._ignored
        return rules is not None and self._is_ignored(rules, f"{folder}/-")

    def _is_ignored(self, rules: IgnoreFile, path: str) -> bool:
        """Whether rules name a file, or a folder above it."""
        folder, _, name = path.rpartition("/")
        unknown = []
        while (inside := self._ignored_folders.get(folder)) is None:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        for above in reversed(unknown):
            last = above.rpartition("/")[2]
            inside = inside or rules.verdict(above, last, folder=True) is True
            self._ignored_folders[above] = inside
        return inside or rules.verdict(path, name, folder=False) is True

    def _is_real(self, folder: str) -> bool:
        """Whether no part of ``folder`` is a symlink: git still lists what was tracked there."""
        unknown = []
        while (known := self._real_folders.get(folder)) is None:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        for place in reversed(unknown):
            mode = 0
            with suppress(OSError):
                mode = os.lstat(f"{self._root}/{place}").st_mode
            known = known and stat.S_ISDIR(mode)
            self._real_folders[place] = known
        return known


def _wanted(paths: list[GitPath]) -> list[str]:
    """The paths without those in folders that do not belong to the project."""
    decoded = [(os.fsdecode(path), tracked) for path, tracked in paths]
    kept: set[str] = set()
    for path, tracked in decoded:
        if tracked:
            kept.update(_usually_not(path))
    return [
        path
        for path, tracked in decoded
        if NEVER.isdisjoint(path.split("/")) and all(f in kept for f in _usually_not(path))
    ]


def _usually_not(path: str) -> list[str]:
    """The folders on the way to ``path`` with a name of `USUALLY_NOT`."""
    parts = path.split("/")[:-1]
    if USUALLY_NOT.isdisjoint(parts):
        return []
    return ["/".join(parts[: i + 1]) for i, part in enumerate(parts) if part in USUALLY_NOT]


def is_binary(name: str) -> bool:
    """Whether a file with this name is none of text."""
    dot = name.rfind(".")
    return dot > 0 and name[dot + 1 :].lower() in BINARY_EXTENSIONS


def is_utf8(path: str) -> bool:
    """Whether a path is UTF-8 on disk."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(path: str) -> str:
    """A path as it can be printed: its name need not be UTF-8."""
    return os.fsencode(path).decode(errors="backslashreplace")
