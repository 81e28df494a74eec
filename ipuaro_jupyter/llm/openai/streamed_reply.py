"""A reply, put together from the parts in which it is streamed."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ipuaro_jupyter.errors import UnreadableCall
from ipuaro_jupyter.llm import Chunk, PromptRead
from ipuaro_jupyter.llm.bounded_responses import LARGEST_COUNT, count
from ipuaro_jupyter.records.chat import ToolCall, Usage

_THINKING = ("reasoning_content", "reasoning", "thinking")
_NO_ROOM = ("length", "max_tokens", "model_length")


@dataclass(slots=True)
class _GrowingCall:
    """A call whose arguments are still being written, in JSON."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class StreamedReply:
    """The reply so far.

    Attributes:
        ended_by: Why the model ended it, in the server's word; "" while it has not.
        thinking_key: The key under which the server sends thinking; "" while there is none.
    """

    def __init__(self) -> None:
        self.ended_by = ""
        self.thinking_key = ""
        self._calls: dict[int, _GrowingCall] = {}
        self._usage: Mapping[str, Any] = {}

    def taken(self, part: Any) -> Chunk:
        """What a part adds; calls and usage come with `rest`.

        Raises:
            ValueError: It is no part of a reply.
            TypeError: The same.
        """
        if not isinstance(part, dict) or not isinstance(part.get("choices") or [], list):
            raise TypeError("no part of a reply")
        if isinstance(part.get("usage"), dict):
            self._usage = part["usage"]
        text, thinking = "", ""
        for choice in (part.get("choices") or [])[:1]:
            delta = choice.get("delta") or choice.get("message") or {}
            self._take_calls(delta.get("tool_calls") or ())
            self.ended_by = choice.get("finish_reason") or self.ended_by
            text, inner = _texts(delta.get("content"))
            key = next((key for key in _THINKING if delta.get(key)), "")
            self.thinking_key = key or self.thinking_key
            thinking = _texts(delta.get(key))[0] + inner
            text += _texts(delta.get("refusal"))[0]
        return Chunk(text=text, thinking=thinking, read=_read_so_far(part.get("prompt_progress")))

    def rest(self, *, duration_ms: int) -> Chunk:
        """What comes last: calls, usage, and whether the reply was cut off.

        Raises:
            UnreadableCall: The arguments of a call are no JSON object, or were cut off.
        """
        is_cut_off = self.ended_by in _NO_ROOM
        return Chunk(
            calls=tuple(_read(call, is_cut_off=is_cut_off) for call in self._calls.values()),
            usage=_usage(self._usage, duration_ms),
            cut_off=is_cut_off,
        )

    def _take_calls(self, deltas: Iterable[Mapping[str, Any]]) -> None:
        for place, delta in enumerate(deltas):
            index = delta.get("index")
            if not isinstance(index, int):  # some servers leave it out
                index = max(self._calls, default=0) if "id" not in delta else place
            function = delta.get("function") or {}
            id_ = str(delta.get("id") or "")
            growing = self._calls.get(index)
            if growing is None or (id_ and growing.id and id_ != growing.id):
                if growing is not None:  # some servers give each the same index
                    index = max(self._calls) + 1
                growing = self._calls[index] = _GrowingCall(id=id_)
            growing.name = growing.name or str(function.get("name") or "")
            arguments = function.get("arguments") or ""
            growing.arguments += arguments if isinstance(arguments, str) else json.dumps(arguments)


def _texts(content: Any) -> tuple[str, str]:
    """The text and the thinking in a content, which may be a list of typed pieces."""
    if isinstance(content, str):
        return content, ""
    text = thinking = ""
    for piece in content if isinstance(content, list) else ():
        said, inner = _texts(piece.get("text"))
        thought = _texts(piece.get("thinking"))[0]
        text, thinking = text + said, thinking + inner + thought
    return text, thinking


def _read(call: _GrowingCall, *, is_cut_off: bool) -> ToolCall:
    """The call; without the server's id, which may come again in another reply."""
    try:
        arguments = json.loads(call.arguments or "{}", strict=False)
        if isinstance(arguments, str):
            arguments = json.loads(arguments, strict=False)
    except (ValueError, RecursionError):
        arguments = None
    if arguments is None and call.arguments.strip() == "null":
        arguments = {}
    if isinstance(arguments, dict) and not is_cut_off:
        return ToolCall(name=call.name, arguments=arguments)
    raw = f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'
    if is_cut_off:
        told = f"The call of {call.name} was cut off because the reply was too long."
    else:
        told = f"The arguments of the call of {call.name} are no JSON object."
    raise UnreadableCall(told, raw=raw)


def _read_so_far(progress: Any) -> PromptRead | None:
    """How far llama.cpp has read; see "return_progress" in the README of its server."""
    if not isinstance(progress, dict):
        return None
    read, kept, of = (count(progress.get(key)) for key in ("processed", "cache", "total"))
    if not of:
        return None
    return PromptRead(tokens=read - kept, of=of - kept, seconds=_s(progress.get("time_ms")))


def _s(ms: object) -> float:
    """A time in seconds; 0 where it is none."""
    return ms / 1000 if isinstance(ms, int | float) and 0 <= ms <= LARGEST_COUNT else 0.0


def _usage(sent: Mapping[str, Any], duration_ms: int) -> Usage | None:
    """The server's counts; None when it sent none."""
    prompt = count(sent.get("prompt_tokens"))
    if not prompt:
        return None
    details = sent.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return Usage(
        prompt_tokens=prompt,
        cached_tokens=cached if cached <= prompt else 0,
        completion_tokens=count(sent.get("completion_tokens")),
        duration_ms=duration_ms,
    )
