"""A model's reply, read while it streams."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.llm.text_calls import Piece, StreamParser, meant_call
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema, Usage
from ipuaro_jupyter.records.events import Event, PhaseChanged, TextAdded


@dataclass
class Reply:
    """What has come of a reply so far; ``raw`` is the text as the model sent it.

    ``cut_off``: it ended because there was no more room for it, not because the model was done.
    ``thought``: the model has sent thoughts beside the text.
    """

    raw: str = ""
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    usage: Usage | None = None
    cut_off: bool = False
    thought: bool = False


def read_reply(
    chunks: Iterator[Chunk],
    reply: Reply,
    *,
    schemas: Sequence[ToolSchema],
    aliases: Mapping[str, str],
) -> Iterator[Event]:
    """Yield the phases and the visible text of a reply as it comes; fill ``reply``."""
    native: list[ToolCall] = []
    parser = StreamParser(schemas, aliases=aliases, unknown_calls=True)
    phase = ""
    for chunk in chunks:
        now = _phase(chunk)
        if now and now != phase:
            phase = now
            yield PhaseChanged.model_validate({"phase": now})
        text = scrubbed(chunk.text)
        reply.raw += text
        reply.usage = chunk.usage or reply.usage
        reply.cut_off = reply.cut_off or chunk.cut_off
        reply.thought = reply.thought or bool(chunk.thinking.strip())
        native += chunk.calls
        yield from _take(parser.feed(text), reply)
    yield from _take(parser.finish(), reply)
    parsed = parser.reply
    reply.text = parsed.text
    meant = [meant_call(call, schemas, aliases=aliases) for call in native]
    reply.calls = [_scrubbed_call(call) for call in (*meant, *parsed.calls)]
    reply.errors = list(parsed.errors)


def scrubbed(text: str) -> str:
    """Return text that can be written as UTF-8: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _scrubbed_call(call: ToolCall) -> ToolCall:
    arguments = _scrubbed_value(call.arguments)
    return call.model_copy(update={"name": scrubbed(call.name), "arguments": arguments})


def _scrubbed_value(value: Any) -> Any:
    match value:
        case str():
            return scrubbed(value)
        case dict():
            return {scrubbed(key): _scrubbed_value(inner) for key, inner in value.items()}
        case list():
            return [_scrubbed_value(inner) for inner in value]
        case _:
            return value


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
