"""Calls as JSON, ``{"name": "TOOL", "arguments": {…}}`` and its relatives."""

import re
from collections.abc import Callable
from typing import Any

from ipuaro_jupyter.llm import reply_marks as words
from ipuaro_jupyter.llm.text_calls.lenient_json import TOKEN, load_json
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.records.chat import ToolCall

_STRING, _LOOSE_STRING = r'"(?>[^"\\]+|\\.?)*(?:"|\Z)', r"'(?>[^'\\]+|\\.?)*(?:'|\Z)"
_B = f"[{BLANKS}]*"
_ARGUMENTS = re.compile(
    rf"""["'\u201c]?(?:{"|".join(words.ARGUMENT_KEYS)})["'\u201d]?{_B}(?::|\Z){_B}(?P<end>\Z)?"""
)
_LONGEST_KEY = 60
_FENCE = re.compile(r"```\w*[ \t\r]*\n?")
_WORD = "|".join(rf"{a}[^{b}\\\n]{{0,100}}(?:{b}|\Z)" for a, b in words.QUOTES.items())
_KEY = rf"(?:{_WORD}|[\w$]{{1,100}})"
_SCALARS = (
    rf"""(?:["'\u201c]?(?:{"|".join(words.SCALAR_KEYS)})["'\u201d]?{_B}:{_B}"""
    rf"(?:{_STRING}|{_LOOSE_STRING}|[\w+\-.]+){_B}(?:,|\Z){_B})*"
)
_HEAD = re.compile(
    rf"""\[?{_B}(?:\{{{_B}{_SCALARS}(?:["'\u201c]?(?:{"|".join(words.WRAPPING_KEYS)})["'\u201d]?"""
    rf"{_B}:{_B}\{{{_B}{_SCALARS})?(?P<key>{_KEY})?{_B}(?::{_B}(?P<name>{_KEY})?)?)?",
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


def json_end(reply: ReplyText, start: int) -> int:
    """Where the object or list that begins at ``start`` ends, brackets counted.

    Closing brackets may be missing: before a mark, which JSON never holds, and where the reply ends
    with the object of a call's arguments. Then it ends there.
    """
    opened, at = list[int](), start
    while token := TOKEN.match(reply.text, at):
        at = token.end()
        if token["opening"]:
            opened.append(token.start())
        elif token["closing"]:
            place = opened.pop()
            if not opened or _ends_arguments(reply, place, at):
                return at
    is_quote = any(reply.starts(quote, at) for quote in ("<escape>", '<|"|>'))
    if not is_quote and reply.text[at : at + 1] in {"<", "`"}:
        return at
    reply.calling = reply.calling or ""
    raise CutOff


def _ends_arguments(reply: ReplyText, start: int, end: int) -> bool:
    """Whether the reply ends at ``end``, with the arguments of a call that begin at ``start``."""
    if not reply.has_ended or reply.text[end:].strip(BLANKS):
        return False
    before = _ARGUMENTS.finditer(reply.text[max(0, start - _LONGEST_KEY) : start])
    return any(found["end"] is not None for found in before)


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


def after_fence(reply: ReplyText, at: int) -> int:
    """The position behind the blanks at ``at``, and behind the line of a fence that opens there."""
    at = reply.after_blanks(at)
    if reply.starts("```", at):
        at = reply.after_blanks(reply.run(_FENCE, at))
    return at


def _fence_end(reply: ReplyText, at: int, before: str) -> int:
    """The end of the closing fence at ``at``, if ``before`` has opened one."""
    following = reply.after_blanks(at) if "```" in before else at
    return following + 3 if "```" in before and reply.starts("```", following) else at


def read_objects(reply: ReplyText, start: int, calls_in: Callable[[str], Outcomes]) -> ParsedForm:
    """The objects or lists that stand at ``start``, in a fence or not, and call something.

    ``calls_in`` gives the calls in the text of one.
    """
    at = end = body = after_fence(reply, start)
    outcomes = Outcomes()
    while at >= 0:
        object_end = json_end(reply, at)
        found = calls_in(reply.text[at:object_end])
        if not found:
            break
        outcomes += found
        end = strays_end(reply, object_end)
        at = next_object(reply, end)
    return ParsedForm(_fence_end(reply, end, reply.text[start:body]), outcomes)


def read_addressed(reply: ReplyText, name: str, start: int, tools: ToolNames) -> ParsedForm:
    """The call of the tool ``name`` whose arguments stand at ``start``, in a fence or not."""
    reply.calling = name
    at = after_fence(reply, start)
    letter = reply.char(at)
    end = json_end(reply, at) if letter in {"{", ""} else at
    if letter != "{":
        return ParsedForm(at, (_NO_OBJECT.format(name=name),))
    try:
        outcome = _call(name, load_json(reply.text[at:end]), tools)
    except ValueError as error:
        outcome = _NOT_JSON.format(error=error)
    return ParsedForm(_fence_end(reply, end, reply.text[start:at]), (outcome,))


def begins_call(reply: ReplyText, start: int, tools: ToolNames) -> bool:
    """Whether the object or list at ``start`` begins like a call of one of the tools.

    Where nothing else stands, also like a call in a form that other data has, too.
    """
    key, name, is_json = _head(reply, start, tools)
    if tools.candidates(name) if key in words.NAME_KEYS else is_json and key in words.TELLING_KEYS:
        return True
    is_any = key in words.CALLING_KEYS and tools.unknown_calls and not reply.has_shown
    return reply.is_alone and (is_any or bool(tools.candidates(key)))


def _head(reply: ReplyText, start: int, tools: ToolNames) -> tuple[str, str, bool]:
    """The first key that tells what the object at ``start`` is, and its value, if that is short.

    And whether they stand in JSON's own quotes.
    """
    found = _HEAD.match(reply.text, start)
    if found is None:
        return "", "", False
    parts = [part or "" for part in found.group("key", "name")]
    is_json = parts[0][:1] == '"' and parts[1][:1] in {'"', ""}
    key, name = (part.strip("".join(words.QUOTES.keys() | words.QUOTES.values())) for part in parts)
    is_told = is_json and key in words.NAME_KEYS and bool(tools.candidates(name))
    is_other = key not in words.KEYS and 0 < found.end("key") < len(reply.text)
    if found.end() == len(reply.text) and not (is_told or is_other):
        raise CutOff
    return key, name, is_json


def json_calls(text: str, tools: ToolNames, *, name: str = "", is_marked: bool = True) -> Outcomes:
    """The calls in the JSON of a call; if it ``is_marked`` as one, what is none is told.

    ``name`` is the tool that stands outside of the JSON, which may then be the arguments alone.
    """
    try:
        value = load_json(text)
    except ValueError as error:
        is_told = is_marked or is_meant_as_call(text, tools)
        return (_NOT_JSON.format(error=error),) if is_told else ()
    is_inside = name != "" and isinstance(value, dict)
    if is_inside and (tools.takes(name, value) or not _named(value, tools)[0]):
        return (_call(name, value, tools),)
    found = _calls(value, tools)
    if is_marked or any(tools.candidates(called) for called, _ in found):
        calls = tuple(_call(*each, tools) for each in found) or _lone_calls(value, tools)
        return calls or (_NO_CALL.format(name=name or "a tool"),)
    return ()


def is_meant_as_call(text: str, tools: ToolNames) -> bool:
    """Whether a text that begins like a call, and cannot be read, names a tool and arguments."""
    quoted = (f"{quote}{name}{quote}" for name in tools.names for quote in "\"'")
    return _ARGUMENTS.search(text) is not None and any(name in text for name in quoted)


def lone_calls(text: str, tools: ToolNames, *, any_tool: bool) -> Outcomes:
    """The calls in JSON beside which nothing stands, in forms that other data may have, too.

    ``{"name": "TOOL", "path": …}`` or ``{"TOOL": {…}}``, one or a list of them. If ``any_tool`` may
    be called, also those that have a name and arguments, and the first names no tool.
    """
    try:
        value = load_json(text)
    except ValueError:
        return ()
    calls = _calls(value, tools)
    is_all = isinstance(value, dict) or len(calls) == len(value)
    is_unknown = any_tool and is_all and bool(calls) and not tools.candidates(calls[0][0])
    if is_unknown and all(isinstance(given, dict | str) for _, given in calls):
        return tuple(_call(*each, tools) for each in calls)
    return _lone_calls(value, tools)


def _lone_calls(value: Any, tools: ToolNames) -> Outcomes:
    found = [_lone(item, tools) for item in (value if isinstance(value, list) else [value])]
    return tuple(tools.call(*call) for call in found if call) if all(found) else ()


def _lone(item: Any, tools: ToolNames) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of an object that holds the arguments beside the name, or under it."""
    if not isinstance(item, dict) or any(key in item for key in words.ARGUMENT_KEYS):
        return None
    key = next((key for key in words.NAME_KEYS if isinstance(item.get(key), str)), "")
    if key:
        name, taken = item[key], tools.parameters(item[key])
        given = {
            k: v for k, v in item.items() if k != key and (k not in words.SCALAR_KEYS or k in taken)
        }
        is_call = bool(given)
    else:
        name, given = next(iter(item.items()), ("", {}))
        is_call = len(item) == 1 and isinstance(given, dict)
    return (name, given) if is_call and tools.takes(name, given) else None


def _calls(value: Any, tools: ToolNames) -> list[tuple[str, Any]]:
    """Name and arguments of the objects in a JSON value that have the form of a call."""
    if isinstance(value, dict):
        value = value.get("tool_calls") or [value]
    items = value if isinstance(value, list) else []
    found = [(item, *_named(item, tools)) for item in items if isinstance(item, dict)]
    return [
        (name, given)
        for item, name, given in found
        if name and not _is_schema(item, given, set(tools.parameters(name)))
    ]


def _named(item: dict[str, Any], tools: ToolNames) -> tuple[str, Any]:
    """The name of the tool that an object calls, "" when it is no call, and the arguments."""
    called = _inner(item)
    key = next((key for key in words.ARGUMENT_KEYS if key in called), "")
    names = (called.get(k) for k in words.NAME_KEYS if key or k not in words.COMMON_KEYS)
    name, given = next((name for name in names if isinstance(name, str)), ""), called.get(key)
    if key in words.VALUE_KEYS and isinstance(given, str) and given.strip()[:1] not in {"{", "["}:
        only = tools.only_argument(name, given)
        given = given if only is None else only
    return name, given


def _inner(item: dict[str, Any]) -> dict[str, Any]:
    """The object that holds name and arguments: OpenAI's form has it one level down."""
    return next((v for key in words.WRAPPING_KEYS if isinstance(v := item.get(key), dict)), item)


def _is_schema(item: dict[str, Any], given: Any, taken: set[str]) -> bool:
    """Whether an object says what a tool takes: it holds JSON schemas where a call has values."""
    if not isinstance(given, dict):
        return False
    if not {"type", "properties", "required"} & taken and given.get("type") == "object":
        return "properties" in given
    is_described = isinstance(_inner(item).get("description"), str) and bool(given)
    return is_described and all(isinstance(v, dict) and "type" in v for v in given.values())


def _call(name: str, given: Any, tools: ToolNames) -> ToolCall | str:
    if isinstance(given, str):
        try:
            given = load_json(given.strip() or "{}")
        except ValueError as error:
            return f"The call of {name} was not run: its arguments are no JSON ({error})."
    if not isinstance(given, dict | None):
        return _NO_OBJECT.format(name=name)
    return tools.call(name, given or {})
