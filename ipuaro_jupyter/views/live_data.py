"""Graphs and tables as JSON, which the JupyterLab extension draws live.

It accompanies the text and the HTML of an output, so that a front end without the extension shows
those. Nothing in it needs the kernel: a saved notebook stays live. Texts are plain, with hidden
characters spelled out; only ``html`` is HTML, escaped, with the classes of ``static/base.css`` and
``static/code.css``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ipuaro_jupyter.records.graph import Graph
from ipuaro_jupyter.records.outputs import Code, Place, Table
from ipuaro_jupyter.views import code as code_view
from ipuaro_jupyter.views.file_links import href
from ipuaro_jupyter.views.graph_rank import most_significant
from ipuaro_jupyter.views.markup import counted, visible
from ipuaro_jupyter.views.table import FOLD_ROWS, MOST_ROWS, is_numeric

GRAPH_TYPE = "application/vnd.ipuaro.graph.v1+json"
TABLE_TYPE = "application/vnd.ipuaro.table.v1+json"

MOST_NODES = 2000
MOST_EDGES = 15_000
MOST_FILTERED = 5000
"""The rows of a table that its filter looks through."""
MOST_CODE_CHARACTERS = 100_000
"""The amount of HTML of code that a table holds; later rows have none."""


def live_data(shape: object, *, root: str = "") -> dict[str, Any]:
    """The data for a live drawing of a shape, by MIME type; empty for most shapes.

    Args:
        shape: A `Graph`, a `Table` or another shape.
        root: The project's folder, when the shape does not name it.
    """
    if isinstance(shape, Graph):
        return {GRAPH_TYPE: graph_data(shape, shape.root or root)}
    if isinstance(shape, Table) and (shape.places or len(shape.rows) > FOLD_ROWS):
        return {TABLE_TYPE: table_data(shape, shape.root or root)}
    return {}


def graph_data(graph: Graph, root: str) -> dict[str, Any]:
    """A graph; of a large one the most significant nodes, with the others in ``truncated``."""
    kept, edges = _bounded(graph)
    numbers = {node: number for number, node in enumerate(kept)}
    cycles = [[numbers[node] for node in cycle if node in numbers] for cycle in graph.cycles]
    return {
        "version": 1,
        "title": visible(graph.title),
        "focus": None if graph.focus is None else visible(graph.focus),
        "depth": graph.depth,
        "direction": graph.direction,
        "nodes": [_node(graph, node, root) for node in kept],
        "edges": [[numbers[source], numbers[target]] for source, target in edges],
        "cycles": [cycle for cycle in cycles if len(cycle) > 1],
        "truncated": len(graph.every_node) - len(kept),
    }


def _bounded(graph: Graph) -> tuple[list[str], list[tuple[str, str]]]:
    """As many nodes as there is room for, with all edges between them."""
    count = MOST_NODES
    while True:
        kept = most_significant(graph, count)
        known = frozenset(kept)
        edges = [edge for edge in graph.edges if known.issuperset(edge)]
        if len(edges) <= MOST_EDGES:
            return kept, edges
        count = len(kept) * 3 // 4


def _node(graph: Graph, node: str, root: str) -> dict[str, Any]:
    marks = graph.marks.get(node, ())
    return {
        "id": visible(node),
        "folder": visible(node.rpartition("/")[0]),
        "marks": list(marks),
        "loc": graph.loc.get(node),
        "score": graph.scores.get(node),
        "href": None if "missing" in marks else href(root, node),
    }


def table_data(table: Table, root: str) -> dict[str, Any]:
    """The first rows of a table, of which some are listed and all are filtered.

    Links and code are those of the listed rows. A path in another row leads to the file of that
    name in ``folder``, which is None when nothing does.
    """
    every = (*table.rows, *table.more)
    rows = every[:MOST_FILTERED]
    listed = min(len(table.rows), MOST_ROWS)
    codes = _codes(table, listed)
    folder = href(root, "") if listed < len(rows) and table.places else None
    notes = [table.note, _where_filter_looks(table, listed), _where_code_is(codes)]
    return {
        "version": 1,
        "title": visible(table.title),
        "note": visible("; ".join(filter(None, notes))),
        "columns": [_column(table, number) for number in range(len(table.columns))],
        "rows": [[_cell(cell) for cell in row] for row in rows],
        "listed": listed,
        "folder": folder,
        "links": [_link(place, root) for place in [*table.places, *[None] * listed][:listed]],
        "code": codes,
    }


def _where_filter_looks(table: Table, listed: int) -> str:
    """A note on the rows that are not listed; "" when all are."""
    total = len(table.rows) + len(table.more)
    if total == listed:
        return ""
    rows = f"{counted(listed, 'row')} {'is' if listed == 1 else 'are'} listed"
    if total <= MOST_FILTERED:
        return f"{rows}; the filter looks through all {total:,}"
    return f"{rows}; the filter looks through the first {MOST_FILTERED:,} of {total:,}"


def _column(table: Table, number: int) -> dict[str, Any]:
    name = table.columns[number]
    kind = table.kinds.get(name) or ("number" if is_numeric(table, number) else "text")
    return {"name": visible(name), "kind": kind, "max": table.most.get(name)}


def _cell(cell: object) -> object:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return visible(cell) if isinstance(cell, str) else cell


def _link(place: Place | None, root: str) -> Mapping[str, object] | None:
    if place is None:
        return None
    return {"href": href(root, place.path), "line": place.line}


def _codes(table: Table, rows: int) -> list[dict[str, Any] | None]:
    left = MOST_CODE_CHARACTERS
    codes: list[dict[str, Any] | None] = []
    for pieces in table.code[:rows]:
        found = _code(pieces) if left > 0 else None
        left -= 0 if found is None else len(found["html"])
        codes.append(found if left >= 0 else None)
    return [*codes, *[None] * (rows - len(codes))]


def _where_code_is(codes: Sequence[object]) -> str:
    """A note on the rows of a long table that have code; "" when all or none have."""
    last = max((number for number, code in enumerate(codes, 1) if code is not None), default=0)
    if last in (0, len(codes)) or len(codes) <= FOLD_ROWS:
        return ""
    return f"Show has the code of the first {last:,} of {len(codes):,} rows"


def _code(pieces: tuple[Code, ...]) -> dict[str, Any] | None:
    if not pieces:
        return None
    first = pieces[0]
    return {
        "title": visible(first.title),
        "language": first.language,
        "start": first.start,
        "html": "".join(map(code_view.html, pieces)),
    }
