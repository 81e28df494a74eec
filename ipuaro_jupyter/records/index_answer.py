"""What the index says to a question, before any model is asked."""

from collections.abc import Iterator

from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.evidence import Evidence, EvidenceExcerpt, EvidenceSymbol
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.visible import visible

MOST_TOLD = 6
"""The places that a line names."""

_MOST_SOURCE = 2
LOOKED_AT = "Looked at: "


class IndexAnswer(Record):
    """What the index says to a question.

    Attributes:
        results: The exact answer of a structural question, as results of tools; none for others.
        evidence: What the question is about; None where that was not looked for.
        looked_at: What else was looked at, in words: a mention, the last error, the README.
    """

    results: tuple[ToolResult, ...] = ()
    evidence: Evidence | None = None
    looked_at: tuple[str, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Whether the index answers the question by itself."""
        return bool(self.results)

    @property
    def is_sure(self) -> bool:
        """Whether what was looked at is about the question, as far as the index can tell."""
        return self.evidence is None or self.evidence.is_sure or bool(self.looked_at)

    @property
    def excerpts(self) -> tuple[EvidenceExcerpt, ...]:
        """The source that a model reads."""
        return () if self.evidence is None else self.evidence.excerpts

    @property
    def symbols(self) -> tuple[EvidenceSymbol, ...]:
        """The declarations that were looked at, the best first."""
        if self.evidence is None:
            return ()
        return tuple(one.symbol for one in self.excerpts) or self.evidence.symbols

    @property
    def line(self) -> str:
        """One line about what was looked at; "" for nothing."""
        told = [*self.looked_at, *(f"`{one.name}` {one.path}:{one.line}" for one in self.symbols)]
        if not told:
            return ""
        more = len(told) - MOST_TOLD
        further = f" and {counted(more, 'more place')}" if more > 0 else ""
        return f"{LOOKED_AT}{', '.join(told[:MOST_TOLD])}{further}"

    @property
    def lead(self) -> str:
        """The exact answer in a sentence or two; "" for none."""
        outputs = [one.output for one in self.results if one.output is not None]
        return " ".join(filter(None, (one.lead for one in outputs)))

    @property
    def text(self) -> str:
        """The exact answer, else the line; the same as in the view."""
        told = [self.line]
        if self.results:
            told = [*filter(None, [self.lead]), *(one.for_people() for one in self.results)]
        return visible("\n\n".join(told)).strip()

    @property
    def instead(self) -> str:
        """What stands for an answer where no model gives one: facts, places, the best source."""
        if self.results or self.evidence is None:
            return self.text
        return visible("\n".join(self._told(self.evidence)))

    def _told(self, found: Evidence) -> Iterator[str]:
        if not (found.symbols or found.facts):
            yield "Nothing in the index is about this."
            return
        yield from found.facts
        if found.symbols:
            yield ("The most likely places:" if found.is_sure else "Perhaps, of little certainty:")
        for one in found.symbols[:MOST_TOLD]:
            why = f" ({one.why})" if one.why else ""
            yield f"- `{one.name}` {one.path}:{one.line}{why}"
        for part in self.excerpts[:_MOST_SOURCE]:
            yield f"\n{part.symbol.path}:{part.symbol.line} {part.symbol.name}\n```"
            yield from part.lines
            yield "```"
