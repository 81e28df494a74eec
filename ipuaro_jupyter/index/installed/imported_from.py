"""The imports of a project that a name comes from, when that is no file of the project."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.storage.stored_index import (
    DEFAULT,
    EVERYTHING,
    Links,
    Module,
    StoredIndex,
)
from ipuaro_jupyter.languages.registry import is_open

_MOST_IMPORTERS = 500
_MOST_SOURCES = 8

_Origin = tuple[str, tuple[str, ...], bool]
"""Module, names in it, and whether it is one of Python."""


class ImportedFrom(NamedTuple):
    """A name's origin in a module: ``names`` leads to it from there; () is the module itself."""

    importer: str
    source: str
    names: tuple[str, ...]


class Origins(NamedTuple):
    """The origins of a name, the most frequent first.

    Attributes:
        sure: From imports that bind the name.
        possible: From imports of whole modules and of defaults in files that use the name.
    """

    sure: Sequence[ImportedFrom]
    possible: Sequence[ImportedFrom]


def origins_of(stored: StoredIndex, name: str) -> Origins:
    """Where a name comes from.

    Args:
        stored: The index.
        name: Bare, or a chain of names such as "React.useState".
    """
    names = tuple(name.split("."))
    numbers = sorted(stored.tokens([names[0]]).get(names[0], ()))[:_MOST_IMPORTERS]
    modules = stored.linked_modules(sorted(stored.paths(numbers).values()))
    sure, possible = Counter[_Origin](), Counter[_Origin]()
    importers: dict[_Origin, str] = {}
    for path, (module, links) in modules.items():
        checkpoint()
        for source, imported, local in _outside(module, links):
            chain = _chain(names, imported, local)
            found = sure if chain is not None else possible
            if chain is None and imported in (EVERYTHING, DEFAULT):
                chain = names if imported == EVERYTHING else (DEFAULT, *names)
            if chain is not None:
                key = source, chain, is_open(path)
                found[key] += 1
                importers.setdefault(key, path)
    return Origins(_listed(sure, importers), _listed(possible, importers))


def _listed(found: Counter[_Origin], importers: Mapping[_Origin, str]) -> list[ImportedFrom]:
    ordered = sorted(found, key=lambda key: (-found[key], key))[:_MOST_SOURCES]
    return [ImportedFrom(importers[key], key[0], key[1]) for key in ordered]


def _outside(module: Module, links: Links) -> Iterable[tuple[str, str, str]]:
    """Yield the names that a file imports from elsewhere: module, name there, name here."""
    for number, item in enumerate(module.imports):
        link = links[number] if number < len(links) else None
        if item.source.startswith(".") or (link is not None and link.target is not None):
            continue
        for imported, local in item.names:
            if link is None or imported not in link.modules:
                yield item.source, imported, local


def _chain(names: tuple[str, ...], imported: str, local: str) -> tuple[str, ...] | None:
    """The names that lead from a module to what ``names`` mean; None when they do not."""
    bound = tuple(local.split("."))
    if local != EVERYTHING and names[: len(bound)] == bound:
        rest = names[len(bound) :]
        return rest if imported == EVERYTHING else (imported, *rest)
    return names if imported == names[0] else None
