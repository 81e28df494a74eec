"""The declarations that a call of a tool means."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Protocol

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.parsed_file import NOT_ANALYSED
from ipuaro_jupyter.languages.registry import is_open
from ipuaro_jupyter.records.code import FileFacts, SymbolLocation
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.records.unread import BrokenImport, BrokenImports
from ipuaro_jupyter.tools.source_lines import SourceLines, is_notebook
from ipuaro_jupyter.tools.tool import Project

_MOST_BROKEN = 20


class _InFile(Protocol):
    @property
    def path(self) -> str: ...


def listed(places: Iterable[SymbolLocation]) -> str:
    """Declarations in words, at most twelve: "Foo.get (src/a.ts:3), …"."""
    return named([f"{place.qualified} ({place.path}:{place.line})" for place in places])


def not_declared(project: Project, symbol: str, declared_in: str) -> ToolError:
    """The error for a file that does not declare a symbol; it says which files do."""
    places = project.index.definitions(symbol)
    near = places or project.index.similar(symbol)
    hint = "It is declared as" if places else "Did you mean"
    unread = project.index.unread.of(within=declared_in).remark
    return ToolError(
        "validation",
        f"{declared_in} does not declare {symbol}." + f" [{unread}]" * bool(unread),
        suggestion=f"{hint} {listed(near)}." if near else "Leave declared_in out.",
    )


def not_in_file(facts: FileFacts, kind: str, name: str, *, hint: str) -> ToolError:
    """The error for a file without a declaration; it says what was not looked at.

    Args:
        facts: The facts of the file.
        kind: What was looked for, "function" or "class".
        name: Its name.
        hint: What to ask instead.
    """
    problem = facts.parse_error or ""
    if problem.startswith(NOT_ANALYSED):
        told = f"{facts.path} was not looked at: {problem.removeprefix(NOT_ANALYSED)}"
        return ToolError("parse", told, suggestion="Read it with get_lines, or grep it.")
    told = f"There is no {kind} {name!r} in {facts.path}."
    if problem:
        told += f" Some of it may be missing: {problem[0].lower()}{problem[1:]}"
    return ToolError("validation", told, suggestion=hint)


def unused_elsewhere(
    declared: Iterable[tuple[str, str]], uses: Iterable[_InFile]
) -> frozenset[str]:
    """The declaring files when no other file has a use; none otherwise.

    Only then are imports worth looking for that lead to no file: it takes longer than the answer.
    """
    paths = frozenset(path for path, _ in declared)
    return paths if all(use.path in paths for use in uses) else frozenset()


def broken_imports(
    project: Project, paths: Iterable[str], *, taking: str = ""
) -> BrokenImports | None:
    """The imports that lead to no file and may mean some files, by their names alone.

    Those whose last folders are the files' own come first.

    Python imports Python, and the other languages import one another.

    Args:
        project: The project.
        paths: The files.
        taking: Only imports that may take this name from them; "": all.
    """
    names: dict[bool, set[str]] = {True: set(), False: set()}
    known: list[list[str]] = []
    for path in paths:
        names[is_open(path)].update((mentioned_as(path), *_names(path)))
        known.append(_parts(path.rpartition(".")[0].removesuffix(".d")))
    every = names[True] | names[False]
    found = project.index.imports.leading_nowhere(every, taking=taking) if every else []
    found = [one for one in found if not names[is_open(one.path)].isdisjoint(one.ends)]
    if not found:
        return None
    found.sort(key=lambda one: -max(_same_end(_parts(one.specifier), parts) for parts in known))
    lines, first = SourceLines(project.workspace), list[BrokenImport]()
    for one in found[:_MOST_BROKEN]:
        is_cell = is_notebook(one.path)
        cell, line = lines.place(one.path, one.line) if is_cell else (None, one.line)
        first.append(BrokenImport(path=one.path, cell=cell, line=line, source=one.source))
    return BrokenImports(total=len(found), first=tuple(first))


def _parts(path: str) -> list[str]:
    bare = path.removesuffix("/index").removesuffix("/__init__")
    return [part.lstrip("@#$~") for part in bare.split("/")]


def _same_end(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal parts at the end."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _names(path: str) -> tuple[str, str]:
    """The name of a file without its extension, and with it."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0].removesuffix(".d") or name, name


def mentioned_as(path: str) -> str:
    """The name by which importing files are likely to mention a file."""
    folders, (name, _) = path.split("/")[:-1], _names(path)
    return folders[-1] if folders and name in {"index", "__init__", "mod"} else name
