"""The ids of evidence in an answer, such as "[E2]", made the names and places of the source."""

import re
from collections.abc import Iterable

from ipuaro_jupyter.records.evidence import EvidenceExcerpt

_MARK = re.compile(r"\s?[\[(]\s*(E\d{1,2}(?:\s*(?:[,;&]|and)\s*E\d{1,2})*)\s*[\])]")
_BEGUN = re.compile(r"\s?[\[(][\sE\d,;&and]{0,40}\Z|\s\Z")


class Citations:
    """Replaces the ids while a text streams.

    The first time an id becomes "(`name` path:line)", later "(`name`)"; one that stands for nothing
    is left out.

    Args:
        excerpts: The source with ids.

    Attributes:
        cited: The ids so far, each once.
    """

    def __init__(self, excerpts: Iterable[EvidenceExcerpt]) -> None:
        self.cited: list[str] = []
        self._places = {one.id: one.symbol for one in excerpts}
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that can be shown after ``text`` has come."""
        text = self._held + text
        begun = _BEGUN.search(text)
        ready = text[: begun.start()] if begun else text
        self._held = text[len(ready) :]
        return _MARK.sub(self._told, ready)

    def finish(self) -> str:
        """The rest of the text."""
        rest, self._held = _MARK.sub(self._told, self._held), ""
        return rest

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
