"""What stands between the tags of a call when it begins with the tool's name, or is Python."""

from ipuaro_jupyter.llm.text_calls.announced import name_at, read_named, read_python
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import call_start
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tags import read_tag, tag_word
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.llm.text_calls.values import plain_text

_KEY, _KEY_END = "<arg_key>", "</arg_key>"
_VALUE, _VALUE_END = "<arg_value>", "</arg_value>"
_SEPARATOR = "<tool_sep>"


def read_name_and_arguments(
    reply: ReplyText, start: int, tools: ToolNames, *, call: str
) -> ParsedForm | None:
    """The call up to its closing tag; None when it is none of these forms.

    GLM's ``NAME<arg_key>…``, Hunyuan's ``NAME<tool_sep>`` with an object in a fence, a name alone
    of a tool that needs no arguments, or calls in Python.
    """
    if call_start(reply, start, tools):
        parsed = read_python(reply, start, tools)
        return None if parsed is None else _closed(reply, parsed.end, parsed.outcomes, call=call)
    name, at = name_at(reply, start)
    at = reply.after_blanks(at)
    if reply.starts(_SEPARATOR, at):
        at = reply.after_blanks(at + len(_SEPARATOR))
    if not name:
        return None
    if reply.starts(_KEY, at):
        return _read_keys(reply, at, tools, name=name, call=call)
    if reply.char(at) == "<" and tag_word(reply, at) == f"/{call}" and tools.candidates(name):
        return _closed(reply, at, (tools.call(name, {}),), call=call)
    named = read_named(reply, start, tools)
    return None if named is None else _closed(reply, named.end, named.outcomes, call=call)


def _read_keys(
    reply: ReplyText, at: int, tools: ToolNames, *, name: str, call: str
) -> ParsedForm | None:
    values: dict[str, str] = {}
    while reply.starts(_KEY, at):
        end = _found(reply, _KEY_END, at)
        key = reply.text[at + len(_KEY) : end].strip()
        begin = reply.after_blanks(end + len(_KEY_END))
        if not reply.starts(_VALUE, begin):
            return None
        end = _value_end(reply, begin, call=call)
        values[key] = plain_text(key, reply.text[begin + len(_VALUE) : end])
        at = reply.after_blanks(end + len(_VALUE_END))
    return _closed(reply, at, (tools.call(name, values, bare=values),), call=call)


def _value_end(reply: ReplyText, begin: int, *, call: str) -> int:
    """Where the value ends: before a closing tag behind which the call goes on or ends."""
    end = begin
    while True:
        end = _found(reply, _VALUE_END, end + 1)
        following = reply.after_blanks(end + len(_VALUE_END))
        if reply.starts(_KEY, following) or not reply.char(following):
            return end
        if reply.text[following] == "<" and tag_word(reply, following) == f"/{call}":
            return end


def _found(reply: ReplyText, word: str, at: int) -> int:
    found = reply.text.find(word, at)
    if found < 0:
        raise CutOff
    return found


def _closed(reply: ReplyText, at: int, outcomes: Outcomes, *, call: str) -> ParsedForm | None:
    """The call if it is closed at ``at``, or the reply ends there."""
    at = reply.after_blanks(at)
    if not reply.char(at):
        return ParsedForm(at, outcomes)
    if reply.text[at] != "<" or tag_word(reply, at) != f"/{call}":
        return None
    tag = read_tag(reply, at)
    return None if tag is None else ParsedForm(tag.end, outcomes)
