"""The places that an error leads to: its frames, and what made the values that they failed with."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.relations.changes_reached import ChangedFunction
from ipuaro_jupyter.index.relations.error_messages import names_value
from ipuaro_jupyter.index.relations.failed_frames import FailedFrame, ValueSource
from ipuaro_jupyter.index.relations.value_sources import ValueSources
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.ipython_source import plain_python
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.registry import language_named
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.records.counted import line_range
from ipuaro_jupyter.records.kernel import FailedCell, RaisedError, RaisedFrame
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.late_places import LateFunction, late_functions
from ipuaro_jupyter.tools.source_lines import numbered
from ipuaro_jupyter.tools.tool import Project

_AROUND, _MOST_CHARACTERS = 2, 300
_MOST_PATHS = 100_000
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|site-packages)/")
_FIRST, _MOST_SOURCES, _PARSING_S = 2, 6, 0.1
_NEAR, _ALL_LINES = 15, 1_000_000


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


class LikelyPlaces(NamedTuple):
    """The places of an error, the likeliest first, and what was not looked at."""

    places: list[ErrorPlace]
    notes: list[str]


def likely_places(project: Project, failed: FailedCell, error: RaisedError) -> LikelyPlaces:
    """The frames in the project and in cells, the innermost first, with what led to the error.

    The innermost frame is followed by the likeliest of what was changed lately and of what made
    the values that failed.

    Raises:
        StorageError: Redis has gone.
    """
    frames = list(frame_places(project, failed, error))
    root = _cell_root(failed)
    roots = [
        FailedFrame(one.path or "", one.line, root if one.cell == failed.number else None)
        for one in frames
    ]
    told = f"{error.type}: {error.message}"
    late, notes = late_functions(project, roots or [FailedFrame("", _ALL_LINES, root)], told)
    sources = _source_places(project, frames, roots, told) if frames else []
    return LikelyPlaces(_in_order(project, frames, sources, late, told), notes)


def _source_places(
    project: Project, frames: list[ErrorPlace], roots: list[FailedFrame], told: str
) -> list[ErrorPlace]:
    """What made the values, the nearest first."""
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
    return sources[:_MOST_SOURCES]


def _name(place: ErrorPlace) -> str:
    return place.declared or f"{place.function} {place.line}"


def _in_order(
    project: Project,
    frames: list[ErrorPlace],
    sources: list[ErrorPlace],
    late: list[LateFunction],
    told: str,
) -> list[ErrorPlace]:
    """The places, the likeliest first.

    Args:
        project: The project.
        frames: The innermost first.
        sources: What made the values, the nearest first.
        late: What was changed lately, the likeliest first.
        told: The error; where it does not name the value, less is known of its sources.
    """
    count = _FIRST if names_value(told) else 1
    places = [*frames[:1], *sources[:count], *frames[1:], *sources[count:]]
    agreed: list[tuple[int, ErrorPlace]] = []  # they have made the values, too
    strong: list[ErrorPlace] = []
    weak: list[ErrorPlace] = []
    for one in late:
        place, is_source = _late_place(project, one), False
        for at, known in enumerate(places):
            is_frame = known in frames
            if _is_of(one.changed, known, is_frame=is_frame):
                why = _joined(known.why, one.why)
                place = (known if is_frame else place).model_copy(update={"why": why})
                places[at], is_source = place, not is_frame
                break
        if is_source:
            agreed.append((at, place))
        else:
            (strong if one.is_strong else weak).append(place)
    second = [place for _, place in sorted(agreed, key=lambda one: one[0])] or strong[:1]
    every = [*places[:1], *second, *places[1:2], *strong, *places[2:3], *weak, *places[3:]]
    once: dict[tuple[str, str], ErrorPlace] = {}
    for place in every:
        once.setdefault((place.where, place.why), place)
    return list(once.values())


def _is_of(changed: ChangedFunction, place: ErrorPlace, *, is_frame: bool) -> bool:
    """Whether a place is that of a changed function; of a frame, near the change."""
    is_same = place.path == changed.path and place.declared.startswith(f"{changed.qualified}, ")
    return is_same and (not is_frame or abs(place.line - changed.line) <= _NEAR)


def _joined(*whys: str) -> str:
    return "; ".join(one for one in whys if one)


def _late_place(project: Project, late: LateFunction) -> ErrorPlace:
    """A changed function, at its first changed line."""
    changed = late.changed
    frame = RaisedFrame(file=changed.path, line=changed.line, function=changed.qualified)
    place = _in_file(project, frame, changed.path)
    return place.model_copy(update={"why": late.why})


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
    return f"{name}, {line_range(start, end)}"


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


def _cell_root(failed: FailedCell) -> Node | None:
    """The syntax tree of the failed cell; None where parsing takes too long."""
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
