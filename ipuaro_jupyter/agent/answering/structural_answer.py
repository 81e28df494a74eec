"""The exact answer to a structural question: what the index's own tools say to it."""

from collections.abc import Callable, Iterator
from typing import Any

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.agent.questions.message_kind import MessageKind
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.tools.tool import Project

Call = Callable[[str, dict[str, Any]], ToolResult]
_MOST_NAMES = 3
_OF_SYMBOL = {
    "definition": ("find_definition",),
    "callers": ("get_callers",),
    "users": ("find_references",),
    "impact": ("find_references", "get_impact"),
    "files": ("find_references",),
    "dependents": ("find_references",),
}
_OF_FILE = {
    "dependents": ("get_dependents",),
    "dependencies": ("get_dependencies",),
    "impact": ("get_dependents",),
    "users": ("get_dependents",),
    "files": ("get_dependents",),
    "complexity": ("get_complexity",),
    "todos": ("get_todos",),
}
_OF_PROJECT = {"complexity": "get_complexity", "todos": "get_todos"}


def structural_answer(kind: MessageKind, project: Project, call: Call) -> tuple[ToolResult, ...]:
    """The results that answer a question by themselves; none unless all it names is known.

    Args:
        kind: What is asked.
        project: The project.
        call: Runs a tool.

    Raises:
        StorageError: Redis has gone.
    """
    if kind.asks is None:
        return ()
    if not kind.names:
        tool = _OF_PROJECT.get(kind.asks)
        return _succeeded([call(tool, {})]) if tool else ()
    results: list[ToolResult] = []
    for name in kind.names[:_MOST_NAMES]:
        found = _succeeded(list(_of(name, kind.asks, project, call)))
        if not found:
            return ()
        results += found
    return tuple(results)


def _of(name: str, asks: str, project: Project, call: Call) -> Iterator[ToolResult]:
    """Yield the results about one name: a symbol's, a file's, or both, "src/a.py: load"."""
    path, _, symbol = name.rpartition(": ")
    if asks in _OF_SYMBOL and project.index.definitions(symbol):
        chosen = {"declared_in": path} if path else {}
        for tool in _OF_SYMBOL[asks]:
            if not (chosen and tool == "get_impact"):  # it takes all of that name
                yield call(tool, {"symbol": symbol, **chosen})
        return
    files = Checker(project.index, project.workspace, places=()).files(name)
    if len(files) == 1:
        for tool in _OF_FILE.get(asks, ()):
            yield call(tool, {"path": files[0]})


def _succeeded(results: list[ToolResult]) -> tuple[ToolResult, ...]:
    """The results, or none if one of them failed."""
    return tuple(results) if all(one.success for one in results) else ()
