"""The conversation in the form that chat servers share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def calls_in_text(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages with calls as part of the assistant's text, and results of the user's.

    Many templates silently drop the role "tool".
    """
    return list(joined(_plain(message) for message in messages))


def wire_tool(schema: ToolSchema) -> dict[str, Any]:
    """The tool for a request."""
    return {
        "type": "function",
        "function": {
            "name": schema.name,
            "description": schema.description,
            "parameters": schema.parameters,
        },
    }


def joined(messages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Join neighbours of the same role: templates expect user and assistant to alternate.

    Messages with more than a role and a content stay apart.
    """
    last: dict[str, Any] | None = None
    for message in messages:
        if last is not None and last["role"] == message["role"] and _is_text(last, message):
            last["content"] += "\n\n" + message["content"]
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _is_text(*messages: Mapping[str, Any]) -> bool:
    return all(message.keys() == {"role", "content"} for message in messages)


def _plain(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        content = message.content
        if message.tool:
            content = f'<tool_result name="{message.tool}">\n{content}\n</tool_result>'
        return {"role": "user", "content": content}
    calls = [format_call(call, _schema(call)) for call in message.calls]
    return {"role": message.role, "content": "\n".join(filter(None, [message.content, *calls]))}


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
