"""The declarations that a call of a tool means."""

from collections.abc import Iterable

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.code import SymbolLocation
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
    return ToolError(
        "validation",
        f"{declared_in} does not declare {symbol}.",
        suggestion=f"{hint} {listed(near)}." if near else "Leave declared_in out.",
    )
