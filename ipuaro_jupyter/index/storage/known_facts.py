"""The facts of contents that were indexed before, here or elsewhere on the server, by content.

What an index holds of a content is kept when it leaves the index: by an edit, a switch of branch, a
deleted or renamed file; and what an update of several files parses, at once. What a first index
parses is not, since the index has it: see `seeding`. A file with a content that is known, whatever
its path, is not parsed.

What is known of a content depends on its language and on the format of the index, so these are part
of its name. Facts that may be incomplete are not kept, nor is anything of a file of secrets
(``.env…``), or of one in no language, of which only the lines are counted.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b

import msgspec

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.index.extract.batches import NumberedFile
from ipuaro_jupyter.index.extract.facts_format import moved_facts
from ipuaro_jupyter.index.extract.file_words import file_words
from ipuaro_jupyter.index.extract.known_symbols import known_symbols
from ipuaro_jupyter.index.extract.notebooks.notebook_code import text_of
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile, ReadRows
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import FileEntry, StoredIndex
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.shared_values import SharedValues
from ipuaro_jupyter.workspace.files.text_file import content_hash

_MB = 1_000_000
_DEFAULT_MB = 64
_SHARE = 8
"""One in so many MB of a server that is limited, by default."""
_AT_ONCE = 200
_LEVEL = 1
_LARGEST = 64 * _MB
"""What is larger once it is unpacked was not made here."""
_NO_LANGUAGE = "text"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ParsedFile).decode


class KnownFacts:
    """The facts of contents that are known on a server.

    Attributes:
        is_on: Whether anything is taken from others, and kept.

    Args:
        store: The server.
        settings: How much may be kept.
    """

    def __init__(self, store: Store, settings: IndexSettings) -> None:
        most_bytes = _most_mb(store, settings) * _MB
        self.is_on = most_bytes > 0
        self._values = SharedValues(store, most_bytes=most_bytes)

    def trim(self) -> None:
        """Drop what nobody has used for long, and what is too much."""
        if self.is_on:
            self._values.trim()

    def of(self, files: Sequence[NumberedFile]) -> dict[str, ReadRows]:
        """The facts of those files whose contents are known, by path."""
        if not (self.is_on and files):
            return {}
        made_by = index_format()
        names = [_name(path, content_hash(data), made_by) for path, _, data in files]
        values = self._values.get(names)
        known: dict[str, ReadRows] = {}
        wrong: list[bytes] = []
        for name, file in zip(names, files, strict=True):
            if name not in values:
                continue
            found = _read(values[name], file)
            if found is None:
                wrong.append(name)
            else:
                known[file[0]] = found
        if wrong:
            self._values.drop_wrong(wrong)
        return known

    def keep(self, stored: StoredIndex, snapshot: Snapshot, paths: Collection[str]) -> None:
        """Keep what an index knows of the contents of some files, which it is about to lose.

        Args:
            stored: The index.
            snapshot: Its present state; when it is another by now, or when another version of the
                package made it, nothing is kept.
            paths: The files.
        """
        entries = snapshot.files
        whole = [path for path in paths if path in entries and _may_be_kept(path, entries[path])]
        ours = index_format().encode()
        for start in range(0, len(whole) * self.is_on, _AT_ONCE):
            some = whole[start : start + _AT_ONCE]
            try:
                rows = stored.own_rows(some)
                if stored.info("generation", "format") != [snapshot.generation, ours]:
                    return
            except StorageError:  # whatever is damaged is noticed where it matters
                return
            there = [path for path in some if all(path in of_file for of_file in rows[:-1])]
            self.add({path: _joined(entries[path], path, rows) for path in there}, entries)

    def add(self, files: Mapping[str, ParsedFile], entries: Mapping[str, FileEntry]) -> None:
        """Keep the facts of files.

        Args:
            files: The facts, by path.
            entries: The entries of these files in the index.
        """
        whole = [path for path in files if _may_be_kept(path, entries[path])]
        for start in range(0, len(whole) * self.is_on, _AT_ONCE):
            some = {path: files[path] for path in whole[start : start + _AT_ONCE]}
            made_by = index_format()
            self._values.put(
                {_name(p, file.hash, made_by): _packed(p, file) for p, file in some.items()}
            )


def _most_mb(store: Store, settings: IndexSettings) -> int:
    if settings.shared_facts_mb is not None:
        return settings.shared_facts_mb
    if store.settings is None or store.settings.url is not None:
        return 0
    limit_mb = store.settings.max_memory_mb
    return _DEFAULT_MB if limit_mb is None else min(_DEFAULT_MB, limit_mb // _SHARE)


def _name(path: str, digest: str, made_by: str) -> bytes:
    language = language_for(path)
    kind = _NO_LANGUAGE if language is None else language.name
    return blake2b(f"{digest} {kind} {made_by}".encode(), digest_size=16).digest()


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


def _read(value: bytes, wanted: NumberedFile) -> ReadRows | None:
    """The facts of a file; None when the value is not what was kept for its content."""
    path, number, data = wanted
    try:
        file = _decode(zlib.decompressobj().decompress(value, _LARGEST))
        file = msgspec.structs.replace(file, facts=moved_facts(file.facts, "", path))
        symbols = known_symbols(file, path, data)
        words = file_words(path, text_of(path, data) if file.postings else None)
        return number, msgspec.structs.replace(file, words=words), symbols
    except (zlib.error, msgspec.MsgspecError, LookupError, ValueError, TypeError):
        return None
