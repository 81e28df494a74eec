"""The text of a reply as Markdown: code fences and code in a line, as far as calls need it."""

import re

from ipuaro_jupyter.llm.reply_marks import CALLED, SHOWN
from ipuaro_jupyter.llm.text_calls.pieces import ReplyPieces
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, LEAST_TICKS, Fence, ReplyText
from ipuaro_jupyter.llm.text_calls.results import result_at

TICKS = ("`", "``", "```", "~~~")  # open a fence, where a line begins
_TICKS, _SIGNS = re.compile("`*"), re.compile("`+|~+")
_LISTED = re.compile(r"[ \t]*(?:>{1,2}(?!>)|(?:[-*+]|\d{1,9}[.)])[ \t])")
_CODE_INDENT, _ITEM_INDENT = re.compile(r" {0,3}\t| {4}"), re.compile(r" ?\t|  ")
_LONGEST = 500  # characters before a line that are looked at
_WORD = re.compile(r"[^\W_]")
_TAG = re.compile(r"<[\w:\-]{1,60}>")
_RUN = re.compile("`+|\n")
_INFO = re.compile(r"[^\n<{\[`]{0,100}")


class Markdown:
    """Lets the text of a reply pass, and keeps its fence."""

    def __init__(self, reply: ReplyText, pieces: ReplyPieces) -> None:
        self._reply = reply
        self._pieces = pieces
        self._ticks, self._searched = "", 0  # around code in a line that is open there

    def add(self, text: str) -> None:
        """Let text pass; blanks of a fence that may hold only calls are kept back with it."""
        fence = self._reply.fence
        if fence is not None and fence.held is not None:
            if not text.strip(BLANKS):
                fence.held += text
                return
            text, fence.held = fence.held + text, None
            self._reply.fence = self._reply.block
        self._pieces.add_text(text)

    def finish(self) -> None:
        """Let pass what was kept back."""
        fence, self._reply.fence = self._reply.fence, None
        if fence is not None and fence.held and not fence.has_calls:
            self._pieces.add_text(fence.held)

    def read_backticks(self, at: int) -> int:
        """Read the backticks at ``at``, where a line begins; the end of what was read.

        They open a fence, with the rest of their line, or close one. Fewer than three open one
        around a call alone.
        """
        reply, fence = self._reply, self._reply.fence
        end, sign = reply.run(_SIGNS, at), reply.text[at]
        ticks = end - at
        if fence is not None or ticks >= LEAST_TICKS:
            self._ticks, self._searched = "", end
        if fence is not None:
            closes = ticks >= fence.ticks and sign == fence.sign
            if closes and fence.has_calls and fence.held is not None:
                self._pieces.close_fence(fence.held + reply.text[at:end])
                self._reply.fence = None
                return end
            ends = closes and (reply.ends_line(end) or reply.starts("<|", end))
            closes = ends or (closes and result_at(reply, end) >= 0)
            self.add(reply.text[at:end])
            self._reply.fence = None if closes else self._reply.fence
            return end
        line_end = reply.run(_INFO, end) if ticks >= LEAST_TICKS else end
        letter = reply.char(line_end)
        is_line = letter == "\n" and ticks >= LEAST_TICKS
        if not is_line and letter not in set("<{["):
            self.add(reply.text[at:end])
            return end
        line_end += is_line
        language = next(iter(reply.text[end:line_end].lower().split()), "")
        self._reply.fence = Fence(ticks, reply.text[at:line_end], language, sign=sign)
        return line_end

    def is_indented(self, at: int) -> bool:
        """Whether ``at`` is in a line that is indented as code, or as the item above, in prose."""
        text = self._reply.text
        line = text.rfind("\n", 0, at) + 1
        before = text[max(self._reply.begin, line - _LONGEST) : line].rstrip()
        above = before[before.rfind("\n") + 1 :]
        if self._reply.block is not None or not _WORD.search(before) or _TAG.fullmatch(above):
            return False
        indent = _ITEM_INDENT if _LISTED.match(above) else _CODE_INDENT
        return indent.match(text, line, at) is not None

    def shows(self, start: int, end: int) -> bool:
        """Whether the call that stands there is shown: in a diff, a list, a quote, or code."""
        text, block = self._reply.text, self._reply.block
        if block is not None:
            return block.language in SHOWN or block.has_turns
        listed = _LISTED.match(text, text.rfind("\n", 0, start) + 1, start)
        return bool(listed) or self.is_indented(start) or self.code_end(start, anywhere=True) >= end

    @property
    def explains(self) -> bool:
        """Whether prose that follows says of a call here that it is shown."""
        block = self._reply.block
        is_called = not block or block.language in CALLED or "tool" in block.language
        return bool(block and self._reply.is_in_code) or not is_called

    def code_end(self, at: int, *, anywhere: bool) -> int:
        """The end of the code in a line in which ``at`` is; -1 when it is in none.

        A call that stands in backticks alone on its line is no code.

        Args:
            at: A position up to which the text has been read.
            anywhere: Also if the code does not begin there.
        """
        reply = self._reply
        begins = reply.text[at - 1 : at] == "`"
        if self._reply.block is not None or not (begins or anywhere) or at < self._searched:
            return -1
        if self._searched < reply.begin:
            self._ticks, self._searched = "", reply.begin
        line_end = len(reply.text)
        for run in _RUN.finditer(reply.text, self._searched):
            is_end = run[0] in {self._ticks, "\n"}
            if run.start() < at:
                self._ticks, self._searched = "" if is_end else self._ticks or run[0], run.end()
            elif not self._ticks:
                return -1
            elif is_end:
                line_end = run.start()
                break
        if not self._ticks:
            return -1
        end = reply.run(_TICKS, line_end)
        is_alone = self._reply.fence is not None and reply.ends_line(end)
        self._ticks, self._searched = "", end
        return -1 if end == line_end or is_alone else end
