"""The conversation in the form that OpenAI-compatible servers take."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ipuaro_jupyter.llm.wire_messages import calls_in_text, joined
from ipuaro_jupyter.records.chat import Message, ToolCall

_ID_LENGTH = 9


def to_openai(
    messages: Sequence[Message], *, native_tools: bool, thinking_key: str = ""
) -> list[dict[str, Any]]:
    """The messages for ``/chat/completions``; without ``native_tools``, calls are in the text.

    Thinking goes back under ``thinking_key``, with the calls to which it led; "" leaves it out.
    """
    if not native_tools:
        return calls_in_text(messages)
    return list(joined(_native(message, thinking_key) for message in messages))


def _native(message: Message, thinking_key: str) -> dict[str, Any]:
    if message.role == "tool" and message.call_id:
        return {
            "role": "tool",
            "tool_call_id": _wire_id(message.call_id),
            "content": message.content,
        }
    if message.role == "tool":
        return {"role": "user", "content": message.content}
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        sent["tool_calls"] = [_call(call) for call in message.calls]
        if thinking_key and message.thinking:
            sent[thinking_key] = message.thinking
    return sent


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": _wire_id(call.id),
        "type": "function",
        "function": {
            "name": call.name,
            "arguments": json.dumps(call.arguments, ensure_ascii=False),
        },
    }


def _wire_id(call_id: str) -> str:
    """An id of nine letters and digits, always the same: Mistral's templates take no others."""
    return hashlib.sha256(call_id.encode()).hexdigest()[:_ID_LENGTH]
