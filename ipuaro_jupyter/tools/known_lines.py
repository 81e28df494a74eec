"""The lines that a call means, and whether the model that wrote it had seen them."""

from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.tools.source_lines import numbered
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.workspace import Workspace

_AROUND = 3
_SHOWN_BYTES = 8000


class UnreadFile(NamedTuple):
    """The change of a file that the model has not read: the texts for `Workspace.apply`.

    Both are "" when it has. ``unseen`` is told to the model, ``reason`` to the user.
    """

    unseen: str = ""
    reason: str = ""


def placed(workspace: Workspace, file: TextFile, start: int, end: int) -> LineSpan:
    """The lines that a call means by ``start`` to ``end``, as they are numbered now.

    In a reply of the model, they are numbered as before that reply.

    Raises:
        ToolError: "validation" for lines that are not there; "conflict" when earlier calls of the
            reply have changed some of them.
    """
    lines = LineSpan(start, end)
    return lines if workspace.reply is None else workspace.reply.place(file, lines)


def unread(workspace: Workspace, file: TextFile, lines: LineSpan | None) -> UnreadFile:
    """Whether the model has not read a file that it changes; a person counts as having read it.

    Args:
        workspace: The project.
        file: The file as it is now.
        lines: The lines that are changed, as they are numbered now; None when the whole file goes.

    Raises:
        ToolError: "conflict" when the same reply reads the file for the first time, so that the
            lines were written without having been seen; it shows them.
    """
    if workspace.reply is None or workspace.is_by_user:
        return UnreadFile()
    sight = workspace.reply.sight(file)
    if sight == "seen":
        return UnreadFile()
    if lines is not None and sight == "read in this reply":
        raise _handed_back(file, lines)
    return UnreadFile(
        f"{file.path} was not changed: you had not read it, and nobody looks at your changes "
        "before they are made. Read it first, then decide what to change.",
        "The model had not read this file.",
    )


def _handed_back(file: TextFile, lines: LineSpan) -> ToolError:
    first = max(1, lines.start - _AROUND)
    around = numbered(file.lines[first - 1 : lines.end + _AROUND], first)
    return ToolError(
        "conflict",
        f"{file.path} was not changed: this reply reads it for the first time, so you had not seen "
        f"{lines} when you wrote the edit.",
        suggestion="See the lines now, and make the edit again if it is still right:\n"
        + shortened(around, _SHOWN_BYTES),
    )
