"""Gemma's forms: ``call:TOOL{path:<escape>a.ts<escape>}`` between marks of the model.

FunctionGemma quotes texts by ``<escape>``, Gemma 4 by ``<|"|>``; keys have no quotes.
"""

import json
import re

from ipuaro_jupyter.llm.text_calls.announced import name_at, unreadable
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import json_calls
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_CLOSINGS = {"<start_function_call>": "<end_function_call>", "<|tool_call>": "<tool_call|>"}
_TOKEN = re.compile(
    r"""<escape>(?P<escaped>.*?)(?:<escape>|\Z)|<\|"\|>(?P<quoted>.*?)(?:<\|"\|>|\Z)"""
    r"""|"(?>[^"\\]+|\\.)*(?:"|\Z)|[{}\[\]]""",
    re.DOTALL,
)
_PREFIX = "call:"


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    name, at = name_at(reply, reply.after_blanks(mark.end))
    name, at = name.removeprefix(_PREFIX), reply.after_blanks(at)
    is_bare = mark.text == _PREFIX
    if not name or reply.char(at) != "{" or (is_bare and not tools.candidates(name)):
        return None if is_bare else unreadable(reply, mark, _CLOSINGS[mark.text])
    end = _object_end(reply, at, name)
    text = _TOKEN.sub(_in_json, reply.text[at:end])
    return ParsedForm(end, json_calls(text, tools, name=name), name)


def _object_end(reply: ReplyText, start: int, name: str) -> int:
    depth = 0
    for token in _TOKEN.finditer(reply.text, start):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth == 0:
            return token.end()
    raise CutOff.in_call(name)


def _in_json(token: re.Match[str]) -> str:
    if token.lastgroup is None:
        return token[0]
    return json.dumps(token[token.lastgroup])


FORM = Form(
    order=200,
    marks=tuple(_CLOSINGS),
    line_marks=(_PREFIX,),
    closings=tuple(_CLOSINGS.values()),
    parse=_parse,
    samples={
        "<start_function_call>call:get_lines{path:<escape>a.ts<escape>}<end_function_call>"
        "<start_function_call>call:git_status{}<end_function_call>": [LINES, STATUS],
        '<|tool_call>call:get_lines{path:<|"|>a.ts<|"|>}<tool_call|>': [LINES],
    },
)
