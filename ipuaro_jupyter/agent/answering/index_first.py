"""What the index says to a question first, and the request by which a model words it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

from ipuaro_jupyter.agent.answering.reading_speed import LEAST_TOKENS, ReadingSpeed
from ipuaro_jupyter.agent.answering.structural_answer import structural_answer
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.relevance import Beside
from ipuaro_jupyter.agent.context.tokens import count_tokens, shorten
from ipuaro_jupyter.agent.questions.message_kind import MessageKind, kind_of
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.tools.tool import Project

FOUND_KINDS = frozenset({"structural", "explanation", "notebook", "overview", "talk"})
"""The kinds of message that are questions."""

_MOST_TURNS, _TURN_TOKENS = 3, 120
_ASKED = "Answer from these alone, with the id of its excerpt behind each sentence: [E1]. Question:"
_OVERVIEW_TOKENS = 700
_RUN_TOKENS = 400
_README = re.compile(r"readme(?:\.\w+)?", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|he|she|das|dies\w*|es|ihn|diese\w*|ça|cela|ce(?:la|ci)"
    r"|eso|esto|esa|este|это\w*|они)\b|[它这那]",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:these|those|they|them|они)\b", re.IGNORECASE)
_QUOTED = re.compile(r"`([A-Za-z_$][\w$.]*)`")
_LISTED = re.compile(r"^\S+:\d+ ([\w$#.]+)$", re.MULTILINE)
_SUBJECT = re.compile(r"^Symbol: ([\w$#.]+)$", re.MULTILINE)
_MOST_REFERRED = 3
_MOST_SHORT = 6  # words: a longer question says itself what it is about


@dataclass(frozen=True)
class IndexFirst:
    """Looks a question up, and words the request for a model.

    Attributes:
        project: The project.
        evidence: Returns the evidence for a text within so many tokens, without secrets.
        call: Runs a tool that only reads.
        beside: Returns what a question brings with it, given the earlier messages.
        hidden: Removes secrets from a text, given the path of its file.
        speed: How fast the model reads.
        first_word_s: The time until its first word.
        samples: How many further texts of a function it may write where two are known to be wrong.
        by_evidence: Whether it answers from the evidence alone, else by tools.
        is_explaining: Whether a model words even what the index answers by itself.
        alone: Why no model is asked, for the user; "" where one is.
    """

    project: Project
    evidence: Callable[[str, int], Evidence]
    call: Callable[[str, dict[str, Any]], ToolResult]
    beside: Callable[[str, Sequence[Message]], Beside]
    hidden: Callable[[str, str], str]
    speed: ReadingSpeed = field(default_factory=ReadingSpeed)
    first_word_s: float = 20.0
    samples: int = 3
    by_evidence: bool = True
    is_explaining: bool = False
    alone: str = ""

    def kind(self, question: str, before: Sequence[Message]) -> MessageKind:
        """What is asked, with names from the last answer for "and who calls that?"."""
        kind = kind_of(question)
        if kind.kind != "explanation" or not (names := self.referred(question, before)):
            return kind
        named = kind_of(_REFERS.sub(f"`{names[0]}`", question, count=1))
        if named.asks is None:
            return kind
        return named._replace(names=names if _means_several(question, before) else names[:1])

    def found(self, question: str, before: Sequence[Message]) -> IndexAnswer | None:
        """What the index says to a message; None where it is no question."""
        kind = self.kind(question, before)
        return self.answer(question, kind, before, Beside()) if kind.kind in FOUND_KINDS else None

    @property
    def tokens(self) -> int:
        """The size of the evidence."""
        return self.speed.tokens_within(self.first_word_s)

    def answer(
        self, question: str, kind: MessageKind, before: Sequence[Message], beside: Beside
    ) -> IndexAnswer:
        """What the index says.

        Raises:
            StorageError: Redis has gone.
        """
        results = structural_answer(kind, self.project, self.call)
        looked_at = [one.title or one.mention for one in beside.attached if not one.problem]
        looked_at += ["the notebook"] if beside.notebook else []
        looked_at += ["the output"] if beside.ran else []
        if results and not self.is_explaining:
            return IndexAnswer(results=results)
        if kind.kind == "talk":
            return IndexAnswer()
        size = sum(count_tokens(one.text) for one in beside.attached) + count_tokens(
            beside.notebook
        )
        left = max(int(self.tokens - size), LEAST_TOKENS // 4)
        if kind.kind == "overview":
            looked_at += [path for path, _ in self._readme]
            left = max(left - _OVERVIEW_TOKENS, LEAST_TOKENS // 4)
        names = self.referred(question, before)
        asked = " ".join([question, *(f"`{name}`" for name in names)])
        if beside.ran:
            asked, left = shorten(beside.ran, _RUN_TOKENS), left // 2
        found = self.evidence(asked, left)
        return IndexAnswer(results=results, evidence=found, looked_at=tuple(looked_at))

    def again(self, question: str, answer: IndexAnswer, words: Sequence[str]) -> IndexAnswer:
        """The same with words that the code may have."""
        found = self.evidence(f"{question}\n{' '.join(words)}", self.tokens)
        return answer.model_copy(update={"evidence": found})

    def messages(
        self,
        question: str,
        kind: MessageKind,
        answer: IndexAnswer,
        *,
        before: Sequence[Message],
        beside: Beside,
    ) -> list[Message]:
        """The request: rules, earlier turns without their evidence, the evidence, the question."""
        rules = self.rules
        return [rules, *_told(before), self._asked(question, kind, answer, beside)]

    @property
    def rules(self) -> Message:
        """The steady part of each request, first."""
        name = self.project.workspace.root.name
        return Message(role="system", content=prompt_file("evidence.md", project=name))

    def source(self, path: str, first: int, last: int) -> str:
        """Lines of a file, with numbers; "" where it cannot be read."""
        result = self.call("get_lines", {"path": path, "start": first, "end": last})
        return self.hidden(result.text(), path) if result.success else ""

    def _asked(
        self, question: str, kind: MessageKind, answer: IndexAnswer, beside: Beside
    ) -> Message:
        parts = [
            f"{one.mention}: {one.title}\n{one.text}" for one in beside.attached if not one.problem
        ]
        parts += [beside.notebook] if beside.notebook else []
        parts += [shorten(beside.ran, self.tokens / 2)] if beside.ran else []
        if kind.kind == "overview":
            parts += [f"{path}\n{text}" for path, text in self._readme]
        results = "\n\n".join(one.text() for one in answer.results)
        parts += [shorten(self.hidden(results, ""), self.tokens)] if results else []
        if answer.evidence is not None and answer.evidence.text:
            parts.append(answer.evidence.text)
        context = "\n\n".join([*parts, _ASKED if answer.excerpts else "Question:"])
        return Message(role="user", content=f"{context}\n\n{question}", context=context)

    @cached_property
    def _readme(self) -> list[tuple[str, str]]:
        """The first README at the root that can be read, as much as there is room for; or none."""
        names = sorted(one.name for one in self.project.workspace.root.iterdir())
        sources = ((one, self.source(one, 1, 80)) for one in names if _README.fullmatch(one))
        first = islice(filter(itemgetter(1), sources), 1)
        return [(path, shorten(source, _OVERVIEW_TOKENS)) for path, source in first]

    def referred(self, question: str, before: Sequence[Message]) -> tuple[str, ...]:
        """The declared names of the last answer, where a short question means it.

        "And who calls that?" does; "How is an action scheduled after its delay?" does not. After a
        list of several, "that" is what the list is about.
        """
        last = next((one for one in reversed(before) if one.role == "assistant"), None)
        if last is None or not _REFERS.search(question):
            return ()
        if len(question.split()) > _MOST_SHORT or "`" in question:
            return ()
        words = re.findall(r"[A-Za-z_$][\w$]*", _asked_last(before))
        named = (_LISTED if last.content == last.found else _QUOTED).findall(last.content)
        if len(set(named)) > 1 and not _means_several(question, before):
            named = _SUBJECT.findall(last.content) or named
        named += filter(_is_code, words)
        known = (name for name in dict.fromkeys(named) if self.project.index.definitions(name))
        return tuple(known)[:_MOST_REFERRED]


def _asked_last(before: Sequence[Message]) -> str:
    """The last question; "" for none."""
    return next((one.content for one in reversed(before) if one.role == "user"), "")


def _means_several(question: str, before: Sequence[Message]) -> bool:
    """Whether a question is about all that the last answer listed: "those", or the same anew."""
    if _SEVERAL.search(question):
        return True
    asks, last = (
        kind_of(_REFERS.sub("`it`", text, count=1)).asks for text in (question, _asked_last(before))
    )
    return asks is not None and asks == last


def _is_code(word: str) -> bool:
    """Whether a word looks like a name in code rather than one of a sentence."""
    return "_" in word or any(letter.isupper() for letter in word[1:])


def _told(before: Sequence[Message]) -> Iterator[Message]:
    """Yield the latest turns as a question and an answer each, shortened."""
    turns: list[list[Message]] = []
    for one in before:
        if one.role == "user":
            turns.append([one])
        elif one.role == "assistant" and turns and one.content.strip() and not one.calls:
            turns[-1][1:] = [] if one.content == one.found else [one]  # no listing to imitate
    for turn in [turn for turn in turns if len(turn) > 1][-_MOST_TURNS:]:
        for one in turn:
            yield Message(role=one.role, content=shorten(one.words, _TURN_TOKENS))
