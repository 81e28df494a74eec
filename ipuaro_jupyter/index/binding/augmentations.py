"""Members and exports that files add to what other files declare, and global names.

``declare module "./state" { interface State { more: string } }`` adds a member to the interface in
that file; global interfaces of one name are one. Each declaration may extend other types.
https://www.typescriptlang.org/docs/handbook/declaration-merging.html
A file without imports and exports is a script, unless the configuration says otherwise: its
top-level names are known in all other files.
https://www.typescriptlang.org/docs/handbook/modules/theory.html#scripts-and-modules-in-javascript
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver, Declaration
from ipuaro_jupyter.index.binding.lru_cache import LruCache
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.extract.ecmascript.binder import UNDERSTOOD
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.index.resolve.module_kinds import ModuleKinds
from ipuaro_jupyter.index.resolve.project_paths import folder_of, is_inside, join
from ipuaro_jupyter.index.storage.stored_index import StoredIndex, SymbolEntry
from ipuaro_jupyter.languages.offered_names import is_offered_to_ecmascript
from ipuaro_jupyter.languages.registry import language_for

_KEPT = 1000
_MOST = 500
_OF_MODULES = re.compile(rb"\bexport\s*\{\s*\}|\bimport\.meta\b")
_QUOTES = (b'"', b"'")
_OF_LIBRARIES = frozenset(
    {
        *("QUnit", "assert", "browser", "chai", "chrome", "context", "google", "page", "sinon"),
        *("specify", "xcontext", "xspecify"),
    }
)
"""Names that many libraries make global; too common to be taken for theirs elsewhere."""
_NO_ROWS: tuple[Declaration, ...] = ()


class Added(NamedTuple):
    """Declarations that are added to another, and whether there may be more of them."""

    declared: frozenset[Declaration]
    is_whole: bool


NOTHING_ADDED = Added(frozenset(), is_whole=True)


class Augmentations:
    """Finds what is added to declarations, in one state of the index.

    Args:
        stored: The index.
        files: The files.
        aliases: Follows names through imports, in the same state.
        paths: The files, by id.
    """

    def __init__(
        self,
        stored: StoredIndex,
        files: OpenedFiles,
        aliases: AliasResolver,
        paths: Mapping[int, str],
    ) -> None:
        self._stored = stored
        self._files = files
        self._aliases = aliases
        self._paths = paths
        self._rows = LruCache[str, tuple[Declaration, ...]](_KEPT)
        self._merged = LruCache[Declaration, Added](_KEPT)
        self.globals = GlobalNames(files, aliases, paths, self._named)

    def of(self, declared: Declaration) -> Added:
        """What other files declare as a member of a declaration, or as an export of a file.

        Args:
            declared: The file and the qualified name that it does not declare itself.
        """
        path, qualified = declared
        name = qualified.rpartition(".")[2]
        rows = self._named(name)
        found, is_whole = set[Declaration](), True
        for row in rows:
            other, inner = row
            if other != path and inner == qualified and "." in inner:
                if self._is_global_interface(*row) and self.globals.is_global(*declared):
                    found.add(row)
            elif inner.endswith(f".{qualified}"):
                source = inner[: -len(qualified) - 1]
                is_meant = self._augments(other, source, path, qualified)
                if is_meant:
                    found.add(row)
                is_whole = is_whole and is_meant is not None
        return Added(frozenset(found), is_whole)

    def merged(self, declared: Declaration) -> Added:
        """The other declarations of an interface, a class or a member of one.

        Args:
            declared: The file and the qualified name, in a module that is added to, or adding.
        """
        if is_understood(declared[0]) is None:
            return NOTHING_ADDED
        return self._merged.get(declared, lambda: self._all_merged(declared))

    def load(self, names: Collection[str]) -> None:
        """Read what has some names at once, which is faster than one by one."""
        missing = [name for name in names if name not in self._rows]
        entries = self._stored.called(missing) if missing else {}
        for name in missing[:_KEPT]:
            self._rows.get(name, partial(self._understood, entries.get(name, ())))

    def _all_merged(self, declared: Declaration) -> Added:
        found, waiting, is_whole = {declared}, [declared], True
        while waiting:
            added = self._beside(waiting.pop())
            waiting += added.declared - found
            found |= added.declared
            is_whole = is_whole and added.is_whole
        return Added(frozenset(found - {declared}), is_whole)

    def _beside(self, declared: Declaration) -> Added:
        """The declarations that directly add to one, or that it adds to."""
        path, qualified = declared
        found, is_whole = set[Declaration](), True
        for row in self._named(qualified.rpartition(".")[2]):
            other, inner = row
            is_meant: bool | None = False
            if inner == qualified:
                is_meant = other != path and all(
                    self._is_shared(one) or self._is_global_interface(*one)
                    for one in (declared, row)
                )
            elif inner.endswith(f".{qualified}"):
                is_meant = self._augments(other, inner[: -len(qualified) - 1], path, qualified)
            elif qualified.endswith(f".{inner}"):
                is_meant = self._augments(path, qualified[: -len(inner) - 1], other, inner)
            if is_meant:
                found.add(row)
            is_whole = is_whole and is_meant is not None
        return Added(frozenset(found), is_whole)

    def _is_shared(self, declared: Declaration) -> bool:
        """Whether an interface is global."""
        records = self._files.file(declared[0]).declared.get(declared[1], ())
        is_interface = any("fields" in one and "text" not in one for one in records)
        return is_interface and self.globals.is_global(*declared)

    def _named(self, name: str) -> tuple[Declaration, ...]:
        """The declarations with a name."""
        return self._rows.get(
            name, lambda: self._understood(self._stored.called([name]).get(name, ()))
        )

    def _understood(self, entries: Collection[SymbolEntry]) -> tuple[Declaration, ...]:
        if len(entries) > _MOST:
            return _NO_ROWS
        rows = {(self._paths.get(entry.number, ""), entry.qualified) for entry in entries}
        return tuple(row for row in sorted(rows) if is_understood(row[0]) is not None)

    def _augments(self, other: str, source: str, path: str, qualified: str) -> bool | None:
        """Whether a module that a file adds to is, or passes on, another one; None: not known."""
        file = self._files.file(other)
        places = file.definitions.get(source, ())
        data = file.data or b""
        if not any(data[at - 1 : at] in _QUOTES or data[at : at + 1] in _QUOTES for at in places):
            return False  # a namespace
        target = self._aliases.target(other, source)
        if target is None and source.startswith("."):
            beside = join(folder_of(other), source) or ""
            return _stem(path) in {_stem(beside), f"{beside}/index".lstrip("/")}
        if target is None:
            last = source.rpartition("/")[2].partition(".")[0]
            return None if last in _stem(path).split("/") else False
        if target == path:
            return True
        first = qualified.partition(".")[0]
        return (path, first) in self._aliases.exported(target, (first,))

    def _is_global_interface(self, path: str, qualified: str) -> bool:
        return self._is_shared((path, qualified.rpartition(".")[0]))


class GlobalNames:
    """Finds global declarations, in one state of the index.

    Args:
        files: The files.
        aliases: Knows the imports and exports of the files.
        paths: The files, by id.
        named: Returns the declarations with a name.
    """

    def __init__(
        self,
        files: OpenedFiles,
        aliases: AliasResolver,
        paths: Mapping[int, str],
        named: Callable[[str], Collection[Declaration]],
    ) -> None:
        self._files = files
        self._aliases = aliases
        self._paths = paths
        self._named = named
        self._known = LruCache[str, frozenset[Declaration]](_KEPT)
        self._scripts = LruCache[str, bool](_KEPT)
        self._blocks = LruCache[str, tuple[tuple[int, int], ...]](_KEPT)

    def of(self, path: str, name: str) -> frozenset[Declaration]:
        """The global declarations of a name that a file neither declares nor imports.

        None of a script in another package. Where several scripts declare a name, the platform or
        a library has it too, or the script may be a module, it is not known which of them run
        together: then only declaration files and ``declare global`` count.
        """
        package = self._kinds.package(path)
        known = self._known.get(name, lambda: self._of(name))
        return frozenset(one for one in known if is_inside(package, self._kinds.package(one[0])))

    def is_global(self, path: str, qualified: str) -> bool:
        """Whether a declaration is known in all files: in a script, or in ``declare global``."""
        language = language_for(path)
        if language is None or language.name not in UNDERSTOOD:
            return False
        return self._is_script(path) or self._is_in_global(path, qualified.partition(".")[0])

    def member(self, owner: str, name: str) -> frozenset[Declaration]:
        """What files add to a type of the language, as ``Array``, or to its ``prototype``."""
        qualified = f"{owner}.{name}"
        return frozenset(
            one
            for one in self._named(name)
            if one[1] == qualified
            and (not self._files.file(one[0]).declares(owner) or self.is_global(*one))
        )

    def _of(self, name: str) -> frozenset[Declaration]:
        found = set[Declaration]()
        for one in self._named(name):
            checkpoint()
            if one[1] == name and self.is_global(*one):
                found.add(one)
        scripts = {one for one in found if ".d." not in one[0] and self._is_script(one[0])}
        is_sure = len(scripts) == 1 and name not in _OF_LIBRARIES
        is_sure = is_sure and not is_offered_to_ecmascript(name, imported=False)
        is_sure = is_sure and not any(self._kinds.may_be_module(path) for path, _ in scripts)
        return frozenset(found if is_sure else found - scripts)

    def _is_script(self, path: str) -> bool:
        return self._scripts.get(path, lambda: self._looks_like_script(path))

    def _looks_like_script(self, path: str) -> bool:
        module = self._aliases.of_file(path).module
        if module.imports or module.exports or self._kinds.is_module(path):
            return False
        return not _OF_MODULES.search(self._files.file(path).data or b"")

    def _is_in_global(self, path: str, name: str) -> bool:
        places = self._files.file(path).definitions.get(name, ())
        blocks = self._blocks.get(path, lambda: self._global_blocks(path)) if places else ()
        return any(start <= at < end for at in places for start, end in blocks)

    def _global_blocks(self, path: str) -> tuple[tuple[int, int], ...]:
        """The first and last byte of each ``declare global`` of a file."""
        tree = self._files.tree(path) if b"global" in (self._files.file(path).data or b"") else None
        return tuple(
            (node.start_byte, node.end_byte)
            for node in (tree.root.children if tree is not None else ())
            if node.type == "ambient_declaration"
            and any(child.type == "global" for child in node.children)
        )

    @cached_property
    def _kinds(self) -> ModuleKinds:
        files = frozenset(self._paths.values())
        return ModuleKinds(files, self._text)

    def _text(self, path: str) -> str | None:
        data = self._files.file(path).data
        return None if data is None else data.decode(errors="replace")


def _stem(path: str) -> str:
    """A path without the endings of its name."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0]}"
