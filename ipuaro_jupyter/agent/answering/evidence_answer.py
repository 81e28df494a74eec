"""An answer from evidence: one request without tools, and what follows when it is none."""

import json
import re
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.answering.choices import MOST_CHOSEN, Ask, chosen, named_in
from ipuaro_jupyter.agent.answering.index_first import IndexFirst
from ipuaro_jupyter.agent.citations import Citations
from ipuaro_jupyter.agent.context.relevance import Beside
from ipuaro_jupyter.agent.context.tokens import shorten
from ipuaro_jupyter.agent.limits import TurnEnded
from ipuaro_jupyter.agent.model_requests import AskedFor
from ipuaro_jupyter.agent.questions.message_kind import MessageKind
from ipuaro_jupyter.agent.receipts.receipt import receipt_of
from ipuaro_jupyter.agent.reply import Reply
from ipuaro_jupyter.agent.unread_calls import is_apology
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.index.retrieval.asked import looks_like_code, share_told
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.events import Event, IndexAnswered, Noticed, TextAdded
from ipuaro_jupyter.records.evidence import EvidenceExcerpt, EvidenceSymbol
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.tools.tool import Tool

Run = Callable[[ToolCall], Generator[Event, None, ToolResult]]

_MISSING = "MISSING"
_SAYS_MISSING = re.compile(r"\W*missing\W*", re.IGNORECASE)
_WORDS = (
    "Which words would code about this question contain? At most ten identifiers or English words, "
    "as a JSON list of strings, and nothing else.\n\nQuestion: {question}"
)
_WORDS_SCHEMA = {"type": "array", "items": {"type": "string", "maxLength": 30}, "maxItems": 10}
_CHOOSE = (
    "Which of these may hold the answer? Their ids, as a JSON list, at most three; [] for none.\n\n"
    "{listed}"
)
_MOST_LISTED, _MOST_LINES = 12, 60
_RESTS_ON = "Which excerpts does this rest on? Their ids, as a JSON list, at most three."
_ARGUMENTS = "Call {signature}: its arguments, as a JSON object and nothing else."
_AGAIN = "{problem} Answer the question in a few sentences of prose, from the excerpts alone."
_NOT_USED = "The model gave no answer that holds, so this is what the index has found."
_NOT_THERE = "The model did not find the answer in what the index has found."
_CODE = re.compile(r"`[^`\n]+`")
_NAME = re.compile(r"[^\W\d][\w$]*")
_LEAST_TOLD = 0.25
"""Of what the words of a sentence tell, the share in the excerpts that an answer rests on.

With no more, an answer is not sure. It was chosen on questions that no published figure is of.
"""


class WordedAnswer(NamedTuple):
    """The answer of a turn.

    Attributes:
        text: The model's, else the index's own.
        answer: What the index said, as it came to be.
        is_sure: False where the code may not answer the question.
        notice: Why the index's own stands there; "" for nothing.
    """

    text: str
    answer: IndexAnswer
    is_sure: bool = True
    notice: str = ""


class EvidenceAnswer:
    """Asks a model to word an answer from what the index has found.

    Args:
        first: The index.
        ask: Sends a request.
        said: Returns what the user has seen of the reply.
        run: Runs a call, whose result the session keeps.
        tools: What may be called where something is missing: they only read, and are not our own.
        ignored: Names that are not the project's.
        can_constrain: Whether the model can be held to a list: only then it is asked for words.
    """

    def __init__(
        self,
        first: IndexFirst,
        ask: Ask,
        said: Callable[[], str],
        run: Run,
        *,
        tools: Sequence[Tool],
        ignored: Sequence[str],
        can_constrain: bool,
    ) -> None:
        self._can_constrain = can_constrain
        self._first = first
        self._ask = ask
        self._said = said
        self._run = run
        self._is_searched_again = False
        self._tools = {tool.name: tool for tool in tools}
        self._ignored = ignored

    def worded(
        self,
        question: str,
        kind: MessageKind,
        answer: IndexAnswer,
        *,
        before: Sequence[Message],
        beside: Beside,
    ) -> Generator[Event, None, WordedAnswer]:
        """Yield the events up to the answer, and return it.

        Raises:
            Cancelled: The user pressed stop.
            TurnEnded: Redis has gone, or there is nothing that the index can say instead.
        """
        try:
            if not answer.is_sure and self._can_constrain:
                answer = yield from self._searched_again(question, answer)
            request = self._first.messages(question, kind, answer, before=before, beside=beside)
            return (yield from self._asked(question, answer, request))
        except TurnEnded as end:
            is_of_model = end.ended == "limit" or isinstance(end.__cause__, ModelError)
            if not is_of_model or kind.kind == "talk":
                raise
            half = self._said().strip()
            return (yield from instead(answer, end.notice, is_sure=answer.is_sure, half=half))

    def _searched_again(
        self, question: str, answer: IndexAnswer
    ) -> Generator[Event, None, IndexAnswer]:
        """Search with words that the model expects in the code."""
        asked = Message(role="user", content=_WORDS.format(question=question))
        wanted = AskedFor(has_tools=False, schema=_WORDS_SCHEMA, is_shown=False, is_optional=True)
        reply = yield from self._ask([self._first.rules, asked], wanted)
        words = re.findall(r"[^\W\d]\w{2,29}", reply.raw)[:10]
        found = self._first.again(question, answer, words) if words else answer
        self._is_searched_again = bool(words)
        if found.line != answer.line:
            yield IndexAnswered(answer=found)
        return found

    def _asked(
        self, question: str, answer: IndexAnswer, request: list[Message]
    ) -> Generator[Event, None, WordedAnswer]:
        reply = yield from self._replied(request, answer)
        if _SAYS_MISSING.fullmatch(reply.text) and answer.evidence is not None:
            request, answer = yield from self._with_more(question, answer, request)
            reply = yield from self._replied(request, answer) if request else _nothing()
            if _SAYS_MISSING.fullmatch(reply.text) or not reply.text.strip():
                return (yield from instead(answer, _NOT_THERE))
        problem = self._problem(reply, answer)
        if problem:
            yield Noticed(text=f"{problem} It is asked once more.")
            said = Message(role="assistant", content=reply.raw[:400] or "(nothing)")
            told = Message(role="user", content=_AGAIN.format(problem=problem))
            reply = yield from self._replied([*request, said, told], answer)
            if self._problem(reply, answer):
                return (yield from instead(answer, _NOT_USED))
        text = with_places(reply.text.strip(), answer)
        cited: list[str] | None = named_in(reply.text, _ids(answer))
        if not cited:
            cited = yield from self._rests_on(request, reply, answer)
            named = cited or _named(reply.text, answer)
            marks = with_places(f" [{', '.join(named)}]", answer) if named else ""
            if marks and text.endswith("```"):  # which closes a block only on a line of its own
                marks = f"\n\n{marks.lstrip()}"
            yield from [TextAdded(text=marks)] if marks else []
            text += marks
        return WordedAnswer(text, answer, answer.is_sure and self._holds(question, answer, cited))

    def _holds(self, question: str, answer: IndexAnswer, cited: Sequence[str] | None) -> bool:
        """Whether the excerpts that an answer rests on are about the question, as far as known."""
        found = answer.evidence
        is_told = bool(answer.looked_at or answer.results or self._is_searched_again)
        if not cited or is_told or found is None:
            return cited != []
        told = (
            f"{one.symbol.path} {one.symbol.name} {' '.join(one.lines)}"
            for one in found.excerpts
            if one.id in cited
        )
        return share_told(question, found.weights, told) > _LEAST_TOLD

    def _rests_on(
        self, request: Sequence[Message], reply: Reply, answer: IndexAnswer
    ) -> Generator[Event, None, list[str] | None]:
        """Ask which excerpts an answer without marks rests on; None where that is not known."""
        ids = _ids(answer)
        if not self._can_constrain or len(ids) < 2:  # noqa: PLR2004 - one is no choice
            return None
        said = Message(role="assistant", content=reply.text)
        asked = Message(role="user", content=_RESTS_ON)
        return (yield from chosen(self._ask, [*request, said, asked], ids, is_optional=True))

    def _replied(
        self, request: Sequence[Message], answer: IndexAnswer
    ) -> Generator[Event, None, Reply]:
        """Send the request; yield the reply with its ids made places, and return it."""
        citations = Citations(answer.excerpts)
        wanted = AskedFor(has_tools=False, begins_with=_MISSING, by_card=True, citations=citations)
        return (yield from self._ask(request, wanted))

    def _with_more(
        self, question: str, answer: IndexAnswer, request: list[Message]
    ) -> Generator[Event, None, tuple[list[Message], IndexAnswer]]:
        """The request with further source that the model has chosen; empty where it chose none."""
        further = _further(answer)
        if not (further or self._tools) or answer.evidence is None:
            return [], answer
        listed = [f"{one} {at.name} {at.path}:{at.line}" for one, at in further.items()]
        listed += [f"{name}: {one.schema.description}" for name, one in self._tools.items()]
        said = Message(role="assistant", content=_MISSING)
        choice = Message(role="user", content=_CHOOSE.format(listed="\n".join(listed)))
        request = [*request, said, choice]
        picks = (yield from chosen(self._ask, request, [*further, *self._tools])) or []
        if not picks:
            return [], answer
        picks = picks[:MOST_CHOSEN]
        picked = Message(role="assistant", content=json.dumps(picks))
        parts, more = [], list(answer.excerpts)
        for one in picks:
            if one in self._tools:
                told = yield from self._called(self._tools[one], [*request, picked])
                parts += [f"{one}\n{told}"] if told else []
                continue
            at = further[one]
            last = min(at.end, at.line + _MOST_LINES - 1)
            cut = f"\n[… {at.end - last} more lines]" * (last < at.end)
            if not (source := self._first.source(at.path, at.line, last)):
                continue
            parts.append(f"{one} {at.name}\n{source}{cut}")
            more.append(EvidenceExcerpt(id=one, symbol=at, lines=tuple(source.split("\n"))))
        if not parts:
            return [], answer
        evidence = answer.evidence.model_copy(update={"excerpts": tuple(more)})
        answer = answer.model_copy(update={"evidence": evidence})
        asked = Message(role="user", content="\n\n".join([*parts, f"Question: {question}"]))
        return [*request, picked, asked], answer

    def _called(self, tool: Tool, request: list[Message]) -> Generator[Event, None, str]:
        """What a tool says, with arguments that the model gives; "" where it failed."""
        asked = Message(role="user", content=_ARGUMENTS.format(signature=tool.signature))
        wanted = AskedFor(has_tools=False, schema=tool.brief.parameters, is_shown=False)
        reply = yield from self._ask([*request, asked], wanted)
        try:
            arguments = json.loads(reply.raw)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return ""
        call = ToolCall(id=f"{tool.name}.1", name=tool.name, arguments=arguments)
        result = yield from self._run(call)
        told = self._first.hidden(result.text(), "") if result.success else ""
        return shorten(told, self._first.tokens / 2)

    def _problem(self, reply: Reply, answer: IndexAnswer) -> str:
        """Why a reply is no answer, a sentence; "" when it is one."""
        text = reply.text.strip()
        if is_apology(text):
            return "The reply did not try to answer."
        if reply.calls or reply.errors:
            return "The reply was a call or an edit, not an answer."
        if not text or _SAYS_MISSING.fullmatch(text):
            return "The reply held no answer."
        if reply.repeats:
            return "The reply repeated itself."
        project = self._first.project
        given = [answer.evidence.text] if answer.evidence is not None else []
        plain = with_places(text, answer)
        told = receipt_of(
            plain, project.index, project.workspace, ignored=self._ignored, given=given
        )
        if len(told.marks) > len(told.held) + len(told.cited):
            names = ", ".join(dict.fromkeys(mark.named for mark in told.marks))
            return f"The reply names what is not in the code: {names}."
        return ""


def with_places(text: str, answer: IndexAnswer) -> str:
    """A text of the model with its ids made names and places."""
    return Citations(answer.excerpts).whole(text)


def _named(text: str, answer: IndexAnswer) -> list[str]:
    """The ids of the excerpts whose names a text has, written as code; of the first three."""
    quoted = {word for code in _CODE.findall(text) for word in _NAME.findall(code)}
    names = quoted | {word for word in _NAME.findall(text) if looks_like_code(word)}
    found = [one.id for one in answer.excerpts if one.symbol.name.rpartition(".")[2] in names]
    return found[:MOST_CHOSEN]


def _ids(answer: IndexAnswer) -> list[str]:
    """The ids of the excerpts."""
    return [one.id for one in answer.excerpts]


def instead(
    answer: IndexAnswer, notice: str, *, is_sure: bool = False, half: str = ""
) -> Generator[Event, None, WordedAnswer]:
    """The index's own answer where there is none of the model, below the half that there is."""
    yield Noticed(text=notice, level="warning")
    text = answer.instead
    if half:
        text = f"\n\n{text}"
    yield TextAdded(text=text)
    return WordedAnswer(half + text, answer, is_sure, notice)


def _nothing() -> Generator[Event, None, Reply]:
    """No reply."""
    yield from ()
    return Reply()


def _further(answer: IndexAnswer) -> dict[str, EvidenceSymbol]:
    """The declarations whose source the model has not seen, by their ids."""
    if answer.evidence is None:
        return {}
    shown = {(one.symbol.path, one.symbol.name) for one in answer.excerpts}
    left = [one for one in answer.evidence.symbols if (one.path, one.name) not in shown]
    begin = len(answer.excerpts) + 1
    return {f"E{number}": one for number, one in enumerate(left[:_MOST_LISTED], begin)}
