"""What a change touches: declarations, and names that a file exports no longer."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ipuaro_jupyter.index.declared_ranges import declared_ranges
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.notebooks.cell_lines import NotebookError, read_notebook
from ipuaro_jupyter.index.extract.notebooks.notebook_code import shown_text
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.registry import is_open, language_for
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.code import Export, FileFacts
from ipuaro_jupyter.records.impact import LostExport, Touch, TouchedSymbol
from ipuaro_jupyter.views.hunks import hunks

_ALL = "__all__"
_EVERYTHING = "*"
_EXTENSION = re.compile(r"(?<=[^./])\.[cm]?[jt]sx?$")


class Touched(NamedTuple):
    """What a change touches; see `touched`."""

    symbols: list[TouchedSymbol]
    exports: list[LostExport]
    given: frozenset[str]
    """The names that others can take from the file after the change, but for "*"."""


def _module(source: str) -> str:
    """A module as written, without the extension that a relative one may have."""
    return _EXTENSION.sub("", source) if source.startswith(".") else source


class _Version:
    """A file before or after a change.

    Args:
        path: The file.
        data: Its bytes; None where there is none.
    """

    def __init__(self, path: str, data: bytes | None) -> None:
        self._path = path
        self._data = data

    @property
    def code(self) -> str | None:
        """The text that the lines of its facts refer to."""
        return shown_text(self._path, self._data)

    @cached_property
    def facts(self) -> FileFacts | None:
        """Its facts."""
        if self._data is None:
            return None
        parsed, *_ = parse_file(self._path, self._data)
        return FileFacts.model_validate(unpack_facts(parsed.facts))

    @cached_property
    def _spans(self) -> list[tuple[str, int, int]]:
        return [] if self.facts is None else list(declared_ranges(self.facts))

    @cached_property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The first and last line of each declaration; overloads are one."""
        found: dict[str, tuple[int, int]] = {}
        for name, start, end in self._spans:
            first, last = found.get(name, (start, end))
            found[name] = min(first, start), max(last, end)
        return found

    @property
    def exports(self) -> tuple[Export, ...]:
        """What it exports; of a Python module, what is in ``__all__`` or public."""
        return self.facts.exports if self.facts is not None else ()

    @cached_property
    def given(self) -> tuple[Export, ...]:
        """What others can take from it: of a Python module, each name at its top."""
        return tuple(self._at_top()) if self.is_open else self.exports

    @property
    def is_open(self) -> bool:
        """Whether others may import each name at its top, as from a Python module."""
        return is_open(self._path)

    @cached_property
    def starred(self) -> frozenset[str]:
        """The names that ``from module import *`` gives, but for those of other modules."""
        if _ALL in self.ranges:
            return frozenset(one.name for one in self.exports)
        return frozenset(one.name for one in self.given if not one.name.startswith("_"))

    def is_public(self, export: Export) -> bool:
        """Whether an export is meant for others, rather than an import for the file itself."""
        if not self.is_open or export.source is None:
            return True
        is_package = self._path.rpartition("/")[2].startswith("__init__.")
        is_named = export.local != _EVERYTHING and not export.name.startswith("_")
        return any(export.name == one.name for one in self.exports) or (is_package and is_named)

    def _at_top(self) -> Iterator[Export]:
        """Yield the names that a Python module declares or imports at its top."""
        for name, (start, _) in self.ranges.items():
            if "." not in name:
                yield Export(name=name, line=start, local=name)
        for item in self.facts.imports if self.facts is not None else ():
            is_inside = any(first <= item.line <= last for _, first, last in self._spans)
            for bound in item.names if not is_inside and item.source != "__future__" else ():
                name, source = bound.local, item.source
                if bound.imported == _EVERYTHING and name == source:  # import a.b binds a
                    name = source = source.partition(".")[0]
                yield Export(name=name, line=item.line, local=bound.imported, source=source)

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """The module of each imported name, and the name in that."""
        return {
            name.local: (_module(item.source), name.imported)
            for item in (self.facts.imports if self.facts is not None else ())
            for name in item.names
        }

    def origin(self, export: Export) -> tuple[str, str | None]:
        """The module that an export comes from, and its name there; "" for this file."""
        if export.source is not None:
            return _module(export.source), export.local
        return self.imported.get(export.local or "", ("", export.local))

    def place(self, line: int) -> tuple[int | None, int]:
        """The cell of a line in a notebook, and the line in it; (None, line) elsewhere."""
        language = language_for(self._path)
        if language is None or language.reader != "cells" or self._data is None:
            return None, line
        try:
            return read_notebook(self._data).place(line)
        except NotebookError:
            return None, line


def touched(change: Change) -> Touched:
    """What a change touches.

    The symbols are the declarations of which it adds, changes or removes lines, of nested ones the
    innermost, and the names that are exported no longer or from elsewhere; by line.
    """
    before, after = _Version(change.path, change.before), _Version(change.path, change.after)
    old, new = _lines(before, after)
    found = []
    for name in _innermost(before.ranges, old) | _innermost(after.ranges, new):
        how: Literal["changed", "added", "removed"] = "changed"
        if name not in before.ranges or name not in after.ranges:
            how = "added" if name in after.ranges else "removed"
        version = before if how == "removed" else after
        cell, line = version.place(version.ranges[name][0])
        found.append(TouchedSymbol(name=name, path=change.path, cell=cell, line=line, how=how))
    removed = {one.name for one in found if one.how == "removed"}
    exports = list(_lost(change.path, before, after))
    for export, lost in exports:
        if export.source is not None or export.name not in removed:
            cell, line = before.place(export.line)
            found.append(
                TouchedSymbol(name=lost.shown, path=change.path, cell=cell, line=line, how=lost.how)
            )
    return Touched(
        sorted(found, key=lambda one: (one.cell or 0, one.line, one.name)),
        [lost for _, lost in exports],
        frozenset(one.name for one in after.given) - {_EVERYTHING},
    )


def _lost(path: str, before: _Version, after: _Version) -> Iterator[tuple[Export, LostExport]]:
    """Yield the exports that are gone, that lead to another file or name, or not by a star."""
    kept = {(one.name, after.origin(one)) for one in after.given}
    names = {name for name, _ in kept} - {_EVERYTHING}
    stars = tuple(one.source or "" for one in after.given if one.name == _EVERYTHING)
    listing = tuple(one.source or "" for one in after.exports if one.name == _EVERYTHING)
    unlisted = before.starred - after.starred if before.is_open else frozenset[str]()
    for one in before.given:
        is_kept = (one.name, before.origin(one)) in kept
        if is_kept and one.name not in unlisted:
            continue
        how: Touch = "exported from elsewhere" if one.name in names else "no longer exported"
        yield (
            one,
            LostExport(
                path=path,
                name=one.name,
                source=one.source or "",
                local=one.local or "",
                stars=listing if is_kept else stars,
                by_star=is_kept,
                is_public=before.is_public(one),
                how="no longer in __all__" if is_kept else how,
            ),
        )


def _lines(before: _Version, after: _Version) -> tuple[set[int], set[int]]:
    """The lines that are removed, and those that are added."""
    rows = [row for hunk in hunks(before.code, after.code) for row in hunk.rows if row.sign != " "]
    old = {row.old for row in rows if row.sign == "-" and row.old is not None}
    return old, {row.new for row in rows if row.sign == "+" and row.new is not None}


def _innermost(ranges: dict[str, tuple[int, int]], lines: set[int]) -> set[str]:
    """The smallest declaration around each line."""
    found = set[str]()
    for line in lines:
        around = [
            (end - start, name) for name, (start, end) in ranges.items() if start <= line <= end
        ]
        if around:
            found.add(min(around)[1])
    return found
