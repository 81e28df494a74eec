"""Calls as JSON, ``{"name": "TOOL", "arguments": {…}}`` and its relatives."""

import re
from collections.abc import Callable
from typing import Any, Literal

from ipuaro_jupyter.llm.text_calls.lenient_json import load_json
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.records.chat import ToolCall

NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action")
ARGUMENT_KEYS = (
    *("arguments", "args", "parameters", "params", "kwargs"),
    *("tool_input", "action_input", "tool_args", "input"),
)
_WRAPPING_KEYS = ("function", "function_call", "tool_call", "tool")
"""Keys under which an object with name and arguments may stand."""
_TELLING_KEYS = (*NAME_KEYS, *_WRAPPING_KEYS, *ARGUMENT_KEYS, "tool_calls")
_SCALAR_KEYS = (
    *("type", "id", "call_id", "tool_call_id", "index", "role", "content"),
    *("thought", "thoughts", "reasoning", "explanation"),
)
_COMMON_KEYS = frozenset({"name", "action"})
"""Keys of a tool's name that other data has, too: they need arguments beside them."""
_INPUT_KEYS = ("action_input", "tool_input", "input")

_STRING, _LOOSE_STRING = r'"(?>[^"\\]+|\\.?)*(?:"|\Z)', r"'(?>[^'\\]+|\\.?)*(?:'|\Z)"
_TOKEN = re.compile(
    rf"[{{}}\[\]]|{_STRING}|{_LOOSE_STRING}|//[^\n]*|/\*(?>[^*]+|\*(?!/))*(?:\*/|\Z)|<|```",
    re.DOTALL,
)
_NAMES_ARGUMENTS = re.compile(
    rf"""["'\u201c]?(?:{"|".join(ARGUMENT_KEYS)})["'\u201d]?[{BLANKS}]*:[{BLANKS}]*\Z"""
)
_LONGEST_KEY = 60
_B = f"[{BLANKS}]*"
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
_WORD = "|".join(rf"{a}[^{b}\\\n]{{0,100}}(?:{b}|\Z)" for a, b in _QUOTES.items())
_KEY = rf"(?:{_WORD}|[\w$]{{1,100}})"
_SCALARS = (
    rf"""(?:["'\u201c]?(?:{"|".join(_SCALAR_KEYS)})["'\u201d]?{_B}:{_B}"""
    rf"(?:{_STRING}|{_LOOSE_STRING}|[\w+\-.]+){_B}(?:,|\Z){_B})*"
)
_HEAD = re.compile(
    rf"""\[?{_B}(?:\{{{_B}{_SCALARS}(?:["'\u201c]?(?:{"|".join(_WRAPPING_KEYS)})["'\u201d]?"""
    rf"{_B}:{_B}\{{{_B}{_SCALARS})?(?P<key>{_KEY})?{_B}(?::{_B}(?P<name>{_KEY})?{_B}"
    rf"(?:,{_B}{_SCALARS}(?P<following>{_KEY})?)?)?)?",
    re.DOTALL,
)
"""The beginning of an object, or of a list of them, as far as it tells whether it is a call."""

_NO_CALL = (
    "The call of {name} was not run: its body is no object like "
    '{{"name": "TOOL", "arguments": {{…}}}}.'
)
_NO_OBJECT = "The call of {name} was not run: its arguments are no JSON object."
_NOT_JSON = (
    "The call is not valid JSON ({error}). It was not run. Write it again: keys and texts in "
    'straight double quotes, \\" and \\\\ inside of them, no comma before a closing bracket.'
)

Likeness = Literal["call", "maybe", "loose", ""]
"""Like a tool's call; like a call of something; like a tool's, but not in JSON's own quotes; or
like none."""


def json_end(reply: ReplyText, start: int) -> int:
    """Where the object or list that begins at ``start`` ends, brackets counted.

    Closing brackets may be missing: before a mark, which JSON never holds, and where the reply ends
    with the object of a call's arguments. Then it ends there.
    """
    opened: list[int] = []
    for token in _TOKEN.finditer(reply.text, start):
        letter = token[0]
        if letter in {"<", "```"}:
            return token.start()
        if letter in "{[":
            opened.append(token.start())
        elif letter in "}]":
            place = opened.pop()
            if not opened or _ends_arguments(reply, place, token.end()):
                return token.end()
    raise CutOff.in_call()


def _ends_arguments(reply: ReplyText, start: int, end: int) -> bool:
    """Whether the reply ends at ``end``, with the arguments of a call that begin at ``start``."""
    if not reply.has_ended or reply.text[end:].strip(BLANKS):
        return False
    before = reply.text[max(0, start - _LONGEST_KEY) : start]
    return _NAMES_ARGUMENTS.search(before) is not None


def strays_end(reply: ReplyText, at: int) -> int:
    """The end of closing brackets that stand at ``at``, blanks between them, and close nothing."""
    while reply.char(following := reply.after_blanks(at)) in {"}", "]"}:
        at = following + 1
    return at


def next_object(reply: ReplyText, end: int) -> int:
    """Where the object begins that follows, blanks and a separator aside; -1 if none does."""
    at = reply.after_blanks(end)
    if reply.char(at) in {",", ";"}:
        at = reply.after_blanks(at + 1)
    return at if reply.char(at) == "{" else -1


def read_objects(
    reply: ReplyText, at: int, calls_in: Callable[[str], Outcomes]
) -> tuple[int, Outcomes]:
    """Where the objects or lists end that stand at ``at`` and call something, and what they call.

    ``calls_in`` gives the calls in the text of one.
    """
    end, outcomes = at, Outcomes()
    while at >= 0:
        object_end = json_end(reply, at)
        found = calls_in(reply.text[at:object_end])
        if not found:
            break
        outcomes += found
        end = strays_end(reply, object_end)
        at = next_object(reply, end)
    return end, outcomes


def read_addressed(reply: ReplyText, name: str, at: int, tools: ToolNames) -> ParsedForm:
    """The call of the tool ``name`` whose arguments stand at ``at``."""
    try:
        at = reply.after_blanks(at)
        letter = reply.char(at)
        end = json_end(reply, at) if letter in {"{", ""} else at
    except CutOff:
        raise CutOff.in_call(name) from None
    if letter != "{":
        return ParsedForm(at, (_NO_OBJECT.format(name=name),), name)
    try:
        arguments = load_json(reply.text[at:end])
    except ValueError as error:
        return ParsedForm(end, (_NOT_JSON.format(error=error),), name)
    return ParsedForm(end, (_call(name, arguments, tools),), name)


def likeness(reply: ReplyText, start: int, tools: ToolNames) -> Likeness:
    """Whether the object or list at ``start`` begins like a call of one of the tools."""
    key, name, following, is_json = _head(reply, start, tools)
    if key not in NAME_KEYS:
        return "maybe" if key in _TELLING_KEYS and is_json else ""
    if not tools.candidates(name):
        return ""
    return "call" if is_json else "loose" if following in ARGUMENT_KEYS else ""


def lone_likeness(reply: ReplyText, start: int, tools: ToolNames) -> Literal["known", "other", ""]:
    """Whether what stands at ``start`` may call a tool in a form that other data has, too.

    "known": it begins with a tool's name, as a key or under one; "other": with another name and
    arguments beside it.
    """
    key, name, following, _ = _head(reply, start, tools)
    if tools.candidates(key) or (key in NAME_KEYS and tools.candidates(name)):
        return "known"
    return "other" if {key, following if key in NAME_KEYS else ""} & {*ARGUMENT_KEYS} else ""


def _head(reply: ReplyText, start: int, tools: ToolNames) -> tuple[str, str, str, bool]:
    """The first key that tells what the object at ``start`` is, its value, if short, the next key.

    And whether the first two stand in JSON's own quotes.
    """
    found = _HEAD.match(reply.text, start)
    if found is None:
        return "", "", "", False
    quotes = "".join(_QUOTES.keys() | _QUOTES.values())
    parts = [part or "" for part in found.group("key", "name", "following")]
    is_json = parts[0][:1] == '"' and parts[1][:1] in {'"', ""}
    key, name, following = (part.strip(quotes) for part in parts)
    is_told = is_json and key in NAME_KEYS and bool(tools.candidates(name))
    is_other = key not in (*_TELLING_KEYS, *_SCALAR_KEYS) and 0 < found.end("key") < len(reply.text)
    if found.end() == len(reply.text) and not (is_told or is_other):
        raise CutOff
    return key, name, following, is_json


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
    calls = _calls_in(value, tools) or lone_calls(value, tools)
    return calls or (_NO_CALL.format(name=name or "a tool"),)


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


def lone_calls(value: Any, tools: ToolNames) -> Outcomes:
    """The calls in JSON beside which nothing stands, in forms that other data may have, too.

    ``{"name": "TOOL", "path": …}`` or ``{"TOOL": {…}}``, one or a list of them.
    """
    found = [_flat(item, tools) or _keyed(item, tools) for item in _items(value)]
    return tuple(tools.call(*call) for call in found if call) if all(found) else ()


def unknown_calls(value: Any, tools: ToolNames) -> Outcomes:
    """The calls in JSON of which each has a name and arguments, and none names a tool."""
    objects = _call_objects(value, tools)
    is_all = isinstance(value, dict) or len(objects) == len(_items(value))
    has_arguments = all(isinstance(_arguments(item), dict | str) for item in objects)
    return _calls_in(value, tools) if objects and is_all and has_arguments else ()


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _calls_in(value: Any, tools: ToolNames) -> Outcomes:
    return tuple(_call_of(item, tools) for item in _call_objects(value, tools))


def _call_of(item: dict[str, Any], tools: ToolNames) -> ToolCall | str:
    """The call of an object; the input of an action may be a text, as for ReAct's."""
    name = _tool_name(item)
    text: Any = next((item[key] for key in _INPUT_KEYS if key in item), None)
    is_text = isinstance(text, str) and text.strip()[:1] not in {"{", "["}
    only = tools.only_argument(name, text) if is_text else None
    return _call(name, _arguments(item) if only is None else only, tools)


def _flat(item: Any, tools: ToolNames) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of an object that holds the arguments beside the name."""
    if not isinstance(item, dict) or any(key in item for key in ARGUMENT_KEYS):
        return None
    key = next((key for key in NAME_KEYS if isinstance(item.get(key), str)), "")
    taken = tools.parameters(item[key]) if key else ()
    given = {
        k: value for k, value in item.items() if k != key and (k not in _SCALAR_KEYS or k in taken)
    }
    is_call = key and given and tools.takes(item[key], given)
    return (item[key], given) if is_call else None


def _keyed(item: Any, tools: ToolNames) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of an object that holds the arguments under the name."""
    if not isinstance(item, dict) or len(item) != 1:
        return None
    ((name, given),) = item.items()
    is_call = isinstance(given, dict) and tools.takes(name, given)
    return (name, given) if is_call else None


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
    taken = set(tools.parameters(_tool_name(item)))
    if not {"type", "properties", "required"} & taken and arguments.get("type") == "object":
        return "properties" in arguments
    return (
        isinstance(_called(item).get("description"), str)
        and bool(arguments)
        and all(isinstance(value, dict) and "type" in value for value in arguments.values())
    )


def _called(value: dict[str, Any]) -> dict[str, Any]:
    """The object that holds name and arguments: OpenAI's form has it one level down."""
    return next((v for key in _WRAPPING_KEYS if isinstance(v := value.get(key), dict)), value)


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
