"""A model's text while it comes, for readers that wait in the middle of what they read.

A reader is a generator: where it cannot go on without more text it yields, and is resumed when
there is more. So nothing is read twice, and how the text is cut makes no difference.
"""

from collections.abc import Generator
from typing import TypeVar

from ipuaro_jupyter.llm.text_calls.values import BLANKS

Result = TypeVar("Result")
Reading = Generator[None, None, Result]
"""Reads on from a place of a source; yields when it needs more text."""


class CutOff(Exception):  # noqa: N818 - an end, not a fault
    """The text ends before what was being read does."""


class Source:
    """A text that grows until it is ``final``.

    Its methods wait for what they need to see. Positions count characters from the beginning.
    """

    def __init__(self, text: str = "", *, final: bool = False) -> None:
        self.text = text
        self.final = final

    def char(self, at: int) -> Reading[str]:
        """Return the character at ``at``; "" when the text ends there."""
        while at >= len(self.text) and not self.final:
            yield
        return self.text[at : at + 1]

    def sure_char(self, at: int) -> Reading[str]:
        """Return the character at ``at``.

        Raises:
            CutOff: The text ends there.
        """
        character = yield from self.char(at)
        if not character:
            raise CutOff
        return character

    def starts(self, word: str, at: int) -> Reading[bool]:
        """Whether ``word`` stands at ``at``; waits only as long as it may.

        In a tag case is ignored, if it is given in lower case.
        """
        folds = word[0] == "<" and word == word.lower()
        while True:
            here = self.text[at : at + len(word)]
            here = here.lower() if folds else here
            if len(here) == len(word) or self.final or not word.startswith(here):
                return here == word
            yield

    def find(self, what: str, at: int) -> Reading[int]:
        """Return where ``what`` stands from ``at`` on; -1 when the text ends without it."""
        while (found := self.text.find(what, at)) < 0 and not self.final:
            at = max(at, len(self.text) - len(what) + 1)
            yield
        return found

    def after_blanks(self, at: int) -> Reading[int]:
        """Return the position of the next character that is no blank, or of the text's end."""
        while True:
            at = skip_blanks(self.text, at)
            if at < len(self.text) or self.final:
                return at
            yield

    def ends_line(self, at: int) -> Reading[bool]:
        """Whether nothing but blanks stands in the line from ``at`` on."""
        while (character := (yield from self.char(at))) and character in " \t\r":
            at += 1
        return character in {"", "\n"}

    def begins_line(self, at: int, *, begin: int) -> bool:
        """Whether nothing but blanks stands in the line before ``at``, read from ``begin`` on."""
        while at > begin and self.text[at - 1] in " \t\r":
            at -= 1
        return at <= begin or self.text[at - 1] == "\n"


def skip_blanks(text: str, at: int) -> int:
    """Return the position of the next character that is no blank, or of the text's end."""
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def finished(reading: Reading[Result]) -> Result:
    """Return the result of a reader whose source is final.

    Raises:
        CutOff: The text ends before what is read does.
    """
    try:
        next(reading)
    except StopIteration as stop:
        result: Result = stop.value
        return result
    raise AssertionError  # a final source has nothing to wait for
