"""Smaller forms of messages: stubs of results, calls without their long texts."""

import json
from collections.abc import Collection
from typing import Any

from ipuaro_jupyter.agent.context.tokens import message_tokens, shorten
from ipuaro_jupyter.records.chat import Message, ToolCall

_FIRST_LINE = 160  # characters of a result that a stub keeps
_VALUE = 60  # characters of an argument in a stub
_LONG_ARGUMENT = 400  # characters of an argument that stays whole
_LARGE_ARGUMENT = 2000  # characters of one with texts inside
_ARGUMENT_TOKENS = 60


def stub(message: Message, call: ToolCall | None, *, repeatable: Collection[str]) -> Message:
    """Replace the text of a tool's result by a note on what it was and how to get it again.

    Args:
        message: The result.
        call: Its call; None when it belongs to no call.
        repeatable: Names of tools that may be called again for the same result; the result of any
            other keeps its first line instead, because it has changed something.
    """
    if message.role != "tool":
        return message
    first, _, rest = message.content.partition("\n")
    first = first if len(first) <= _FIRST_LINE else f"{first[:_FIRST_LINE]}…"
    if call is None:
        told = first
    elif message.tool in repeatable and not _failed(message):
        lines = message.content.count("\n") + 1
        told = (
            f"[Left out to save room: the result of {brief_call(call)}, {lines} line(s), "
            f"{len(message.content)} characters. Call it again if you need it.]"
        )
    else:
        left = f"\n[{rest.count(chr(10)) + 1} more line(s) left out to save room]" if rest else ""
        told = first + left
    short = message.model_copy(update={"content": told, "result": None})
    return short if len(told) < len(message.content) else message


def brief_call(call: ToolCall) -> str:
    """A call as one line: ``get_lines(path="a.ts", start=2)``."""
    given = (f"{name}={_brief(value)}" for name, value in call.arguments.items())
    return f"{call.name}({', '.join(given)})"


def with_short_calls(message: Message) -> Message:
    """A message whose calls have lost the middle of their long texts."""
    calls = tuple(
        call.model_copy(update={"name": _short(call.name), "arguments": _arguments(call)})
        for call in message.calls
    )
    return message if calls == message.calls else message.model_copy(update={"calls": calls})


def without_thinking(message: Message) -> Message:
    """A message without what the model thought before it."""
    return message.model_copy(update={"thinking": ""}) if message.thinking else message


def cut(message: Message, tokens: float) -> Message:
    """A message of at most about ``tokens``: both ends of its text, short calls."""
    message = without_thinking(with_short_calls(message))
    spare = tokens - message_tokens(message.model_copy(update={"content": ""}))
    return message.model_copy(update={"content": shorten(message.content, max(8, spare))})


def _failed(message: Message) -> bool:
    return message.result is not None and message.result.get("success") is False


def _arguments(call: ToolCall) -> dict[str, Any]:
    return {
        _short(name): _short(value) if isinstance(value, str) or _is_large(value) else value
        for name, value in call.arguments.items()
    }


def _is_large(value: object) -> bool:
    return isinstance(value, dict | list) and len(json.dumps(value)) > _LARGE_ARGUMENT


def _short(value: Any) -> Any:
    """A value of JSON with each of its long texts shortened, names included."""
    match value:
        case str() if len(value) > _LONG_ARGUMENT:
            return shorten(value, _ARGUMENT_TOKENS)
        case dict():
            return {_short(name): _short(inner) for name, inner in value.items()}
        case list():
            return [_short(inner) for inner in value]
    return value


def _brief(value: object) -> str:
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= _VALUE else f"{told[:_VALUE]}…"
