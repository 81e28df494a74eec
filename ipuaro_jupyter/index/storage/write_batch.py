"""Changes of the index, collected and then sent together."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping

from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.storage.file_ids import pack, pack_numbers
from ipuaro_jupyter.index.storage.seals import sealed_fields
from ipuaro_jupyter.index.storage.stored_index import (
    FileEntry,
    Links,
    StoredIndex,
    SymbolEntry,
    encode,
    encode_lines,
)
from ipuaro_jupyter.store.batch import Batch

_FIELDS_AT_ONCE = 2000
_VERY_MANY_FILES = 20_000
"""From here on memory is worth more than the 5 % of the time that compressing takes."""


class WriteBatch:
    """Fields of the index's hashes to set and to delete.

    Args:
        stored: The index.
        files: The number of files of the project: the values of very many are compressed.
    """

    def __init__(self, stored: StoredIndex, files: int) -> None:
        self._stored = stored
        self._compressed = files >= _VERY_MANY_FILES
        self._keys = stored.keys
        self._set: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        self._gone: defaultdict[str, list[str]] = defaultdict(list)
        self._whole: list[tuple[str, Mapping[str, bytes] | Mapping[bytes, bytes]]] = []
        self.size_bytes = 0

    def put(self, key: str, field: str, value: bytes) -> None:
        """Set one field."""
        self._set[key][field] = value
        self.size_bytes += len(value)

    def put_all(self, key: str, fields: Mapping[str, bytes] | Mapping[bytes, bytes]) -> None:
        """Set many fields of a key that is set only here; their size is not counted."""
        self._whole.append((key, fields))

    def put_info(self, name: str, value: bytes) -> None:
        """Set a field of ``index_info``."""
        self.put(self._keys.index_info, name, value)

    def put_entry(self, path: str, entry: FileEntry) -> None:
        """Set the entry of a file."""
        self.put(self._keys.files, path, encode(entry))

    def drop_entry(self, path: str) -> None:
        """Delete the entry of a file."""
        self._gone[self._keys.files].append(path)

    def put_file(self, path: str, number: int, parsed: ParsedFile) -> None:
        """Set the rows of one file alone."""
        self.put(self._keys.ast, path, parsed.facts)
        self.put(self._keys.meta, path, parsed.meta)
        self.put(self._stored.modules_key, path, parsed.module)
        self.put(self._stored.definitions_key, path, parsed.definitions)
        self.put(self._keys.file_ids, str(number), path.encode())
        self.put(self._stored.file_words_key, path, parsed.words)
        if parsed.postings:
            self.put(self._keys.postings, path, parsed.postings)
        else:
            self._gone[self._keys.postings].append(path)

    def drop_file(self, path: str, number: int) -> None:
        """Delete the rows of one file alone; other files may still import it."""
        keys = self._keys
        own = (
            *(self._stored.modules_key, self._stored.definitions_key),
            self._stored.file_words_key,
        )
        linked = (keys.dependencies, self._stored.lookups_key)
        for key in (keys.ast, keys.meta, *own, *linked, keys.postings):
            self._gone[key].append(path)
        self._gone[keys.file_ids].append(str(number))

    def put_links(self, path: str, links: Links) -> None:
        """Set the targets of a file's imports."""
        self.put(self._keys.dependencies, path, encode(links))

    def put_lookups(self, path: str, locations: Collection[int]) -> None:
        """Set the locations looked at for the imports of a file."""
        packed = pack_numbers("H", locations)
        self._put_some(self._stored.lookups_key, path, packed, locations)

    def put_lookup_files(self, location: int, numbers: Collection[int]) -> None:
        """Set the ids of the files for whose imports a location was looked at."""
        packed = pack_numbers("I", numbers)
        self._put_some(self._stored.lookup_files_key, str(location), packed, numbers)

    def put_dependents(self, path: str, importers: Collection[str]) -> None:
        """Set the importers of a file."""
        self._put_some(self._keys.dependents, path, encode(sorted(importers)), importers)

    def put_token(self, token: str, counts: Collection[tuple[int, int]]) -> None:
        """Set the ids of the files in which an identifier occurs, each with its count."""
        self._put_some(self._keys.tokens, token, pack(counts), counts)

    def put_words(self, row: str, cells: Collection[int]) -> None:
        """Set a row of words, with the files that have them."""
        self._put_some(self._stored.words_key, row, array("Q", cells).tobytes(), cells)

    def put_symbol(self, name: str, entries: list[SymbolEntry]) -> None:
        """Set the declarations of a name."""
        self._put_some(self._keys.symbols, name, encode_lines(entries), entries)

    def send(self, batch: Batch, name: Callable[[str], str] = str) -> None:
        """Add the commands to a batch; ``name`` maps each key to the one to write."""
        for key, fields in self._gone.items():
            batch.hdel(name(key), *fields)
        for key, values in self._set.items():
            for some in _portions(values):
                batch.hset(name(key), sealed_fields(some, compressed=self._compressed))
        for key, whole in self._whole:
            batch.hset(name(key), sealed_fields(whole, compressed=self._compressed))

    def changes(self, key: str) -> bool:
        """Whether fields of a key are set or deleted."""
        return key in self._set or key in self._gone

    def __bool__(self) -> bool:
        return bool(self._set or self._gone or self._whole)

    def _put_some(self, key: str, field: str, value: bytes, content: object) -> None:
        """Set a field, or delete it when ``content`` is empty."""
        if content:
            self.put(key, field, value)
        else:
            self._gone[key].append(field)


def _portions(values: Mapping[str, bytes]) -> list[dict[str, bytes]]:
    items = list(values.items())
    starts = range(0, len(items), _FIELDS_AT_ONCE)
    return [dict(items[start : start + _FIELDS_AT_ONCE]) for start in starts]
