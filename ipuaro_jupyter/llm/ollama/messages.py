"""The conversation in the form that Ollama takes."""

from collections.abc import Sequence
from typing import Any

from ipuaro_jupyter.llm.wire_messages import calls_in_text
from ipuaro_jupyter.records.chat import Message


def to_ollama(messages: Sequence[Message], *, native_tools: bool) -> list[dict[str, Any]]:
    """The messages for ``/api/chat``; without ``native_tools``, calls are part of the text."""
    return [_native(m) for m in messages] if native_tools else calls_in_text(messages)


def _native(message: Message) -> dict[str, Any]:
    if message.role == "tool" and message.tool:
        return {"role": "tool", "content": message.content, "tool_name": message.tool}
    if message.role == "tool":
        return {"role": "user", "content": message.content}
    calls = [{"function": {"name": c.name, "arguments": c.arguments}} for c in message.calls]
    told = {"role": message.role, "content": message.content, "tool_calls": calls}
    return {**told, "thinking": message.thinking} if message.thinking else told
