"""The declarations that a call of a tool means."""

from collections.abc import Iterable

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.parsed_file import NOT_ANALYSED
from ipuaro_jupyter.records.code import FileFacts, SymbolLocation
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.tools.tool import Project


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


def mentioned_as(path: str) -> str:
    """The name by which importing files are likely to mention a file."""
    *folders, file = path.split("/")
    name = file.rpartition(".")[0].removesuffix(".d") or file
    return folders[-1] if folders and name in {"index", "__init__", "mod"} else name
