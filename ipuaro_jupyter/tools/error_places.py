"""The places that an error leads to: its frames, and what was changed lately."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.kernel import FailedCell, RaisedError, RaisedFrame
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.late_places import LateFunction, late_functions
from ipuaro_jupyter.tools.source_lines import declared_around, numbered
from ipuaro_jupyter.tools.tool import Project

_AROUND, _MOST_CHARACTERS = 2, 300
_MOST_PATHS = 100_000
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|site-packages)/")
_NEAR, _FEW, _WORD = 15, 3, re.compile(r"\w+")


class ErrorPlace(Record):
    """A frame of the error in the project or in a cell.

    Attributes:
        path: Project-relative; None in a cell.
        cell: The number of the cell, as in ``In [7]``; None in a file.
        line: 1-based.
        function: The qualified name, as it ran.
        declared: The declaration around it in the index, with its lines; "" without one.
        code: The lines around it, with their numbers.
        why: When it was changed lately, in words; "" where it was not.
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
    """The frames in the project and in cells, the innermost first.

    Behind the innermost is what was changed since the last commit, or else by it; where that is
    much, only what the lines of the innermost frames name.

    Raises:
        StorageError: Redis has gone.
    """
    places = list(frame_places(project, failed, error))
    late, notes = late_functions(project)
    others: list[LateFunction] = []
    for one in late:
        at = next((n for n, place in enumerate(places) if _is_of(one, place)), None)
        if at is None:
            others.append(one)
        else:
            places[at] = places[at].model_copy(update={"why": one.why})
    if len(late) > _FEW:
        words = {word for one in places[:_FEW] for word in _WORD.findall(one.code)}
        others = [one for one in others if one.name in words][:_FEW]
    added = [_late_place(project, one) for one in others]
    every = [*places[:1], *added[:1], *places[1:2], *added[1:], *places[2:]]
    once: dict[str, ErrorPlace] = {}
    for place in every:
        once.setdefault(place.where, place)
    return LikelyPlaces([*once.values()], notes)


def _is_of(late: LateFunction, frame: ErrorPlace) -> bool:
    """Whether a frame is in what was changed, near the change."""
    is_there = (frame.path, frame.declared) == (late.path, late.declared)
    return is_there and abs(frame.line - late.line) <= _NEAR


def _late_place(project: Project, late: LateFunction) -> ErrorPlace:
    """What was changed, at its first changed line."""
    function = late.declared.partition(",")[0]
    frame = RaisedFrame(file=late.path, line=late.line, function=function)
    place = _in_file(project, frame, late.path)
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
            "declared": declared_around(facts, frame.line),
            "code": _around(file.lines, frame.line),
        }
    )


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
