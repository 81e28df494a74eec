"""The calls of a function or in it, for the tools that show them."""

from collections.abc import Callable, Iterable

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.binding.definitions import bare_name, plain_name
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.callers import FoundCalls
from ipuaro_jupyter.records.calls import CallSite, CallTree, Direction
from ipuaro_jupyter.tools.declaring_files import (
    broken_imports,
    listed,
    not_declared,
    unused_elsewhere,
)
from ipuaro_jupyter.tools.placed_files import placed
from ipuaro_jupyter.tools.source_lines import SourceLines, is_notebook
from ipuaro_jupyter.tools.tool import Project

MOST_CALLS = 200
_MOST_OTHERS = 20  # that are no certain calls
_Search = Callable[[LookupState, Iterable[Declaration]], FoundCalls]


def declared(project: Project, symbol: str, declared_in: str) -> tuple[Declaration, ...]:
    """The declarations that a call of a tool means, by path.

    Raises:
        ToolError: "validation" when there are none; it names similar ones.
    """
    name = plain_name(symbol)
    if not name:
        raise ToolError("validation", "The symbol is empty.", suggestion="Name the symbol.")
    declared_in = project.workspace.relative(declared_in) if declared_in else ""
    found = project.index.ask(lambda asked: asked.references.declared(name, declared_in))
    if found:
        return tuple(sorted(found))
    if declared_in:
        raise not_declared(project, symbol, declared_in)
    near = project.index.similar(symbol)
    unread = project.index.unread.of(bare_name(symbol)).remark
    raise ToolError(
        "validation",
        f"No declaration of {symbol} is known here." + f" [{unread}]" * bool(unread),
        suggestion=f"Did you mean {listed(near)}?" if near else "Look for it with grep.",
    )


def call_tree(
    project: Project,
    symbol: str,
    *,
    direction: Direction,
    search: _Search,
    depth: int,
    limit: int,
    declared_in: str,
) -> CallTree:
    """The calls that ``search`` finds for a symbol.

    Raises:
        ToolError: "validation" when nothing declares the symbol.
    """
    targets = declared(project, symbol, declared_in)
    found = project.index.ask(lambda asked: search(asked, targets))
    lines = SourceLines(project.workspace)
    unread = project.index.unread.of(bare_name(symbol))
    uses = (*found.calls, *found.values)
    unused = unused_elsewhere(targets, uses) if direction == "callers" else ()
    return CallTree(
        symbol=symbol,
        direction=direction,
        depth=depth,
        declarations=tuple(f"{path}: {qualified}" for path, qualified in targets),
        calls=tuple(_in_cell(lines, site) for site in found.calls[:limit]),
        total_calls=len(found.calls),
        values=tuple(_in_cell(lines, site) for site in found.values[:_MOST_OTHERS]),
        total_values=len(found.values),
        by_name=tuple(_in_cell(lines, site) for site in found.by_name[:_MOST_OTHERS]),
        total_by_name=len(found.by_name),
        outside=tuple(sorted(found.outside)),
        notes=tuple(dict.fromkeys(found.notes)),
        not_looked_at=unread.kinds,
        unread_with_name=unread.naming,
        broken_imports=broken_imports(project, unused, taking=bare_name(symbol)),
        placed=placed(project, unused),
    )


def _in_cell(lines: SourceLines, site: CallSite) -> CallSite:
    """A place in a notebook with its cell, and the line in that."""
    if not is_notebook(site.path):
        return site
    cell, line = lines.place(site.path, site.line)
    _, caller_line = lines.place(site.path, site.caller_line)
    return site.model_copy(update={"cell": cell, "line": line, "caller_line": caller_line})
