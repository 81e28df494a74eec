"""A model's reply, read while it streams."""

import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ipuaro_jupyter.agent.repetition import repetition, said_once
from ipuaro_jupyter.agent.unread_calls import no_answer, unread_call
from ipuaro_jupyter.agent.written_edits import written_edit
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.text_calls.reply_parser import ReplyPiece, StreamParser, meant_call
from ipuaro_jupyter.llm.turn_marks import JoinedText, plain, with_texts
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema, Usage
from ipuaro_jupyter.records.events import Event, Noticed, PhaseChanged, PromptSent, TextAdded

_WORDS = re.compile(r"[\w\s.,;:!?'-]{1,40}")
_NO_MARK = 40
"""Held-back text longer than this, in characters, cannot be the mark of thinking."""
_LOOK_EVERY = 200  # characters
_CUT_OFF = "The call of {name} was cut off because the reply was too long."
_REPEATED = "The model said the same again and again; it was stopped."


@dataclass
class Reply:
    """The reply so far; ``raw`` is the text as the model sent it.

    Until the reply has ended, text and calls may still turn out to be thinking: some models close
    thinking that their prompt has opened. So a consumer that does not wait for the end may only do
    harmless things. ``cut_off``: it ended for lack of room, not because the model was done.
    ``thought``: the model has thought. ``thinking`` is what it thought, where the server sends that
    beside the text. ``repeats``: it said the same again and again.
    """

    raw: str = ""
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    usage: Usage | None = None
    cut_off: bool = False
    thought: bool = False
    thinking: str = ""
    repeats: bool = False


def read_reply(
    chunks: Iterator[Chunk],
    reply: Reply,
    *,
    schemas: Sequence[ToolSchema],
    aliases: Mapping[str, str],
    ids: str | None = None,
    changing: Collection[str] = (),
    is_question: bool = False,
) -> Iterator[Event]:
    """Yield the phases and the visible text of a reply as it comes; fill ``reply``.

    The phase "writing" names the tool whose call is being written. A call is in ``reply.calls``
    before the next event after its end. The reply ends, and the request with it, where the model
    invents the result of a call, or repeats itself without an end.

    Args:
        chunks: The chunks from the model.
        reply: The reply to fill.
        schemas: The tools that may be called.
        aliases: Their other names, see `StreamParser`.
        ids: The prefix of the calls' ids, for models that give none; None for no ids.
        changing: The tools that change something, see `StreamParser`.
        is_question: Whether it is to be an answer that changes nothing.
    """
    parser = StreamParser(schemas, aliases=aliases, unknown_calls=True, ids=ids, changing=changing)
    reading = _Reading(reply, parser)
    native: list[ToolCall] = []
    try:
        for chunk in chunks:
            yield from reading.begin(chunk)
            reply.usage = chunk.usage or reply.usage
            reply.cut_off = reply.cut_off or chunk.cut_off
            for call in chunk.calls:
                meant = _scrubbed_call(meant_call(call, schemas, aliases=aliases))
                if ids is not None and not meant.id:
                    meant = meant.model_copy(update={"id": f"{ids}n{len(native) + 1}"})
                native.append(meant)
                reading.parser.calls_elsewhere = reading.ends_in_call = True
                reply.calls.append(meant)
                yield from reading.enter("writing", meant.name)
            text = scrubbed(chunk.text)
            reply.raw += text
            yield from reading.take(reading.parser.feed(text))
            if reading.parser.end is not None:
                reply.raw = reply.raw[: reading.parser.end]
                _stop(chunks)
                break
            if reading.repeats_itself():
                _stop(chunks)
                yield Noticed(text=_REPEATED)
                break
    except ModelError:
        yield from reading.held_back()
        raise
    finally:
        reply.raw = plain(reply.raw)
    yield from reading.take(reading.parser.finish(), is_end=True)
    reading.settle(native)
    if reply.cut_off and reply.calls and reading.ends_in_call:  # it may hold half a number
        reply.errors.append(_CUT_OFF.format(name=reply.calls.pop().name))
    if not reply.calls and not reply.errors:
        names = {schema.name for schema in schemas}
        told = (
            written_edit(reply.text, names, is_question=is_question)
            or unread_call(reply.text, schemas, aliases)
            or no_answer(reply.text)
        )
        reply.errors += [told] if told else []


def _stop(chunks: Iterator[Chunk]) -> None:
    """End the request: what the model goes on to write does not count."""
    if isinstance(chunks, Generator):
        chunks.close()


class _Reading:
    """A reply that is being read, with its present phase."""

    def __init__(self, reply: Reply, parser: StreamParser) -> None:
        self._reply = reply
        self._phase = ("", "")
        self._held_from = 0
        self._written: list[tuple[ToolCall, ToolCall]] = []
        self._tagged_thinking = ""
        self._looked_at = 0
        self._is_repeating = False
        self._plain = JoinedText()
        self.parser = parser
        self.ends_in_call = False

    def enter(self, phase: str, detail: str = "") -> Iterator[PhaseChanged]:
        """Yield the phase if it is a new one."""
        if (phase, detail) != self._phase:
            self._phase = (phase, detail)
            yield PhaseChanged.model_validate({"phase": phase, "detail": detail})

    def begin(self, chunk: Chunk) -> Iterator[PhaseChanged | PromptSent]:
        """Yield the phase that a chunk itself indicates, and how far the prompt is read."""
        if (read := chunk.read) is not None and 0 < read.tokens < read.of:
            left_s = read.seconds * (read.of - read.tokens) / read.tokens
            yield PromptSent(tokens=read.of, read=read.tokens, seconds=left_s)
        self._reply.thinking += scrubbed(chunk.thinking)
        if chunk.thinking.strip():
            self._reply.thought = True
        if chunk.thinking or chunk.phase == "generating":
            yield from self.enter("thinking")
        elif chunk.phase == "loading":
            yield from self.enter("loading")
        elif chunk.phase == "waiting":
            yield from self.enter("waiting", "another model on this machine")
        elif chunk.text and self._phase[0] in {"", "loading", "waiting"}:
            yield from self.enter("thinking")

    def take(self, pieces: Sequence[ReplyPiece], *, is_end: bool = False) -> Iterator[Event]:
        """Yield the events for the pieces of the text."""
        if pieces:
            self._held_from = len(self._reply.raw)
        elif len(self._reply.raw) - self._held_from > _NO_MARK and self._phase[0] != "writing":
            yield from self.enter("writing")  # a possible call is held back
        for piece in pieces:
            if piece.call or piece.error or piece.text.strip():
                self.ends_in_call = piece.call is not None
            if piece.call is not None:
                call = _scrubbed_call(piece.call)
                self._written.append((piece.call, call))
                self._reply.calls.append(call)
            elif piece.error:
                self._reply.errors.append(piece.error)
            elif piece.thinking:
                self._reply.thought = self._reply.thought or bool(piece.thinking.strip())
                self._tagged_thinking += piece.thinking
                yield from self.enter("thinking")
            elif piece.begun:
                yield from self.enter("writing", piece.begun)
            else:
                if piece.text.strip():
                    yield from self.enter("writing")
                yield from self._add(self._plain.feed(piece.text))
        yield from self._add(self._plain.finish() if is_end else "")

    def _add(self, text: str) -> Iterator[TextAdded]:
        self._reply.text += text
        yield from [TextAdded(text=text)] if text else []

    def repeats_itself(self) -> bool:
        """Whether the visible text, or the thinking, has come to repeat itself; looked at rarely.

        The content of a call does not count.
        """
        texts = (self._reply.text, self._reply.thinking, self._tagged_thinking)
        said = sum(map(len, texts))
        if said - self._looked_at < _LOOK_EVERY:
            return False
        self._looked_at = said
        self._is_repeating = any(repetition(text) is not None for text in texts)
        return self._is_repeating

    def held_back(self) -> Iterator[Event]:
        """Yield the words at the end of a reply that broke off, unless a call may begin there."""
        rest = self._reply.raw.removeprefix(self._reply.text)
        if self._reply.raw.startswith(self._reply.text) and _WORDS.fullmatch(rest):
            self._reply.text += rest
            yield TextAdded(text=rest)

    def settle(self, native: Sequence[ToolCall]) -> None:
        """Set the final content of the reply, in the order in which it came.

        A call that the model sent natively and also wrote into its text is one call.
        """
        parsed = self.parser.reply
        once = [(call.name, call.arguments) for call in native]
        gone = [
            call
            for read, call in self._written
            if not any(read is kept for kept in parsed.calls) or (call.name, call.arguments) in once
        ]
        self._reply.calls = [
            call for call in self._reply.calls if not any(call is other for other in gone)
        ]
        self._reply.repeats = self._is_repeating
        self._reply.thinking = plain(self._reply.thinking)
        text = plain(parsed.text)
        self._reply.text = said_once(text) if self._is_repeating else text
        self._reply.errors = list(parsed.errors)


def scrubbed(text: str) -> str:
    """Text that can be written as UTF-8: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _scrubbed_call(call: ToolCall) -> ToolCall:
    arguments = with_texts(call.arguments, lambda text: plain(scrubbed(text)), scrubbed)
    return call.model_copy(update={"name": scrubbed(call.name), "arguments": arguments})
