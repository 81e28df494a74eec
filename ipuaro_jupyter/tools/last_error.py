"""Tell why a cell of the notebook failed."""

import os
import re
from collections.abc import Iterator, Sequence

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.traces.printed_errors import printed_errors
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.records.kernel import FailedCell, RaisedError, RaisedFrame
from ipuaro_jupyter.records.outputs import Output, Place, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.notebook_kernel import opened
from ipuaro_jupyter.tools.source_lines import numbered
from ipuaro_jupyter.tools.tool import Project, tool

_AROUND, _MOST_CHARACTERS = 2, 300
_SHOWN_FOLDERS = 3
_MOST_PATHS = 100_000
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|site-packages)/")
_LINKS = {"": "", "cause": "Raised from", "context": "While handling"}


class ErrorPlace(Record):
    """A frame of the error in the project or in a cell.

    Attributes:
        path: Project-relative; None in a cell.
        cell: The number of the cell, as in ``In [7]``; None in a file.
        line: 1-based.
        function: The qualified name, as it ran.
        declared: The declaration around it in the index, with its lines; "" without one.
        code: The lines around it, with their numbers.
        note: What is known to be different now; "" for nothing.
    """

    path: str | None = None
    cell: int | None = None
    line: int
    function: str
    declared: str = ""
    code: str = ""
    note: str = ""

    @property
    def where(self) -> str:
        """The place in words."""
        place = f"cell [{self.cell}], line" if self.path is None else f"{self.path}:"
        return f"{place} {self.line}" if self.path is None else f"{place}{self.line}"

    def text(self) -> str:
        """The place, its declaration and its lines."""
        function = f" in {self.function}" if self.function not in ("", "<module>") else ""
        known = f" ({self.declared})" if self.declared else ""
        lines = [f"{self.where}{function}{known}", self.code, self.note]
        return "\n".join(line for line in lines if line)


class LastError(Output):
    """Why the latest failed cell failed.

    ``places`` are the frames in the project and in cells, the innermost first; ``calls`` are all
    frames, the outermost first, in a few words each; ``led_by`` are the errors that led to it.
    """

    cell: int
    error: str
    later: int
    places: tuple[ErrorPlace, ...]
    calls: tuple[str, ...]
    led_by: tuple[str, ...] = ()

    def text(self) -> str:
        """The error, the places with their lines, and the calls that led there."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The error, and each place."""
        since = f"; {self.later} cells have run since" if self.later else ""
        head = [f"Cell [{self.cell}] ended in an error{since}:", self.error, *self.led_by]
        if self.calls:
            head.append(f"Calls, outermost first: {' → '.join(self.calls)}")
        if self.places:
            head.append("Frames in the project and its cells, innermost first:")
        entries = tuple(f"{number}. {one.text()}" for number, one in enumerate(self.places, 1))
        return Parts(head="\n".join(head), entries=entries, note="{left} more frames")

    def shape(self) -> Table:
        """A row per place."""
        return Table(
            title=self.error,
            columns=("place", "function"),
            rows=tuple((one.where, one.function) for one in self.places),
            note=f"Cell [{self.cell}]",
            places=tuple(
                None if one.path is None else Place(path=one.path, line=one.line)
                for one in self.places
            ),
        )


@tool(in_order=True, in_notebook=True)
def last_error(project: Project) -> LastError:
    """Tell why the latest failed cell of the user's notebook failed: error, frames, lines."""
    failed = opened(project.kernel, "the error of the last cell that failed").failed(None)
    if failed is None:
        raise ToolError("validation", "No cell has failed, or it has run without an error since.")
    return error_report(project, failed)


def error_report(project: Project, failed: FailedCell) -> LastError:
    """The error of a cell, with its frames as places of the project.

    Raises:
        StorageError: Redis has gone.
    """
    first = failed.errors[0]
    printed = _printed(project, failed)
    mine = [one for error in failed.errors for one in _places(project, failed, error)]
    theirs = [one for error in printed for one in _places(project, failed, error)]
    places = [*theirs, *mine] if failed.of_command else [*mine, *theirs]
    called = printed[0] if printed and failed.of_command else first
    return LastError(
        cell=failed.number,
        error=first.headline,
        later=failed.later,
        places=tuple(dict.fromkeys(places)),
        calls=tuple(_calls(project, called)),
        led_by=(
            *(f"{_LINKS[one.link]} {one.headline}" for one in failed.errors[1:]),
            *(f"{_LINKS[one.link] or 'Printed:'} {one.headline}" for one in printed),
        ),
    )


def _printed(project: Project, failed: FailedCell) -> list[RaisedError]:
    """The errors in what the cell has printed that lead into the project; of a command, all."""
    errors = printed_errors(failed.printed)
    if failed.of_command:
        return list(errors)
    return [
        one
        for one in errors
        if one.headline not in {error.headline for error in failed.errors}
        and any(_path(project, frame.file) is not None for frame in one.frames)
    ]


def _places(project: Project, failed: FailedCell, error: RaisedError) -> Iterator[ErrorPlace]:
    """Yield the frames in the project and in cells, the innermost first."""
    for frame in reversed(error.frames):
        project.cancel.check()
        if frame.cell is not None:
            yield _in_cell(frame, failed)
        elif (path := _path(project, frame.file)) is not None:
            yield _in_file(project, frame, path)


def _path(project: Project, file: str) -> str | None:
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


def _calls(project: Project, error: RaisedError) -> Iterator[str]:
    """Yield the frames, the outermost first, in a few words each."""
    frames = error.frames
    first = len(frames) // 2 if error.left_out else len(frames)
    for number, frame in enumerate(frames):
        if number == first:
            yield f"… {error.left_out:,} more frames …"
        if frame.cell is not None:
            yield f"cell [{frame.cell}]:{frame.line} {frame.function}".removesuffix(" <module>")
        else:
            path = _path(project, frame.file)
            yield f"{path or _outside(frame.file)}:{frame.line} {frame.function}".rstrip()


def _outside(file: str) -> str:
    """The end of the path of a file outside the project."""
    parts = file.replace("\\", "/").split("/")
    return "/".join(["…", *parts[-_SHOWN_FOLDERS:]]) if len(parts) > _SHOWN_FOLDERS else file
