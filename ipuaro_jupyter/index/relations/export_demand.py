"""Which exports are asked for, by whom, and through which files."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.imports_and_exports import RE_EXPORT, ImportsAndExports
from ipuaro_jupyter.index.binding.reference_cache import LookupState
from ipuaro_jupyter.index.extract.postings import MEMBER, role_of
from ipuaro_jupyter.index.resolve.candidates import declared_file
from ipuaro_jupyter.index.storage.stored_index import DEFAULT, EVERYTHING, ModuleExport
from ipuaro_jupyter.languages.registry import is_open, language_for

Asker = Literal["public", "source", "test"]
"""Who asks for an export: users of the package, code, or a test."""

_LOADED_WHOLE = frozenset({"dynamic", "require", "import-equals"})
_ONE_IMPORT_AND_ONE_EXPORT = 2
_AT_ONCE = 200  # files


class ExportDemand:
    """Follows every import of a project to the exports that it asks for.

    Whole modules are asked for the names that the importer contains; for all of them, when the
    module itself is passed on.

    Args:
        asked: The state of the index.
        files: The files with code, each with who asks in it.
    """

    def __init__(self, asked: LookupState, files: Mapping[str, Asker]) -> None:
        self._asked = asked
        self._files = files
        self._asks: defaultdict[tuple[str, str], set[Asker]] = defaultdict(set)
        self._waiting: deque[tuple[str, str, Asker]] = deque()
        self.whole: set[str] = set()
        """The files that someone takes as a whole, as a value."""
        paths = list(files)
        for start in range(0, len(paths), _AT_ONCE):
            checkpoint()
            asked.aliases.load(paths[start : start + _AT_ONCE])
            asked.files.open_all(paths[start : start + _AT_ONCE])

    def names(self, path: str) -> ImportsAndExports:
        """The imports and exports of a file."""
        return self._asked.aliases.of_file(path)

    def askers(self, path: str, name: str) -> set[Asker]:
        """Who asks for an export of a file."""
        return self._asks.get((path, name), set())

    def follow(self, entries: Iterable[str]) -> None:
        """Follow all imports, and what entry points pass on."""
        for path, asker in self._files.items():
            checkpoint()
            self._imports(path, asker)
        for entry in entries:
            self._all_of(entry, "public")
        self._settle()

    def exported(self, path: str) -> Iterator[str]:
        """Yield the names that others can take from a file, those of other files included."""
        seen = set[str]()
        waiting = [path]
        given: set[str] = set()
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            own = self.names(at)
            given |= own.exports.keys() - {EVERYTHING}
            if is_open(at):
                definitions = self._asked.files.file(at).definitions
                given |= {name for name in definitions if "." not in name}
                given |= {name for name in own.imported if "." not in name}
            sources = (own.sources.get(e.source or "") for e in own.exports.get(EVERYTHING, ()))
            waiting += [target for target in sources if target is not None]
        yield from sorted(given - {EVERYTHING})

    def _imports(self, path: str, asker: Asker) -> None:
        own = self.names(path)
        for local, sources in own.imported.items():
            for target, imported, kind in sources:
                if target == path:
                    continue
                if imported == EVERYTHING:
                    self._module(path, local, target, asker, kind)
                elif not self._only_passes_on(path, local):
                    self._ask(target, imported, asker)
        for item, loaded in zip(own.module.imports, own.targets, strict=True):
            if loaded is not None and not item.names and item.kind != RE_EXPORT:
                self._module(path, "", loaded, asker, item.kind)

    def _module(self, path: str, local: str, target: str, asker: Asker, kind: str) -> None:
        """Ask for what a file uses of a module that it has as a whole."""
        if kind == "side-effect":
            if _is_component(path):  # it may be the ``src`` of a script, which gives the component
                self._ask(target, DEFAULT, asker)
            return
        file = self._asked.files.file(path)
        is_star = local == EVERYTHING
        if local and not is_star and self._is_passed(file.data or b"", local):
            self.whole.add(target)
            self._all_of(target, asker)
            return
        if kind in _LOADED_WHOLE or not local:
            self._ask(target, DEFAULT, asker)
        passed_on = MEMBER if is_open(path) else None  # in the list of exports
        for name in self.exported(target):
            if any(role_of(place) != passed_on for place in file.places(name)):
                self._ask(target, name, asker)

    @staticmethod
    def _is_passed(data: bytes, local: str) -> bool:
        """Whether a module is used in another way than for a member of it."""
        name = re.escape(local.encode())
        used = rb"(?<![\w$.'\"/])" + name + rb"(?![\w$'\"/])(?!\s*(?:\?\.|!?\.(?!\.)))"
        declared = rb"(?:import|as|const|let|var|import\s+type)\s+" + name + rb"(?![\w$])"
        return len(re.findall(used, data)) > len(re.findall(declared, data))

    def _only_passes_on(self, path: str, local: str) -> bool:
        """Whether a file has an imported name only in its import and an export."""
        own = self.names(path)
        if local not in own.exports_of or is_open(path):
            return False
        return len(self._asked.files.file(path).places(local)) <= _ONE_IMPORT_AND_ONE_EXPORT

    def _all_of(self, path: str, asker: Asker) -> None:
        if path not in self._files:
            return
        for name in self.exported(path):
            self._ask(path, name, asker)

    def _ask(self, path: str, name: str, asker: Asker) -> None:
        for one in dict.fromkeys((path, declared_file(path, self._files) or path)):
            if one in self._files and asker not in self._asks[one, name]:
                self._asks[one, name].add(asker)
                self._waiting.append((one, name, asker))

    def _settle(self) -> None:
        """Pass each request on to the files that the name comes from."""
        while self._waiting:
            checkpoint()
            path, name, asker = self._waiting.popleft()
            own = self.names(path)
            exports = own.exports.get(name, [])
            for export in exports:
                self._passed_on(path, export, asker)
            stars: list[str | None] = []
            if is_open(path):
                self._imported(path, name, asker)
                stars = [target for target, _, _ in own.imported.get(EVERYTHING, ())]
            elif not exports and name != DEFAULT:
                sources = (export.source or "" for export in own.exports.get(EVERYTHING, ()))
                stars = [own.sources.get(source) for source in sources]
            for target in stars:
                if target is not None:
                    self._ask_if_there(target, name, asker)

    def _passed_on(self, path: str, export: ModuleExport, asker: Asker) -> None:
        if export.source is None:
            self._imported(path, export.local or DEFAULT, asker)
            return
        target = self.names(path).sources.get(export.source)
        if target is not None and export.local == EVERYTHING:
            self._all_of(target, asker)
        elif target is not None:
            self._ask(target, export.local or DEFAULT, asker)

    def _imported(self, path: str, local: str, asker: Asker) -> None:
        for target, imported, _ in self.names(path).imported.get(local, ()):
            if imported == EVERYTHING:
                self._all_of(target, asker)
            else:
                self._ask(target, imported, asker)

    def _ask_if_there(self, path: str, name: str, asker: Asker) -> None:
        own = self.names(path)
        is_there = name in own.exports or EVERYTHING in own.exports or is_open(path)
        if is_there:
            self._ask(path, name, asker)


def _is_component(path: str) -> bool:
    language = language_for(path)
    return language is not None and language.reader == "component"
