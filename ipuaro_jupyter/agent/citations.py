"""The ids of evidence in an answer, such as "[E2]", made the names and places of the source."""

import re
from collections.abc import Iterable

from ipuaro_jupyter.records.evidence import EvidenceExcerpt

_MARK = re.compile(r"\s?[\[(]\s*(E\d{1,2}(?:\s*(?:[,;&]|and)\s*E\d{1,2})*)\s*[\])]")
_BARE = re.compile(r"(?<![\w`./\[(-])E\d{1,2}(?![\w`])")
_BEGUN = re.compile(r"\s?[\[(][\sE\d,;&and]{0,40}(?:[\])]\S*)?\Z|\s?(?:\S*[E`\[(]\S*)?\Z")


class Citations:
    """Replaces the ids while a text streams.

    The first time an id becomes "(`name` path:line)", later "(`name`)"; one that stands for nothing
    is left out. An id in a sentence, as in "E2 calls it", becomes "`name`".

    Args:
        excerpts: The source with ids.

    Attributes:
        cited: The ids so far, each once.
    """

    def __init__(self, excerpts: Iterable[EvidenceExcerpt]) -> None:
        self.cited: list[str] = []
        self._places = {one.id: one.symbol for one in excerpts}
        self._held = ""
        self._is_code = False
        self._last = ""  # the character before what comes next

    def feed(self, text: str) -> str:
        """The text that can be shown after ``text`` has come."""
        text = self._held + text
        begun = _BEGUN.search(text)
        ready = text[: begun.start()] if begun else text
        self._held = text[len(ready) :]
        return self._replaced(ready)

    def finish(self) -> str:
        """The rest of the text."""
        rest, self._held = self._replaced(self._held), ""
        return rest

    def _replaced(self, text: str) -> str:
        """The text with its ids replaced, which in blocks of code are left."""
        parts = text.split("```")
        for place, part in enumerate(parts):
            self._is_code ^= place > 0
            if not self._is_code:
                before = "" if place else self._last
                told = _BARE.sub(self._named, before + _MARK.sub(self._told, part))
                parts[place] = told[len(before) :]
        self._last = text[-1:] or self._last
        return "```".join(parts)

    def _named(self, found: re.Match[str]) -> str:
        symbol = self._places.get(found[0])
        return found[0] if symbol is None else f"`{symbol.name}`"

    def whole(self, text: str) -> str:
        """A text as a whole."""
        return self.feed(text) + self.finish()

    def _told(self, found: re.Match[str]) -> str:
        told: list[str] = []
        for one in re.findall(r"E\d+", found[1]):
            symbol = self._places.get(one)
            if symbol is None:
                continue
            place = "" if one in self.cited else f" {symbol.path}:{symbol.line}"
            told.append(f"`{symbol.name}`{place}")
            if place:
                self.cited.append(one)
        return f" ({', '.join(told)})" if told else ""
