"""Gemma 3's form: a fence of ``tool_code`` with calls in Python."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import NotCalls, python_calls
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_FENCE = "```"
_MARK = f"{_FENCE}tool_code"
_MOST_FENCES = 5
"""Fences inside of the code, as a text may hold them, that are tried as its end."""

_NOT_CALLS = (
    "What stands in the fence of tool_code was not run: it has to be calls of tools alone, such as "
    'get_lines(path="a.ts"), one a line, with plain values.'
)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if not reply.begins_line(mark.start):
        return None
    ends = _ends(reply, mark.end)
    for end in ends:
        try:
            outcomes = python_calls(reply.text[mark.end : end], tools)
        except NotCalls:
            continue
        return ParsedForm(_behind(reply, end), outcomes)
    if not reply.has_ended:
        raise CutOff
    return ParsedForm(_behind(reply, ends[0]), (_NOT_CALLS,))


def _ends(reply: ReplyText, start: int) -> list[int]:
    """Where the fence may end: at closing ones, and at the end of the reply."""
    ends: list[int] = []
    at = start
    while len(ends) < _MOST_FENCES and (at := reply.text.find(_FENCE, at)) >= 0:
        ends.append(at)
        at += len(_FENCE)
    if reply.has_ended:
        ends.append(len(reply.text))
    return ends


def _behind(reply: ReplyText, end: int) -> int:
    return end + len(_FENCE) if reply.text.startswith(_FENCE, end) else end


FORM = Form(
    order=210,
    marks=(_MARK,),
    parse=_parse,
    samples={
        f'{_MARK}\nprint(default_api.get_lines(path="a.ts"))\n{_FENCE}': [LINES],
        f'{_MARK}\nlines = get_lines("a.ts")\nprint(lines)\ngit_status()\n{_FENCE}': [
            LINES,
            STATUS,
        ],
    },
)
