"""The settings of checks."""

from typing import Literal

from pydantic import Field

from ipuaro_jupyter.records.record import Record

Before = Literal["ask", "always", "never"]


class CheckSettings(Record):
    """When proposals are checked, and how long that may take."""

    before: Before = Field(
        "ask",
        description="When the project's type checker and the tests that reach a change run in a "
        "copy before you decide: when you press Check first (ask), always, or never. always in "
        "your own settings lets them run without a question.",
    )
    timeout_s: float = Field(
        300.0, gt=0, description="Seconds that a check may take; what has run by then counts."
    )
