"""The files that a search for references opens, each read once."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.extract.ecmascript.scopes import SourceTree, is_understood
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.postings import offset_of, place_of, places, role_of
from ipuaro_jupyter.index.storage.project_reader import is_small
from ipuaro_jupyter.index.storage.stored_index import Definitions, FileEntry, StoredIndex, decode
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, untried
from ipuaro_jupyter.languages.components.component_code import template_of
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.records.counted import counted

_KEPT_BYTES = 8_000_000
_LISTS = ("functions", "classes", "interfaces", "types", "enums", "namespaces", "variables")

Facts = dict[str, Any]


@dataclass
class OpenedFile:
    """An opened file, with its data in the index.

    Attributes:
        path: The file.
        data: The text that its places refer to; None when it cannot be read any more.
        hash: The hash of its content; "" when it cannot be read.
        blob: Its postings.
        definitions_blob: The offsets of its declared names, as stored; empty without any.
        load_facts: Returns its facts, as stored.
        tree: Its syntax tree; None when it is not understood, or enough has been parsed.
        is_parsed: Whether there is nothing more to parse.
    """

    path: str
    data: bytes | None
    hash: str
    blob: bytes
    definitions_blob: bytes
    load_facts: Callable[[], bytes | None]
    tree: SourceTree | None = None
    is_parsed: bool = field(default=False)

    def places(self, name: str) -> tuple[int, ...]:
        """The places of a name, from its postings."""
        return places(self.blob, name)

    def role_at(self, name: str, offset: int) -> int | None:
        """The role of a name at an offset; None when it is not in the postings."""
        found = self.places(name)
        at = bisect_left(found, place_of(offset))
        is_there = at < len(found) and offset_of(found[at]) == offset
        return role_of(found[at]) if is_there else None

    @cached_property
    def language(self) -> Language | None:
        """Its language, if the scopes of that language are understood."""
        return is_understood(self.path)

    @cached_property
    def definitions(self) -> Definitions:
        """The offsets of its declared names, in bytes, by qualified name."""
        return decode(Definitions, self.definitions_blob) if self.definitions_blob else {}

    def declares(self, qualified: str) -> bool:
        """Whether it declares a name."""
        return qualified.encode() in self.definitions_blob and qualified in self.definitions

    def has_own(self, name: str) -> bool:
        """Whether it declares anything with a name, at its top or elsewhere."""
        is_near = name.encode() in self.definitions_blob
        return is_near and any(name in qualified.split(".") for qualified in self.definitions)

    @cached_property
    def declared_at(self) -> dict[int, str]:
        """The qualified names of the declarations, by the offset of the name."""
        return {
            offset: qualified
            for qualified, offsets in self.definitions.items()
            for offset in offsets
        }

    @cached_property
    def ranges(self) -> tuple[tuple[str, int, int], ...]:
        """The qualified names of functions, methods and classes, with their first and last line."""
        facts = self._facts()
        classes = facts.get("classes", ())
        methods = [method for owner in classes for method in owner.get("methods", ())]
        every = (*facts.get("functions", ()), *classes, *methods)
        return tuple((one["qualified"], one["line_start"], one["line_end"]) for one in every)

    def _facts(self) -> Facts:
        blob = self.load_facts()
        return unpack_facts(blob) if blob else {}

    @cached_property
    def declared(self) -> dict[str, list[Facts]]:
        """The facts of the declarations without their members, by qualified name."""
        facts = self._facts()
        found: dict[str, list[Facts]] = {}
        for kind in _LISTS:
            for record in facts.get(kind, ()):
                found.setdefault(record["qualified"], []).append(record)
        return found


class OpenedFiles:
    """The files of a project as they were on disk when first opened.

    Args:
        stored: The index.
        texts: Reads the files.
        known: The index's files. Files that no worker has parsed are not parsed here, unless small.
        most_bytes: The amount of source parsed at most for one lookup.
        kept_bytes: The amount of source whose trees are kept from one lookup to the next. Beyond
            it, those that were not used for longest are dropped.
    """

    def __init__(
        self,
        stored: StoredIndex,
        texts: TextCache,
        *,
        known: Mapping[str, FileEntry],
        most_bytes: int,
        kept_bytes: int = _KEPT_BYTES,
    ) -> None:
        self._stored = stored
        self._texts = texts
        self._known = known
        self.most_bytes = most_bytes
        self._left = most_bytes
        self._kept_bytes = kept_bytes
        self._lookup = 0
        self._parsed: dict[str, int] = {}
        self._last_used: dict[str, int] = {}
        self._droppers: list[Callable[[Collection[str]], None]] = []
        self._files: dict[str, OpenedFile] = {}
        self._used: set[str] = set()
        self._refused: set[str] = set()
        self._is_joint = False
        self.size_bytes = 0
        """The size of the cached files, postings included."""
        self.parsed_bytes = 0
        """The size of the source of cached syntax trees, which take about twenty times that."""
        self.is_exhausted = False
        """Whether a file was not parsed because the limit was reached."""

    def begin(self, *, most_bytes: int = 0) -> None:
        """Begin another lookup with its full parsing limit, or a larger one.

        What is made of syntax trees may be dropped here, and nowhere else.
        """
        self._left = max(self.most_bytes, most_bytes)
        self._lookup += 1
        if self.parsed_bytes > self._kept_bytes:
            self._drop()
        if not self._is_joint:
            self._used.clear()

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Take all lookups inside the block for one, as far as `used` goes."""
        self._used.clear()
        self._is_joint = True
        try:
            yield
        finally:
            self._is_joint = False

    def spend(self, path: str, size_bytes: int) -> bool:
        """Count a file to parse against the lookup's limit; return whether it fits.

        One that does not may be parsed in a later lookup.
        """
        if size_bytes > self._left:
            self.is_exhausted = True
            self._refused.add(path)
            return False
        self._refused.discard(path)
        self._left -= size_bytes
        self.parsed_bytes += size_bytes
        self._parsed[path] = size_bytes
        self.note_used(path)
        return True

    def note_used(self, path: str) -> None:
        """Note that the tree of a file is used in this lookup."""
        self._last_used[path] = self._lookup

    def when_dropped(self, drop: Callable[[Collection[str]], None]) -> None:
        """Have a function called with the files whose trees are dropped."""
        self._droppers.append(drop)

    def _drop(self) -> None:
        """Drop the trees that were not used for longest, down to half of what is kept."""
        dropped = []
        for path in sorted(self._parsed, key=self._last_used.__getitem__):
            if self.parsed_bytes <= self._kept_bytes // 2:
                break
            file = self._files.get(path)
            if file is not None:
                file.tree, file.is_parsed = None, False
            self.parsed_bytes -= self._parsed.pop(path)
            dropped.append(path)
        for drop in self._droppers:
            drop(dropped)

    @property
    def refusals(self) -> list[str]:
        """A note on the files that were not parsed because of the limit, if there are any."""
        count = len(self._refused)
        were = "was" if count == 1 else "were"
        told = f"{counted(count, 'file')} {were} not parsed: too much code for one search"
        return [told] if count else []

    @property
    def used(self) -> dict[str, OpenedFile]:
        """The files that the lookup has used, by path."""
        return {path: self._files[path] for path in self._used}

    def open_all(self, paths: Iterable[str]) -> None:
        """Open several files at once, which is faster than one by one."""
        wanted = set(paths)
        missing = [path for path in wanted if path not in self._files]
        is_one = len(missing) == 1  # opened for what it declares: its facts are read, too
        postings, definitions, *facts = self._stored.file_blobs(missing, with_facts=is_one)
        texts = self._texts.of(missing)
        for path in missing:
            data, hash_ = texts.get(path, (None, ""))
            file = self._files[path] = OpenedFile(
                path,
                data,
                hash_,
                postings.get(path, b""),
                definitions.get(path, b""),
                partial(facts[0].get if facts else self._stored.blob, path),
            )
            self.size_bytes += len(file.data or b"") + len(file.blob)
        self._used |= wanted  # now that they are open: reading may be broken off

    def file(self, path: str) -> OpenedFile:
        """A file by its path."""
        if path not in self._used:
            self.open_all([path])
        return self._files[path]

    def tree(self, path: str) -> SourceTree | None:
        """The syntax tree of a file; None when there is none."""
        file = self.file(path)
        self.note_used(path)
        if not file.is_parsed:
            language, data = file.language, file.data
            if language is None or data is None or not self._may_parse(file, data):
                file.is_parsed = True
            elif self.spend(path, len(data)):
                file.is_parsed = True
                with suppress(ParsingTooSlow), self.parsing(file):
                    file.tree = _tree(file.path, language, data, file.blob)
        return file.tree

    def parsing(self, file: OpenedFile) -> AbstractContextManager[None]:
        """A block in which a file is parsed: untried where the index knows it without errors."""
        entry = self._proven(file)
        return untried(is_known=entry is not None and not entry.unread)

    def _may_parse(self, file: OpenedFile, data: bytes) -> bool:
        """Whether parsing a file takes a reasonable time."""
        return self._proven(file) is not None or is_small(file.path, data)

    def _proven(self, file: OpenedFile) -> FileEntry | None:
        """The entry of a file, if its content has been parsed for the index."""
        entry = self._known.get(file.path)
        is_proven = entry is not None and not entry.reason and entry.hash == file.hash
        return entry if is_proven else None


def _tree(path: str, language: Language, data: bytes, blob: bytes) -> SourceTree:
    code = template_of(path, data)
    if code is None:
        return SourceTree(language, data, blob)
    return SourceTree(code.language, code.whole, blob, code)
