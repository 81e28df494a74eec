"""Show what a function calls."""

from typing import Annotated

from pydantic import Field

from ipuaro_jupyter.index.relations.callees import Callees
from ipuaro_jupyter.records.calls import CallTree
from ipuaro_jupyter.tools.call_trees import MOST_CALLS, call_tree
from ipuaro_jupyter.tools.tool import Project, tool


@tool(
    aliases=("find_callees", "list_callees", "outgoing_calls", "get_calls"),
    rare=("limit", "declared_in"),
    names={"symbol": "symbol", "declared_in": "file"},
)
def get_callees(
    project: Project,
    symbol: str,
    depth: Annotated[int, Field(ge=1, le=10)] = 1,
    declared_in: str = "",
    limit: Annotated[int, Field(ge=1)] = MOST_CALLS,
) -> CallTree:
    """Show which functions of the project a function calls, and which those call.

    Args:
        symbol: Name, or Class.method.
        depth: How many calls to follow. Default: 1.
        declared_in: The file that declares it, if several do.
        limit: The most calls to return. Default: 200.
    """
    return call_tree(
        project,
        symbol,
        direction="callees",
        search=lambda asked, targets: Callees(asked).of(targets, depth=depth),
        depth=depth,
        limit=limit,
        declared_in=declared_in,
    )
