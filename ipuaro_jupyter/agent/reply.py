"""A model's reply, read while it streams."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.text_calls import Piece, StreamParser
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema, Usage
from ipuaro_jupyter.records.events import Event, PhaseChanged, TextAdded


@dataclass
class Reply:
    """What has come of a reply so far; ``raw`` is the text as the model sent it."""

    raw: str = ""
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    usage: Usage | None = None


def read_reply(
    chunks: Iterator[Chunk],
    reply: Reply,
    *,
    schemas: Sequence[ToolSchema],
    aliases: Mapping[str, str],
) -> Iterator[Event]:
    """Yield the phases and the visible text of a reply as it comes; fill ``reply``."""
    parser = StreamParser(schemas, aliases=aliases, unknown_calls=True)
    phase = ""
    for chunk in chunks:
        now = _phase(chunk)
        if now and now != phase:
            phase = now
            yield PhaseChanged.model_validate({"phase": now})
        reply.raw += chunk.text
        reply.usage = chunk.usage or reply.usage
        reply.calls += chunk.calls
        yield from _take(parser.feed(chunk.text), reply)
    yield from _take(parser.finish(), reply)
    reply.text = parser.reply.text


def _phase(chunk: Chunk) -> str:
    if chunk.text or chunk.calls:
        return "writing"
    if chunk.phase == "loading":
        return "loading"
    return "thinking" if chunk.thinking or chunk.phase else ""


def _take(pieces: list[Piece], reply: Reply) -> Iterator[TextAdded]:
    for piece in pieces:
        if piece.text:
            reply.text += piece.text
            yield TextAdded(text=piece.text)
        if piece.call is not None:
            reply.calls.append(piece.call)
        if piece.error:
            reply.errors.append(piece.error)
