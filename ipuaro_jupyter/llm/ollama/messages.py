"""The conversation in the form that Ollama takes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ipuaro_jupyter.llm.text_calls.call_format import format_call
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema

_JSON_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


def to_ollama(messages: Sequence[Message], *, native_tools: bool) -> list[dict[str, Any]]:
    """The messages for ``/api/chat``.

    Without ``native_tools``, calls are part of the assistant's text, and results of the user's:
    many templates silently drop the role "tool".
    """
    if native_tools:
        return [_native(message) for message in messages]
    return list(_joined(_plain(message) for message in messages))


def to_ollama_tool(schema: ToolSchema) -> dict[str, Any]:
    """The tool for ``/api/chat``."""
    return {
        "type": "function",
        "function": {
            "name": schema.name,
            "description": schema.description,
            "parameters": schema.parameters,
        },
    }


def _native(message: Message) -> dict[str, Any]:
    if message.role == "tool" and message.tool:
        return {"role": "tool", "content": message.content, "tool_name": message.tool}
    if message.role == "tool":
        return {"role": "user", "content": message.content}
    calls = [{"function": {"name": c.name, "arguments": c.arguments}} for c in message.calls]
    return {"role": message.role, "content": message.content, "tool_calls": calls}


def _plain(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        content = message.content
        if message.tool:
            content = f'<tool_result name="{message.tool}">\n{content}\n</tool_result>'
        return {"role": "user", "content": content}
    calls = [format_call(call, _schema(call)) for call in message.calls]
    return {"role": message.role, "content": "\n".join(filter(None, [message.content, *calls]))}


def _joined(messages: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Join neighbours of the same role: templates expect user and assistant to alternate."""
    last: dict[str, Any] | None = None
    for message in messages:
        if last is not None and last["role"] == message["role"]:
            last["content"] += "\n\n" + message["content"]
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _schema(call: ToolCall) -> ToolSchema:
    """A schema that the call's own arguments fit; the tool's is not available here."""
    types = {name: _JSON_TYPES.get(type(value), "string") for name, value in call.arguments.items()}
    return ToolSchema(
        name=call.name,
        description="",
        parameters={
            "type": "object",
            "properties": {name: {"type": type_} for name, type_ in types.items()},
            "required": list(types),
        },
    )
