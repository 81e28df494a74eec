"""What a question is about, as the index finds it: files, declarations with source, facts."""

from typing import Literal

from pydantic import Field

from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.records.visible import visible

QuestionKind = Literal[
    "structural",  # where is X, who calls X, what imports F
    "explanation",  # how, why, what does
    "change",  # fix, add, rename, remove
    "run",  # run the tests
    "notebook",  # the last error, a value
    "overview",  # what is this project, where do I start
    "talk",  # thanks, a general question
]


class EvidenceSymbol(Record):
    """A declaration that a question is about.

    ``name`` is qualified as in "Class.method"; lines are 1-based, the last one is included; ``why``
    says what of the question it matches.
    """

    path: str
    name: str
    line: int
    end: int
    why: str = ""


class EvidenceExcerpt(Record):
    """The source of a declaration, as the text of the evidence has it; ``id`` is "E1", "E2" and on.

    ``lines`` are numbered; a line without a number says what is left out there.
    """

    id: str
    symbol: EvidenceSymbol
    lines: tuple[str, ...]


class Evidence(Drawn, Record):
    """What a question is about, without a model.

    Attributes:
        kind: What is asked for.
        files: The paths of files, the best first: ten, unless the project has fewer that match.
        symbols: Declarations, the best first: ten, with the same exception.
        facts: Sentences that the index knows to be true, about what the question names.
        text: All that for a model: facts, source with ids and line numbers, and further names; at
            most as many tokens as were asked for, without secrets.
        tokens: The number of its tokens, as estimated.
        ms: How long it took.
        is_sure: False when little of the question is in the code, such as when it is in another
            language than the code's names.
        excerpts: The source in ``text``.
        weights: The words of the question that the code has, by their stems, each with how much it
            tells.
        root: The project's folder, which paths are relative to.
    """

    kind: QuestionKind
    files: tuple[str, ...]
    symbols: tuple[EvidenceSymbol, ...]
    facts: tuple[str, ...] = ()
    text: str
    tokens: int
    ms: float
    is_sure: bool = True
    excerpts: tuple[EvidenceExcerpt, ...] = Field(default=(), exclude=True, repr=False)
    weights: dict[str, float] = Field(default_factory=dict, exclude=True, repr=False)
    root: str = Field(default="", exclude=True, repr=False)

    def __str__(self) -> str:
        return visible(self.text)
