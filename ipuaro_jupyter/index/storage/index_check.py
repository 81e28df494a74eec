"""Whether a stored index is whole, read field by field without changing anything."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec import MsgspecError

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, unsealed
from ipuaro_jupyter.index.storage.stored_index import FileEntry, StoredIndex, decode
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.store.batch import COUNTS
from ipuaro_jupyter.store.stored_problem import StoredProblem

IndexKind = Literal["whole", "damaged", "format", "none"]
_TRIES = 3
_SHOWN = 3
_REMEDY = "It is made anew from the files when the project is opened, or by ipuaro index --full."


def index_kind(stored: StoredIndex) -> IndexKind:
    """What is told of an index without reading it: "format" is that of another version."""
    try:
        (made_by,) = stored.info("format")
        if made_by is None:
            return "damaged" if stored.store.exists(stored.keys.index_info) else "none"
        if made_by != index_format().encode():
            return "format"
        return "whole" if stored.is_whole() else "damaged"
    except (IndexDamagedError, WrongKeyType):
        return "damaged"


def check_index(stored: StoredIndex) -> list[StoredProblem]:
    """What is wrong with an index; every field is read.

    Raises:
        StorageError: The server cannot be used, or the index is written all the time.
    """
    for _ in range(_TRIES):
        before = stored.store.hget(stored.keys.index_info, "generation")
        found = list(_findings(stored))
        if stored.store.hget(stored.keys.index_info, "generation") == before:
            return found
    raise StorageError("The index changes while it is read; close the project, and check again.")


@dataclass
class _Read:
    """A hash of the index: the names of its fields, and of those that are not as written."""

    names: set[str] = field(default_factory=set)
    garbled: list[str] = field(default_factory=list)
    entries: dict[str, FileEntry] = field(default_factory=dict)


def _findings(stored: StoredIndex) -> Iterator[StoredProblem]:
    kind = index_kind(stored)
    if kind == "none":
        yield _finding("missing", "the index")
        return
    if kind == "format":
        yield _finding("format", "the index is that of another version of this package")
    read = {key: _read(stored, key) for key in stored.key_names}
    wrong = [*_garbled(stored, read), *_missing(stored, read)]
    yield from wrong
    if kind == "damaged" and not wrong:
        yield _finding("missing", "fields: there are not as many as were written")


def _read(stored: StoredIndex, key: str) -> _Read:
    read = _Read()
    try:
        for raw, value in stored.store.hscan(key):
            checkpoint()
            name = raw.decode(errors="replace")
            read.names.add(name)
            if key == stored.keys.index_info and raw == COUNTS:
                continue
            try:
                data = unsealed(raw, value)
                if key == stored.keys.files:
                    read.entries[name] = decode(FileEntry, data)
            except (IndexDamagedError, MsgspecError):
                read.garbled.append(name)
    except WrongKeyType:
        read.garbled.append("the whole key")
    return read


def _garbled(stored: StoredIndex, read: dict[str, _Read]) -> Iterator[StoredProblem]:
    for key, one in read.items():
        if one.garbled:
            yield _finding("garbled", _listed(stored, key, one.garbled))


def _missing(stored: StoredIndex, read: dict[str, _Read]) -> Iterator[StoredProblem]:
    """Yield the rows that files of the index lack."""
    keys = stored.keys
    indexed = {path: entry for path, entry in read[keys.files].entries.items() if entry.number}
    own = (keys.ast, keys.meta, stored.modules_key, stored.definitions_key, keys.dependencies)
    lacking = {key: sorted(indexed.keys() - read[key].names) for key in own}
    ids = read[keys.file_ids].names
    lacking[keys.file_ids] = [path for path in indexed if str(indexed[path].number) not in ids]
    for key, paths in lacking.items():
        if paths:
            yield _finding("missing", _listed(stored, key, paths))


def _listed(stored: StoredIndex, key: str, names: Sequence[str]) -> str:
    name = key.removeprefix(stored.keys.prefix)
    return f"{counted(len(names), 'field')} of {name}: {named(names, _SHOWN)}"


def _finding(kind: Literal["missing", "garbled", "format"], what: str) -> StoredProblem:
    return StoredProblem(part="index", kind=kind, what=what, remedy=_REMEDY)
