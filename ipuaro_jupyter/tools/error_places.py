"""The places that an error leads to: its frames, and what made the values that they failed with."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ipuaro_jupyter.cancellation import Deadline
from ipuaro_jupyter.errors import TimeUp, ToolError
from ipuaro_jupyter.index.relations.value_sources import (
    FailedFrame,
    ValueSource,
    ValueSources,
    names_value,
)
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.ipython_source import plain_python
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.registry import language_named
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.records.kernel import FailedCell, RaisedError, RaisedFrame
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.source_lines import numbered
from ipuaro_jupyter.tools.tool import Project

_AROUND, _MOST_CHARACTERS = 2, 300
_MOST_PATHS = 100_000
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|site-packages)/")
_FIRST, _MOST_SOURCES, _PARSING_S, _LONGEST_S = 2, 6, 0.1, 0.4


class ErrorPlace(Record):
    """A frame of the error in the project or in a cell.

    Attributes:
        path: Project-relative; None in a cell.
        cell: The number of the cell, as in ``In [7]``; None in a file.
        line: 1-based.
        function: The qualified name, as it ran.
        declared: The declaration around it in the index, with its lines; "" without one.
        code: The lines around it, with their numbers.
        why: What it has to do with a value that failed, in words; "" for a frame.
        note: What is known to be different now; "" for nothing.
    """

    path: str | None = None
    cell: int | None = None
    line: int
    function: str
    declared: str = ""
    code: str = ""
    why: str = ""
    note: str = ""

    @property
    def where(self) -> str:
        """The place in words."""
        if self.path is None:
            return f"cell [{self.cell}], line {self.line}"
        return f"{self.path}:{self.line}"

    def text(self) -> str:
        """The place, its declaration and its lines."""
        function = f" in {self.function}" if self.function not in ("", "<module>") else ""
        known = f" ({self.declared})" if self.declared else ""
        why = f", {self.why}" if self.why else ""
        lines = [f"{self.where}{function}{known}{why}", self.code, self.note]
        return "\n".join(line for line in lines if line)


def likely_places(project: Project, failed: FailedCell, error: RaisedError) -> list[ErrorPlace]:
    """The frames in the project and in cells, the innermost first, with what made their values.

    The innermost frame is followed by the likeliest of these.

    Raises:
        StorageError: Redis has gone.
    """
    frames = list(frame_places(project, failed, error))
    if not frames:
        return []
    roots = [FailedFrame(one.path or "", one.line, _cell_root(one, failed)) for one in frames]
    told = f"{error.type}: {error.message}"
    found: list[ValueSource | int] = []
    with Deadline(_LONGEST_S, project.cancel).running(), suppress(TimeUp):
        found = project.index.ask(lambda asked: ValueSources(asked).of(roots, told))
    sources: list[ErrorPlace] = []
    seen = {(frames[0].path, _name(frames[0]))}
    known = {(one.path, _name(one)): one for one in reversed(frames)}
    for one in found:
        place = frames[one] if isinstance(one, int) else _source_place(project, one)
        key = (place.path, _name(place))
        if key not in seen:
            sources.append(known.get(key, place))
            seen.add(key)
    return _in_order(frames, sources[:_MOST_SOURCES], is_told=names_value(told))


def _name(place: ErrorPlace) -> str:
    return place.declared or f"{place.function} {place.line}"


def _in_order(
    frames: list[ErrorPlace], sources: list[ErrorPlace], *, is_told: bool
) -> list[ErrorPlace]:
    """The places, the likeliest first.

    Args:
        frames: The innermost first.
        sources: What made the values, the nearest first.
        is_told: Whether the error names the value; without that, less is known of its sources.
    """
    first = _FIRST if is_told else 1
    places = [*frames[:1], *sources[:first], *frames[1:], *sources[first:]]
    once: dict[tuple[str, str], ErrorPlace] = {}
    for one in places:
        once.setdefault((one.where, one.why), one)
    return list(once.values())


def frame_places(project: Project, failed: FailedCell, error: RaisedError) -> Iterator[ErrorPlace]:
    """Yield the frames in the project and in cells, the innermost first."""
    for frame in reversed(error.frames):
        project.cancel.check()
        if frame.cell is not None:
            yield _in_cell(frame, failed)
        elif (path := project_path(project, frame.file)) is not None:
            yield _in_file(project, frame, path)


def _in_cell(frame: RaisedFrame, failed: FailedCell) -> ErrorPlace:
    if frame.cell != failed.number:
        code = numbered([frame.code], frame.line) if frame.code else ""
        return ErrorPlace(cell=frame.cell, line=frame.line, function=frame.function, code=code)
    lines = failed.source.split("\n")
    code = _around(lines, frame.line)
    return ErrorPlace(cell=frame.cell, line=frame.line, function=frame.function, code=code)


def _in_file(project: Project, frame: RaisedFrame, path: str) -> ErrorPlace:
    place = ErrorPlace(path=path, line=frame.line, function=frame.function)
    facts = project.index.facts(path)
    try:
        file = project.workspace.read(path)
    except ToolError as error:
        return place.model_copy(update={"note": str(error)})
    now = file.lines[frame.line - 1].strip() if frame.line <= len(file.lines) else ""
    if frame.code and not now.startswith(frame.code) and "[redacted:" not in frame.code:
        told = f"[{path} has changed since: the line was {frame.code}]"
        return place.model_copy(update={"note": told})
    project.workspace.note_shown(path, file.hash)
    return place.model_copy(
        update={
            "declared": "" if facts is None else _declared(facts, frame.line),
            "code": _around(file.lines, frame.line),
        }
    )


def _declared(facts: FileFacts, line: int) -> str:
    """The innermost function or class around a line, with its lines."""
    known = [(one.line_start, one.line_end, one.qualified) for one in facts.functions]
    for kind in facts.classes:
        known.append((kind.line_start, kind.line_end, kind.qualified))
        known += [(one.line_start, one.line_end, one.qualified) for one in kind.methods]
    around = [one for one in known if one[0] <= line <= one[1]]
    if not around:
        return ""
    start, end, name = min(around, key=lambda one: one[1] - one[0])
    return f"{name}, lines {start}-{end}"


def _around(lines: Sequence[str], line: int) -> str:
    """The lines around one, which is marked."""
    start = max(1, line - _AROUND)
    code = numbered([one[:_MOST_CHARACTERS] for one in lines[start - 1 : line + _AROUND]], start)
    shown = code.split("\n")
    at = line - start
    if at < len(shown):
        shown[at] = f">{shown[at][1:]}"
    return "\n".join(shown)


def project_path(project: Project, file: str) -> str | None:
    """The path of an indexed file of the project; None for another one.

    A relative one, as a command prints it, may begin in any folder of the project; it counts when
    it means one file.
    """
    given = file.replace("\\", "/") if os.sep == "/" and "/" not in file else file
    if os.path.isabs(given):  # noqa: PTH117 - a text
        return _indexed(project, given)
    inner = given.removeprefix("./")
    if inner.startswith("<") or _INSTALLED.search(inner):  # such as "<string>"
        return None
    if (path := _indexed(project, inner)) is not None:
        return path
    end = f"/{inner.lstrip('./')}"
    ends = [one for one in _paths(project) if f"/{one}".endswith(end)] if len(end) > 1 else []
    return ends[0] if len(ends) == 1 else None


def _paths(project: Project) -> list[str]:
    return project.index.known_paths("", limit=_MOST_PATHS)


def _indexed(project: Project, file: str) -> str | None:
    try:
        real = os.path.realpath(project.workspace.root / file)
    except ValueError:  # a bundler's own module has a NUL in its name
        return None
    try:
        path = project.workspace.relative(real, kind="file")
    except ToolError:
        return None
    return path if project.index.facts(path) is not None else None


def _cell_root(place: ErrorPlace, failed: FailedCell) -> Node | None:
    """The syntax tree of the failed cell; None for other places."""
    if place.path is not None or place.cell != failed.number:
        return None
    lines = plain_python(failed.source.split("\n"), ())
    try:
        tree = parse(language_named("python"), "\n".join(lines).encode(), seconds=_PARSING_S)
    except ParsingTooSlow:
        return None
    return tree.root_node


def _source_place(project: Project, source: ValueSource) -> ErrorPlace:
    """A function that has to do with a value, with its lines."""
    frame = RaisedFrame(file=source.path, line=source.line, function=source.qualified)
    place = _in_file(project, frame, source.path)
    return place.model_copy(update={"why": source.why})
