"""Replies that are no answer: calls in no form that is read."""

import re
from collections.abc import Mapping, Sequence

from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.records.chat import ToolSchema

_CALL_LINE = re.compile(r"(?:\w{1,40}\.){0,3}\w{1,80}\(.*\)")
_COMMAND = re.compile(
    r"""[/*]{0,3}(\w{1,80})[*:=]{0,3}[ \t]*(?:["'\[{(]|[\w.\-]*/|[\w.\-/]+\.\w|\w+=|--?\w).*"""
)
_ELEMENT = re.compile(r"<([a-z]+_[a-z_]+)>\s*<[a-z]")
_LONGEST_LINE = 1000
_TOLD = (
    "Your reply looks like a call of {name}, but no call could be read in it: nothing was run. "
    'Write it as <tool_call name="TOOL"><parameter>value</parameter>…</tool_call>, with one of the '
    "tools that there are. If it only explains a call, put that into backticks."
)


def unread_call(text: str, schemas: Sequence[ToolSchema], aliases: Mapping[str, str]) -> str:
    """What to tell the model when its reply ends in a call, or is nothing but one; else "".

    A call in Python on the last line, a tool's name with what looks like arguments, or an element
    as of a tool that does not exist. In backticks and in sentences they are explained.

    Args:
        text: The text of a reply without calls.
        schemas: The tools.
        aliases: Their other names.
    """
    whole = text.strip()
    last = whole[whole.rfind("\n") + 1 :].strip()
    element = _ELEMENT.match(whole)
    if element and whole.endswith(f"</{element[1]}>"):
        return _TOLD.format(name=element[1])
    if len(last) > _LONGEST_LINE:
        return ""
    is_in_fence = whole.count("```") % 2 == 1
    if _CALL_LINE.fullmatch(last) and not is_in_fence:
        calls = parse_reply(last, schemas, aliases=aliases).calls
        return _TOLD.format(name=calls[0].name) if calls else ""
    command = _COMMAND.fullmatch(whole)
    is_tool = command and "_" in command[1] and command[1] in {s.name for s in schemas}
    return _TOLD.format(name=command[1]) if command and is_tool else ""
