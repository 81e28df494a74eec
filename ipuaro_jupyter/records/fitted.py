"""How well a model answered questions and did small tasks, in each way to ask it."""

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
_LEAST_FIRST_WORD_S = 5.0  # less is no wait: a fast machine may read more evidence
_FORM_WORDS: dict[CallForm, str] = {
    "native": "by schema",
    "text": "as text",
    "constrained": "constrained",
}


class Way(Record):
    """A way to ask a model.

    ``by`` is "evidence" for questions that it answers from ``tokens`` of what the index has found,
    "loop" for questions that it answers by calls, and "call" for tasks of which only the first call
    counts. ``form`` is that of the calls, None by evidence.
    """

    by: Literal["evidence", "loop", "call"]
    form: CallForm | None = None
    tokens: int = 0

    def __str__(self) -> str:
        if self.form is None:
            return f"by evidence, {self.tokens:,} tokens"
        calls = f"calls {_FORM_WORDS[self.form]}"
        return f"by the loop, {calls}" if self.by == "loop" else f"tasks, {calls}"


class Tried(Record):
    """A model's reply to one question or task.

    Attributes:
        question: As it was asked.
        said: The answer, or the first call in short; "" when there was none.
        is_valid: It is an answer of its own, or a call that a tool takes.
        is_right: The answer holds what it has to, or the call is a right step.
        false_names: The names that are not in the code; for a call 1 when there are any.
        tokens: What the model has read, all requests together.
        seconds: The time until the first word of the answer, or until the call was there.
    """

    question: str
    said: str = ""
    is_valid: bool = False
    is_right: bool = False
    false_names: int = 0
    tokens: int = 0
    seconds: float = 0.0


class FitRow(Record):
    """The attempts made in one way.

    ``reading_s`` are the seconds that the model reads such evidence, 0 where that is unknown.
    """

    way: Way
    attempts: tuple[Tried, ...]
    reading_s: float = 0.0

    @property
    def valid(self) -> int:
        """How many replies were answers of its own, or calls that a tool takes."""
        return sum(one.is_valid for one in self.attempts)

    @property
    def right(self) -> int:
        """How many replies were right."""
        return sum(one.is_right for one in self.attempts)

    @property
    def false_names(self) -> int:
        """The names that are not in the code, all replies together."""
        return sum(one.false_names for one in self.attempts)

    @property
    def tokens(self) -> int:
        """The median of the tokens read for a reply."""
        return round(median(one.tokens for one in self.attempts)) if self.attempts else 0

    @property
    def seconds(self) -> float:
        """The median of the seconds."""
        return median(one.seconds for one in self.attempts) if self.attempts else 0.0

    def __str__(self) -> str:
        """One sentence without its full stop."""
        first = f", first word {round(self.seconds, 1):g} s" if self.way.by == "evidence" else ""
        return f"{self.way}: {self.right} of {len(self.attempts)} right{first}"


class FitReport(Drawn, Record):
    """How well a model answered questions and did tasks, in each way to ask it.

    ``notices`` say what was left out and why. ``stopped``: there would have been more.
    """

    model: str
    rows: tuple[FitRow, ...]
    notices: tuple[str, ...] = ()
    stopped: bool = False

    @property
    def best(self) -> FitRow | None:
        """The way to ask questions: the most often right, then with the fewest false names.

        Then what reads least. Of those with the most questions; None when no answer was right.
        """
        return _best([row for row in self.rows if row.way.by != "call"])

    @property
    def best_calls(self) -> FitRow | None:
        """The same of the tasks, by their first calls, and then the fastest."""
        return _best([row for row in self.rows if row.way.by == "call"])

    @property
    def advice(self) -> str:
        """The best way, and what came of the others by which questions can be asked."""
        best = self.best
        if best is None:
            tried = any(row.attempts for row in self.rows)
            return "No answer was right: take another model." if tried else "Nothing was asked."
        others = [row for row in self.rows if row.way.by != "call" and row != best]
        return f"Ask {'; '.join(map(str, [best, *others]))}."

    def table(self) -> Table:
        """The ways as a table, those to ask questions first."""
        asked = max((len(row.attempts) for row in self.rows), default=0)
        parts = [
            self.advice,
            f"{asked} questions are too few to choose by." if 0 < asked < _FEW_TASKS else "",
            "Stopped: there would have been more." if self.stopped else "",
            *self.notices,
        ]
        rows = sorted(self.rows, key=lambda row: row.way.by == "call")
        return Table(
            title=f"{self.model}: questions and tasks about the demo",
            columns=("Asked", "Times", "Right", "Valid", "False names", "Tokens read", "Seconds"),
            rows=tuple(
                (
                    *(str(row.way), len(row.attempts), row.right, row.valid, row.false_names),
                    *(row.tokens, round(row.seconds, 2)),
                )
                for row in rows
            ),
            note=" ".join(part for part in parts if part),
        )

    def settings(self) -> dict[str, Any]:
        """The settings that make the best way the usual one; empty without a best way."""
        best, calls = self.best, self.best_calls
        if best is None:
            return {}
        llm: dict[str, Any] = {"model": self.model, "way": best.way.by}
        if 0 < best.way.tokens < max(row.way.tokens for row in self.rows):
            llm["firstWordS"] = max(_LEAST_FIRST_WORD_S, round(best.reading_s, 1))
        if calls is not None:
            form = calls.way.form
            llm["useNativeTools"] = form == "native"
            llm["constrainCalls"] = "always" if form == "constrained" else "repair"
        return {"llm": llm}

    def to_pandas(self) -> "pd.DataFrame":
        """A row for each way, with counts, and medians of tokens and seconds.

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
        """The report as plain data, with the counts and the best settings."""
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


_NO_WAY = Way(by="evidence")


def _best(rows: "list[FitRow]") -> FitRow | None:
    most = max((len(row.attempts) for row in rows), default=0)
    whole = [row for row in rows if row.right and len(row.attempts) == most]
    return max(whole, key=_goodness, default=None)


def _goodness(row: FitRow) -> tuple[float, ...]:
    """Larger for a better row."""
    read = 0 if row.way.by == "call" else row.tokens  # most of a task's is the head, read once
    return row.right, -row.false_names, -read, -row.seconds


def _plain(row: FitRow) -> dict[str, Any]:
    return {
        "by": row.way.by,
        "form": row.way.form,
        "evidence": row.way.tokens,
        "asked": len(row.attempts),
        "right": row.right,
        "valid": row.valid,
        "false_names": row.false_names,
        "tokens": row.tokens,
        "seconds": row.seconds,
    }
