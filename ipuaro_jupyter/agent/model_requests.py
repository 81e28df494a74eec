"""A request to the model: the conversation as it fits, and the reply, read as it comes."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from ipuaro_jupyter.agent.citations import Citations
from ipuaro_jupyter.agent.constraint import FORM, call_schema, freed
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.repetition import runs_on
from ipuaro_jupyter.agent.reply import Reply, read_reply
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError, UnreadableCall
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.llm import Chunk, Model
from ipuaro_jupyter.llm.metered import metered
from ipuaro_jupyter.llm.model_family import family_of
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.llm.turn_marks import RESULT_STOPS, plain, stops
from ipuaro_jupyter.llm.wishes import Sampling, Wishes, asked, takes
from ipuaro_jupyter.records.chat import Message, ToolCall, Usage
from ipuaro_jupyter.records.events import Event, TextAdded
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Tool

_UNREADABLE = (
    "Your call could not be read: it is no valid JSON. Write it again, whole and correctly "
    "escaped; if it is long, make smaller calls."
)

_MOST_WRITTEN = 16_000
"""Characters of a constrained reply: by a schema, a small model may find no end of a text."""

_AROUND = " \n.*`[]"

_LOOK_EVERY = 80
"""Characters of a constrained reply after which it is looked at whether it repeats itself."""


class AskedFor(NamedTuple):
    """What a request asks for beside the conversation.

    Attributes:
        is_constrained: Whether the reply has to be a call that can be made, or an answer, where the
            model takes a schema.
        think: Whether the model thinks first; None leaves that to the settings.
        has_tools: Whether the model may call tools.
        schema: What the reply has to match, where the model takes that; no call is read then.
        is_shown: Whether the user sees the reply.
        begins_with: A reply that begins like this is shown only once it turns out to be longer.
        by_card: Whether it is sampled as the model's card recommends.
        sampling: How else it is sampled, where the user's settings leave that to the model.
        is_optional: Whether the turn goes on without the reply where there is none.
        citations: Makes the ids in what the user sees names and places; None shows it as it is.
    """

    is_constrained: bool = False
    think: bool | None = None
    has_tools: bool = True
    schema: Mapping[str, Any] | None = None
    is_shown: bool = True
    begins_with: str = ""
    by_card: bool = False
    sampling: Sampling | None = None
    is_optional: bool = False
    citations: Citations | None = None


class ModelRequests:
    """Asks the model, and reads its replies.

    Args:
        model: The model.
        tools: The tools that may be called.
        index: Knows the names for calls that cannot be wrong.
        context: Makes the conversation fit.
        shown: The tools that the model knows of.
        spend: Gets the usage of each request, estimated where its reply was not read to the end.
        is_question: Whether the message asks for no change: no schema holds a call that writes.

    Attributes:
        said: The visible text of the latest reply so far.
        first_s: The seconds until the latest reply's first visible text; None while it has none.
        sent: The messages of the latest request.
    """

    def __init__(
        self,
        model: Model,
        tools: Tools,
        index: CodeIndex,
        *,
        context: ContextWindow,
        shown: Callable[[], Iterable[Tool]],
        spend: Callable[[Usage], object] = lambda _usage: None,
        is_question: bool = False,
    ) -> None:
        self.said = ""
        self.first_s: float | None = None
        self.sent: Sequence[Message] = ()
        self._model = model
        self._tools = tools
        self._index = index
        self._schemas = tuple(tool.schema for tool in tools)
        self._context = context
        self._shown = shown
        self._spend = spend
        self._is_question = is_question

    @property
    def can_constrain(self) -> bool:
        """Whether the model takes a schema for its reply."""
        return takes(self._model, "schema")

    def ask(
        self,
        system: Message,
        history: Sequence[Message],
        cancel: CancelToken,
        asked_for: AskedFor,
    ) -> Generator[Event, None, Reply]:
        """Send the conversation; yield the reply as it comes, and return it.

        A call that the server could not read is one of the reply's errors, or a call all the same.

        Raises:
            Cancelled: ``cancel`` was set.
            ModelError: The model cannot be asked.
            StorageError: Redis has gone.
        """
        messages = yield from self._context.fitted(system, history, cancel)
        return (yield from self.send(messages, history, cancel, asked_for))

    def send(
        self,
        messages: Sequence[Message],
        history: Sequence[Message],
        cancel: CancelToken,
        asked_for: AskedFor,
    ) -> Generator[Event, None, Reply]:
        """Send these very messages; see `ask`. ``history`` is the session's."""
        self.said, self.first_s = "", None
        began = time.monotonic()
        reply, unread = Reply(), _Unread(self._read)
        chunks = self._chunks(messages, history, cancel, asked_for)
        events = read_reply(
            unread.caught(chunks),
            reply,
            schemas=self._schemas,
            aliases=self._tools.aliases,
            ids=f"{len(history)}.",
            changing=[tool.name for tool in self._tools if tool.asks_first],
            is_question=self._is_question,
        )
        self.sent = messages
        with closing(chunks):
            for event in _shown(events, asked_for):
                if isinstance(event, TextAdded):
                    self.first_s = self.first_s or time.monotonic() - began
                    self.said += event.text
                yield event
                cancel.check()
        reply.calls = [self._tools.meant(call) for call in reply.calls]
        if unread.raw is not None:
            reply.raw = "\n".join(filter(None, [reply.raw, plain(unread.raw)]))
            reply.errors.append(_UNREADABLE)
        if reply.usage is None:
            reply.usage = self._context.estimated(messages, reply.raw)
        self._context.learn(messages, reply.usage)
        return reply

    def _chunks(
        self,
        messages: Sequence[Message],
        history: Sequence[Message],
        cancel: CancelToken,
        asked_for: AskedFor,
    ) -> Generator[Chunk, None, None]:
        """The pieces of the reply, whose usage is spent at their end."""

        def spent(text: str, usage: Usage | None) -> None:
            self._spend(usage or self._context.estimated(messages, text))

        chunks = self._asked(messages, history, cancel, asked_for)
        return metered(chunks, spent)

    def _asked(
        self,
        messages: Sequence[Message],
        history: Sequence[Message],
        cancel: CancelToken,
        asked_for: AskedFor,
    ) -> Iterator[Chunk]:
        wishes: Wishes = {}
        if asked_for.think is not None:
            wishes["think"] = asked_for.think
        family = family_of(self._model.name) if asked_for.by_card else None
        sampling = asked_for.sampling if family is None else family.sampled(thinks=False)
        if sampling is not None:
            wishes["sampling"] = sampling
        if asked_for.schema is not None:
            wishes["schema"] = asked_for.schema
        tools = self._context.tools if asked_for.has_tools else ()
        if asked_for.is_constrained and self.can_constrain:
            shown = [one for one in self._shown() if not (self._is_question and one.writes)]
            wishes["schema"] = call_schema(shown, self._index, history)
            # Only here: the next request goes on from the messages themselves.
            formed = [*messages[:-1], _with_form(messages[-1])]
            chunks = asked(self._model, formed, tools=tools, cancel=cancel, **wishes)
            return freed(_ended(chunks))
        wishes["stop"] = stops([message.content for message in messages], self._model.name)
        return asked(self._model, messages, tools=tools, cancel=cancel, **wishes)

    def _read(self, text: str) -> Sequence[ToolCall]:
        return parse_reply(
            text, self._schemas, aliases=self._tools.aliases, unknown_calls=True
        ).calls


def _shown(events: Iterator[Event], asked_for: AskedFor) -> Iterator[Event]:
    """The events, with text only as far as the user is to see it."""
    said, is_held, citations = "", bool(asked_for.begins_with), asked_for.citations
    try:
        for event in events:
            if not isinstance(event, TextAdded):
                yield event
            elif asked_for.is_shown:
                said += event.text
                is_held = is_held and asked_for.begins_with.startswith(said.strip(_AROUND))
                if not is_held:
                    said = said if citations is None else citations.feed(said)
                    yield from [TextAdded(text=said)] if said else []
                    said = ""
    except (Cancelled, ModelError):
        yield from _rest(citations)
        raise
    yield from _rest(citations)


def _rest(citations: Citations | None) -> Iterator[Event]:
    """The text that was held back in case that an id goes on."""
    if citations is not None and (rest := citations.finish()):
        yield TextAdded(text=rest)


def begins_as_result(text: str) -> bool:
    """Whether a reply begins with what only tools write, such as ``<tool_result name="grep">``."""
    return text.lstrip().startswith(tuple(mark.strip().removesuffix(">") for mark in RESULT_STOPS))


def _ended(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The chunks, as a reply that is cut off once it is too long or repeats itself."""
    written, looked_at = "", 0
    for chunk in chunks:
        yield chunk
        written += chunk.text
        is_over = len(written) > _MOST_WRITTEN
        if len(written) - looked_at >= _LOOK_EVERY:
            looked_at = len(written)
            is_over |= runs_on(written)
        if is_over:
            yield Chunk(cut_off=True)
            break


def _with_form(message: Message) -> Message:
    """The newest message, followed by the form of a constrained reply."""
    return message.model_copy(update={"content": f"{message.content}\n\n{FORM}"})


class _Unread:
    """Takes a call that the server could not read for the end of a reply.

    Args:
        read: Finds the calls in a text.

    Attributes:
        raw: The call that could not be read here either; None when there was none.
    """

    def __init__(self, read: Callable[[str], Sequence[ToolCall]]) -> None:
        self._read = read
        self.raw: str | None = None

    def caught(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """The chunks, with the calls in what the server could not read."""
        try:
            yield from chunks
        except UnreadableCall as error:
            calls = tuple(self._read(error.raw))
            if not calls:
                self.raw = error.raw
            yield Chunk(calls=calls)
