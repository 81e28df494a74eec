"""The files that a session has written and nobody has looked at."""

import base64
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar
from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles
from ipuaro_jupyter.workspace.file_states import (
    States,
    changed_files,
    file_states,
    files_changed_since,
)
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.text_file import content_hash

ABSENT = "-"
_UNREADABLE = "?"
_MOST_VERSIONS = 20
# Where installers put files of packages into a virtual environment, beside the packages.
_OF_ENVIRONMENTS = frozenset({"bin", "Scripts", "include", "Include", "share", "etc"})
_RECORDS = ("lib/python*/site-packages/*.dist-info/RECORD", "Lib/site-packages/*.dist-info/RECORD")
_LARGEST_BYTES = 200_000_000
# A closed list, so that an unforeseen kind of file counts. Texts do: pytest collects doctests from
# them, and installers and build tools take their work from requirements.txt and CMakeLists.txt.
_NEVER_CODE = re.compile(
    r".*\.(?:log|ipynb|csv|tsv|parquet|feather|arrow|npy|npz|pdf|docx?|xlsx?"
    r"|pptx?|png|jpe?g|gif|webp|ico|bmp|tiff?|svg|mp[34]|wav|ogg|webm|mov|woff2?|ttf|otf|eot"
    r"|sqlite3?|db|db-wal|db-shm|pid|swp|bak|orig|tmp|part)|.*~",
    re.IGNORECASE | re.DOTALL,
)


class _Runs(Protocol):
    @property
    def running(self) -> bool: ...


_Job = TypeVar("_Job", bound=_Runs)


def is_never_code(path: str) -> bool:
    """Whether no program takes a file with this name for code or settings."""
    return _NEVER_CODE.fullmatch(path) is not None


class UnseenFiles:
    """The files that a session has written, and that no person has applied by a decision.

    A file counts until its content is again one that was there before, or that a person has
    applied: known are the contents, by their hashes, so that an undo or a ``git checkout`` settles
    it. What a person changes in an editor does not: the unseen lines may still be there.

    Args:
        root: The project's folder.
        shown: Keeps them, for the session.
    """

    def __init__(self, root: Path, shown: ShownFiles) -> None:
        self.root = root
        self._shown = shown
        self._running: list[tuple[str, States, Callable[[], bool]]] = []
        self._is_new = True
        self._allowed: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}

    def note(self, changes: Sequence[Change], *, seen: bool) -> None:
        """Note changes that are about to be written.

        Of a change that a person has applied, the new content counts as looked at if the old one
        did or the whole text was shown: otherwise earlier lines may be in it.

        Args:
            changes: One per file.
            seen: Whether a person has applied them by a decision.
        """
        self._note_left()
        known = self._shown.looked_at()
        noted: dict[str, tuple[str, ...]] = {}
        for change in changes:
            before, after = _version(change.before), _version(change.after)
            versions = known.get(change.path)
            if versions is None and not seen:
                noted[change.path] = (before,)
            elif versions is not None and seen and {before, after} & {*versions, ABSENT}:
                noted[change.path] = (*versions[1 - _MOST_VERSIONS :], after)
        if noted:
            self._shown.note_looked_at(noted)

    @contextmanager
    def watched(self, before: States) -> Iterator[None]:
        """Note what a command writes that runs meanwhile, also when the kernel is killed.

        Args:
            before: The states of the files before it runs.
        """
        id_ = self._begin(before)
        try:
            yield
        finally:
            self._note_written(before)
            self._shown.forget_command(id_)

    def follow(self, before: States, start: Callable[[], _Job]) -> _Job:
        """Start a program in the background, and note from now on what it writes.

        Args:
            before: The states of the files before it runs.
            start: Starts it.
        """
        id_ = self._begin(before)  # first: the kernel may be killed at any time
        try:
            job = start()
        except BaseException:
            self._shown.forget_command(id_)
            raise
        self._running.append((id_, before, lambda: job.running))
        return job

    def note_running(self) -> None:
        """Note what the programs in the background have written so far."""
        for each in tuple(self._running):
            id_, before, is_running = each
            ended = not is_running()
            self._note_written(before)
            if ended:
                self._running.remove(each)
                self._shown.forget_command(id_)

    def now(self) -> dict[str, str]:
        """The files that nobody has looked at as they are now, with a hash of their content."""
        self._note_left()
        self.note_running()
        present = ((path, self._present(path), v) for path, v in self._shown.looked_at().items())
        return {path: version for path, version, versions in present if version not in versions}

    def pending(self, command: str, folder: str) -> dict[str, str]:
        """Those without the ones with which a person has allowed this command as they are."""
        allowed = self._allowed.get((command, folder), frozenset())
        return dict(self.now().items() - allowed)

    def allow(self, command: str, folder: str, files: Mapping[str, str]) -> None:
        """Note that a person has allowed a command in a folder with these files as they are."""
        known = self._allowed.get((command, folder), frozenset())
        self._allowed[command, folder] = known | files.items()

    def _begin(self, before: States) -> str:
        """Record a command that is about to run, and return what it is recorded by."""
        self._note_left()
        id_ = uuid4().hex
        newest = max((state.changed_ns for state in before.values()), default=0)
        self._shown.note_command(id_, min(newest, time.time_ns()))
        return id_

    def _note_left(self) -> None:
        """Note what commands may have written during which an earlier kernel was killed."""
        if not self._is_new:
            return
        left = self._shown.commands()
        if left:
            self._note(files_changed_since(self.root, min(left.values()), check=_go_on))
        for id_ in left:
            self._shown.forget_command(id_)
        self._is_new = False

    def _note_written(self, before: States) -> None:
        """Note what a command has written since the files were in these states."""
        after = file_states(self.root, check=_go_on)  # it may have been stopped
        self._note(path for path in changed_files(before, after) if path in after)

    def _note(self, paths: Iterable[str]) -> None:
        """Note that files have been written, as far as they may be code."""
        known = self._shown.looked_at()
        counts = (path for path in paths if not is_never_code(path))
        installed = InstalledFiles(self.root)
        written = (_printable(path) for path in counts if not installed.has(path))
        new: dict[str, tuple[str, ...]] = {path: () for path in written if path not in known}
        if new:
            self._shown.note_looked_at(new)

    def _present(self, path: str) -> str:
        try:
            content = disk.read(self.root, path)
        except ToolError:
            return _UNREADABLE
        return ABSENT if content is None else content_hash(content.data)


def told_files(paths: Iterable[str], most: int = 8) -> str:
    """The paths in words, the last of many left out."""
    given = sorted(paths)
    more = len(given) - most
    return ", ".join(given) if more <= 0 else f"{', '.join(given[:most])} and {more} more"


class InstalledFiles:
    """What installers have put into the virtual environments of a project, as it is now.

    Such a file stands with its hash in the list of its package. A whole environment may be forged,
    but what its lists name could as well have come with it. Each list is read once.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lists: dict[Path, dict[Path, str]] = {}

    def has(self, path: str) -> bool:
        """Whether an installer has put a file there, and nobody has changed it since."""
        parts = path.split("/")
        for at in range(1, len(parts) - 1):
            environment = self._root.joinpath(*parts[:at])
            if parts[at] not in _OF_ENVIRONMENTS or not (environment / "pyvenv.cfg").is_file():
                continue
            lists = self._of(environment)
            content = _content(self._root / path) if lists else None
            if content is not None and any(
                _lists(text, Path(os.path.relpath(self._root / path, packages)), content)
                for packages, text in lists.items()
            ):
                return True
        return False

    def _of(self, environment: Path) -> dict[Path, str]:
        """The lists of an environment's packages, joined by the folder that they count from."""
        found = self._lists.get(environment)
        if found is None:
            found = {}
            for pattern in _RECORDS:
                for record in environment.glob(pattern):
                    text = (_content(record) or b"").decode(errors="replace")
                    packages = record.parent.parent
                    found[packages] = f"{found.get(packages, '')}\n{text}"
            self._lists[environment] = found
        return found


def _content(path: Path) -> bytes | None:
    """The bytes of a regular file that is not too large; None of all else."""
    try:
        return None if path.is_symlink() else read_small(path, largest=_LARGEST_BYTES)
    except OSError:
        return None


def _lists(text: str, place: Path, content: bytes) -> bool:
    """Whether packages' lists of files have a file with a content."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"\n{place.as_posix()},sha256={digest}," in text


def _go_on() -> None:
    """Never stop."""


def _printable(path: str) -> str:
    return os.fsencode(path).decode(errors="backslashreplace")


def _version(data: bytes | None) -> str:
    return ABSENT if data is None else content_hash(data)
