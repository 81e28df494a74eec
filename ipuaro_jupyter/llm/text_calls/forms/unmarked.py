"""Calls without a mark: JSON and Python as they are, in a fence or not, and a name with JSON."""

import re
from contextlib import suppress
from itertools import islice

from ipuaro_jupyter.llm.reply_marks import CODE_LINES, LANGUAGES
from ipuaro_jupyter.llm.text_calls.announced import read_named
from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.json_calls import (
    begins_call,
    is_meant_as_call,
    json_calls,
    json_end,
    lone_calls,
    next_object,
    strays_end,
)
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import NotCalls, python_calls, read_python
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_PROMPT = ">>>"
_FENCE = "```"
_MOST_BLANKS = 200  # characters before a bracket
_MOST_FENCES = 5
"""Fences inside of the code, as a text may hold them, that are tried as its end."""
_NOT_CALLS = (
    "What stands in the fence of tool_code was not run: it has to be calls of tools alone, such as "
    'get_lines(path="a.ts"), one a line, with plain values.'
)


def _parse_json(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse what the bracket calls: no outcomes for data. A call that does not end is told.

    For who answers them himself, also calls of tools that do not exist, if nothing else stands
    there; for others these are text.
    """
    if _is_in_data(reply, mark.start):
        return None
    try:
        if not begins_call(reply, mark.start, tools):
            return None
        end = json_end(reply, mark.start)
    except CutOff:
        is_call = reply.has_ended and is_meant_as_call(reply.text[mark.start :], tools)
        reply.calling = "" if is_call else None
        raise
    text, any_tool = reply.text[mark.start : end], tools.unknown_calls and not reply.has_shown
    after = strays_end(reply, end)
    following = next_object(reply, after)
    is_lone = reply.is_alone and (following > 0 or ends_block(reply, after))
    lone = lone_calls(text, tools, any_tool=any_tool) if is_lone else ()
    outcomes = lone or json_calls(text, tools, is_marked=False)
    if not outcomes:
        return ParsedForm(end)
    if text[-1] not in "}]" and isinstance(outcomes[0], str):  # a text with quotes and marks in it
        return ParsedForm(max(end, reply.text.rfind("}") + 1), outcomes)
    is_separated = following > 0 and reply.text[after:following].strip(BLANKS)
    return ParsedForm(following if is_separated else after, outcomes, needs_end=bool(lone))


def _is_in_data(reply: ReplyText, at: int) -> bool:
    """Whether a bracket stands in code or in other JSON and begins no call."""
    before = reply.text[max(reply.begin, at - _MOST_BLANKS) : at].rstrip(BLANKS)
    if before.endswith((":", ",")):
        return before[:-1].rstrip(BLANKS).endswith(('"', "}", "]"))
    return before.endswith(("[", "{", "(", "="))


def _parse_line(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse calls in Python that stand alone, or a tool's name with an object behind it."""
    is_prompt = mark.text == _PROMPT
    is_alone = not is_prompt and reply.is_alone and reply.begins_line(mark.start)
    if is_alone and (parsed := read_python(reply, mark.start, tools)):
        called = reply.text[mark.start : parsed.end].removeprefix("[").removeprefix("print(")
        is_other = reply.block is not None and reply.block.language not in LANGUAGES
        if is_other and "." in called.partition("(")[0]:
            return None  # of an object in the project's own code
        return parsed if ends_block(reply, parsed.end) else None
    at = reply.after_blanks(mark.end) if is_prompt else mark.start
    named = read_named(reply, at, tools)
    return named if named is not None and tools.understands(named.outcomes) else None


def _parse_tool_code(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm:
    """Parse Gemma 3's fence with calls in Python; a text in them may hold fences."""
    fences = islice(re.finditer(_FENCE, reply.text[mark.end :]), _MOST_FENCES)
    ends = [mark.end + fence.start() for fence in fences]
    ends += [len(reply.text)] if reply.has_ended else []
    for end in ends:
        with suppress(NotCalls):
            outcomes = python_calls(reply.text[mark.end : end], tools)
            return ParsedForm(end + len(_FENCE), outcomes)
    if not reply.has_ended:
        raise CutOff
    return ParsedForm(ends[0] + len(_FENCE), (_NOT_CALLS,))


FORMS = (
    Form(marks=("{", "["), parse=_parse_json, is_marked=False),
    Form(
        marks=("[",),
        line_marks=CODE_LINES,
        parse=_parse_line,
        is_marked=False,
        needs_end=True,
    ),
    Form(line_marks=("```tool_code",), parse=_parse_tool_code),
)
