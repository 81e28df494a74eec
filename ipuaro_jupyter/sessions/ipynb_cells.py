"""A turn as the metadata of a notebook cell, and back."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.sessions.recording import answer_of
from ipuaro_jupyter.sessions.stored_session import plain_message


class _SavedCall(Record):
    id: str
    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None = None
    decisions: tuple[Decision, ...] = ()


class _Recorded(Record):
    """The content of a cell's metadata."""

    replies: tuple[str, ...]
    calls: tuple[_SavedCall, ...]
    messages: tuple[dict[str, Any], ...]
    question: dict[str, Any] = Field(default_factory=dict)
    usage: dict[str, Any] = Field(default_factory=dict)
    ended: str = "done"


def cell_metadata(turn: Sequence[Message]) -> dict[str, Any]:
    """The metadata of a cell for a turn, without repetition.

    ``replies`` are the model's, as it sent them. ``calls`` are ``id``, ``tool``, ``arguments``,
    ``result`` as `ToolResult.to_dict` gives it, and the ``decisions`` on the questions that the
    call raised. ``usage`` and ``ended`` are the turn's. ``messages`` hold the rest of each message.
    """
    replies: list[str] = []
    calls: list[dict[str, Any]] = []
    messages: list[dict[str, Any]] = []
    results = iter([m for m in turn if m.role == "tool" and m.call_id])
    for message in turn[1:]:
        values = json.loads(plain_message(message))
        if message.role == "assistant":
            replies.append(values.pop("raw", ""))
            _leave_out(values, replies[-1])
            values.pop("calls", None)
            if message.calls:
                values["calls"] = len(message.calls)
            calls += [_call(call, next(results)) for call in message.calls]
        elif message.call_id:
            _leave_out(values, (values.pop("result", None) or {}).get("output"))
            values.pop("decisions", None)
        messages.append(values)
    question = json.loads(plain_message(turn[0]))
    answer = answer_of(turn)
    return {
        "replies": replies,
        "calls": calls,
        "usage": answer.usage.to_dict(),
        "ended": "interrupted" if turn[-1].interrupted else "done",
        "question": {k: v for k, v in question.items() if k not in {"role", "content"}},
        "messages": messages,
    }


def _leave_out(values: dict[str, Any], said: object) -> None:
    """Drop a message's content when it only repeats what is stored elsewhere."""
    if values["content"] == said:
        del values["content"]


def _call(call: ToolCall, result: Message) -> dict[str, Any]:
    told = json.loads(plain_message(result))
    kept = {key: told[key] for key in ("result", "decisions") if key in told}
    return {"id": call.id, "tool": call.name, "arguments": call.arguments, **kept}


def messages_of(metadata: object, *, question: str) -> Iterator[Message]:
    """Yield the messages of a turn from the metadata made by `cell_metadata`.

    Raises:
        ValueError: The metadata is something else.
    """
    recorded = _Recorded.model_validate(metadata)
    yield Message.model_validate({"role": "user", "content": question, **recorded.question})
    replies, waiting = iter(recorded.replies), iter(recorded.calls)
    called: Iterator[_SavedCall] = iter(())
    for stored in recorded.messages:
        values = dict(stored)
        if values.get("role") == "assistant":
            values["raw"] = _next(replies, "replies")
            values.setdefault("content", values["raw"])
            count = values.pop("calls", 0)
            if not isinstance(count, int):
                raise ValueError(f"metadata.ipuaro.messages: {count!r} is not a number of calls")
            ours = [_next(waiting, "calls") for _ in range(count)]
            called = iter(ours)
            values["calls"] = [
                ToolCall(id=call.id, name=call.tool, arguments=call.arguments) for call in ours
            ]
        elif values.get("callId"):
            call = _next(called, "calls")
            values |= {"callId": call.id, "result": call.result, "decisions": call.decisions}
            values.setdefault("content", (call.result or {}).get("output"))
        yield Message.model_validate(values)
    if next(replies, None) is not None or next(waiting, None) is not None:
        raise ValueError("metadata.ipuaro has more replies or calls than messages")


def _next(items: Iterator[Any], name: str) -> Any:
    for item in items:
        return item
    raise ValueError(f"metadata.ipuaro.{name} has too few entries for its messages")
