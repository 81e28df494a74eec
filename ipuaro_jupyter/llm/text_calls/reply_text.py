"""The text of a reply as far as it has come."""

import re

BLANKS = " \t\r\n"
_QUOTES = "`\"'"
_BLANK_RUN = re.compile(f"[{BLANKS}]*")
_LINE_BLANKS = re.compile(r"[ \t\r]*")


class CutOff(Exception):  # noqa: N818 - an end, not a fault
    """The text ends inside what is being read.

    ``name`` is the tool that is being called, if that is known. ``problem`` is what to tell the
    model should no more text come; without one it was text. After one of ``ends`` it may be whole.
    """

    def __init__(self, name: str = "", problem: str = "") -> None:
        super().__init__(name, problem)
        self.name = name
        self.problem = problem
        self.ends: tuple[str, ...] = ()

    @classmethod
    def in_call(cls, name: str = "") -> "CutOff":
        """The text ends inside a call."""
        called = f"The call of {name}" if name else "The call"
        told = "is cut off: it has no end. It was not run. Write it again in full."
        return cls(name, f"{called} {told}")


class ReplyText:
    """A text that grows until it ``has_ended``.

    Its methods say only what no further text can change, and raise `CutOff` otherwise: so whatever
    reads a text by them reads the same, however the text comes in pieces.

    ``begin`` is where the text begins, or goes on after a call or thinking; ``has_shown`` whether
    text that may be seen came before what is being read; ``language`` that of the fence around it.
    """

    def __init__(self) -> None:
        self.text = ""
        self.has_ended = False
        self.begin = 0
        self.has_shown = False
        self.language = ""

    def append(self, more: str) -> None:
        """Add what has come."""
        text, self.text = self.text, ""  # the only reference: CPython then extends it in place
        text += more
        self.text = text

    def char(self, at: int) -> str:
        """The character at ``at``; "" where the text has ended."""
        if at >= len(self.text) and not self.has_ended:
            raise CutOff
        return self.text[at : at + 1]

    def sure_char(self, at: int) -> str:
        """The character at ``at``; `CutOff` also where the text has ended."""
        if at >= len(self.text):
            raise CutOff
        return self.text[at]

    def run(self, pattern: re.Pattern[str], at: int) -> int:
        """The end of what matches at ``at``, for patterns that match as much as there is."""
        match = pattern.match(self.text, at)
        end = at if match is None else match.end()
        self.char(end)
        return end

    def after_blanks(self, at: int) -> int:
        """The position of the next character that is no blank, or of the text's end."""
        return self.run(_BLANK_RUN, at)

    def starts(self, word: str, at: int) -> bool:
        """Whether ``word`` stands at ``at``."""
        here = self.text[at : at + len(word)]
        if not self.has_ended and len(here) < len(word) and word.startswith(here):
            raise CutOff
        return here == word

    def is_mention(self, start: int, end: int) -> bool:
        """Whether what stands there is in quotes or backticks by itself: spoken of, not used."""
        before = self.text[start - 1 : start]
        return before != "" and before in _QUOTES and self.char(end) == before

    def begins_line(self, at: int) -> bool:
        """Whether nothing but blanks stands in the line before ``at``."""
        while at > self.begin and self.text[at - 1] in " \t\r":
            at -= 1
        return at <= self.begin or self.text[at - 1] == "\n"

    def ends_line(self, at: int) -> bool:
        """Whether nothing but blanks stands in the line from ``at`` on."""
        return self.char(self.run(_LINE_BLANKS, at)) in {"", "\n"}

    def cut(self, at: int) -> None:
        """End the text at ``at``; what follows does not count."""
        self.text, self.has_ended = self.text[:at], True
