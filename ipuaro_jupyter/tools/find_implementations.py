"""Find what implements an interface, inherits from a class, or overrides a method."""

from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.index.binding.definitions import bare_name
from ipuaro_jupyter.index.relations.implementations import ImplementationSearch
from ipuaro_jupyter.records.implementations import Implementation, Implementations
from ipuaro_jupyter.tools.call_trees import declared
from ipuaro_jupyter.tools.source_lines import SourceLines, is_notebook
from ipuaro_jupyter.tools.tool import Project, tool


@tool(
    aliases=("get_implementations", "find_subclasses", "find_overrides", "get_subclasses"),
    rare=("limit", "declared_in"),
    names={"symbol": "symbol", "declared_in": "file"},
)
def find_implementations(
    project: Project,
    symbol: str,
    declared_in: str = "",
    limit: Annotated[int, Field(ge=1)] = 200,
) -> Implementations:
    """Find the classes and objects that implement an interface, subclasses, and overrides.

    Args:
        symbol: Interface, class, or Class.method.
        declared_in: The file that declares it, if several do.
        limit: The most to return. Default: 200.
    """
    targets = declared(project, symbol, declared_in)
    found = project.index.ask(lambda asked: ImplementationSearch(asked).of(targets))
    lines = SourceLines(project.workspace)
    unread = project.index.unread.of(bare_name(symbol))
    return Implementations(
        symbol=symbol,
        declarations=tuple(f"{path}: {qualified}" for path, qualified in targets),
        implementations=tuple(_in_cell(lines, one) for one in found.listed[:limit]),
        total=len(found.listed),
        notes=tuple(found.notes),
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
    )


def _in_cell(lines: SourceLines, one: Implementation) -> Implementation:
    """One in a notebook with its cell, and the line in that."""
    if not is_notebook(one.path):
        return one
    cell, line = lines.place(one.path, one.line)
    return one.model_copy(update={"cell": cell, "line": line})
