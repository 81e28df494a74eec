"""An answer that was checked against the code."""

from collections import Counter
from typing import Literal

from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

Verdict = Literal["ok", "wrong", "unknown"]


class Finding(Record):
    """One thing that an answer names, and whether the project has it.

    ``named`` is as the answer has it. A "place" is a file or folder, with lines or without.
    ``verdict`` is "unknown" where the project cannot say: a name of a library, for example.
    ``detail`` says what is so, ``closest`` the likeliest that was meant by what is wrong.
    """

    named: str
    kind: Literal["place", "symbol"]
    verdict: Verdict
    detail: str
    closest: tuple[str, ...] = ()


class Evaluation(Drawn, Record):
    """An answer that was checked: what it names, against the project; the rest, by a model.

    ``review`` is what the model says of the rest, in Markdown. ``notice`` says why there is none.
    """

    question: str = ""
    findings: tuple[Finding, ...] = ()
    review: str = ""
    notice: str = ""
    model: str = ""
    usage: Usage | None = None

    def table(self) -> Table:
        """Return the findings, what is wrong first."""
        order: tuple[Verdict, ...] = ("wrong", "unknown", "ok")
        listed = sorted(self.findings, key=lambda finding: order.index(finding.verdict))
        counts = Counter(finding.verdict for finding in self.findings)
        told = [f"{counts[verdict]} {verdict}" for verdict in reversed(order) if counts[verdict]]
        return Table(
            title=f"Named in the answer: {', '.join(told) or 'nothing that can be checked'}",
            columns=("Named", "Verdict", "In the project"),
            rows=tuple((f.named, f.verdict, _found(f)) for f in listed),
        )

    def __str__(self) -> str:
        rows = ["  ".join(map(str, row)) for row in self.table().rows]
        parts = [self.table().title, *rows, self.review, self.notice]
        return visible("\n".join(part for part in parts if part))


def _found(finding: Finding) -> str:
    if not finding.closest:
        return finding.detail
    return f"{finding.detail}; closest: {', '.join(finding.closest)}"
