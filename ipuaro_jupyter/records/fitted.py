"""How well a model did small tasks, in each way to ask it."""

from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from ipuaro_jupyter.records.data_frames import frame
from ipuaro_jupyter.records.markdown import markdown_table
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

if TYPE_CHECKING:
    import pandas as pd

CallForm = Literal["native", "text", "constrained"]
"""Schemas beside the prompt; calls written as text; text that a schema constrains."""

_FEW_TASKS = 10
_FORM_WORDS: dict[CallForm, str] = {
    "native": "by schema",
    "text": "as text",
    "constrained": "constrained",
}


class Way(Record):
    """A way to ask a model: the form of calls, the tools that it sees, the window in tokens."""

    form: CallForm
    profile: str
    window: int

    def __str__(self) -> str:
        return f"calls {_FORM_WORDS[self.form]}, {self.profile} tools, window {self.window:,}"


class TriedTask(Record):
    """A model's reply to one task.

    ``leads`` says whether its first call leads to the right file; None for a task without one.
    ``mended``: asked once more, it made a valid call; also true when the first one was.
    ``called`` is the first call in short, "" when there was none.
    """

    question: str
    called: str = ""
    is_valid: bool = False
    names_exist: bool = False
    is_right: bool = False
    leads: bool | None = None
    mended: bool = False
    seconds: float = 0.0


class FitRow(Record):
    """The attempts made in one way; shares are of 1."""

    way: Way
    attempts: tuple[TriedTask, ...]

    @property
    def valid(self) -> float:
        """The share of first calls that a tool takes."""
        return _share([one.is_valid for one in self.attempts])

    @property
    def right(self) -> float:
        """The share of first calls that are a right step."""
        return _share([one.is_right for one in self.attempts])

    @property
    def found(self) -> float:
        """The share of first calls that lead to the right file, where there is one."""
        return _share([one.leads for one in self.attempts if one.leads is not None])

    @property
    def mended(self) -> float:
        """The share of tasks with a valid call after the model was asked once more."""
        return _share([one.mended for one in self.attempts])

    @property
    def seconds(self) -> float:
        """The median seconds until the first reply was there."""
        return median(one.seconds for one in self.attempts) if self.attempts else 0.0


class FitReport(Drawn, Record):
    """How well a model did the tasks, in each way to ask it.

    ``notices`` say what was left out and why. ``stopped``: there would have been more.
    """

    model: str
    rows: tuple[FitRow, ...]
    notices: tuple[str, ...] = ()
    stopped: bool = False

    @property
    def best(self) -> FitRow | None:
        """The most often right row, then valid, then fastest, of those with the most tasks.

        None when no first call was right.
        """
        most = max((len(row.attempts) for row in self.rows), default=0)
        whole = [row for row in self.rows if row.right and len(row.attempts) == most]
        return max(whole, key=lambda row: (row.right, row.valid, -row.seconds), default=None)

    @property
    def _verdict(self) -> str:
        if best := self.best:
            return f"Best: {best.way}."
        tried = any(row.attempts for row in self.rows)
        return "No first call was right: take another model." if tried else "No task was done."

    def table(self) -> Table:
        """The shares in percent as a table."""
        tasks = max((len(row.attempts) for row in self.rows), default=0)
        parts = [
            self._verdict,
            f"{tasks} tasks are too few to choose by." if 0 < tasks < _FEW_TASKS else "",
            "Stopped: there would have been more." if self.stopped else "",
            *self.notices,
        ]
        shares = ("Valid %", "Right %", "File %", "Valid when asked again %")
        return Table(
            title=f"{self.model}: the first call for each task",
            columns=("Calls", "Tools", "Window", "Tasks", *shares, "Seconds"),
            rows=tuple(
                (
                    *(_FORM_WORDS[row.way.form], row.way.profile, row.way.window),
                    len(row.attempts),
                    *map(_percent, (row.valid, row.right, row.found, row.mended)),
                    round(row.seconds, 2),
                )
                for row in self.rows
            ),
            note=" ".join(part for part in parts if part),
        )

    def settings(self) -> dict[str, Any]:
        """The settings that make the best way the usual one; empty without a best way."""
        best = self.best
        if best is None:
            return {}
        way = best.way
        return {
            "llm": {
                "model": self.model,
                "contextWindow": way.window,
                "useNativeTools": way.form == "native",
                "constrainCalls": "always" if way.form == "constrained" else "repair",
            },
            "tools": {"profile": way.profile},
        }

    def to_pandas(self) -> "pd.DataFrame":
        """A row for each way, with shares of 1.

        Raises:
            ProjectError: pandas is not installed.
        """
        rows = [_plain(row) for row in self.rows]
        return frame(rows, list(_plain(FitRow(way=_NO_WAY, attempts=()))))

    def to_markdown(self) -> str:
        """The table in Markdown."""
        table = self.table()
        return markdown_table(table.columns, table.rows)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, with the shares and the best settings."""
        return {
            "model": self.model,
            "stopped": self.stopped,
            "notices": list(self.notices),
            "rows": [
                {**_plain(row), "attempts": [one.to_dict() for one in row.attempts]}
                for row in self.rows
            ],
            "best": self.settings() or None,
        }

    def __str__(self) -> str:
        table = self.table()
        rows = ["  ".join(map(str, row)) for row in table.rows]
        return visible("\n".join([table.title, *rows, table.note]))


_NO_WAY = Way(form="text", profile="", window=0)


def _plain(row: FitRow) -> dict[str, Any]:
    return {
        "form": row.way.form,
        "profile": row.way.profile,
        "window": row.way.window,
        "tasks": len(row.attempts),
        "valid": row.valid,
        "right": row.right,
        "found": row.found,
        "mended": row.mended,
        "seconds": row.seconds,
    }


def _share(values: "list[bool]") -> float:
    return sum(values) / len(values) if values else 0.0


def _percent(share: float) -> int:
    return round(100 * share)
