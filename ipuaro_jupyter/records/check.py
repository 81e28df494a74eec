"""What a check of a proposal has found before anything is applied."""

from typing import Literal

from ipuaro_jupyter.records.record import Record


class CheckReport(Record):
    """The result of the type checkers and tests that a check ran in a copy of the project.

    ``verdict`` is "passed" when the change adds no type error and breaks no test that reaches it,
    each changed file was seen by one of them, and none is a test or configures them; "failed" when
    it adds or breaks something; else "unknown". ``lines`` begin with a summary; the others
    are details, such as the new errors. ``is_final`` is False for a check that did not end, which
    may be repeated.
    """

    verdict: Literal["passed", "failed", "unknown"]
    lines: tuple[str, ...]
    seconds: float = 0.0
    is_final: bool = True
