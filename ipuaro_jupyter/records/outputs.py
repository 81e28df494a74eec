"""The results of tools: a record for programs, text for the model, a shape for drawing."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from pydantic import Field

from ipuaro_jupyter.errors import ErrorType, ProjectError, StorageError, ToolError
from ipuaro_jupyter.records.data_frames import frame
from ipuaro_jupyter.records.graph import Graph as Graph  # noqa: PLC0414 - one of the shapes
from ipuaro_jupyter.records.markdown import markdown_table
from ipuaro_jupyter.records.record import Drawn, PlainRecord, Record
from ipuaro_jupyter.records.result_room import Parts, ResultRoom, cut
from ipuaro_jupyter.records.visible import visible

if TYPE_CHECKING:
    import pandas as pd


class Code(Record):
    """Numbered source text. ``start`` is the 1-based number of the first line."""

    title: str
    lines: tuple[str, ...]
    start: int = 1
    language: str = ""


class Place(Record):
    """A file of the project and, if known, a 1-based line in it."""

    path: str
    line: int | None = None


class Table(Record):
    """Rows under headings; every row is as long as ``columns``. ``note`` is printed below.

    The fields after the note are for front ends with live views, and may be left out.

    Attributes:
        more: Rows that are not listed, and that only a filter finds.
        kinds: The columns that are more than text and numbers: a place, or a number as a bar.
        most: The value of a full bar, by column.
        places: For each row the file that it opens, relative to ``root``, if any.
        code: For each row the source that it is about.
        root: The folder that the places are in; "" when that is not known.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    note: str = ""
    more: tuple[tuple[str | int | float | bool | None, ...], ...] = ()
    kinds: dict[str, Literal["path", "bar"]] = Field(default_factory=dict)
    most: dict[str, float] = Field(default_factory=dict)
    places: tuple[Place | None, ...] = ()
    code: tuple[tuple[Code, ...], ...] = ()
    root: str = ""

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a DataFrame.

        Raises:
            ProjectError: pandas is not installed.
        """
        return frame(self.rows, self.columns)

    def to_markdown(self) -> str:
        """The rows as a GitHub Markdown table."""
        return markdown_table(self.columns, self.rows)


class Tree(Record):
    """An indented outline, one line each, already drawn with its branches.

    ``root`` is the folder that places in it, such as "src/a.ts:3", are in; "" when not known.
    """

    title: str
    lines: tuple[str, ...]
    note: str = ""
    root: str = ""


class Diff(Record):
    """One file before and after as text; None where there is no file.

    ``language`` is the extension of the language where the path does not tell it, as for a cell.
    """

    title: str
    path: str
    old: str | None
    new: str | None
    language: str = ""


class GitPatch(Record):
    """Changes of files as git prints them; ``is_beside`` puts the two sides beside each other."""

    title: str
    text: str
    is_beside: bool = False


class FailedTest(Record):
    """A failed test; ``message`` is the first line of the reason, "" when none was given."""

    name: str
    message: str = ""


class Run(Record):
    """A command that has ended. For a test run, ``counts`` and ``failed`` hold its results."""

    title: str
    command: str
    stdout: str
    stderr: str
    exit_code: int
    duration_ms: int
    counts: tuple[tuple[int, str], ...] = ()
    failed: tuple[FailedTest, ...] = ()


class Plain(Record):
    """A sentence or a paragraph."""

    text: str


Shape = Code | Table | Tree | Graph | Diff | GitPatch | Run | Plain


class Output(Record):
    """The output of a successful tool; each tool subclasses it with its documented fields.

    Attributes:
        rows_of: The field that holds a list of records; "" for none.
        beginning: The share of the room that the beginning of its text gets when it is too long and
            in no parts; the rest is for its end.
        how_to_get_less: What the model is told then, "" for nothing.
    """

    rows_of: ClassVar[str] = ""
    beginning: ClassVar[float] = 0.6
    how_to_get_less: ClassVar[str] = ""

    @property
    def lead(self) -> str:
        """One sentence that answers first, names in backticks; "" for none."""
        return ""

    def text(self) -> str:
        """The text for the model: short, in the form of the reference's examples."""
        raise NotImplementedError

    @property
    def advice(self) -> dict[str, str]:
        """What its text advises a model to call, with what people read in its place."""
        return {}

    def parts(self) -> Parts | None:
        """The text in parts, of which some may be left out where there is no room for all."""
        return None

    def within(self, room: ResultRoom) -> str:
        """As much of the text as fits into the room, with a note on the rest and how to get it."""
        text = self.text()
        if room.holds(text):
            return text
        parts = self.parts()
        if parts is None:
            return cut(text, room, head=self.beginning, note=self.how_to_get_less)
        return parts.within(room)

    def shape(self) -> Shape:
        """The shape in which it is drawn."""
        raise NotImplementedError

    def value(self) -> Any:
        """The documented output as plain data: a dict, or a string for text tools."""
        return self.to_dict()

    def to_pandas(self) -> "pd.DataFrame":
        """Its records, or the table it is drawn as, as a DataFrame.

        Columns are the fields of the records, in snake_case.

        Raises:
            ProjectError: It is not a table, or pandas is not installed.
        """
        if self.rows_of:
            record = get_args(type(self).model_fields[self.rows_of].annotation)[0]
            rows = self.model_dump(mode="python", include={self.rows_of})[self.rows_of]
            is_plain = issubclass(record, PlainRecord)
            return frame(rows, list(record.__struct_fields__ if is_plain else record.model_fields))
        drawn = self.shape()
        if isinstance(drawn, Table):
            return drawn.to_pandas()
        raise ProjectError("This result is no table, so there is no DataFrame of it.")

    def to_markdown(self) -> str:
        """The table or graph it is drawn as, as a GitHub Markdown table.

        Raises:
            ProjectError: It is neither.
        """
        drawn = self.shape()
        if isinstance(drawn, Table | Graph):
            return drawn.to_markdown()
        raise ProjectError("This result is no table, so there is no Markdown of it.")


class TextOutput(Output):
    """An output that is documented as a string; ``shown`` is the shape in which it is drawn.

    ``pieces`` are its parts; without them, ``rest`` is the note on lines that are left out, and
    ``first`` the number of the first line (see `Parts`). ``problems`` speak against what was
    written, such as new syntax errors, a line each; ``content`` tells of them, too.
    """

    content: str
    shown: Shape | None = None
    problems: tuple[str, ...] = Field(default=(), exclude=True)
    pieces: Parts | None = Field(default=None, exclude=True, repr=False)
    rest: str = Field(default="", exclude=True, repr=False)
    first: int = Field(default=1, exclude=True, repr=False)

    def text(self) -> str:
        """The documented string."""
        return self.content

    def parts(self) -> Parts | None:
        """Its parts, if they are known."""
        if self.pieces is None and self.rest:
            lines = tuple(self.content.split("\n"))
            return Parts(entries=lines, note=self.rest, first=self.first)
        return self.pieces

    def shape(self) -> Shape:
        """The shape it was made with, else the string as a paragraph."""
        return self.shown or Plain(text=self.content)

    def value(self) -> str:
        """The documented string."""
        return self.content


class RestoredOutput(TextOutput):
    """The output of any tool in a stored session: the text for the model, without fields."""


class ToolFailure(Record):
    """The reason why a tool failed: the fields of the documented error object, and two more.

    ``rejected`` says that the user rejected it, and so knows. ``typed`` are lines that the user had
    edited and that were not written; only the user is shown them. ``unwritten`` is the id of the
    proposal that was decided to be applied, and was not written for this reason; "" for none.
    """

    type: ErrorType
    message: str
    suggestion: str | None = None
    recoverable: bool = True
    rejected: bool = False
    typed: str = ""
    unwritten: str = ""

    @classmethod
    def of(cls, error: ToolError | StorageError) -> "ToolFailure":
        """The failure that ``error`` describes."""
        if isinstance(error, StorageError):
            told = str(error)
            return cls(type="storage", message=told, recoverable=False, unwritten=error.unwritten)
        return cls(
            type=error.type,
            message=error.message,
            suggestion=error.suggestion,
            recoverable=error.recoverable,
            rejected=error.rejected,
            typed=error.typed,
            unwritten=error.unwritten,
        )

    def to_dict(self) -> dict[str, Any]:
        """The documented error object."""
        hidden = {"rejected", "typed", "unwritten"}
        return self.model_dump(by_alias=True, exclude_none=True, exclude=hidden)


class ToolResult(Drawn, Record):
    """The outcome of one tool call: exactly one of ``output`` and ``error`` is set.

    ``root`` is the project's folder, which paths in the output are relative to; "" when it is not
    known, as in a loaded session. ``remarks`` say, a sentence each, what the call was taken for;
    ``doubts`` say what the answer may lack.
    """

    tool: str
    output: Output | None = None
    error: ToolFailure | None = None
    duration_ms: int = 0
    root: str = ""
    remarks: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def success(self) -> bool:
        """Whether the tool succeeded."""
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"success": true, "output": …}`` or ``{"success": false, "error": {…}}``."""
        if self.error is not None:
            return {"success": False, "error": self.error.to_dict()}
        return {"success": True, "output": None if self.output is None else self.output.value()}

    def to_pandas(self) -> "pd.DataFrame":
        """A result that is a table as a DataFrame; see `Output.to_pandas`.

        Raises:
            ProjectError: It is not a table or is a failure, or pandas is not installed.
        """
        if self.output is None:
            raise ProjectError(f"There is no DataFrame of it: {self.text()}")
        return self.output.to_pandas()

    def to_markdown(self) -> str:
        """A result that is a table or a graph as Markdown; see `Output.to_markdown`.

        Raises:
            ProjectError: It is neither, or a failure.
        """
        if self.output is None:
            raise ProjectError(f"There is no Markdown of it: {self.text()}")
        return self.output.to_markdown()

    def text(self) -> str:
        """The text for the model."""
        if self.error is not None:
            hint = f"\nSuggestion: {self.error.suggestion}" if self.error.suggestion else ""
            told = f"Error ({self.error.type}): {self.error.message}{hint}"
            return "\n".join([*map(_bracketed, self.doubts), told])
        told = "" if self.output is None else self.output.text()
        return "\n".join([*self._remarks(), told])

    def for_people(self) -> str:
        """The text without what only a model can do."""
        text = self.text()
        for told, instead in ({} if self.output is None else self.output.advice).items():
            text = text.replace(told, instead)
        return text

    def within(self, room: ResultRoom) -> str:
        """The text for the model, cut to the room at sensible places."""
        if self.output is None:
            return cut(self.text(), room)
        remarks = self._remarks()
        return "\n".join([*remarks, self.output.within(room.less(*remarks))])

    def _remarks(self) -> list[str]:
        return [_bracketed(remark) for remark in (*self.remarks, *self.doubts)]

    def __str__(self) -> str:
        return visible(self.text())


def _bracketed(remark: str) -> str:
    return f"[{remark}]"
