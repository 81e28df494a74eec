"""Calls as JSON, ``{"name": "TOOL", "arguments": {…}}`` and its relatives."""

from collections.abc import Mapping, Sequence
from typing import Any

from ipuaro_jupyter.llm.text_calls.json_text import ARGUMENT_KEYS, NAME_KEYS
from ipuaro_jupyter.llm.text_calls.names import Names, properties, required
from ipuaro_jupyter.llm.text_calls.values import OMITTED, load_json, typed
from ipuaro_jupyter.records.chat import ToolCall, ToolSchema

_JSON_FORM = 'its body is no object like {"name": "TOOL", "arguments": {…}}.'
_NOT_JSON = (
    "The call is not valid JSON ({error}). It was not run. Write it again: keys and texts in "
    'straight double quotes, \\" and \\\\ inside of them, no comma before a closing bracket.'
)


def read_bare(
    text: str, names: Names, *, named: bool
) -> tuple[Sequence[ToolCall], Sequence[str]] | None:
    """Return what the JSON that begins like a call calls, and what is wrong; None for data.

    ``named``: it begins with the name of a tool.
    """
    try:
        value = load_json(text)
    except ValueError as error:
        if not is_meant_as_call(text, names, named=named):
            return None
        return (), (_NOT_JSON.format(error=error),)
    objects = _call_objects(value, names)
    if not any(names.candidates(_tool_name(item)) for item in objects):
        return None
    return _read_objects(objects, names, unknown_calls=False)


def is_meant_as_call(text: str, names: Names, *, named: bool) -> bool:
    """Whether a text that begins like a call, and cannot be read, names a tool and arguments."""
    has_arguments = any(f'"{key}"' in text for key in ARGUMENT_KEYS)
    return has_arguments and (named or names.any_quoted_in(text))


def not_json(text: str) -> str:
    """Return the sentence for what is a call, but not in JSON's own quotes."""
    try:
        load_json(text)
    except ValueError as error:
        return _NOT_JSON.format(error=error)
    return _NOT_JSON.format(error="a name without quotes")


def read_body(
    text: str, names: Names, *, name: str, unknown_calls: bool
) -> tuple[Sequence[ToolCall], Sequence[str]]:
    """Return the calls in the JSON of a call, and a sentence for each that cannot be run.

    ``name`` is the tool that stands outside of the JSON, "" when none does; the JSON may then be
    the arguments alone.
    """
    try:
        value = load_json(text)
    except ValueError as error:
        return (), (_NOT_JSON.format(error=error),)
    if name and isinstance(value, dict) and not _tool_name(value):
        value = {"name": name, "arguments": value}
    calls, errors = _read_objects(_call_objects(value, names), names, unknown_calls=unknown_calls)
    if not calls and not errors:
        return (), (f"The call of {name or 'a tool'} was not run: {_JSON_FORM}",)
    return calls, errors


def read_arguments(
    text: str, names: Names, *, name: str, unknown_calls: bool
) -> tuple[Sequence[ToolCall], Sequence[str]]:
    """Return the call of a tool with the JSON of its arguments, or what is wrong with it."""
    try:
        value = load_json(text)
    except ValueError as error:
        return (), (_NOT_JSON.format(error=error),)
    return _read_objects([{"name": name, "arguments": value}], names, unknown_calls=unknown_calls)


def _read_objects(
    objects: Sequence[dict[str, Any]], names: Names, *, unknown_calls: bool
) -> tuple[Sequence[ToolCall], Sequence[str]]:
    read = [_read_object(item, names, unknown_calls=unknown_calls) for item in objects]
    calls = tuple(item for item in read if isinstance(item, ToolCall))
    return calls, tuple(item for item in read if isinstance(item, str))


def _call_objects(value: Any, names: Names) -> list[dict[str, Any]]:
    """Return the objects in a JSON value that have the form of a call, no descriptions of tools."""
    if isinstance(value, dict):
        value = value.get("tool_calls") or [value]
    items = value if isinstance(value, list) else []
    return [
        item
        for item in items
        if isinstance(item, dict) and _tool_name(item) and not _describes(item, names)
    ]


def _describes(item: dict[str, Any], names: Names) -> bool:
    """Whether the object says what a tool takes: it holds JSON schemas where a call has values."""
    item = _called(item)
    arguments = _arguments(item)
    if not isinstance(arguments, dict):
        return False
    taken = {key for schema in names.candidates(_tool_name(item)) for key in properties(schema)}
    if not {"type", "properties", "required"} & taken and arguments.get("type") == "object":
        return "properties" in arguments
    return (
        isinstance(item.get("description"), str)
        and bool(arguments)
        and all(isinstance(value, dict) and "type" in value for value in arguments.values())
    )


def _called(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object that holds name and arguments: OpenAI's form has it one level down."""
    function = value.get("function")
    return function if isinstance(function, dict) else value


def _arguments(value: dict[str, Any]) -> Any:
    return next((value[key] for key in ARGUMENT_KEYS if key in value), None)


def _tool_name(value: dict[str, Any]) -> str:
    """Return the name of the tool that an object calls, "" when it is no call."""
    value = _called(value)
    for key in NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str) and (key != "name" or any(k in value for k in ARGUMENT_KEYS)):
            return name
    return ""


def _read_object(value: dict[str, Any], names: Names, *, unknown_calls: bool) -> ToolCall | str:
    """Return the call, or the sentence that says why it cannot be run."""
    name = _tool_name(value)
    arguments = _arguments(_called(value))
    if isinstance(arguments, str):
        try:
            arguments = load_json(arguments) if arguments.strip() else {}
        except ValueError as error:
            return f"The call of {name} was not run: its arguments are no JSON ({error})."
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return f"The call of {name} was not run: its arguments are no JSON object."
    schema = names.choose(name, arguments)
    if schema is not None:
        return ToolCall(name=schema.name, arguments=_typed(schema, arguments))
    return ToolCall(name=name, arguments=arguments) if unknown_calls else names.unknown(name)


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
