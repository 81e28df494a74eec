"""Tell why a cell of the notebook failed."""

from collections.abc import Iterator, Sequence

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.traces.printed_errors import printed_errors
from ipuaro_jupyter.records.kernel import FailedCell, RaisedError, RanCell
from ipuaro_jupyter.records.outputs import Output, Place, Table
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.error_places import (
    ErrorPlace,
    frame_places,
    likely_places,
    project_path,
)
from ipuaro_jupyter.tools.notebook_kernel import opened
from ipuaro_jupyter.tools.tool import Project, tool

_SHOWN_FOLDERS, _LAST_LINES, _LINE = 3, 15, 300
_LINKS = {
    "": "",
    "cause": "Raised from",
    "context": "While handling",
    "part": "One of them is",
}


class LastError(Output):
    """Why the latest failed cell failed.

    ``places`` are the frames in the project and in cells, the innermost first, and behind that one
    what was changed lately; ``calls`` are all frames, the outermost first, in a few words each;
    ``led_by`` are the errors that led to it; ``printed`` is the end of what a failed command has
    printed, where no place is known; ``not_looked_at`` are changes that are too many to be looked
    through.
    """

    cell: int
    error: str
    later: int
    places: tuple[ErrorPlace, ...]
    calls: tuple[str, ...]
    led_by: tuple[str, ...] = ()
    printed: str = ""
    not_looked_at: tuple[str, ...] = ()

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
            head.append("Places in the project and its cells, the likeliest first:")
        if self.printed:
            head += ["Printed at the end:", self.printed]
        head += self.not_looked_at
        entries = tuple(f"{number}. {one.text()}" for number, one in enumerate(self.places, 1))
        return Parts(head="\n".join(head), entries=entries, note="{left} more places")

    def shape(self) -> Table:
        """A row per place."""
        return Table(
            title=self.error,
            columns=("place", "function", "why"),
            rows=tuple((one.where, one.function, one.why) for one in self.places),
            note=f"Cell [{self.cell}]",
            places=tuple(
                None if one.path is None else Place(path=one.path, line=one.line)
                for one in self.places
            ),
        )


@tool(in_order=True, in_notebook=True)
def last_error(project: Project) -> LastError:
    """Tell why the latest failed cell of the user's notebook failed: error, frames, lines."""
    kernel = opened(project.kernel, "the error of the last cell that failed")
    failed = kernel.failed(None)
    if failed is None:
        why = "No cell has failed, or it has run without an error since."
        raise ToolError("validation", why, suggestion=_perhaps(kernel.cells()[-1:]))
    return error_report(project, failed)


def _perhaps(ran: Sequence[RanCell]) -> str | None:
    """What may be meant where no cell has failed: a command that tells of no error."""
    told = [
        f"{one.error} in cell [{one.number}], and told of no error." for one in ran if one.error
    ]
    return told[0] if told else None


def error_report(project: Project, failed: FailedCell) -> LastError:
    """The error of a cell, with its frames as places of the project.

    Raises:
        StorageError: Redis has gone.
    """
    first = failed.errors[0]
    printed = _printed(project, failed)
    errors = [*printed, *failed.errors] if failed.of_command else [*failed.errors, *printed]
    called = _innermost(failed, printed)
    places, notes = likely_places(project, failed, called)
    others = [
        (one, list(frame_places(project, failed, one))) for one in errors if one is not called
    ]
    own = _own_file(project, called) if failed.of_command else None
    began = [
        one
        for error, found in others
        for one in found[:1]
        if error.link or (own is not None and one.path not in (None, own))
    ]
    places = [*places[:1], *began, *places[1:]]
    for _, found in others:
        places += found
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
        printed="" if places or not failed.of_command else _end(failed.printed),
        not_looked_at=tuple(notes),
    )


def _innermost(failed: FailedCell, printed: Sequence[RaisedError]) -> RaisedError:
    """The error whose frames lead to where it began.

    A group is raised far from where its errors were, and the error of another process again here.
    """
    first = failed.errors[0]
    if failed.of_command:
        return printed[0] if printed else first
    again = (one for one in printed if _said(one) == _said(first))
    parts = (one for one in failed.errors if one.link == "part")
    return next(again, None) or next(parts, first)


def _said(error: RaisedError) -> str:
    """What an error says in its first line: a process prints no more in one line with its type."""
    return error.headline.partition("\n")[0]


def _own_file(project: Project, error: RaisedError) -> str | None:
    """The file of all frames of an error, such as a script that checks a result.

    An error inside of what it calls was caught, and printed on its own.
    """
    paths = {path for one in error.frames if (path := project_path(project, one.file)) is not None}
    return paths.pop() if len(paths) == 1 else None


def _end(text: str) -> str:
    """The last lines of an output."""
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.rstrip().split("\n")]
    return "\n".join(line[-_LINE:] for line in lines[-_LAST_LINES:])


def _printed(project: Project, failed: FailedCell) -> list[RaisedError]:
    """The errors in what the cell has printed that lead further; of a command, all."""
    errors = printed_errors(failed.printed)
    if failed.of_command:
        return list(errors)
    known = {(frame.file, frame.line) for one in failed.errors for frame in one.frames}
    told = {_said(one) for one in failed.errors}
    return [
        one
        for one in errors
        if any(
            project_path(project, frame.file) is not None
            and not (_said(one) in told and (frame.file, frame.line) in known)
            for frame in one.frames
        )
    ]


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
            path = project_path(project, frame.file)
            yield f"{path or _outside(frame.file)}:{frame.line} {frame.function}".rstrip()


def _outside(file: str) -> str:
    """The end of the path of a file outside the project."""
    parts = file.replace("\\", "/").split("/")
    return "/".join(["…", *parts[-_SHOWN_FOLDERS:]]) if len(parts) > _SHOWN_FOLDERS else file
