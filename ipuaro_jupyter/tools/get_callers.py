"""Show who calls a function."""

from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.index.relations.callers import Callers
from ipuaro_jupyter.records.calls import CallTree
from ipuaro_jupyter.tools.call_trees import MOST_CALLS, call_tree
from ipuaro_jupyter.tools.tool import Project, tool


@tool(
    aliases=("find_callers", "list_callers", "incoming_calls", "who_calls"),
    rare=("limit", "declared_in"),
    names={"symbol": "symbol", "declared_in": "file"},
)
def get_callers(
    project: Project,
    symbol: str,
    depth: Annotated[int, Field(ge=1, le=10)] = 1,
    declared_in: str = "",
    limit: Annotated[int, Field(ge=1)] = MOST_CALLS,
) -> CallTree:
    """Show which functions call a function, method or class, and who calls those.

    Args:
        symbol: Name, or Class.method.
        depth: How many calls to follow back. Default: 1.
        declared_in: The file that declares it, if several do.
        limit: The most calls to return. Default: 200.
    """
    return call_tree(
        project,
        symbol,
        direction="callers",
        search=lambda asked, targets: Callers(asked).of(targets, depth=depth),
        depth=depth,
        limit=limit,
        declared_in=declared_in,
    )
