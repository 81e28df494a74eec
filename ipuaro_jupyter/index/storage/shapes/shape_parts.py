"""The parts of an index's shape.

A part is what one name or one file means to others. An answer that has noted the parts it read
holds as long as none of them has changed, whatever else has; see `Snapshot` for the shape.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from zlib import crc32

from ipuaro_jupyter.index.resolve.resolver import Resolution
from ipuaro_jupyter.index.storage.stored_index import (
    DEFAULT,
    EVERYTHING,
    Links,
    Module,
    SymbolEntry,
)

_NOWHERE = Resolution()

Part = tuple[str, ...]
"""What it is of, and the names or paths that say which."""

Contents = Mapping[Part, object]


def declarations_of(name: str) -> Part:
    """The declarations with a bare name, in all files."""
    return "declared", name


def imports_in(path: str, local: str = "") -> Part:
    """The imports of a file, or those that bind a name there, with their targets."""
    return "imports", path, local


def exports_in(path: str, name: str = "") -> Part:
    """The exports of a file, or those with a name, with their targets."""
    return "exports", path, name


def exports_of(path: str, local: str) -> Part:
    """The exports that a file has of one of its own names."""
    return "exports of", path, local


def importers_of(path: str, name: str) -> Part:
    """What all files import from a file under a name, or pass on; "*": by no name, or whole."""
    return "importers", path, name


def file_at(path: str) -> Part:
    """Whether a file is indexed."""
    return "file", path


def module_parts(path: str, module: Module, links: Links) -> Contents:
    """What a file imports and exports, by part; in which lines does not matter."""
    found: defaultdict[Part, list[object]] = defaultdict(list)
    sources: defaultdict[str, list[str | None]] = defaultdict(list)
    for place, item in enumerate(module.imports):
        to = links[place] if place < len(links) else _NOWHERE
        sources[item.source].append(to.target)
        said = (item.source, item.kind, to.target)
        found[imports_in(path)].append((said, sorted(to.modules.items()), item.names))
        for imported, local in item.names or [(EVERYTHING, "")]:
            inner = to.modules.get(imported)
            found[imports_in(path, local)].append((said, inner, imported))
            for target in to.targets:
                name = EVERYTHING if target == inner else imported
                found[importers_of(target, name)].append((path, said, inner, local))
    for export in module.exports:
        targets = sources.get(export.source or "", [])
        row = (export.name, export.local, export.source, targets)
        found[exports_in(path)].append(row)
        found[exports_in(path, export.name)].append(row)
        if export.source is None:
            found[exports_of(path, export.local or DEFAULT)].append(row)
        for target in {one for one in targets if one is not None}:
            found[importers_of(target, export.local or DEFAULT)].append((path, row))
    return found


def symbol_part(entries: Iterable[SymbolEntry]) -> object:
    """What the declarations with a name are, but for their lines."""
    return sorted((entry.number, entry.kind, entry.qualified) for entry in entries)


def differing_parts(old: Contents, new: Contents) -> set[Part]:
    """The parts that are not the same in both."""
    return {part for part in old.keys() | new.keys() if old.get(part) != new.get(part)}


def numbers_of(parts: Iterable[Part]) -> list[int]:
    """The parts by numbers; that two share one happens, and makes an answer void in vain."""
    return sorted({crc32("\0".join(part).encode()) for part in parts})
