"""The complexity of files and the markers in their comments, from their stored metadata."""

from collections.abc import Mapping
from typing import get_args

from ipuaro_jupyter.index.storage.stored_index import Meta
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.code import Metrics, Todo, TodoType


def metrics_of(metas: Mapping[str, Meta]) -> dict[str, Metrics]:
    """The complexity of those files that are parsed, by path."""
    return {
        path: Metrics(
            loc=meta.loc,
            nesting_depth=meta.nesting_depth,
            cyclomatic_complexity=meta.cyclomatic_complexity,
        )
        for path, meta in metas.items()
        if is_code(path)
    }


def todos_of(metas: Mapping[str, Meta]) -> dict[str, tuple[Todo, ...]]:
    """The markers in comments, by path, of those files that have some."""
    return {
        path: tuple(_todo(line, kind, text) for line, kind, text in meta.todos)
        for path, meta in metas.items()
        if meta.todos
    }


def _todo(line: int, kind: str, text: str) -> Todo:
    known = next(known for known in get_args(TodoType) if known == kind)
    return Todo(line=line, type=known, text=text)
