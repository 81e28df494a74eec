"""Calls as JSON, ``{"name": "TOOL", "arguments": {…}}`` and its relatives."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ipuaro_jupyter.llm.names import Names, properties, required
from ipuaro_jupyter.llm.tags import Found, Unfinished, skip_blanks
from ipuaro_jupyter.llm.values import OMITTED, typed
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema

_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "params")
_OTHER_KEYS = ("type", "id", "tool_calls")
_JSON_FORM = 'its body is no object like {"name": "TOOL", "arguments": {…}}.'
_NOT_JSON = "The call is not valid JSON ({error}). It was not run. Write it again."
_ENTER, _LEAVE = "{[", "}]"


class Brackets:
    """Finds where the object or list at ``start`` ends, in a text that grows."""

    def __init__(self, start: int) -> None:
        self._at = start
        self._depth = 0
        self._in_string = False

    def end(self, text: str) -> int | None:
        """Return the position after the last bracket; None as long as it has not come."""
        while self._at < len(text):
            character = text[self._at]
            if character == "\\":
                if self._at + 1 == len(text):
                    return None
                self._at += 1
            elif character == '"':
                self._in_string = not self._in_string
            elif not self._in_string:
                self._depth += (character in _ENTER) - (character in _LEAVE)
                if self._depth == 0:
                    return self._at + 1
            self._at += 1
        return None


def json_end(text: str, start: int) -> int:
    """Return where the object or list that begins at ``start`` ends, brackets counted.

    Raises:
        Unfinished: It does not end.
    """
    end = Brackets(start).end(text)
    if end is None:
        raise Unfinished
    return end


def may_be_call(text: str, start: int, names: Names) -> bool:
    """Whether the object or list at ``start`` begins like a call of one of the tools.

    Raises:
        Unfinished: The text ends before that can be seen.
    """
    at = _after_blanks(text, start + 1)
    if text[start] == "[":
        return text[at] == "{" and may_be_call(text, at, names)
    if text[at] != '"':
        return False
    key_end = _string_end(text, at)
    key = text[at + 1 : key_end - 1]
    at = _after_blanks(text, key_end)
    if text[at] != ":" or key not in (*_NAME_KEYS, *_ARGUMENT_KEYS, *_OTHER_KEYS):
        return False
    at = _after_blanks(text, at + 1)
    if key not in _NAME_KEYS or text[at] != '"':
        return True
    return bool(names.candidates(text[at + 1 : _string_end(text, at) - 1]))


def read_bare(text: str, start: int, end: int, names: Names) -> Found | None:
    """Return what the JSON from ``start`` to ``end``, outside of tags, calls; None for data."""
    try:
        value = json.loads(text[start:end], strict=False)
    except (ValueError, RecursionError) as error:
        if not is_meant_as_call(text[start:end], names):
            return None
        return Found(end, errors=(_NOT_JSON.format(error=error),))
    objects = _call_objects(value)
    if not any(names.candidates(_tool_name(item)) for item in objects):
        return None
    calls, errors = _read_objects(objects, names)
    return Found(end, calls=calls, errors=errors)


def read_body(
    text: str, names: Names, *, name: str
) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """Return the calls in the JSON between call tags, and a sentence for each that cannot be run.

    ``name`` is the tool that the tag names, "" when it names none; the JSON may then be the
    arguments alone.
    """
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        return (), (_NOT_JSON.format(error=error),)
    if name and isinstance(value, dict) and not _tool_name(value):
        value = {"name": name, "arguments": value}
    calls, errors = _read_objects(_call_objects(value), names)
    if not calls and not errors:
        return (), (f"The call of {name or 'a tool'} was not run: {_JSON_FORM}",)
    return calls, errors


def is_meant_as_call(text: str, names: Names) -> bool:
    """Whether JSON that cannot be read begins with a tool's name and has arguments."""
    try:
        return may_be_call(text, 0, names) and any(f'"{key}"' in text for key in _ARGUMENT_KEYS)
    except Unfinished:
        return False


def _read_objects(
    objects: Sequence[dict[str, Any]], names: Names
) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    read = [_read_object(item, names) for item in objects]
    calls = tuple(item for item in read if isinstance(item, ToolCall))
    return calls, tuple(item for item in read if isinstance(item, str))


def _call_objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a JSON value that have the form of a call."""
    if isinstance(value, dict):
        value = value.get("tool_calls") or [value]
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict) and _tool_name(item)]


def _called(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object that holds name and arguments: OpenAI's form has it one level down."""
    function = value.get("function")
    return function if isinstance(function, dict) else value


def _tool_name(value: dict[str, Any]) -> str:
    """Return the name of the tool that an object calls, "" when it is no call."""
    value = _called(value)
    for key in _NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str) and (key != "name" or any(k in value for k in _ARGUMENT_KEYS)):
            return name
    return ""


def _read_object(value: dict[str, Any], names: Names) -> ToolCall | str:
    """Return the call, or the sentence that says why it cannot be run."""
    name = _tool_name(value)
    value = _called(value)
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError) as error:
            return f"The call of {name} was not run: its arguments are no JSON ({error})."
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return f"The call of {name} was not run: its arguments are no JSON object."
    schema = names.choose(name, arguments)
    if schema is None:
        return names.unknown(name)
    return ToolCall(name=schema.name, arguments=_typed(schema, arguments))


def _typed(schema: ToolSchema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Type what the model quoted although the schema does not ask for text."""
    entries, needed = properties(schema), required(schema)
    values = {
        name: typed(value, entries.get(name, {}), optional=name not in needed, literal=True)
        if isinstance(value, str)
        else value
        for name, value in arguments.items()
    }
    return {name: value for name, value in values.items() if value is not OMITTED}


def _string_end(text: str, start: int) -> int:
    """Return the position after the string whose opening quote is at ``start``."""
    at = text.find('"', start + 1)
    while at > 0:
        slashes = at
        while text[slashes - 1] == "\\":
            slashes -= 1
        if (at - slashes) % 2 == 0:
            return at + 1
        at = text.find('"', at + 1)
    raise Unfinished


def _after_blanks(text: str, at: int) -> int:
    at = skip_blanks(text, at)
    if at >= len(text):
        raise Unfinished
    return at
