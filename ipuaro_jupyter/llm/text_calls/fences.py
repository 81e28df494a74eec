"""The text of a reply as Markdown: code fences and code in a line, as far as calls need it."""

from collections.abc import Callable

from ipuaro_jupyter.llm.text_calls.source import Reading, Source
from ipuaro_jupyter.llm.text_calls.values import BLANKS

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
    def in_line(self) -> bool:
        """Whether it is no fence, but backticks in a line that may stand around a call alone."""
        return self.ticks < _LEAST_TICKS

    @property
    def only_calls(self) -> bool:
        """Whether it can go from the text."""
        return self.has_calls and self.held is not None

    @property
    def is_code(self) -> bool:
        """Whether it holds something else than calls."""
        return self.held is None


class Markdown:
    """Lets the text of a reply pass, and knows whether code stands there.

    Args:
        source: The model's text.
        show: Called with the text that may be seen.

    Attributes:
        begin: Where the text begins, or goes on after something else.
        fence: The fence that is open.
    """

    def __init__(self, source: Source, show: Callable[[str], None]) -> None:
        self._source = source
        self._show = show
        self._span = 0
        self._searched = 0
        self.begin = 0
        self.fence: Fence | None = None

    def add(self, text: str) -> None:
        """Let text pass; blanks of a fence that may hold only calls are kept back with it."""
        fence = self.fence
        if "\n" in text:
            self._span = 0
        if fence is not None and fence.held is not None:
            if not text.strip(BLANKS):
                fence.held += text
                return
            text, fence.held = fence.held + text, None
            if fence.in_line:
                self._span, self.fence = fence.ticks, None
        self._show(text)

    def finish(self) -> None:
        """Let pass what was kept back."""
        fence, self.fence = self.fence, None
        if fence is not None and fence.held and not fence.has_calls:
            self._show(fence.held)

    def read_backticks(self, at: int) -> Reading[int]:
        """Read the run of backticks at ``at``, with the line of a fence that it opens.

        Returns where reading goes on.
        """
        source, fence = self._source, self.fence
        end = yield from _ticks_end(source, at)
        ticks = end - at
        if fence is not None and fence.only_calls and ticks >= fence.ticks:
            self.fence = None
            return end
        if ticks < _LEAST_TICKS or not source.begins_line(at, begin=self.begin):
            return (yield from self._read_in_line(at, end))
        if fence is not None:
            closes = ticks >= fence.ticks and (yield from source.ends_line(end))
            self.add(source.text[at:end])
            self.fence = None if closes else self.fence
            return end
        line_end = yield from _info_end(source, end)
        if line_end < 0:
            self.add(source.text[at:end])
            return end
        self._span = 0
        self.fence = Fence(at, ticks, source.text[at:line_end])
        return line_end

    def _read_in_line(self, at: int, end: int) -> Reading[int]:
        """Read backticks that are no fence."""
        source, ticks = self._source, end - at
        if self.fence is None and not self._span and ticks < _LEAST_TICKS:
            following = (yield from source.char(end)) or " "
            if following in "<{[" and source.begins_line(at, begin=self.begin):
                self.fence = Fence(at, ticks, source.text[at:end])
                return end
        self.add(source.text[at:end])
        if self.fence is None and self._span in {0, ticks}:
            self._span = 0 if self._span else ticks
        return end

    def code_end(self, at: int, *, anywhere: bool) -> Reading[int]:
        """Return where the code in a line ends in which ``at`` is; -1 when it is in none.

        A call that stands in backticks alone on its line is no code.

        Args:
            at: A position up to which the text has been read.
            anywhere: Also if the code does not begin there.
        """
        fence = self.fence if self.fence is not None and self.fence.in_line else None
        ticks = self._span if fence is None else fence.ticks
        begins = at > 0 and self._source.text[at - 1] == "`"
        if not ticks or not (begins or anywhere) or at < self._searched:
            return -1
        end = yield from _span_end(self._source, at, ticks)
        if end < 0:
            self._span, self._searched = 0, len(self._source.text)
            return -1
        if fence is not None and (yield from self._source.ends_line(end)):
            self._searched = end
            return -1
        return end

    def end_code(self) -> None:
        """Take the code in a line for ended: all of it has passed."""
        self._span = 0

    def reset(self) -> None:
        """Forget what is open: the text begins anew."""
        self.fence, self._span = None, 0


def _ticks_end(source: Source, at: int) -> Reading[int]:
    """Return where the run of backticks at ``at`` ends."""
    while (yield from source.char(at)) == "`":
        at += 1
    return at


def _span_end(source: Source, at: int, ticks: int) -> Reading[int]:
    """Return where the code that began with so many backticks ends, its last ones included.

    -1 when it does not end in this line.
    """
    while (character := (yield from source.char(at))) not in {"", "\n"}:
        if character == "`":
            end = yield from _ticks_end(source, at)
            if end - at == ticks:
                return end
            at = end
        else:
            at += 1
    return -1


def _info_end(source: Source, at: int) -> Reading[int]:
    """Return where the opening fence's line ends, after its newline or before a call.

    -1 when this is no fence: backticks in the line, or no end of it.
    """
    end = at
    while (character := (yield from source.char(end))) not in {"", "\n", "<", "{", "[", "`"}:
        if end - at > _LONGEST_INFO:
            return -1
        end += 1
    if character in {"", "`"}:
        return -1
    return end + (character == "\n")
