"""Check whether the files, lines and symbols named in an answer exist in the project."""

import builtins
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from ipuaro_jupyter.agent.context.answer_mentions import (
    ENDINGS,
    AnswerMentions,
    MentionedPath,
    Symbol,
)
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.suggestions import similar_names
from ipuaro_jupyter.records.code import Class, FileFacts, Interface, SymbolLocation, TypeAlias
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.evaluation import Finding, Verdict
from ipuaro_jupyter.workspace.workspace import Workspace

_MOST_CLOSEST = 3
_MOST_TOLD = 3
_GLOBALS = frozenset(
    {
        *dir(builtins),
        *("Array", "ArrayBuffer", "BigInt", "Boolean", "Buffer", "DataView", "Date", "Error"),
        *("EvalError", "Function", "Infinity", "Intl", "JSON", "Map", "Math", "Number", "Object"),
        *("Promise", "Proxy", "RangeError", "Reflect", "RegExp", "Set", "String", "Symbol"),
        *(
            "SyntaxError",
            "TypeError",
            "URL",
            "WeakMap",
            "WeakRef",
            "WeakSet",
            "console",
            "document",
        ),
        *("fetch", "globalThis", "module", "navigator", "parseFloat", "parseInt", "process"),
        *("queueMicrotask", "require", "setImmediate", "setInterval", "setTimeout", "window"),
        *("clearInterval", "clearTimeout", "structuredClone", "AbortController", "EventTarget"),
        *("Partial", "Record", "Readonly", "Pick", "Omit", "Exclude", "Extract", "Required"),
        *("ReturnType", "Parameters", "Awaited", "NonNullable", "Iterable", "AsyncIterable"),
    }
)


class Checker:
    """Compares the names in an answer with the project as it is now.

    Args:
        index: The project's symbols.
        workspace: Its files.
        places: The places the answer is about: declarations there come first.
        ignored: Names that are not the project's, such as those of our tools.
    """

    def __init__(
        self,
        index: CodeIndex,
        workspace: Workspace,
        *,
        places: Sequence[MentionedPath],
        ignored: Collection[str] = (),
    ) -> None:
        self._index = index
        self._workspace = workspace
        self._ignored = frozenset(ignored)
        self._meant: dict[str, list[str]] = {}
        self._about = {path for place in places for path in self.files(place.path)}
        self._defined: dict[str, list[SymbolLocation]] = {}
        self._lines: dict[str, tuple[str, ...] | None] = {}
        self._facts: dict[str, FileFacts | None] = {}

    def findings(self, named: AnswerMentions) -> Iterator[Finding]:
        """Yield the findings on all that an answer names, places first."""
        for place in named.places:
            finding = self.place(place)
            if finding is not None:
                yield finding
        for symbol in named.symbols:
            beside = [place for of, place in named.beside if of == symbol]
            finding = self.symbol(symbol, beside)
            if finding is not None:
                yield finding

    def place(self, place: MentionedPath) -> Finding | None:
        """The finding on a file or folder; None when it probably means none of the project's."""
        found = self.files(place.path)
        if found:
            return self._lines_of(place, found)
        if self._is_folder(place.path):
            return _finding(place, "ok", "a folder")
        if place.path.startswith(("/", "~", "../")):
            return _finding(place, "unknown", "outside of the project")
        closest = self._closest_files(place.path)
        is_path = place.is_quoted or "/" in place.path or place.first is not None
        if place.path.rpartition(".")[2].lower() in ENDINGS:
            return _finding(place, "wrong", "there is no such file", closest) if is_path else None
        top = place.path.partition("/")[0]
        if is_path and any(path.startswith(f"{top}/") for path in self._paths):
            return _finding(place, "wrong", "there is no such file or folder", closest)
        return _finding(place, "unknown", "nothing of this name") if place.is_quoted else None

    def symbol(self, symbol: Symbol, beside: Sequence[MentionedPath]) -> Finding | None:
        """The finding on a name; None when it is probably not a name in code.

        Args:
            symbol: The name.
            beside: The places where, according to the answer, it is.
        """
        if symbol.name in self._ignored:
            return None
        defined = self.defined(symbol.name)
        for place in beside:
            files = self.files(place.path)
            if files:
                return self._said_to_be(symbol, place, files, defined)
        if defined:
            return _of(symbol.name, "ok", f"{defined[0].kind} in {_places(defined)}")
        if not symbol.is_quoted and "." in symbol.name:
            return None
        return self._language(symbol) or self._member(symbol) or self._undefined(symbol)

    def files(self, path: str) -> list[str]:
        """The project's files that a path means: the exact one, else those with this ending."""
        if path not in self._meant:
            self._meant[path] = self._files_meant(path)
        return self._meant[path]

    def defined(self, name: str) -> list[SymbolLocation]:
        """The declarations of a name, first those in the files that the answer is about.

        A property with the name of a language feature does not count as its declaration.
        """
        if name not in self._defined:
            found = self._index.definitions(name)
            if name in _GLOBALS and all(location.kind == "property" for location in found):
                found = []
            self._defined[name] = sorted(found, key=lambda one: one.path not in self._about)
        return self._defined[name]

    def is_about(self, path: str) -> bool:
        """Whether the answer names a file."""
        return path in self._about

    def lines(self, path: str) -> tuple[str, ...] | None:
        """The lines of a file; None when it cannot be read as text."""
        if path not in self._lines:
            try:
                self._lines[path] = self._workspace.read(path).lines
            except ToolError:
                self._lines[path] = None
        return self._lines[path]

    def range_of(self, location: SymbolLocation) -> tuple[int, int]:
        """The first and the last line of a declaration, 1-based, both included."""
        if location.path not in self._facts:
            self._facts[location.path] = self._index.facts(location.path)
        facts = self._facts[location.path]
        ranges = [] if facts is None else _ranges(facts, location)
        return min(ranges, key=lambda pair: pair[1] - pair[0], default=(location.line,) * 2)

    def occurrences(self, path: str, name: str) -> list[int]:
        """The lines of a file that contain the last part of a name as a word."""
        word = re.compile(rf"(?<![\w$]){re.escape(name.rpartition('.')[2])}(?![\w$])")
        return [n for n, line in enumerate(self.lines(path) or (), 1) if word.search(line)]

    @cached_property
    def _paths(self) -> list[str]:
        return self._index.paths()

    def _files_meant(self, path: str) -> list[str]:
        try:
            relative = self._workspace.relative(path)
        except ToolError:
            relative = ""
        if relative and (self._workspace.root / relative).is_file():
            return [relative]
        end = posixpath.normpath(path.lstrip("/"))
        return [known for known in self._paths if f"/{known}".endswith(f"/{end}")]

    def _is_folder(self, path: str) -> bool:
        try:
            relative = self._workspace.relative(path)
        except ToolError:
            return False
        return (self._workspace.root / relative).is_dir()

    def _closest_files(self, path: str) -> list[str]:
        name = path.rstrip("/").rpartition("/")[2].lower()
        by_name: dict[str, list[str]] = {}
        for known in self._paths:
            by_name.setdefault(known.rpartition("/")[2].lower(), []).append(known)
        near = [name] if name in by_name else similar_names(name, by_name, limit=_MOST_CLOSEST)
        return [known for one in near for known in by_name[one]][:_MOST_CLOSEST]

    def _lines_of(self, place: MentionedPath, found: Sequence[str]) -> Finding:
        """The finding whether a file has the given lines."""
        told = "" if found == [place.path] else f"{_some(found)}"
        if place.first is None or place.last is None:
            return _finding(place, "ok", told or "a file")
        counts = {path: len(lines) for path in found if (lines := self.lines(path)) is not None}
        if not counts:
            return _finding(place, "unknown", f"{_some(found)} has no lines that can be read")
        if place.first >= 1 and any(place.last <= count for count in counts.values()):
            return _finding(place, "ok", told or f"{max(counts.values())} lines")
        longest = max(counts, key=lambda path: counts[path])
        return _finding(place, "wrong", f"{longest} has {counted(counts[longest], 'line')}")

    def _said_to_be(
        self,
        symbol: Symbol,
        place: MentionedPath,
        files: Sequence[str],
        defined: Sequence[SymbolLocation],
    ) -> Finding:
        """The finding whether a name is where the answer says."""
        named = f"{symbol.name} in {place.text}"
        defined = defined or self.defined(symbol.name.rpartition(".")[2])
        here = [location for location in defined if location.path in files]
        elsewhere = [f"{location.path}:{location.line}" for location in defined][:_MOST_CLOSEST]
        used = [(path, n) for path in files for n in self.occurrences(path, symbol.name)]
        if place.first is not None and place.last is not None:
            within = [self.range_of(location) for location in here]
            if any(first <= place.last and place.first <= last for first, last in within):
                return _of(named, "ok", f"{here[0].kind}, lines {_lines(within)}")
            if any(place.first <= number <= place.last for _, number in used):
                return _of(named, "ok", "it stands there" + (_elsewhere(defined) or ""))
            closest = elsewhere if here else [f"{path}:{number}" for path, number in used[:1]]
            detail = "not in these lines" if here or used else "not in this file"
            return _of(named, "wrong", detail, closest or elsewhere or self._similar(symbol.name))
        if here:
            return _of(named, "ok", f"{here[0].kind} in {_places(here)}")
        if used:
            detail = f"it stands in line {used[0][1]}" + (_elsewhere(defined) or "")
            return _of(named, "ok", detail)
        closest = elsewhere or self._similar(symbol.name)
        return _of(named, "wrong", "not in this file", closest)

    def _language(self, symbol: Symbol) -> Finding | None:
        if symbol.name.partition(".")[0] in _GLOBALS:
            return _of(symbol.name, "unknown", "of the language, not of the project")
        return None

    def _member(self, symbol: Symbol) -> Finding | None:
        """The finding on a member whose object is not identified."""
        owner, _, last = symbol.name.rpartition(".")
        places = self.defined(last) if owner else []
        if not places:
            return None
        told = f"{last} is declared in {_places(places)}, of {owner} it is not known"
        return _of(symbol.name, "unknown", told)

    def _undefined(self, symbol: Symbol) -> Finding | None:
        """The finding on a name that the project does not declare."""
        last = symbol.name.rpartition(".")[2]
        having = self._index.having(last)
        if having:
            return _of(symbol.name, "unknown", f"not declared here, stands in {_some(having)}")
        if not symbol.is_quoted:
            return None
        if any(re.search(rf"(?:^|/){re.escape(last)}(?:[./]|$)", path) for path in self._paths):
            return _of(symbol.name, "unknown", "a part of a file's name, no symbol")
        return _of(symbol.name, "wrong", "nowhere in the code", self._similar(symbol.name))

    def _similar(self, name: str) -> list[str]:
        found = self._index.similar(name, limit=_MOST_CLOSEST)
        return [f"{location.qualified} ({location.path}:{location.line})" for location in found]


def _ranges(facts: FileFacts, location: SymbolLocation) -> list[tuple[int, int]]:
    """The line ranges of a name's declarations in its file that contain its line."""
    holders: tuple[Class | Interface | TypeAlias, ...]
    holders = (*facts.classes, *facts.interfaces, *facts.types)
    found = [
        *((one.qualified, one.line_start, one.line_end) for one in facts.functions),
        *((one.qualified, one.line_start, one.line_end) for one in holders),
        *((m.qualified, m.line_start, m.line_end) for one in holders for m in one.methods),
        *((one.qualified, one.line_start, one.line_end) for one in facts.enums),
        *((one.qualified, one.line_start, one.line_end) for one in facts.namespaces),
    ]
    return [
        (first, last)
        for qualified, first, last in found
        if qualified == location.qualified and first <= location.line <= last
    ]


def _finding(
    place: MentionedPath, verdict: Verdict, detail: str, closest: Sequence[str] = ()
) -> Finding:
    return Finding(
        named=place.text, kind="place", verdict=verdict, detail=detail, closest=tuple(closest)
    )


def _of(named: str, verdict: Verdict, detail: str, closest: Sequence[str] = ()) -> Finding:
    return Finding(
        named=named, kind="symbol", verdict=verdict, detail=detail, closest=tuple(closest)
    )


def _places(defined: Iterable[SymbolLocation]) -> str:
    return _some([f"{location.path}:{location.line}" for location in defined])


def _elsewhere(defined: Sequence[SymbolLocation]) -> str:
    return f"; declared in {_places(defined)}" if defined else ""


def _lines(ranges: Iterable[tuple[int, int]]) -> str:
    told = (str(first) if first == last else f"{first}-{last}" for first, last in ranges)
    return ", ".join(dict.fromkeys(told))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return ", ".join(names[:_MOST_TOLD]) + more
