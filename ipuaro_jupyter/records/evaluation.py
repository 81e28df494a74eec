"""An answer that was checked against the code."""

from collections import Counter
from typing import Literal

from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

Verdict = Literal["ok", "wrong", "unknown"]


class Finding(Record):
    """A claim in an answer: a name, and whether the project has it.

    ``named`` is as written in the answer. A "place" is a file or folder, with or without lines.
    ``verdict`` is "unknown" where the project cannot tell: for a name of a library, for example.
    ``detail`` states the facts, ``closest`` the most similar existing name when ``named`` is wrong.
    """

    named: str
    kind: Literal["place", "symbol"]
    verdict: Verdict
    detail: str
    closest: tuple[str, ...] = ()


class Evaluation(Drawn, Record):
    """An answer checked: its names against the project, the rest by a model.

    ``review`` is the model's review of the rest, in Markdown. ``notice`` says why there is none.
    """

    question: str = ""
    findings: tuple[Finding, ...] = ()
    review: str = ""
    notice: str = ""
    model: str = ""
    usage: Usage | None = None

    def table(self) -> Table:
        """The findings as a table, wrong ones first."""
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
