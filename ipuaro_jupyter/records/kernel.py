"""What a notebook's kernel tells of its cells, their errors, and its values."""

from typing import Literal

from ipuaro_jupyter.records.record import Record


class RaisedFrame(Record):
    """One frame of a traceback.

    Attributes:
        file: The absolute path of its file; "" for a cell.
        cell: The number of its cell, as in ``In [7]``; None for a file.
        line: 1-based.
        function: The qualified name; "<module>" outside functions.
        code: The line as it was when the error was shown; "" when that is not known.
    """

    file: str = ""
    cell: int | None = None
    line: int
    function: str
    code: str = ""


class RaisedError(Record):
    """An error with its frames, the outermost first.

    Attributes:
        type: The qualified name of its class, or what ended in place of an exception, in words.
        message: What it says.
        frames: Its frames.
        left_out: How many frames in the middle are left out.
        link: How it led to an error before it in `FailedCell.errors`, which was raised from it
            ("cause") or while it was handled ("context"), or which is a group that holds it
            ("part"); "" for the first.
    """

    type: str
    message: str
    frames: tuple[RaisedFrame, ...]
    left_out: int = 0
    link: Literal["", "cause", "context", "part"] = ""

    @property
    def headline(self) -> str:
        """The class and the message, as Python prints them."""
        return f"{self.type}: {self.message}" if self.message else self.type


class FailedCell(Record):
    """A cell that ended in an error.

    Attributes:
        number: Its number, as in ``In [7]``.
        source: As typed.
        errors: The error that ended it, then what led to it.
        later: How many cells have run since.
        printed: What the cell and its commands have printed, as far as that is kept.
        of_command: Whether a command has failed, so that its output tells why.
    """

    number: int
    source: str
    errors: tuple[RaisedError, ...]
    later: int = 0
    printed: str = ""
    of_command: bool = False


class RanCell(Record):
    """A cell that was run.

    Attributes:
        number: Its number, as in ``In [7]``.
        source: As typed.
        output: Its outputs as text, as far as IPython has kept them.
        is_whole: Whether IPython keeps the outputs of such a cell.
        error: The headline of the error that ended it, or how its last command ended if not well;
            else "".
    """

    number: int
    source: str
    output: str = ""
    is_whole: bool = True
    error: str = ""


class NamedType(Record):
    """A column or field, and the type of its values."""

    name: str
    type: str


class KernelValue(Record):
    """A value of the kernel, read without running code of the user.

    Attributes:
        type: The qualified name of its class, and the known class that it derives from.
        length: The number of its elements, characters or rows; None where there is none.
        shape: That of an array or table.
        dtypes: The columns of a table, or the element type of an array under the name "".
        head: Its beginning, a line for each element, field or column.
        note: What is left out, or could not be read.
    """

    type: str
    length: int | None = None
    shape: tuple[int, ...] | None = None
    dtypes: tuple[NamedType, ...] = ()
    head: tuple[str, ...] = ()
    note: str = ""
