"""The text of a reply as Markdown: code fences and code in a line, as far as calls need it."""

import re
from collections.abc import Callable

from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, Fence, ReplyText

_LEAST_TICKS = 3
_TICKS = re.compile("`*")
_IN_LINE = re.compile(r"[^`\n]*")
_INFO = re.compile(r"[^\n<{\[`]{0,100}")


class Markdown:
    """Lets the text of a reply pass, and knows whether code stands there.

    Args:
        reply: The model's text.
        show: Called with the text that may be seen.

    Attributes:
        fence: The fence that is open.
    """

    def __init__(self, reply: ReplyText, show: Callable[[str], None]) -> None:
        self._reply = reply
        self._show = show
        self._span = 0  # the backticks before the code in a line that is open
        self._searched = 0
        self.fence: Fence | None = None

    @property
    def block(self) -> Fence | None:
        """The fence that is open, if it is one of lines."""
        return self.fence if self.fence is not None and self.fence.ticks >= _LEAST_TICKS else None

    def add(self, text: str) -> None:
        """Let text pass; blanks of a fence that may hold only calls are kept back with it."""
        fence = self.fence
        if fence is not None and fence.held is not None:
            if not text.strip(BLANKS):
                fence.held += text
                return
            text, fence.held = fence.held + text, None
            if self.block is None:
                self._span, self._searched, self.fence = fence.ticks, 0, None
        if "\n" in text:
            self._span = 0
        self._show(text)

    def finish(self) -> None:
        """Let pass what was kept back."""
        fence, self.fence = self.fence, None
        if fence is not None and fence.held and not fence.has_calls:
            self._show(fence.held)

    def read_backticks(self, at: int) -> int:
        """Read the backticks at ``at``, with the line of a fence that they open; the end of it."""
        reply, fence = self._reply, self.fence
        end = reply.run(_TICKS, at)
        closes = fence is not None and end - at >= fence.ticks
        if fence is not None and closes and fence.has_calls and fence.held is not None:
            self.fence = None
            return end
        if end - at < _LEAST_TICKS or not reply.begins_line(at):
            return self._read_in_line(at, end)
        if fence is not None:
            closes = closes and reply.ends_line(end)
            self.add(reply.text[at:end])
            self.fence = None if closes else self.fence
            return end
        line_end = reply.run(_INFO, end)
        if reply.char(line_end) not in set("\n<{["):  # backticks in the line, or no end of it
            self.add(reply.text[at:end])
            return end
        line_end += reply.char(line_end) == "\n"
        self._span = 0
        language = next(iter(reply.text[end:line_end].lower().split()), "")
        self.fence = Fence(end - at, reply.text[at:line_end], language)
        return line_end

    def code_end(self, at: int, *, anywhere: bool) -> int:
        """The end of the code in a line in which ``at`` is; -1 when it is in none.

        A call that stands in backticks alone on its line is no code.

        Args:
            at: A position up to which the text has been read.
            anywhere: Also if the code does not begin there.
        """
        fence = self.fence if self.block is None else None
        ticks = self._span if fence is None else fence.ticks
        begins = at > 0 and self._reply.text[at - 1] == "`"
        if not ticks or not (begins or anywhere) or at < self._searched:
            return -1
        end = self._span_end(at, ticks)
        if end >= 0 and fence is not None and self._reply.ends_line(end):
            self._searched = end
            return -1
        return end

    def reset(self) -> None:
        """Forget what is open: all of it has passed, or the text begins anew."""
        self.fence, self._span = None, 0

    def _read_in_line(self, at: int, end: int) -> int:
        """Read backticks that are no fence."""
        reply, ticks = self._reply, end - at
        is_free = self.fence is None and not self._span and ticks < _LEAST_TICKS
        if is_free and (reply.char(end) or " ") in "<{[" and reply.begins_line(at):
            self.fence = Fence(ticks, reply.text[at:end])
            return end
        self.add(reply.text[at:end])
        if self.fence is None and self._span in {0, ticks}:
            self._span = 0 if self._span else ticks
        return end

    def _span_end(self, at: int, ticks: int) -> int:
        """The end of the code with so many backticks around it; -1 when its line ends first."""
        while True:
            start = self._reply.run(_IN_LINE, at)
            at = self._reply.run(_TICKS, start)
            if at == start:
                self._span, self._searched = 0, start
                return -1
            if at - start == ticks:
                return at
