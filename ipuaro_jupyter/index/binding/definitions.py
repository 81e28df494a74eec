"""The declarations of a name, or of exports under that name."""

from collections.abc import Collection, Iterable
from typing import get_args

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.storage.stored_index import StoredIndex, SymbolEntry
from ipuaro_jupyter.languages.registry import code_among
from ipuaro_jupyter.records.code import SymbolKind, SymbolLocation

_MOST_FILES = 500  # that have a name which nothing declares
_KINDS: dict[str, SymbolKind] = {kind: kind for kind in get_args(SymbolKind)}


def plain_name(symbol: str) -> str:
    """A symbol without the punctuation that people put around it."""
    return symbol.strip().removesuffix("()").replace("::", ".")


def bare_name(symbol: str) -> str:
    """The last part of a symbol, as it stands in texts."""
    return plain_name(symbol).rpartition(".")[2]


def located(stored: StoredIndex, symbol: str) -> list[SymbolLocation]:
    """The declarations of a symbol, by path and line; else those exported under its name.

    Keys of data files are found when no code declares the name: every package has a "name".

    Args:
        stored: The index.
        symbol: Bare, or qualified as in "Class.method".
    """
    name = plain_name(symbol)
    entries = stored.symbols([name]).get(name, [])
    if not entries:
        return _located_exports(stored, name)
    found = _locations(entries, stored.paths({entry.number for entry in entries}))
    code = code_among({place.path for place in found})
    return [place for place in found if place.path in code] or found


def _located_exports(stored: StoredIndex, name: str) -> list[SymbolLocation]:
    """The declarations that some file exports under another name."""
    numbers = stored.tokens([name]).get(name, ())
    aliases = AliasResolver(stored)
    exporting = list(stored.paths(numbers).values())
    aliases.load(exporting)
    found: set[Declaration] = set()
    for path in exporting:
        if aliases.exports(path, name):
            found |= aliases.exported(path, (name,))
    return _located_declarations(stored, found)


def located_imports(stored: StoredIndex, name: str, declared_in: str = "") -> list[SymbolLocation]:
    """What files import, or pass on, under a name of their own: declarations and whole modules.

    Args:
        stored: The index.
        name: A bare name that nothing declares.
        declared_in: The file that imports it; "" for any.
    """
    numbers = stored.tokens([name]).get(name, ())
    having = [path for path in stored.paths(numbers).values() if declared_in in ("", path)]
    aliases = AliasResolver(stored)
    some = sorted(having)[:_MOST_FILES]
    aliases.load(some)
    meant: set[Declaration] = set()
    modules: set[str] = set()
    for path in some:
        if aliases.imported(path, name):
            meant |= aliases.declarations(path, (name,))
        modules.update(aliases.of_file(path).modules_named(name))
    return _located_declarations(stored, meant) + [
        SymbolLocation(name=name, qualified=name, path=path, line=1, kind="namespace")
        for path in sorted(modules)
    ]


def _located_declarations(
    stored: StoredIndex, declared: Collection[Declaration]
) -> list[SymbolLocation]:
    entries = stored.symbols(sorted({qualified for _, qualified in declared}))
    some = [entry for listed in entries.values() for entry in listed]
    places = stored.paths({entry.number for entry in some})
    return [s for s in _locations(some, places) if (s.path, s.qualified) in declared]


def _locations(entries: Iterable[SymbolEntry], paths: dict[int, str]) -> list[SymbolLocation]:
    found = {
        (paths[entry.number], entry.line, entry.qualified, _KINDS[entry.kind])
        for entry in entries
        if entry.number in paths
    }
    return [
        SymbolLocation(
            name=qualified.rpartition(".")[2],
            qualified=qualified,
            path=path,
            line=line,
            kind=kind,
        )
        for path, line, qualified, kind in sorted(found)
    ]
