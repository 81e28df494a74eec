"""Calls as JSON, ``{"name": "TOOL", "arguments": {…}}`` and its relatives."""

from typing import Any

from ipuaro_jupyter.llm.text_calls.json_text import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    SCALAR_KEYS,
    WRAPPING_KEYS,
    Likeness,
    after_strays,
    json_end,
)
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames, properties
from ipuaro_jupyter.llm.text_calls.values import load_json
from ipuaro_jupyter.records.chat import ToolCall

_COMMON_KEYS = frozenset({"name", "action"})
"""Keys of a tool's name that other data has, too: they need arguments beside them."""
_JSON_FORM = 'its body is no object like {"name": "TOOL", "arguments": {…}}.'
_INPUT_KEYS = ("action_input", "tool_input", "input")
_NO_OBJECT = "The call of {name} was not run: its arguments are no JSON object."
_NOT_JSON = (
    "The call is not valid JSON ({error}). It was not run. Write it again: keys and texts in "
    'straight double quotes, \\" and \\\\ inside of them, no comma before a closing bracket.'
)


def read_objects(reply: ReplyText, at: int, tools: ToolNames) -> tuple[int, Outcomes]:
    """Where the objects or lists end that stand at ``at``, and what they call."""
    outcomes: Outcomes = ()
    while True:
        end = json_end(reply, at)
        outcomes += json_calls(reply.text[at:end], tools)
        end = after_strays(reply, end)
        at = next_object(reply, end)
        if at < 0:
            return end, outcomes


def read_addressed(reply: ReplyText, name: str, at: int, tools: ToolNames) -> ParsedForm:
    """The call of the tool ``name`` whose arguments stand at ``at``."""
    try:
        at = reply.after_blanks(at)
        if reply.sure_char(at) != "{":
            return ParsedForm(at, (_NO_OBJECT.format(name=name),), name)
        end = json_end(reply, at)
    except CutOff:
        raise CutOff.in_call(name) from None
    try:
        arguments = load_json(reply.text[at:end])
    except ValueError as error:
        return ParsedForm(end, (_NOT_JSON.format(error=error),), name)
    return ParsedForm(end, (_call(name, arguments, tools),), name)


def next_object(reply: ReplyText, end: int) -> int:
    """Where the object begins that follows, blanks and a separator aside; -1 if none does."""
    at = reply.after_blanks(end)
    if reply.char(at) in {",", ";"}:
        at = reply.after_blanks(at + 1)
    return at if reply.char(at) == "{" else -1


def json_calls(text: str, tools: ToolNames, *, name: str = "") -> Outcomes:
    """The calls in the JSON of a call.

    ``name`` is the tool that stands outside of the JSON, which may then be the arguments alone.
    """
    try:
        value = load_json(text)
    except ValueError as error:
        return (_NOT_JSON.format(error=error),)
    if name and isinstance(value, dict) and not _tool_name(value):
        return (_call(name, value, tools),)
    if calls := _calls_in(value, tools) or lone_calls(value, tools):
        return calls
    return (f"The call of {name or 'a tool'} was not run: {_JSON_FORM}",)


def unmarked_calls(text: str, tools: ToolNames, *, is_meant: bool) -> Outcomes:
    """The calls in JSON that begins like a call; none in data.

    ``is_meant``: should it be no JSON after all, it was meant as a call.
    """
    try:
        value = load_json(text)
    except ValueError as error:
        return (_NOT_JSON.format(error=error),) if is_meant else ()
    is_call = any(tools.candidates(_tool_name(item)) for item in _call_objects(value, tools))
    return _calls_in(value, tools) if is_call else ()


def is_meant_as_call(text: str, tools: ToolNames, like: Likeness) -> bool:
    """Whether a text that begins like a call, and cannot be read, names a tool and arguments."""
    if like in {"", "loose"}:
        return like == "loose"
    has_arguments = any(f'"{key}"' in text for key in ARGUMENT_KEYS)
    return has_arguments and (like == "call" or tools.any_quoted_in(text))


def _calls_in(value: Any, tools: ToolNames) -> Outcomes:
    return tuple(_call_of(item, tools) for item in _call_objects(value, tools))


def _call_of(item: dict[str, Any], tools: ToolNames) -> ToolCall | str:
    only = _only_argument(item, tools)
    return _call(_tool_name(item), _arguments(item) if only is None else only, tools)


def _only_argument(item: dict[str, Any], tools: ToolNames) -> dict[str, str] | None:
    """The arguments when the input of an action is a text, as it may be for ReAct's."""
    text = next((item[key] for key in _INPUT_KEYS if key in item), None)
    if not isinstance(text, str) or text.strip()[:1] in {"{", "["}:
        return None
    return tools.only_argument(_tool_name(item), text)


def lone_calls(value: Any, tools: ToolNames) -> Outcomes:
    """The calls in JSON beside which nothing stands, in forms that other data may have, too.

    ``{"name": "TOOL", "path": …}`` or ``{"TOOL": {…}}``, one or a list of them.
    """
    items = value if isinstance(value, list) else [value]
    found = [_flat(item, tools) or _keyed(item, tools) for item in items]
    return tuple(tools.call(*call) for call in found if call) if all(found) else ()


def unknown_calls(value: Any, tools: ToolNames) -> Outcomes:
    """The calls in JSON of which each has a name and arguments, and none names a tool."""
    items = value if isinstance(value, list) else [value]
    objects = _call_objects(value, tools)
    is_all = isinstance(value, dict) or len(objects) == len(items)
    has_arguments = all(isinstance(_arguments(item), dict | str) for item in objects)
    return _calls_in(value, tools) if objects and is_all and has_arguments else ()


def _flat(item: Any, tools: ToolNames) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of an object that holds the arguments beside the name."""
    if not isinstance(item, dict) or any(key in item for key in ARGUMENT_KEYS):
        return None
    key = next((key for key in NAME_KEYS if isinstance(item.get(key), str)), "")
    given = {k: value for k, value in item.items() if k != key and k not in SCALAR_KEYS}
    given |= {k: item[k] for k in SCALAR_KEYS if k in item and _takes(item.get(key, ""), k, tools)}
    is_call = key and given and _understands(item[key], given, tools)
    return (item[key], given) if is_call else None


def _keyed(item: Any, tools: ToolNames) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of an object that holds the arguments under the name."""
    if not isinstance(item, dict) or len(item) != 1:
        return None
    ((name, given),) = item.items()
    is_call = isinstance(given, dict) and _understands(name, given, tools)
    return (name, given) if is_call else None


def _understands(name: str, given: dict[str, Any], tools: ToolNames) -> bool:
    return any(schema.understands(given) for schema in tools.candidates(name))


def _takes(name: str, parameter: str, tools: ToolNames) -> bool:
    return any(parameter in properties(schema) for schema in tools.candidates(name))


def _call_objects(value: Any, tools: ToolNames) -> list[dict[str, Any]]:
    """The objects in a JSON value that have the form of a call, no descriptions of tools."""
    if isinstance(value, dict):
        value = value.get("tool_calls") or [value]
    items = value if isinstance(value, list) else []
    return [
        item
        for item in items
        if isinstance(item, dict) and _tool_name(item) and not _describes(item, tools)
    ]


def _describes(item: dict[str, Any], tools: ToolNames) -> bool:
    """Whether the object says what a tool takes: it holds JSON schemas where a call has values."""
    arguments = _arguments(item)
    if not isinstance(arguments, dict):
        return False
    taken = {key for schema in tools.candidates(_tool_name(item)) for key in properties(schema)}
    if not {"type", "properties", "required"} & taken and arguments.get("type") == "object":
        return "properties" in arguments
    return (
        isinstance(_called(item).get("description"), str)
        and bool(arguments)
        and all(isinstance(value, dict) and "type" in value for value in arguments.values())
    )


def _called(value: dict[str, Any]) -> dict[str, Any]:
    """The object that holds name and arguments: OpenAI's form has it one level down."""
    return next((v for key in WRAPPING_KEYS if isinstance(v := value.get(key), dict)), value)


def _arguments(value: dict[str, Any]) -> Any:
    value = _called(value)
    return next((value[key] for key in ARGUMENT_KEYS if key in value), None)


def _tool_name(value: dict[str, Any]) -> str:
    """The name of the tool that an object calls, "" when it is no call."""
    value = _called(value)
    for key in NAME_KEYS:
        name = value.get(key)
        is_sure = key not in _COMMON_KEYS or any(k in value for k in ARGUMENT_KEYS)
        if isinstance(name, str) and is_sure:
            return name
    return ""


def _call(name: str, arguments: Any, tools: ToolNames) -> ToolCall | str:
    """The call, or the sentence that says why it cannot be run."""
    if isinstance(arguments, str):
        try:
            arguments = load_json(arguments) if arguments.strip() else {}
        except ValueError as error:
            return f"The call of {name} was not run: its arguments are no JSON ({error})."
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        return _NO_OBJECT.format(name=name)
    return tools.call(name, arguments)
