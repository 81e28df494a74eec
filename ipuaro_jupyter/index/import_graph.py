"""The graph of imports as a record: of the project, or of the part around a file or folder."""

from collections.abc import Collection, Mapping, Sequence
from typing import get_args

from ipuaro_jupyter.errors import SettingsError, ToolError
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.graph import Direction, Graph
from ipuaro_jupyter.workspace.workspace import Workspace

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


def import_graph(
    workspace: Workspace,
    index: CodeIndex,
    *,
    path: str = "",
    depth: int = 1,
    direction: Direction = "both",
) -> Graph:
    """The graph of imports, of the project or around a path.

    Args:
        workspace: The project.
        index: The index of its code.
        path: The file or folder to start from; "": the whole project, whatever ``depth``.
        depth: How many imports to follow from there; 0 for the files of ``path`` alone.
        direction: "out" follows imports, "in" follows importers.

    Raises:
        SettingsError: There is no such path, no file in it has imports that are understood, or the
            depth or direction is not valid. The message says what to do.
    """
    if depth < 0 or direction not in DIRECTIONS:
        raise SettingsError(
            f"depth={depth!r}, direction={direction!r} is no way to look around. "
            f"Use a depth of 0 or more, and one of {', '.join(DIRECTIONS)}."
        )
    focus = _focus(workspace, path)
    whole = index.imports.graph()
    start = [
        file
        for file, targets in whole.dependencies.items()
        if is_inside(file, focus) and (is_code(file) or targets or whole.dependents[file])
    ]
    if not start:
        raise SettingsError(
            f"No file {f'in {focus} ' if focus else ''}is indexed whose imports are understood. "
            "Name a file or folder of the project with code in it."
        )
    files = set(start) if not focus else set()
    if focus and direction != "in":
        files |= reached(start, whole.dependencies, depth=depth)
    if focus and direction != "out":
        files |= reached(start, whole.dependents, depth=depth)
    kept = sorted(files)
    metrics = index.metrics()
    cycles = whole.cycles()
    parts = (tuple(filter(files.__contains__, cycle)) for cycle in cycles)
    return Graph(
        title=_title(focus, depth=depth, direction=direction),
        nodes=tuple(kept),
        edges=tuple((a, b) for a in kept for b in sorted(whole.dependencies[a] & files)),
        marks=_marks(index, kept, cycles),
        loc={file: metrics[file].loc for file in kept if file in metrics},
        scores={file: round(metrics[file].score, 1) for file in kept if file in metrics},
        cycles=tuple(part for part in parts if len(part) > 1),
        focus=focus or None,
        depth=depth if focus else None,
        direction=direction,
        root=str(workspace.root),
    )


def _focus(workspace: Workspace, path: str) -> str:
    """A path in the form the index uses; "" for the whole project."""
    try:
        found = workspace.relative(path) if path else ""
    except ToolError as error:
        raise SettingsError(f"{error} {error.suggestion or ''}".rstrip()) from None
    return "" if found == "." else found


def reached(
    start: Collection[str], edges: Mapping[str, Collection[str]], *, depth: int
) -> set[str]:
    """The files at most ``depth`` edges away from those of ``start``, which are included."""
    found, border = set(start), set(start)
    for _ in range(depth):
        border = {target for file in border for target in edges[file]} - found
        if not border:
            break
        found |= border
    return found


def _title(focus: str, *, depth: int, direction: Direction) -> str:
    if not focus:
        return "Imports of the project"
    said = {"out": "what it imports", "in": "what imports it", "both": "imports both ways"}
    return f"Imports around {focus}: {said[direction]}, depth {depth}"


def _marks(
    index: CodeIndex, files: Sequence[str], cycles: Collection[tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """The roles of files in the whole project."""
    in_cycle = {file for cycle in cycles for file in cycle}
    marks = {}
    for node in index.imports.nodes(files):
        roles = {
            "hub": node.is_hub,
            "cycle": node.path in in_cycle,
            "entry": node.is_entry_point,
        }
        if found := tuple(role for role, holds in roles.items() if holds):
            marks[node.path] = found
    return marks
