"""The answers of a saved notebook, compared with the code of today."""

from typing import Any, Literal

from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

Standing = Literal["holds", "no longer true", "never true", "nothing to check"]


class CheckedAnswer(Record):
    """An answer and what has become of it.

    Attributes:
        cell: The number of its cell, from 1.
        question: What was asked.
        standing: "no longer true" when a claim that held does not, or the lines that it names have
            changed; "never true" when nothing has changed but a claim was false from the start.
        checked: The number of claims that were compared.
        gone: A line for each claim that does not hold.
    """

    cell: int
    question: str
    standing: Standing
    checked: int = 0
    gone: tuple[str, ...] = ()


class CheckedAnswers(Drawn, Record):
    """The answers of a notebook, in its order."""

    notebook: str
    project: str
    answers: tuple[CheckedAnswer, ...] = ()

    @property
    def untrue(self) -> int:
        """The number of answers that are no longer true."""
        return sum(answer.standing == "no longer true" for answer in self.answers)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, with the number of answers that are no longer true."""
        return {"untrue": self.untrue, **super().to_dict()}

    def __str__(self) -> str:
        return visible(f"{self.notebook}: {self.untrue} of {len(self.answers)} no longer true")
