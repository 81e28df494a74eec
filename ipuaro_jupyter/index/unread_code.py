"""The files of a project that may hold code and are not read as such."""

import codecs
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ipuaro_jupyter.cancellation import checkpoint, grace
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.languages.other_languages import may_hold_code
from ipuaro_jupyter.languages.registry import code_among, install_for
from ipuaro_jupyter.languages.source_extensions import extension_of
from ipuaro_jupyter.records.unread import NotLookedAt, UnreadFiles
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.listing import BADLY_NAMED, NOT_CHECKED_OUT, UNREADABLE

_BROKEN = ("Syntax error at line", "Syntax error in cell")
_MOST_FILES = 1000
_MOST_BYTES = 16_000_000
_STEP = 1000
_WORD = re.compile(rb"[\w$]+")
T = TypeVar("T")


class UnreadCode:
    """Tells which files an answer about the whole project cannot see into.

    These are files in languages that are not parsed, templates among them, and files that are
    refused: too large, minified, not UTF-8, or with brackets that never close; components whose
    templates are not read, or not as a whole; and files with syntax errors, of which parts may be
    missing: these only count where they have the name that is asked for, or none is. Folders that
    cannot be read, and what is not checked out, count, too.

    Args:
        root: The project's folder.
        sync: Knows the files.
    """

    def __init__(self, root: Path, sync: IndexSync) -> None:
        self._root = root
        self._sync = sync
        self._known: tuple[Snapshot, Mapping[str, int]] = (Snapshot(), {})

    def of(self, name: str = "", within: str = "") -> NotLookedAt:
        """The files, as of the last look at the disk.

        Args:
            name: The files whose text contains this word are listed, unless there are too many to
                search; "": none are.
            within: The file or folder that the answer is about; "": the project.
        """
        with grace():
            snapshot, known = self._all()
            sizes = {path: size for path, size in known.items() if is_inside(path, within)}
            is_searched = bool(name) and _can_be_searched(sizes)
            naming = tuple(self._naming(name, sorted(sizes))) if is_searched else None
            closed = [path for path in _closed(snapshot) if _overlap(path, within)]
            broken = {path for path in sizes if _is_broken(snapshot, path)}
            whole = Counter(map(extension_of, sizes.keys() - broken))
            if naming is not None:
                broken &= set(naming)
            parts = Counter(map(extension_of, broken))
            absent = sum(one.startswith(NOT_CHECKED_OUT) for one in _reasons(snapshot, within))
            folders = [UnreadFiles(extension="", files=len(closed), folders=True)]
            return NotLookedAt(
                kinds=(
                    *(folders if closed else ()),
                    *([UnreadFiles(extension="", files=absent, absent=True)] if absent else ()),
                    *(
                        UnreadFiles(extension=one, files=count, install=install_for(one))
                        for one, count in sorted(whole.items(), key=_most_first)
                    ),
                    *(
                        UnreadFiles(extension=one, files=count, in_part=True)
                        for one, count in sorted(parts.items(), key=_most_first)
                    ),
                ),
                naming=None if (closed or absent) and not naming else naming,
            )

    def naming(self, names: Collection[str]) -> Mapping[str, tuple[str, ...]]:
        """The files whose text contains a word, for each of ``names`` that any contains.

        Empty when there are too many files to search.
        """
        found: dict[str, tuple[str, ...]] = {}
        wanted = {name: name.encode() for name in names}
        with grace():
            sizes = self._all()[1] if wanted else {}
            for path in sorted(sizes) if _can_be_searched(sizes) else ():
                checkpoint()
                data = self._text(path)
                words = frozenset(_WORD.findall(data or b""))
                for name, word in wanted.items():
                    if data is None or word in (words if word.isascii() else data):
                        found[name] = (*found.get(name, ()), path)
        return found

    def _all(self) -> tuple[Snapshot, Mapping[str, int]]:
        """The present state of the index, and all such files in it with their sizes."""
        snapshot, (before, known) = self._sync.snapshot, self._known
        if snapshot.generation != before.generation:
            self._known = snapshot, _unread_after(snapshot, before, known)
        return self._known

    def _naming(self, name: str, paths: Sequence[str]) -> Iterator[str]:
        """Yield the files whose text contains a word."""
        plain = re.escape(name.encode())  # first, as a literal prefix is searched for fast
        word = re.compile(rb"%b(?<![\w$]%b)(?![\w$])" % (plain, plain))
        for path in paths:
            checkpoint()
            data = self._text(path)
            if data is None or word.search(data):  # unreadable: it might
                yield path

    def _text(self, path: str) -> bytes | None:
        try:
            content = disk.read(self._root, path)
        except ToolError:
            content = None
        return None if content is None else _as_utf8(content.data)


def _is_broken(snapshot: Snapshot, path: str) -> bool:
    """Whether a file is read but for what its syntax errors hide."""
    entry = snapshot.files.get(path)
    return entry is not None and entry.unread.startswith(_BROKEN)


def _closed(snapshot: Snapshot) -> Iterator[str]:
    """Yield the folders that cannot be read; "." is that of the project."""
    return (path for path, reason in snapshot.skipped.items() if reason.startswith(UNREADABLE))


def _reasons(snapshot: Snapshot, within: str) -> Iterator[str]:
    """Yield why paths are left out that may have a part of what is asked about."""
    return (reason for path, reason in snapshot.skipped.items() if _overlap(path, within))


def _overlap(folder: str, within: str) -> bool:
    """Whether a folder that cannot be read may have a part of what is asked about."""
    return folder == "." or is_inside(folder, within) or is_inside(within, folder)


def _can_be_searched(sizes: Mapping[str, int]) -> bool:
    return len(sizes) <= _MOST_FILES and sum(sizes.values()) <= _MOST_BYTES


def _as_utf8(data: bytes) -> bytes:
    """A text in UTF-8 if it begins with the mark of UTF-16, else as it is."""
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16", "replace").encode() if is_utf16 else data


def _unread_after(
    snapshot: Snapshot, before: Snapshot, known: Mapping[str, int]
) -> Mapping[str, int]:
    """The files with their sizes; an entry that is the same as before is not looked at again."""
    files, old = snapshot.files, before.files
    changed = {path: one for path, one in _checked(files.items()) if old.get(path) is not one}
    code = code_among(changed)
    found = {path: size for path, size in known.items() if path in files and path not in changed}
    for path, entry in _checked(changed.items()):
        if path in code and not entry.reason and not entry.unread:
            continue
        is_text = bool(entry.number) or not entry.reason.startswith("binary")
        if is_text and may_hold_code(path):
            found[path] = entry.size
    for path, reason in snapshot.skipped.items():
        if reason == BADLY_NAMED and may_hold_code(path):
            found[path] = 0
    return found


def _checked(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, with a look at the cancel token now and then."""
    for number, item in enumerate(items):
        if number % _STEP == 0:
            checkpoint()
        yield item


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]
