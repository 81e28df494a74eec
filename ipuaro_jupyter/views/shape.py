"""Any shape, drawn by the module of its name."""

from typing import assert_never

from ipuaro_jupyter.records.outputs import (
    Code,
    Diff,
    GitPatch,
    Graph,
    Plain,
    Run,
    Shape,
    Table,
    Tree,
)
from ipuaro_jupyter.views import code, diff, graph, plain, run, table, tree
from ipuaro_jupyter.views.diffs import patch
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL, DiffLimit


def text(shape: Shape, *, limit: DiffLimit = TERMINAL) -> str:  # noqa: PLR0911 - one line for each shape
    """The shape as a terminal shows it; of a long diff, what the limit allows."""
    match shape:
        case Code():
            return code.text(shape)
        case Table():
            return table.text(shape)
        case Tree():
            return tree.text(shape)
        case Graph():
            return graph.text(shape)
        case Diff():
            return diff.text(shape, limit=limit)
        case GitPatch():
            return patch.text(shape, limit=limit)
        case Run():
            return run.text(shape)
        case Plain():
            return plain.text(shape)
        case _:
            assert_never(shape)


def html(shape: Shape) -> str:  # noqa: PLR0911 - one line for each shape
    """The shape as HTML without its styles."""
    match shape:
        case Code():
            return code.html(shape)
        case Table():
            return table.html(shape)
        case Tree():
            return tree.html(shape)
        case Graph():
            return graph.html(shape)
        case Diff():
            return diff.html(shape)
        case GitPatch():
            return patch.html(shape)
        case Run():
            return run.html(shape)
        case Plain():
            return plain.html(shape)
        case _:
            assert_never(shape)


STYLES = ("code", "table", "diff", "graph")
