"""Markdown code fences, as far as a reply's scanner has to know them."""

from ipuaro_jupyter.llm.tags import Unfinished
from ipuaro_jupyter.llm.values import BLANKS

_LEAST_TICKS = 3
_LONGEST_INFO = 100


class Fence:
    """A code fence that is open.

    ``held`` is its text so far, kept back as long as it holds nothing but calls and blanks; None
    once there was more. ``start`` is where its backticks stand, ``ticks`` how many there are.
    """

    def __init__(self, start: int, ticks: int, held: str) -> None:
        self.start = start
        self.ticks = ticks
        self.held: str | None = held
        self.has_calls = False

    @property
    def only_calls(self) -> bool:
        """Whether it can go from the text."""
        return self.has_calls and self.held is not None


def ticks_end(text: str, at: int, *, final: bool) -> int:
    """Return where the run of backticks at ``at`` ends.

    Raises:
        Unfinished: It ends with the text, and the text may go on.
    """
    end = len(text) - len(text[at:].lstrip("`"))
    if end == len(text) and not final:
        raise Unfinished
    return end


def is_fence(text: str, at: int, end: int) -> bool:
    """Whether the run of backticks is long enough and first on its line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return end - at >= _LEAST_TICKS and not line.strip(BLANKS)


def ends_line(text: str, at: int, *, final: bool) -> bool:
    """Whether nothing but blanks stands in the line from ``at`` on.

    Raises:
        Unfinished: The text ends before the line does, and may go on.
    """
    while text[at : at + 1] in {" ", "\t", "\r"}:
        at += 1
    if at == len(text) and not final:
        raise Unfinished
    return text[at : at + 1] in {"", "\n"}


def info_end(text: str, at: int, *, final: bool) -> int | None:
    """Return where the opening fence's line ends, after its newline or before a call.

    None when this is no fence: backticks in the line, or no end of it.

    Raises:
        Unfinished: The text ends inside the line, and may go on.
    """
    end = at
    while end < len(text) and text[end] not in "\n<{[`":
        end += 1
    if end == len(text) and not final and end - at < _LONGEST_INFO:
        raise Unfinished
    if text[end : end + 1] in {"", "`"}:
        return None
    return end + (text[end] == "\n")
