"""Calls behind a mark that announces them, in whatever notation the model writes them there."""

import re

from ipuaro_jupyter.llm.text_calls.json_calls import (
    after_fence,
    json_calls,
    read_addressed,
    read_objects,
)
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import read_python
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_NAME = re.compile(r"[\w.\-/:]*")
_LONGEST_NAME = 200
_SIGN = r"<[|\uff5c][^<>|\uff5c\n]{0,50}[|\uff5c]>"
_KIND = re.compile(rf"(?:(?:function|tool){_SIGN})?")
_SEPARATOR = re.compile(
    rf"(?:[{BLANKS}]|{_SIGN}|<tool_sep>|\[ARGS\]"
    r"|\[CALL_ID\]\w{0,40}|\u273fARGS\u273f:?|(?:json|code|commentary)\b)*"
)
_SIGNS = ("<|", "<\uff5c", "<tool_sep>", "[ARGS]", "\u273fARGS\u273f", "```")
_BEGINS_SEPARATOR = frozenset("<[jc\u273f")
_LONGEST_SEPARATOR = 60
_CALL = "call:"
"""What FunctionGemma and Gemma 4 write before a name."""


def read_announced(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """The calls behind a mark; None when none follow.

    JSON: objects or lists, one after the other. Python: calls or a list of them. Or a name with an
    object behind it, signs of a model between the two; without them only if a tool has that name.
    """
    at = after_fence(reply, mark.end)
    letter = reply.char(at)
    is_list = letter == "[" and reply.char(reply.after_blanks(at + 1)) in {"{", "]", "["}
    if letter == "{" or is_list:
        return read_objects(reply, mark.end, lambda text: json_calls(text, tools))
    return read_python(reply, at, tools) or read_named(reply, at, tools)


def read_named(reply: ReplyText, start: int, tools: ToolNames) -> ParsedForm | None:
    """The call of a tool whose name stands at ``start``, and its arguments as JSON behind it."""
    name, at = name_at(reply, reply.run(_KIND, start))
    if not name:
        return None
    end = reply.run(_SEPARATOR, at)
    if reply.char(end) in _BEGINS_SEPARATOR:
        reply.wait(end, _LONGEST_SEPARATOR)
    body = after_fence(reply, end)
    is_sure = name.startswith(_CALL) or any(sign in reply.text[at:body] for sign in _SIGNS)
    name = name.removeprefix(_CALL)
    if reply.char(body) != "{" or not (is_sure or tools.candidates(name)):
        return None
    return read_addressed(reply, name, end, tools)


def name_at(reply: ReplyText, start: int) -> tuple[str, int]:
    """The name that stands at ``start``, and its end; "" when none does."""
    end = reply.run(_NAME, start)
    name = reply.text[start:end]
    return ("", start) if len(name) > _LONGEST_NAME else (name.rstrip(":"), end)
