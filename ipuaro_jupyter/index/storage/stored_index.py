"""The index in Redis: its keys, and reading them.

One hash per kind of thing, one field per file, name or token, the values MessagePack unless noted,
and sealed (see `seals`, which compresses those of a very large project):

    files         path -> `FileEntry`; also of files that are skipped, with the reason
    ast           path -> the facts, as the parser made them
    meta          path -> `Meta`, for results about the whole project
    modules       path -> `Module`, the imports and exports
    definitions   path -> qualified name -> offsets of the name where it is declared, in bytes
    dependencies  path -> the target of each import of `Module`, in its order
    dependents    path -> the files that import it, sorted
    lookups       path -> the locations looked at to resolve its imports, sorted, see
                  `resolve.lookups`: u16, little-endian
    lookup_files  location, in decimal -> ids of the files whose imports were looked for there: u32,
                  little-endian, sorted
    symbols       bare name -> `SymbolEntry` lines, JSON, in no order
    postings      path -> a blob of `postings`
    tokens        identifier -> ids of the files that have it, each with its count: pairs of
                  u32, little-endian, in no order
    words         row of words, in decimal -> the words of all files that are in it, as
                  `file_words.word_cells`, native, in no order
    file_words    path -> its words, see `file_words`
    file_ids      id of a file, in decimal -> its path (text)
    index_info    format, generation, shape, graph, configs, edges, symbols, symlinks, skipped,
                  seconds, parsed, known

``generation`` changes with every write; ``shape`` and ``graph`` are those of the last write that
changed the shape or the graph, see `Snapshot`. ``configs`` are the configuration files that decide
how imports resolve; a file that did so before may still be among them. A file's id is a hash of its
path, so that the same files give the same index whatever happened before.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from re import Pattern
from typing import Any, Literal, TypeVar

import msgspec

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.index.extract.symbols import ends_of, is_called
from ipuaro_jupyter.index.resolve.candidates import other_halves
from ipuaro_jupyter.index.resolve.resolver import Resolution
from ipuaro_jupyter.index.storage.file_ids import unpack, unpack_numbers
from ipuaro_jupyter.index.storage.index_format import index_format
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, unsealed
from ipuaro_jupyter.store.batch import MARK
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys

IndexKind = Literal["whole", "damaged", "format", "none"]
EVERYTHING = "*"
DEFAULT = "default"
"""The names of a whole module, and of its default export, in `Module`."""

_CHUNK = 1000
T = TypeVar("T")
Field = TypeVar("Field", str, bytes)


class FileEntry(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A file as it was when it was read.

    Attributes:
        size: In bytes.
        mtime_ns: As in `FileStat`.
        hash: As in `FileFacts`; "" when the file could not be read.
        language: Its name; "" for a skipped file.
        number: Its id in `tokens` and `symbols`; 0 for a skipped file.
        symbols: The number of symbols it declares.
        reason: Why it is skipped or, with an id, why only its lines are known; or "".
        changed_ns: As in `FileStat`; -1 when a later change may have left it the same.
        unread: What is not read of a file whose facts are known; "" when all is.
    """

    size: int
    mtime_ns: int
    hash: str
    language: str
    number: int
    symbols: int = 0
    reason: str = ""
    changed_ns: int = 0
    unread: str = ""


class Meta(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The part of a file's facts that project-wide results need; todos are (line, type, text)."""

    loc: int
    nesting_depth: int
    cyclomatic_complexity: int
    todos: list[tuple[int, str, str]]

    @property
    def score(self) -> float:
        """The complexity score, 0-100, as in `records.code.Metrics`."""
        raw = self.loc * 0.4 + self.nesting_depth * 15 + self.cyclomatic_complexity * 10
        return min(100.0, raw)


class ModuleImport(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An import; names are (imported, local)."""

    source: str
    kind: str
    line: int
    names: list[tuple[str, str]]


class ModuleExport(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An export, as in `records.code.Export`."""

    name: str
    line: int
    local: str | None
    source: str | None


class Module(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The imports and exports of a file, in source order."""

    imports: list[ModuleImport]
    exports: list[ModuleExport]


class SymbolEntry(msgspec.Struct, array_like=True, frozen=True, gc=False, order=True):
    """A symbol, with the id of its file."""

    number: int
    line: int
    kind: str
    qualified: str


Links = list[Resolution]
Definitions = dict[str, list[int]]

encode = msgspec.msgpack.Encoder().encode
encode_lines = msgspec.json.Encoder().encode_lines
decode_symbols = msgspec.json.Decoder(SymbolEntry).decode_lines
_decoders: dict[Any, Any] = {
    kind: msgspec.msgpack.Decoder(kind).decode
    for kind in (FileEntry, Meta, Module, Links, list[str], Definitions)
}


def decode(kind: type[T], value: bytes) -> T:
    """Decode a stored value as one of the kinds above."""
    result: T = _decoders[kind](value)
    return result


class StoredIndex:
    """Reads the index of one project."""

    def __init__(self, store: Store, keys: Keys) -> None:
        self.store = store
        self.keys = keys
        self.modules_key = f"{keys.prefix}modules"
        self.definitions_key = f"{keys.prefix}definitions"
        self.lookups_key = f"{keys.prefix}lookups"
        self.lookup_files_key = f"{keys.prefix}lookup_files"
        self.words_key = f"{keys.prefix}words"
        self.file_words_key = f"{keys.prefix}file_words"

    @property
    def key_names(self) -> tuple[str, ...]:
        """The keys of the index."""
        keys = self.keys
        return (
            *(keys.files, keys.ast, keys.meta, self.modules_key, self.definitions_key),
            *(keys.dependencies, self.lookups_key, self.lookup_files_key),
            *(keys.dependents, keys.symbols, keys.postings, keys.tokens, keys.file_ids),
            *(self.words_key, self.file_words_key),
            keys.index_info,
        )

    def info(self, *names: str) -> list[bytes | None]:
        """The values of fields of ``index_info``; None for an absent one."""
        found = zip(names, self.store.hmget(self.keys.index_info, names), strict=True)
        return [None if value is None else unsealed(name, value) for name, value in found]

    @property
    def counted(self) -> tuple[str, tuple[str, ...]]:
        """The key with the note of how many fields the others have, and these."""
        info, *others = reversed(self.key_names)
        return info, tuple(others)

    @property
    def kind(self) -> IndexKind:
        """What is told of the index without reading it: "format" is that of another version."""
        try:
            (made_by,) = self.info("format")
            if made_by is None:
                return "damaged" if self.store.exists(self.keys.index_info) else "none"
            if made_by != index_format().encode():
                return "format"
            return "whole" if self.is_whole() else "damaged"
        except (IndexDamagedError, WrongKeyType):
            return "damaged"

    def is_whole(self) -> bool:
        """Whether every key has as many fields as when the index was last written."""
        return self.store.have_counts(*self.counted)

    def must_be_whole(self) -> None:
        """Refuse what was read if a key may have gone while it was.

        Raises:
            IndexDamagedError: A key has another number of fields than when it was written.
        """
        if not self.is_whole():
            raise IndexDamagedError

    def discard(self) -> None:
        """Delete what makes the rest an index, so that it is made anew."""
        self.store.delete(self.keys.index_info)

    def files(self) -> dict[str, FileEntry]:
        """The entries of all files, by path."""
        raw = self.store.hgetall(self.keys.files)
        return {path.decode(): decode(FileEntry, unsealed(path, raw[path])) for path in sorted(raw)}

    def blob(self, path: str) -> bytes | None:
        """The facts of a file; None when it is not indexed."""
        value = self.store.hget(self.keys.ast, path)
        return None if value is None else unsealed(path, value)

    def blobs(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The facts of files; those that are not indexed are left out."""
        return self._many(self.keys.ast, paths, bytes)

    def metas(self, paths: Sequence[str]) -> dict[str, Meta]:
        """The metadata of files."""
        return self._many(self.keys.meta, paths, lambda value: decode(Meta, value))

    def modules(self, paths: Sequence[str]) -> dict[str, Module]:
        """The imports and exports of files."""
        return self._many(self.modules_key, paths, lambda value: decode(Module, value))

    def each_module(
        self, key: str | None = None, *, having: Pattern[bytes] | None = None
    ) -> Iterator[dict[str, Module]]:
        """Yield the imports and exports of all files, some files at a time, in no order.

        Args:
            key: The key to read; None: that of the index in use.
            having: Only those in whose MessagePack this is found, which need not be decoded.
        """
        key = key or self.modules_key
        paths = [path for path in self.store.hkeys(key) if path != MARK]
        for start in range(0, len(paths), _CHUNK):
            checkpoint()
            some = paths[start : start + _CHUNK]
            data = _unsealed(some, self.store.hmget(key, some), bytes)
            yield {
                path.decode(): decode(Module, value)
                for path, value in data.items()
                if having is None or having.search(value)
            }

    def linked_modules(self, paths: Sequence[str]) -> dict[str, tuple[Module, Links]]:
        """The imports and exports of files, with the targets of the imports."""
        modules, links = self._each((self.modules_key, self.keys.dependencies), paths)
        return {
            path: (decode(Module, value), decode(Links, links[path]) if path in links else [])
            for path, value in modules.items()
        }

    def other_halves(self, path: str) -> list[str]:
        """See `candidates.other_halves`."""
        return other_halves(path)

    def links(self, paths: Sequence[str]) -> dict[str, Links]:
        """The targets of the imports of files."""
        return self._many(self.keys.dependencies, paths, lambda value: decode(Links, value))

    def definitions(self, paths: Sequence[str]) -> dict[str, Definitions]:
        """The offsets of declared names, by file and qualified name."""
        return self._many(self.definitions_key, paths, lambda value: decode(Definitions, value))

    def file_blobs(self, paths: Sequence[str], *, with_facts: bool) -> list[dict[str, bytes]]:
        """The postings of files, their `definitions` and, if wanted, their facts, as stored."""
        keys = (self.keys.postings, self.definitions_key, self.keys.ast)
        return self._each(keys if with_facts else keys[:2], paths)

    def own_rows(self, paths: Sequence[str]) -> list[dict[str, bytes]]:
        """What depends on each file alone: facts, metadata, module, definitions, postings."""
        keys = self.keys
        own = (keys.ast, keys.meta, self.modules_key, self.definitions_key, keys.postings)
        return self._each(own, paths)

    def file_words(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The words of files, see `file_words`."""
        return self._many(self.file_words_key, paths, bytes)

    def words(self, rows: Sequence[str]) -> dict[str, bytes]:
        """Rows of words, with the files that have them."""
        return self._many(self.words_key, rows, bytes)

    def dependents(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """The importers of files; a file without any is left out."""
        return self._many(self.keys.dependents, paths, lambda value: decode(list[str], value))

    def each_dependents(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each file that some import, with these, in no order."""
        for path, value in self.store.hgetall(self.keys.dependents).items():
            checkpoint()
            yield path.decode(), decode(list[str], unsealed(path, value))

    def lookups(self, paths: Sequence[str]) -> dict[str, set[int]]:
        """The locations looked at for the imports of files; a file without any is left out."""
        return self._many(self.lookups_key, paths, lambda value: set(unpack_numbers("H", value)))

    def lookup_files(self, locations: Iterable[int]) -> dict[int, set[int]]:
        """The ids of the files for whose imports locations were looked at, by location."""
        fields = [str(location) for location in locations]
        found = self._many(
            self.lookup_files_key, fields, lambda value: set(unpack_numbers("I", value))
        )
        return {int(location): numbers for location, numbers in found.items()}

    def postings(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The postings of files."""
        return self._many(self.keys.postings, paths, bytes)

    def symbols(self, names: Sequence[str]) -> dict[str, list[SymbolEntry]]:
        """The declarations of symbols, by bare or qualified name, in no order."""
        ends = {name: ends_of(name) for name in names}
        called = self.called(list({end for listed in ends.values() for end in listed}))
        found: dict[str, list[SymbolEntry]] = {}
        for name, listed in ends.items():
            entries = [
                entry
                for end in listed
                for entry in called.get(end, ())
                if name == end or is_called(name, end, entry.qualified)
            ]
            if entries:
                found[name] = entries
        return found

    def called(self, names: Sequence[str]) -> dict[str, list[SymbolEntry]]:
        """The declarations of symbols, by bare name, in no order."""
        return self._many(self.keys.symbols, names, decode_symbols)

    def bare_names(self, separator: str) -> str:
        """Every bare name, in no order, joined."""
        return separator.encode().join(self.store.hkeys(self.keys.symbols)).decode()

    def symbol_names(self) -> list[str]:
        """Every bare and qualified name, in no order."""
        raw = self.store.hgetall(self.keys.symbols)
        lines = b"".join(unsealed(name, value) for name, value in raw.items())
        found = {entry.qualified for entry in decode_symbols(lines)}
        found.update(map(bytes.decode, raw))
        return list(found)

    def tokens(self, names: Sequence[str]) -> dict[str, dict[int, int]]:
        """The ids of the files in which names occur, each with its count."""
        return self._many(self.keys.tokens, names, unpack)

    def paths(self, numbers: Iterable[int]) -> dict[int, str]:
        """The paths of files, by id."""
        fields = [str(number) for number in numbers]
        found = self._many(self.keys.file_ids, fields, bytes.decode)
        return {int(number): path for number, path in found.items()}

    def _many(self, key: str, fields: Sequence[str], read: Callable[[bytes], T]) -> dict[str, T]:
        found: dict[str, T] = {}
        for start in range(0, len(fields), _CHUNK):
            checkpoint()
            some = fields[start : start + _CHUNK]
            found |= _unsealed(some, self.store.hmget(key, some), read)
        return found

    def _each(self, keys: Sequence[str], fields: Sequence[str]) -> list[dict[str, bytes]]:
        """The same fields of several keys, read together, which is faster than one by one."""
        found: list[dict[str, bytes]] = [{} for _ in keys]
        for start in range(0, len(fields), _CHUNK):
            checkpoint()
            some = fields[start : start + _CHUNK]
            for of_key, values in zip(found, self.store.hmget_each(keys, some), strict=True):
                of_key.update(_unsealed(some, values, bytes))
        return found


def _unsealed(
    fields: Sequence[Field], values: Sequence[bytes | None], read: Callable[[bytes], T]
) -> dict[Field, T]:
    return {
        field: read(unsealed(field, value))
        for field, value in zip(fields, values, strict=True)
        if value is not None
    }
