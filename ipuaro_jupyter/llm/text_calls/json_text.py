"""JSON in a model's text: where it ends, and whether it begins like a call."""

import re
from typing import Literal

from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action")
ARGUMENT_KEYS = (
    *("arguments", "args", "parameters", "params", "kwargs"),
    *("tool_input", "action_input", "tool_args", "input"),
)
WRAPPING_KEYS = ("function", "function_call", "tool_call", "tool")
"""Keys under which an object with name and arguments may stand."""
_TELLING_KEYS = (*NAME_KEYS, *WRAPPING_KEYS, *ARGUMENT_KEYS, "tool_calls")
SCALAR_KEYS = (
    *("type", "id", "call_id", "tool_call_id", "index", "role", "content"),
    *("thought", "thoughts", "reasoning", "explanation"),
)
_STRING, _LOOSE_STRING = r'"(?>[^"\\]+|\\.?)*(?:"|\Z)', r"'(?>[^'\\]+|\\.?)*(?:'|\Z)"
_TOKEN = re.compile(
    rf"[{{}}\[\]]|{_STRING}|{_LOOSE_STRING}|//[^\n]*|/\*(?>[^*]+|\*(?!/))*(?:\*/|\Z)|<|```",
    re.DOTALL,
)
_NAMES_ARGUMENTS = re.compile(
    rf"""["'\u201c]?(?:{"|".join(ARGUMENT_KEYS)})["'\u201d]?[{BLANKS}]*:[{BLANKS}]*\Z"""
)
_LONGEST_KEY = 60
_SCALAR = re.compile(rf"{_STRING}|{_LOOSE_STRING}|[\w+\-.]*", re.DOTALL)
_CLOSING_QUOTE = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
_QUOTED_KEYS = [rf"{a}[^{b}\\\n]{{0,100}}(?:{b}|\Z)" for a, b in _CLOSING_QUOTE.items()]
_KEY = re.compile("|".join([*_QUOTED_KEYS, r"[\w$]{0,100}"]))

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


def after_strays(reply: ReplyText, at: int) -> int:
    """The end of closing brackets that stand at ``at``, blanks between them, and close nothing."""
    while (following := reply.after_blanks(at)) < len(reply.text):
        if reply.text[following] not in "}]":
            break
        at = following + 1
    return at


def likeness(reply: ReplyText, start: int, tools: ToolNames) -> Likeness:
    """Whether the object or list at ``start`` begins like a call of one of the tools."""
    at = start
    if reply.text[at] == "[":
        at = _next(reply, at + 1)
    if reply.text[at] != "{":
        return ""
    key, at, loose = _telling_key(reply, at)
    if key in WRAPPING_KEYS and reply.text[at] == "{":
        key, at, inner = _telling_key(reply, at)
        loose = loose or inner
    if key not in NAME_KEYS:
        return "maybe" if key and not loose else ""
    name, at, quoted = _key(reply, at)
    if not tools.candidates(name):
        return ""
    if quoted and not loose:
        return "call"
    at = _next(reply, at)
    key = _key(reply, _next(reply, at + 1))[0] if reply.text[at] == "," else ""
    return "loose" if key in ARGUMENT_KEYS else ""


def lone_likeness(reply: ReplyText, start: int, tools: ToolNames) -> Literal["known", "other", ""]:
    """Whether what stands at ``start`` may call a tool in a form that other data has, too.

    "known": it begins with a tool's name, as a key or under one; "other": with another name and
    arguments beside it.
    """
    at = start
    if reply.text[at] == "[":
        at = _next(reply, at + 1)
    if reply.text[at] != "{":
        return ""
    first, _, _ = _key(reply, _next(reply, at + 1))
    if tools.candidates(first):
        return "known"
    key, at, _ = _telling_key(reply, at)
    if key in ARGUMENT_KEYS:
        return "other"
    if key not in NAME_KEYS or reply.text[at] not in _CLOSING_QUOTE:
        return ""
    name, at, _ = _key(reply, at)
    if tools.candidates(name):
        return "known"
    following, _, _ = _telling_key(reply, _next(reply, at))
    return "other" if following in ARGUMENT_KEYS else ""


def _telling_key(reply: ReplyText, start: int) -> tuple[str, int, bool]:
    """The first key of the object at ``start`` that tells whether it is a call.

    Also where its value stands, and whether a key up to there is not in JSON's own quotes. The
    key is "" when a key comes first that no call has.
    """
    at, loose = start, False
    while reply.text[at] in "{,":
        key, at, quoted = _key(reply, _next(reply, at + 1))
        loose = loose or not quoted
        if key not in _TELLING_KEYS and key not in SCALAR_KEYS:
            break
        at = _next(reply, at)
        if reply.text[at] != ":":
            break
        at = _next(reply, at + 1)
        if key in _TELLING_KEYS:
            return key, at, loose
        at = _next(reply, reply.run(_SCALAR, at))
    return "", at, loose


def _key(reply: ReplyText, at: int) -> tuple[str, int, bool]:
    """The short text at ``at``, its end, and whether it stands in JSON's own quotes."""
    match = _KEY.match(reply.text, at)
    key = "" if match is None else match[0]
    end = at + len(key)
    closing = _CLOSING_QUOTE.get(key[:1])
    is_whole = closing is not None and len(key) > 1 and key.endswith(closing)
    if end == len(reply.text) and not is_whole:
        raise CutOff
    return key if closing is None else key[1:-1], end, key[:1] == '"'


def _next(reply: ReplyText, at: int) -> int:
    """The position of the next character that is no blank."""
    at = reply.after_blanks(at)
    reply.sure_char(at)
    return at
