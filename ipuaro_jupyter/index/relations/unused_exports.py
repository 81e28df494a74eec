"""The exports that nothing in the project uses."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import LookupState
from ipuaro_jupyter.index.ranking.file_roles import file_type
from ipuaro_jupyter.index.relations.entry_files import (
    Conventions,
    first_files,
    named_objects,
    package_folder,
    pattern_entries,
)
from ipuaro_jupyter.index.relations.export_demand import Asker, ExportDemand
from ipuaro_jupyter.index.relations.source_places import SourcePlaces
from ipuaro_jupyter.index.resolve.candidates import declared_file, files_beside
from ipuaro_jupyter.index.resolve.jsonc import read_object
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.stored_index import EVERYTHING
from ipuaro_jupyter.languages.components.component_code import template_of
from ipuaro_jupyter.languages.registry import is_by_name, is_code, is_open
from ipuaro_jupyter.languages.source_extensions import extension_of
from ipuaro_jupyter.records.code import FileType, Reference
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.unused_exports import ExportState, UnusedExport

_SETTINGS = frozenset({"pyproject.toml", "setup.cfg", "setup.py"})
_ORDER: tuple[ExportState, ...] = ("unused", "own file", "re-export", "tests")
_MOST_PLACES = 5
_CAVEAT = "not seen: names made at run time, dynamic imports of computed paths, other projects"


class _ExportedName(NamedTuple):
    """An export: its name for others, the local name, its line; ``source`` of a re-export."""

    path: str
    name: str
    local: str
    line: int
    source: str | None


class FoundExports(NamedTuple):
    """Unused exports by state, path and line; the numbers of the others; and notes.

    ``out_of_time`` counts the files that time ran out for.
    """

    listed: list[UnusedExport]
    looked_at: int
    public: int
    conventional: int
    entries: list[str]
    notes: list[str]
    out_of_time: int


class UnusedExportSearch:
    """Finds unused exports in one state of the index.

    Args:
        asked: That state.
        entries: The files that packages and scripts name as entry points.
    """

    def __init__(self, asked: LookupState, entries: Collection[str]) -> None:
        self._asked = asked
        self._types: dict[str, FileType] = {path: file_type(path) for path in asked.known}
        self._entries = frozenset(entries)
        self._sources = SourcePlaces(asked)
        self._notes: list[str] = []
        self._counts: Counter[str] = Counter()

    def of(self, prefix: str = "") -> FoundExports:
        """The unused exports of the files that are ``prefix`` or below it.

        When time runs out, what has been found, and a note on what was not looked at.

        Raises:
            Cancelled: The user stopped it.
        """
        known = self._asked.paths.values()
        code = {
            path: self._asker(path)
            for path in sorted(known)
            if is_code(path) and not is_by_name(path)
        }
        wanted = [path for path in code if self._has_exports(path, code, prefix)]
        found: list[UnusedExport] = []
        entries: frozenset[str] = frozenset()
        done, why = 0, "before it was known what is imported"
        try:
            packages = self._packages()
            entries = self._entry_points(packages, code)
            demand = ExportDemand(self._asked, self._reaching(wanted, code) if prefix else code)
            demand.follow(entries)
            conventions = Conventions(packages, named_objects(self._texts(_SETTINGS).values()))
            why = ""
            for path in wanted:
                checkpoint()
                for export in self._exports(demand, path):
                    self._look_at(export, demand, conventions, found)
                done += 1
        except TimeUp:
            self._notes += [_late(wanted[done:], why)] if wanted else []
        self._note_rest()
        found.sort(key=lambda e: (_ORDER.index(e.state), e.is_importable, e.path, e.line))
        notes = list(dict.fromkeys([*self._notes, *self._asked.files.refusals, _CAVEAT]))
        counts = self._counts
        return FoundExports(
            found,
            counts["all"],
            counts["public"],
            counts["taken"],
            sorted(entries),
            notes,
            len(wanted) - done,
        )

    def _look_at(
        self,
        export: _ExportedName,
        demand: ExportDemand,
        conventions: Conventions,
        found: list[UnusedExport],
    ) -> None:
        """Count an export, and add it to those that were found if nothing uses it.

        Raises:
            TimeUp: Time ran out before that was known.
        """
        askers = demand.askers(export.path, export.name)
        if "public" in askers:
            self._counts["public"] += 1
        elif "source" not in askers:
            if self._is_taken(export, conventions):
                self._counts["taken"] += 1
            else:
                checkpoint()
                state = self._state(export, askers)
                found += [] if state is None else [self._described(export, state)]
        self._counts["all"] += 1

    def _reaching(self, paths: Iterable[str], code: Mapping[str, Asker]) -> dict[str, Asker]:
        """The files with code that some files may be asked from, whatever lies between."""
        found = border = set(paths)
        while border:
            checkpoint()
            importers = self._asked.stored.dependents([*border]).values()
            beside = (files_beside(path, code) for path in border)  # one module with it
            border = set[str]().union(*importers, *beside) - found
            found |= border
        return {path: asker for path, asker in code.items() if path in found}

    def _asker(self, path: str) -> Asker:
        return "test" if self._types[path] == "test" else "source"

    def _packages(self) -> dict[str, Mapping[str, Any]]:
        """The contents of the package.json files, by folder."""
        return {
            package_folder(path): read_object(text)
            for path, text in self._texts({"package.json"}).items()
        }

    def _texts(self, names: Collection[str]) -> dict[str, str]:
        """The contents of the files of these names."""
        paths = [path for path in self._types if path.rpartition("/")[2] in names]
        self._asked.files.open_all(paths)
        files = ((path, self._asked.files.file(path).data or b"") for path in paths)
        return {path: data.decode(errors="replace") for path, data in files}

    def _entry_points(
        self, packages: Mapping[str, Mapping[str, Any]], code: Mapping[str, Asker]
    ) -> frozenset[str]:
        """The files whose exports are public."""
        found = {path for path in self._entries if path in code and not is_open(path)}
        found |= pattern_entries(packages, code.keys())
        without = [f for f in packages if not any(is_inside(path, f) for path in found)]
        guessed = first_files(without if packages else [""], code.keys()) - found
        if guessed:
            shown = ", ".join(sorted(guessed)[:3])
            more = f" and {len(guessed) - 3} more" * (len(guessed) > 3)  # noqa: PLR2004
            self._notes.append(f"taken for entry points by their names: {shown}{more}")
        return frozenset(found | guessed | self._public_packages(code))

    def _public_packages(self, code: Mapping[str, Asker]) -> set[str]:
        """The outermost ``__init__`` files of Python packages."""
        inits = {
            path for path in code if path.rpartition("/")[2] in {"__init__.py", "__init__.pyi"}
        }
        folders = {path.rpartition("/")[0] for path in inits}
        return {
            path
            for path in inits
            if path.rpartition("/")[0].rpartition("/")[0] not in folders
            and self._types[path] != "test"
        }

    def _has_exports(self, path: str, code: Mapping[str, Asker], prefix: str) -> bool:
        """Whether a file is asked about, and neither a test nor a configuration."""
        if code[path] == "test" or self._types[path] == "config" or not is_inside(path, prefix):
            return False
        describes = declared_file(path, code) or (path.endswith(".pyi") and path[:-1] in code)
        return not describes

    def _exports(self, demand: ExportDemand, path: str) -> Iterator[_ExportedName]:
        """Yield the exports of a file, without those of everything."""
        if is_open(path):
            yield from self._python_names(path)
            return
        for name, exports in demand.names(path).exports.items():
            export = exports[0]
            if name != EVERYTHING:
                local = export.local or "default"
                yield _ExportedName(path, name, local, export.line, export.source)

    def _python_names(self, path: str) -> Iterator[_ExportedName]:
        """Yield the names that a Python module declares for others."""
        for qualified in self._asked.files.file(path).definitions:
            if "." not in qualified and not qualified.startswith("_"):
                line = self._sources.line_of((path, qualified))
                yield _ExportedName(path, qualified, qualified, line, None)

    def _is_taken(self, export: _ExportedName, conventions: Conventions) -> bool:
        """Whether a tool, a framework or a decorator takes an export."""
        if conventions.takes(export.path, export.name):
            return True
        if not is_open(export.path):
            return self._is_property(export)
        nodes = self._sources.nodes_of((export.path, export.local))
        return any(self._sources.decorated(export.path, node) is not None for node in nodes)

    def _is_property(self, export: _ExportedName) -> bool:
        """Whether an export is a property of a component, which markup gives it."""
        code = template_of(export.path, self._asked.files.file(export.path).data or b"")
        return code is not None and export.name != "default" and code.is_property(export.line)

    def _state(self, export: _ExportedName, askers: Collection[Asker]) -> ExportState | None:
        """What is known of an export that no code imports; None when it is used after all."""
        if export.source is not None:
            return "tests" if askers else "re-export"
        uses = self._asked.references.of(export.local, None, limit=None, declared_in=export.path)
        wanted = (export.path, export.local)
        own = False
        for use in uses.first:
            if use.is_definition or (use.declared_in, use.declared_as) != wanted:
                continue
            if self._is_import(use, export):
                continue
            if use.path == export.path:
                own = True
            elif self._types.get(use.path) == "test":
                askers = {*askers, "test"}
            else:
                return None
        if uses.not_looked_at:
            raise TimeUp
        if askers:
            return "tests"
        return "own file" if own else "unused"

    def _is_import(self, use: Reference, export: _ExportedName) -> bool:
        offset = self._sources.offset(use.path, use.line, use.column)
        node = self._sources.node(use.path, offset, export.local)
        return node is not None and self._sources.role(use.path, node) == "import"

    def _described(self, export: _ExportedName, state: ExportState) -> UnusedExport:
        entries = self._asked.stored.called([export.local]).get(export.local, ())
        kinds = [
            entry.kind
            for entry in entries
            if entry.qualified == export.local
            and self._asked.paths.get(entry.number) == export.path
        ]
        parts = export.path.split("/")
        hidden = any(part.startswith("_") and part != "__init__.py" for part in parts)
        in_package = f"{'/'.join(parts[:-1])}/__init__.py" in self._types
        return UnusedExport(
            name=export.name,
            path=export.path,
            line=export.line,
            kind=kinds[0] if kinds else "",
            state=state,
            is_importable=is_open(export.path) and in_package and not hidden,
        )

    def _note_rest(self) -> None:
        """Note the files whose exports are not looked at."""
        others = Counter(extension_of(path) for path in self._types if is_by_name(path))
        if others:
            told = ", ".join(counted(files, f"{end} file") for end, files in sorted(others.items()))
            self._notes.append(f"their exports are not looked at: {told}")


def _late(paths: Sequence[str], why: str) -> str:
    """A note on the files that time ran out for, by the folders in which they are.

    Args:
        paths: The files, at least one.
        why: What was not reached, when no export was looked at; "" otherwise.
    """
    common = os.path.commonpath([path.rpartition("/")[0] for path in paths])
    start = len(common) + 1 if common else 0
    ends = (path.find("/", start) for path in paths)
    places = Counter(
        path if end < 0 else path[:end] for path, end in zip(paths, ends, strict=True)
    ).most_common()
    told = [place if place in paths else f"{place} ({count:,})" for place, count in places]
    files = counted(len(paths), "file")
    which = f" {why}: the exports of {files}" if why else f": not all exports of {files}"
    return (
        f"the time was up{which} were {'not ' * bool(why)}looked at, in "
        f"{named(told, _MOST_PLACES)}; ask for less with path, such as {places[0][0]}"
    )
