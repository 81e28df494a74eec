"""An index in a file, with which all users of a machine may begin theirs.

The file has a line of JSON (`_ExportHead`), the keys of the index as the server writes them
(``DUMP``), in the order of `StoredIndex.key_names`, and at last a digest of all that. It is
believed where only root and the user can change it, and no further than a copy of another clone's
index: the update that follows reads and compares every file, and parses those whose content
differs.
"""

import json
import secrets
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import msgspec

from ipuaro_jupyter.errors import SettingsError, StorageError
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.seeding import put_in_place
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.store.changeable import changeable_by_others
from ipuaro_jupyter.store.lease import Lease
from ipuaro_jupyter.whole_file import write_whole
from ipuaro_jupyter.workspace.files.listing import Listing

SUFFIX = ".ipuaro-index"
_KIND = "ipuaro index 1"
_LEAST_ALIKE = 0.8
_SAMPLE = 200
_MOST_FILES = 100
_LONGEST_HEAD = 1_000_000
_DIGEST = 32


class _ExportHead(msgspec.Struct, forbid_unknown_fields=True):
    """What comes first.

    Attributes:
        kind: The form of the file.
        format: That of the index.
        sample: Some of its files with their sizes.
        lengths: The bytes of each key; 0 for one that does not exist.
    """

    kind: str
    format: str
    sample: dict[str, int]
    lengths: list[int]


class _UnusableError(Exception):
    """The file is not used; the message says why."""


class SharedIndexes:
    """The indexes in a folder.

    Attributes:
        told: Sentences on files that would have been used and cannot be, for the user.

    Args:
        folder: The folder; None means none.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = None if folder is None else Path(folder).expanduser()
        self.told: tuple[str, ...] = ()

    def seed(self, stored: StoredIndex, listing: Listing, lease: Lease) -> bool:
        """Begin an index with that of a file whose project is like this one.

        Args:
            stored: The index to make.
            listing: All files of the project.
            lease: The right to write the index.

        Returns:
            Whether the index is now such a copy, with the files as they were there.

        Raises:
            LeaseLostError: Another process has begun to write; the index is as it was.
        """
        told = []
        for path in self._files():
            try:
                if _is_taken(path, stored, listing, lease):
                    self.told = ()
                    return True
            except _UnusableError as error:
                told.append(f"The shared index {str(path)!r} is not used: {error}.")
            except OSError as error:
                told.append(f"The shared index {str(path)!r} cannot be read: {error.strerror}.")
        self.told = tuple(told)
        return False

    def _files(self) -> list[Path]:
        if self._folder is None:
            return []
        return sorted(self._folder.glob(f"*{SUFFIX}"))[:_MOST_FILES]


def export_index(stored: StoredIndex, path: Path) -> None:
    """Write an index to a file, whole or not at all.

    Args:
        stored: The index.
        path: The file, whose name must end with `SUFFIX`.

    Raises:
        SettingsError: It has another name, or cannot be written.
        StorageError: There is no whole index, or it was changed meanwhile.
    """
    if path.suffix != SUFFIX:
        raise SettingsError(f"The name of an exported index ends with {SUFFIX}, not {path.name!r}.")
    before = stored.info("generation", "format")
    dumps = [stored.store.dump(key) or b"" for key in stored.key_names]
    files = stored.files()
    is_ours = before[1] == index_format().encode() and stored.is_whole()
    if not is_ours or before != stored.info("generation", "format"):
        raise StorageError("The index was being written meanwhile: export it again.")
    step = max(1, len(files) // _SAMPLE)
    sample = {name: files[name].size for name in list(files)[::step]}
    head = _ExportHead(_KIND, index_format(), sample, [len(dump) for dump in dumps])
    parts = [json.dumps(msgspec.to_builtins(head)).encode() + b"\n", *dumps]
    digest = blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(part)
    try:
        write_whole(path, [*parts, digest.digest()])
    except OSError as error:
        raise SettingsError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def _is_taken(path: Path, stored: StoredIndex, listing: Listing, lease: Lease) -> bool:
    """Begin the index with that of a file; return whether it is of such a project.

    Raises:
        _UnusableError: It is, and cannot be used.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        line = file.readline(_LONGEST_HEAD)
        try:
            head = msgspec.json.decode(line, type=_ExportHead)
        except msgspec.MsgspecError:
            raise _UnusableError("it is damaged, so export it again") from None
        if not _is_alike(head, listing):
            return False
        if (open_to := changeable_by_others(path)) is not None:
            raise _UnusableError(f"others than root and you can change {str(open_to)!r}")
        if (head.kind, head.format) != (_KIND, index_format()):
            raise _UnusableError("another version of this package made it, so export it again")
        token = secrets.token_hex(4)
        staged = {key: f"{stored.keys.staging(key)}:{token}" for key in stored.key_names}
        try:
            _restore(line, head, file, stored, staged)
            put_in_place(stored, staged, lease)
        except StorageError as error:
            raise _UnusableError(f"the server refused it, so export it again ({error})") from error
        finally:
            stored.store.delete(*staged.values())
    return True


def _restore(
    line: bytes, head: _ExportHead, file: BinaryIO, stored: StoredIndex, staged: dict[str, str]
) -> None:
    digest = blake2b(line, digest_size=_DIGEST)
    for key, dump in zip(staged.values(), _dumps(head, file), strict=False):
        digest.update(dump)
        if dump:
            stored.store.restore(key, dump)
    if file.read() != digest.digest() or len(head.lengths) != len(staged):
        raise _UnusableError("it is damaged, so export it again")
    info, *others = reversed(staged.values())
    if not stored.store.have_counts(info, others):
        raise _UnusableError("it is not whole, so export it again")


def _dumps(head: _ExportHead, file: BinaryIO) -> Iterator[bytes]:
    for length in head.lengths:
        yield file.read(max(0, length))


def _is_alike(head: _ExportHead, listing: Listing) -> bool:
    files = listing.files
    same = sum(name in files and files[name].size == size for name, size in head.sample.items())
    return bool(head.sample) and same >= _LEAST_ALIKE * len(head.sample)
