"""Find the source that a question in words is about."""

from typing import Annotated, ClassVar

from pydantic import Field

from ipuaro_jupyter.index.evidence_text import evidence_of
from ipuaro_jupyter.records.evidence import EvidenceSymbol
from ipuaro_jupyter.records.outputs import Output, Place, Table
from ipuaro_jupyter.tools.tool import Project, tool

_TOKENS = 1500
_CHARACTERS = 3.2
"""Of a token of source, about; a result is measured again where a model reads it."""


class FoundEvidence(Output):
    """The files and declarations that a question is about, the best first, and facts about them.

    ``source`` has the facts, the source of the first declarations with line numbers, and further
    names. ``is_sure`` is false when little of the question is in the code.
    """

    rows_of: ClassVar[str] = "symbols"

    files: tuple[str, ...]
    symbols: tuple[EvidenceSymbol, ...]
    facts: tuple[str, ...]
    source: str
    is_sure: bool

    def text(self) -> str:
        """Facts, source and further names."""
        doubt = "" if self.is_sure else "[Little of the question is in the code.]\n\n"
        return f"{doubt}{self.source}" if self.source else f"{doubt}Nothing was found."

    def shape(self) -> Table:
        """A row for each declaration."""
        return Table(
            title="What the question is about",
            columns=("where", "name", "why"),
            kinds={"where": "path"},
            places=tuple(Place(path=one.path, line=one.line) for one in self.symbols),
            rows=tuple((f"{one.path}:{one.line}", one.name, one.why) for one in self.symbols),
            note=" ".join(self.facts),
        )


@tool(aliases=("codebase_search", "semantic_search"), rare=("tokens",))
def find_evidence(
    project: Project, question: str, tokens: Annotated[int, Field(ge=100, le=20_000)] = _TOKENS
) -> FoundEvidence:
    """Find the code that a question in words is about: source of the best functions, and facts.

    Args:
        question: The question, or the report of a fault, in words.
        tokens: The most tokens of source. Default: 1500.
    """
    found = evidence_of(
        project.index, question, tokens=tokens, size=lambda text: len(text) / _CHARACTERS
    )
    return FoundEvidence(
        files=found.files,
        symbols=found.symbols,
        facts=found.facts,
        source=found.text,
        is_sure=found.is_sure,
    )
