"""Where a symbol is used.

Every occurrence of an identifier is in the postings. What each stands for is found from the
syntax trees of the files that have it, up to a limit, and from the imports alone beyond.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from ipuaro_jupyter.index.denotation import Denotation
from ipuaro_jupyter.index.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.postings import offsets
from ipuaro_jupyter.index.project_paths import is_inside
from ipuaro_jupyter.index.stored import Stored
from ipuaro_jupyter.index.tracing import Declaration, Tracing
from ipuaro_jupyter.records.code import Reference

_BOM = b"\xef\xbb\xbf"
_MOST_HEADS = 20
_NO_NAMES = frozenset({"default", "*"})


@dataclass(frozen=True)
class Search:
    """What is looked for.

    Attributes:
        name: The last part of the symbol.
        is_qualified: Whether the symbol has more parts.
        declared: Its declarations.
        places: Where these are named, in bytes, by path.
        uses: The names that files have for those at the top of files, by path.
        near: Files that have a name for a declaration, or for what it is a member of.
    """

    name: str
    is_qualified: bool
    declared: frozenset[Declaration]
    places: dict[str, set[int]]
    uses: Mapping[str, set[str]] = field(default_factory=dict)
    near: frozenset[str] = frozenset()

    @property
    def has_members(self) -> bool:
        """Whether a declaration is no name at the top of a file."""
        return any("." in qualified for _, qualified in self.declared)


class References:
    """Finds the uses of symbols in the index as it is now.

    Args:
        stored: The index.
        files: The files that it is about.
    """

    def __init__(self, stored: Stored, files: OpenedFiles) -> None:
        self._stored = stored
        self._files = files
        self._tracing = Tracing(stored)
        self._denotation = Denotation(files, self._tracing)

    def of(self, symbol: str, within: str | None) -> list[Reference]:
        """Return the uses of a symbol, by path, line and column.

        Args:
            symbol: Bare, or qualified as in "Class.method".
            within: The file or folder to look in; None: everywhere.
        """
        search = self._search(symbol)
        if search.is_qualified and not search.declared:
            return []
        numbers = self._stored.tokens([search.name]).get(search.name, ())
        having = set(self._stored.paths(numbers).values())
        paths = sorted(
            path for path in having | search.uses.keys() if is_inside(path, within or "")
        )
        self._files.open_all(paths)
        near = search.places.keys() | search.near
        found = {  # what is parsed at all is rather what has to do with the symbol
            path: dict(self._in_file(path, search))
            for path in sorted(paths, key=lambda path: path not in near)
        }
        return [
            reference
            for path in paths
            for reference in _placed(self._files.file(path), found[path], search)
        ]

    def _search(self, symbol: str) -> Search:
        entries = self._stored.symbols([symbol]).get(symbol, [])
        paths = self._stored.paths({entry.number for entry in entries})
        declared = frozenset(
            (paths[entry.number], entry.qualified) for entry in entries if entry.number in paths
        )
        definitions = self._stored.definitions([path for path, _ in declared])
        places: defaultdict[str, set[int]] = defaultdict(set)
        for path, qualified in declared:
            places[path] |= set(definitions.get(path, {}).get(qualified, ()))
        head, dot, last = symbol.rpartition(".")
        tops = {(path, qualified) for path, qualified in declared if "." not in qualified}
        heads = {(path, qualified.partition(".")[0]) for path, qualified in declared}
        uses = self._tracing.uses(tops)
        around = self._tracing.uses(heads - tops) if len(heads) <= _MOST_HEADS else {}
        return Search(
            name=last,
            is_qualified=bool(head and dot),
            declared=declared,
            places=dict(places),
            uses=uses,
            near=frozenset(uses.keys() | around.keys()),
        )

    def _in_file(self, path: str, search: Search) -> Iterator[tuple[int, bool]]:
        """Yield where a file uses the symbol, in bytes, and whether that is certain."""
        file = self._files.file(path)
        concerns = search.has_members or path in search.uses or path in search.places
        for offset in offsets(file.blob, search.name):
            if offset in search.places.get(path, ()):
                yield offset, True
                continue
            is_it = self._is_it(path, search.name, offset, search) if concerns else False
            if is_it or not search.is_qualified:
                yield offset, is_it
        for alias in search.uses.get(path, set()) - {search.name} - _NO_NAMES:
            for offset in offsets(file.blob, alias):
                if self._is_it(path, alias, offset, search):
                    yield offset, True

    def _is_it(self, path: str, name: str, offset: int, search: Search) -> bool:
        meant = self._denotation.of(path, name, offset)
        if meant is None:  # not parsed: an import of the name says enough
            return name in search.uses.get(path, ()) or (
                path in search.places and not search.has_members
            )
        return not search.declared.isdisjoint(meant)


def _placed(file: OpenedFile, found: dict[int, bool], search: Search) -> list[Reference]:
    """Return the references of a file with their lines and columns.

    Args:
        file: The file.
        found: Where they are, in bytes, and whether they are certain.
        search: What was looked for.
    """
    data = file.data or b""
    definitions: Collection[int] = search.places.get(file.path, ())
    references = []
    line, begin, last = 1, len(_BOM) if data.startswith(_BOM) else 0, 0
    for offset in sorted(found):
        passed = data.count(b"\n", last, offset)
        if passed:
            line += passed
            begin = data.rindex(b"\n", last, offset) + 1
        last = offset
        references.append(
            Reference(
                path=file.path,
                line=line,
                column=len(data[begin:offset].decode(errors="replace")) + 1,
                is_definition=offset in definitions,
                resolved=found[offset],
            )
        )
    return references
