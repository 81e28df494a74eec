"""Qwen-Agent's form: ``✿FUNCTION✿: TOOL``, and ``✿ARGS✿:`` with an object on the next line."""

import re

from ipuaro_jupyter.llm.text_calls.announced import name_at
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_addressed
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_FUNCTION, _ARGUMENTS = "\u273fFUNCTION\u273f", "\u273fARGS\u273f"
_COLON = re.compile(r"[: \t]*")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    name, at = name_at(reply, reply.run(_COLON, mark.end))
    at = reply.after_blanks(at)
    if not name or not reply.starts(_ARGUMENTS, at):
        return None
    return read_addressed(reply, name, reply.run(_COLON, at + len(_ARGUMENTS)), tools)


FORM = Form(
    order=220,
    marks=(_FUNCTION,),
    closings=("\u273fRETURN\u273f",),
    parse=_parse,
    samples={f'{_FUNCTION}: get_lines\n{_ARGUMENTS}: {{"path": "a.ts"}}': [LINES]},
)
