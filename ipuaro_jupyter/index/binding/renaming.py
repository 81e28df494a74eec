"""The edits that give a declaration another name, computed from what names stand for."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.member_family import MemberFamilies
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.binding.rename_clashes import RenameClashes
from ipuaro_jupyter.index.binding.rename_places import RenamePlaces, RenameTarget
from ipuaro_jupyter.index.extract.postings import offset_of
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.languages.components.component_code import template_of
from ipuaro_jupyter.languages.components.spelling import camel, kebab, pascal
from ipuaro_jupyter.languages.registry import is_by_name, is_open

_MOST_BYTES = 100_000_000  # of source that is parsed: a rename must see every place
_QUOTES = (b'"', b"'", b"`")
_MOST_ROUNDS = 5
_MOST_OWNERS = 20
_MOST_STRANGERS = 50  # files that use the name and do not import the symbol
_SPELLED = re.compile(rb"[A-Za-z][\w-]*")


class Spelled(NamedTuple):
    """A range of bytes to replace, and the text for it."""

    start: int
    end: int
    text: str


class RenameEdit(NamedTuple):
    """A name to replace: its offset and length in bytes, the text to write, its 1-based line."""

    offset: int
    length: int
    text: str
    line: int


Edits = Mapping[str, tuple[RenameEdit, ...]]
"""The edits of files, by path and offset."""


@dataclass(frozen=True)
class Renaming:
    """A computed rename.

    Attributes:
        name: The present name.
        to: The new name.
        declared: The declarations that get the new name: overriding members count among them.
        certain: The places that stand for them, declarations included.
        by_name: The places with the same name whose meaning is not known.
        clashes: What speaks against the new name, a line each.
        public: The files through which the world outside of the project has the symbol.
        outer_bases: Classes outside of the project that its owners inherit from.
        unlisted: The number of files that have the name and do not import the symbol, when these
            were too many to look into.
        code_lines: The lines of every occurrence of the present name in code, by path.
        texts: The texts and hashes of the files, to which the places refer.
    """

    name: str
    to: str
    declared: frozenset[Declaration]
    certain: Edits
    by_name: Edits
    clashes: tuple[str, ...]
    public: tuple[str, ...]
    outer_bases: tuple[str, ...]
    unlisted: int
    code_lines: Mapping[str, tuple[int, ...]]
    texts: Mapping[str, tuple[bytes, str]]


def joined(one: Renaming, other: Renaming) -> Renaming:
    """Two renames of one symbol, as of a module and its stub, as one."""
    certain = {
        path: tuple(sorted({*one.certain.get(path, ()), *other.certain.get(path, ())}))
        for path in one.certain.keys() | other.certain.keys()
    }
    by_name = {
        path: tuple(sorted({*one.by_name.get(path, ()), *other.by_name.get(path, ())} - {*known}))
        for path in one.by_name.keys() | other.by_name.keys()
        for known in [certain.get(path, ())]
    }
    return Renaming(
        name=one.name,
        to=one.to,
        declared=one.declared | other.declared,
        certain=dict(sorted(certain.items())),
        by_name={path: edits for path, edits in sorted(by_name.items()) if edits},
        clashes=tuple(dict.fromkeys((*one.clashes, *other.clashes))),
        public=tuple(dict.fromkeys((*one.public, *other.public))),
        outer_bases=tuple(dict.fromkeys((*one.outer_bases, *other.outer_bases))),
        unlisted=max(one.unlisted, other.unlisted),
        code_lines={**one.code_lines, **other.code_lines},
        texts={**one.texts, **other.texts},
    )


def edited(data: bytes, edits: Iterable[RenameEdit]) -> bytes:
    """A text with names replaced; every other byte stays."""
    pieces, last = [], 0
    for edit in sorted(edits):
        pieces += [data[last : edit.offset], edit.text.encode()]
        last = edit.offset + edit.length
    return b"".join([*pieces, data[last:]])


class Renamer:
    """Computes renames in one state of the index.

    Args:
        stored: The index.
        files: The opened files.
        aliases: Follows names through imports, in the same state.
        finder: Resolves names, in the same state.
        paths: The files, by id.
    """

    def __init__(
        self,
        stored: StoredIndex,
        files: OpenedFiles,
        aliases: AliasResolver,
        finder: ReferenceFinder,
        paths: Mapping[int, str],
    ) -> None:
        self._stored = stored
        self._files = files
        self._aliases = aliases
        self._paths = paths
        self._all_paths = frozenset(paths.values())
        self._families = MemberFamilies(stored, files, finder, paths)
        self._places = RenamePlaces(files, aliases, finder)
        self._clashes = RenameClashes(files, aliases, self._families, finder)

    def of(self, declared: Declaration, to: str, entries: Iterable[str]) -> Renaming:
        """The edits that rename a declaration.

        Args:
            declared: The declaration.
            to: The new name.
            entries: The entry points of the project's packages.

        Raises:
            Cancelled: The user stopped it.
            TimeUp: Time ran out; a part of a rename would break the code.
        """
        self._files.begin(most_bytes=_MOST_BYTES)
        name = declared[1].rpartition(".")[2]
        numbers = self._stored.tokens([name]).get(name, {})
        paths = {self._paths[number] for number in numbers if number in self._paths}
        having = {path for path in paths if not is_by_name(path)}
        self._files.open_all(having)
        target, found = self._found(declared, name, having)
        certain = self._edits(found, target, to, is_certain=True)
        by_name = self._edits(found, target, to, is_certain=False)
        texts = {path: self._files.file(path) for path in certain.keys() | by_name.keys()}
        return Renaming(
            name=name,
            to=to,
            declared=target.declared,
            certain=certain,
            by_name=by_name,
            clashes=tuple(self._clashes.of(target, to, certain)),
            public=tuple(sorted(set(self._public(target, entries)))),
            outer_bases=tuple(sorted(self._families.outer_bases(target.declared))),
            unlisted=len(having - found.keys()),
            code_lines={
                path: self._lines(path, {*self._offsets(path, name), *found.get(path, ())})
                for path in having | found.keys()
            },
            texts={path: (file.data or b"", file.hash) for path, file in texts.items()},
        )

    def _found(
        self, declared: Declaration, name: str, having: set[str]
    ) -> tuple[RenameTarget, dict[str, dict[int, bool]]]:
        """What is renamed, and the places by path: their offsets, and whether they are certain."""
        family = self._families.of(declared)
        for _ in range(_MOST_ROUNDS):
            target = self._target(name, family)
            paths = {path for path in having if target.concerns(path)} | target.uses.keys()
            owners = {(path, q.partition(".")[0]) for path, q in family if "." in q}
            if len(owners) <= _MOST_OWNERS:  # their members may be named in quotes
                paths |= self._aliases.uses(owners).keys()
            if len(having - paths) <= _MOST_STRANGERS:
                paths |= having
            self._files.open_all(paths)
            found = {}
            for path in sorted(paths):
                checkpoint()
                found[path] = self._places.of(path, target)
            if target.related <= family:
                break
            family = frozenset(
                other for one in family | target.related for other in self._families.of(one)
            )
        return target, found

    def _target(self, name: str, family: frozenset[Declaration]) -> RenameTarget:
        definitions = self._stored.definitions(sorted({path for path, _ in family}))
        places: dict[str, set[int]] = {}
        for path, qualified in family:
            offsets = definitions.get(path, {}).get(qualified, ())
            places.setdefault(path, set()).update(offsets)
        tops = {(path, qualified) for path, qualified in family if "." not in qualified}
        return RenameTarget(name, family, places, self._aliases.uses(tops))

    def _edits(
        self,
        found: Mapping[str, Mapping[int, bool]],
        target: RenameTarget,
        to: str,
        *,
        is_certain: bool,
    ) -> Edits:
        """The edits of the places that are certain, or of the others."""
        edits: dict[str, tuple[RenameEdit, ...]] = {}
        for path in sorted(found):
            data = self._files.file(path).data or b""
            offsets = [
                offset + (data[offset : offset + 1] in _QUOTES)
                for offset, known in sorted(found[path].items())
                if known == is_certain
            ]
            made = (
                self._edit(path, offset, target, to, line=line)
                for offset, line in zip(offsets, self._lines(path, offsets), strict=True)
            )
            listed = tuple(edit for edit in made if edit is not None)
            if listed:
                edits[path] = listed
        return edits

    def _edit(
        self, path: str, offset: int, target: RenameTarget, to: str, *, line: int
    ) -> RenameEdit | None:
        """The edit of a place; None where the name is not written there."""
        data, name = self._files.file(path).data or b"", target.name.encode()
        spelled = respelled(path, data, offset, target.name, to)
        if spelled is not None:
            return RenameEdit(spelled.start, spelled.end - spelled.start, spelled.text, line)
        if not data.startswith(name, offset):
            return None
        return RenameEdit(offset, len(name), self._places.text(path, offset, target, to), line)

    def _offsets(self, path: str, name: str) -> Iterator[int]:
        """Yield the offsets of a name in the code of a file."""
        yield from (offset_of(place) for place in self._files.file(path).places(name))

    def _lines(self, path: str, offsets: Iterable[int]) -> tuple[int, ...]:
        """The lines of offsets in a file, ascending."""
        data = self._files.file(path).data or b""
        line, last, lines = 1, 0, []
        for offset in sorted(offsets):
            line += data.count(b"\n", last, offset)
            last = offset
            lines.append(line)
        return tuple(lines)

    def _public(self, target: RenameTarget, entries: Iterable[str]) -> Iterator[str]:
        """Yield the entry points of packages that export the symbol, and Python's public modules.

        A member is as public as its owner.
        """
        heads = {(path, qualified.partition(".")[0]) for path, qualified in target.declared}
        names = {name for _, name in heads}
        for path in entries:
            if any(not heads.isdisjoint(self._aliases.exported(path, (name,))) for name in names):
                yield path
        parts = {part for path, qualified in target.declared for part in qualified.split(".")}
        if not any(part.startswith("_") for part in parts):
            yield from (path for path, _ in target.declared if self._is_public_module(path))

    def _is_public_module(self, path: str) -> bool:
        """Whether a file is a module of a Python package, and no part of its path is private."""
        folder, _, module = path.rpartition("/")
        if not is_open(path):
            return False
        parts = [*folder.split("/"), module.removeprefix("__init__")]
        is_private = any(part.startswith("_") for part in parts)
        return not is_private and f"{folder}/__init__.py".lstrip("/") in self._all_paths


def respelled(path: str, data: bytes, offset: int, name: str, to: str) -> Spelled | None:
    """What a new name is to be written as at a place of a template; None for any other place.

    Args:
        path: The file.
        data: Its content.
        offset: The place.
        name: The present name.
        to: The new name.
    """
    code = template_of(path, data)
    if code is None or not code.is_template(offset):
        return None
    shorthand = code.shorthands.get(offset)
    if shorthand is not None:
        return Spelled(shorthand.start, shorthand.end, shorthand.form.replace("{to}", to))
    found = _SPELLED.match(data, offset)
    if found is None or name.encode() not in (pascal(found[0]), camel(found[0])):
        return None
    if found[0] == name.encode():
        return None
    written = kebab(to.encode())
    is_same = to.encode() in (pascal(written), camel(written))
    return Spelled(offset, found.end(), (written if is_same else to.encode()).decode())
