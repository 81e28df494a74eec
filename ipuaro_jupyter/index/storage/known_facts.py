"""The facts of contents that a project had before, by content.

What an index holds of a content is kept when it leaves the index: by an edit, a switch of branch, a
deleted or renamed file. A file with a content that is known, whatever its path, is not parsed.

What is known of a content depends on its language and on the format of the index, so these are part
of its name. Facts that may be incomplete are not kept, nor is anything of a file of secrets
(``.env…``), or of one in no language, of which only the lines are counted.

There are two hashes, name -> sealed facts. When the newer one is full, it takes the place of the
older one. What is used of the older one is kept again, so that what nobody uses goes first.
"""

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b

import msgspec

from ipuaro_jupyter.errors import StorageError, WrongKeyType
from ipuaro_jupyter.index.extract.batches import NumberedFile
from ipuaro_jupyter.index.extract.facts_format import moved_facts, unpack_facts
from ipuaro_jupyter.index.extract.file_words import file_words
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile, ReadRows
from ipuaro_jupyter.index.extract.symbols import symbol_rows
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, sealed, unsealed
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import FileEntry, StoredIndex
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.languages.registry import language_for, language_named
from ipuaro_jupyter.workspace.files.text_file import content_hash

_MOST_BYTES = 32_000_000
_SHARE = 8
"""One in so many bytes of a server that is limited."""
_AT_ONCE = 200
_LEVEL = 1
_NO_LANGUAGE = "text"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ParsedFile).decode
_decode_definitions = msgspec.msgpack.Decoder(dict[str, list[int]]).decode


class KnownFacts:
    """The facts of contents that are known of a project; a server that refuses has none.

    Args:
        stored: The project's index.
    """

    def __init__(self, stored: StoredIndex) -> None:
        self._stored = stored
        self._store = stored.store
        self._keys = stored.keys.known, stored.keys.known_before
        limit_mb = None if self._store.settings is None else self._store.settings.max_memory_mb
        most = _MOST_BYTES if limit_mb is None else limit_mb * 1_000_000 // _SHARE
        self._most_bytes = min(_MOST_BYTES, most) // len(self._keys)

    def of(self, files: Sequence[NumberedFile]) -> dict[str, ReadRows]:
        """The facts of those files whose contents are known, by path."""
        names = [_name(path, content_hash(data)) for path, _, data in files]
        values = self._values(names)
        known: dict[str, ReadRows] = {}
        for name, file in zip(names, files, strict=True):
            if name in values:
                with suppress(IndexDamagedError, ParsingTooSlow):
                    known[file[0]] = _read(unsealed(name, values[name]), file)
        return known

    def keep(self, snapshot: Snapshot, paths: Collection[str]) -> None:
        """Keep what the index knows of the contents of some files, which it is about to lose.

        Args:
            snapshot: Its present state; when it is another by now, or when another version of the
                package made it, nothing is kept.
            paths: The files.
        """
        entries = snapshot.files
        whole = [path for path in paths if path in entries and _may_be_kept(path, entries[path])]
        ours = index_format().encode()
        for start in range(0, len(whole), _AT_ONCE):
            some = whole[start : start + _AT_ONCE]
            try:
                rows = self._stored.own_rows(some)
                if self._stored.info("generation", "format") != [snapshot.generation, ours]:
                    return
            except StorageError:  # whatever is damaged is noticed where it matters
                return
            names = {path: _name(path, entries[path].hash) for path in some}
            self._put(
                {
                    names[path]: sealed(
                        names[path], _packed(path, _joined(entries[path], path, rows))
                    )
                    for path in some
                    if all(path in of_file for of_file in rows[:-1])
                }
            )

    def _values(self, names: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with self._trying():
            for start in range(0, len(names), _AT_ONCE):
                some = names[start : start + _AT_ONCE]
                newer, older = self._store.hmget_each(self._keys, some)
                rows = [*zip(some, newer, older, strict=True)]
                aged = {name: old for name, new, old in rows if old and not new}
                found |= aged | {name: new for name, new, _ in rows if new}
                self._put(aged)
        return found

    def _put(self, values: Mapping[bytes, bytes]) -> None:
        if not values:
            return
        newer, older = self._keys
        with self._trying():
            self._store.hset(newer, values)
            if self._store.memory(newer)[0] > self._most_bytes:
                with self._store.batch(atomic=False) as batch:
                    batch.move(newer, older)

    @contextmanager
    def _trying(self) -> Iterator[None]:
        """A block that the server may refuse, as when memory is short; it begins anew then."""
        try:
            yield
        except WrongKeyType:
            with suppress(StorageError):
                self._store.delete(*self._keys)
        except StorageError:
            pass


def _name(path: str, digest: str) -> bytes:
    language = language_for(path)
    kind = _NO_LANGUAGE if language is None else language.name
    return blake2b(f"{digest} {kind} {index_format()}".encode(), digest_size=16).digest()


def _may_be_kept(path: str, entry: FileEntry) -> bool:
    if entry.number == 0 or entry.reason or entry.language == _NO_LANGUAGE:
        return False
    return not path.rpartition("/")[2].lower().startswith(".env")


def _joined(entry: FileEntry, path: str, rows: Sequence[Mapping[str, bytes]]) -> ParsedFile:
    facts, meta, module, definitions = (of_file[path] for of_file in rows[:-1])
    return ParsedFile(
        *(entry.language, entry.hash, facts, meta, module, definitions),
        *(rows[-1].get(path, b""), entry.symbols, "", entry.unread),
    )


def _packed(path: str, file: ParsedFile) -> bytes:
    placeless = msgspec.structs.replace(file, facts=moved_facts(file.facts, path, ""), words=b"")
    return zlib.compress(_encode(placeless), _LEVEL)


def _read(value: bytes, wanted: NumberedFile) -> ReadRows:
    """The facts of a file with a known content.

    Raises:
        ParsingTooSlow: The cells of a notebook could not be read in time.
    """
    path, number, data = wanted
    file = _decode(zlib.decompress(value))
    file = msgspec.structs.replace(file, facts=moved_facts(file.facts, "", path))
    text, definitions = _text_of(path, data), _decode_definitions(file.definitions)
    words = file_words(path, text if file.postings else b"")
    file = msgspec.structs.replace(file, words=words)
    return number, file, symbol_rows(unpack_facts(file.facts), definitions, text)


def _text_of(path: str, data: bytes) -> bytes:
    """The text that lines and offsets refer to."""
    language = language_for(path)
    if language is None or language.reader != "cells":
        return data
    from ipuaro_jupyter.index.extract.notebooks.notebook_code import code_of  # noqa: PLC0415 - for a notebook only

    return code_of(data, language.cells, language_named(language.cells.language)).text
