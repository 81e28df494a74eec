"""The channels of gpt-oss without their marks, as servers that drop special tokens hand them on.

``analysisI look.assistantcommentary to=functions.TOOL json{…}``, ``assistantfinalIt is so.``
"""

import re

from ipuaro_jupyter.llm.text_calls.announced import wait
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_addressed
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.thinking import Thinking
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_COMMENTARY, _ANALYSIS, _FINAL = "assistantcommentary", "assistantanalysis", "assistantfinal"
_ADDRESS = re.compile(r"\s*to=([\w.\-:]{1,100})\s*(?:json|code)?\s*(?=\{)")
_LONGEST_ADDRESS = 160
_BEGINNINGS = ("analysis", "commentary", "final", "assistant")
_NEXT = Thinking(ends=(), begins=(_COMMENTARY, _FINAL))


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    is_channel = reply.text.lstrip().startswith(_BEGINNINGS)
    if mark.text == _FINAL:
        return ParsedForm(mark.end, ends_thinking=True) if is_channel else None
    if mark.text == _ANALYSIS:
        return ParsedForm(mark.end, thinking=_NEXT) if is_channel else None
    wait(reply, mark.end, _LONGEST_ADDRESS)
    address = _ADDRESS.match(reply.text, mark.start if mark.text[:3] == "to=" else mark.end)
    is_analysis = reply.text.lstrip().startswith(("analysis", _ANALYSIS))
    if address is None:
        is_aside = mark.text == _COMMENTARY and is_channel
        return ParsedForm(mark.end, ends_thinking=is_analysis) if is_aside else None
    parsed = read_addressed(reply, address[1], address.end(), tools)
    return ParsedForm(parsed.end, parsed.outcomes, address[1], ends_thinking=is_analysis)


FORM = Form(
    order=240,
    marks=(_COMMENTARY, _ANALYSIS, _FINAL),
    line_marks=("commentary", "analysis", "to=functions."),
    parse=_parse,
    samples={
        'commentary to=functions.get_lines json{"path": "a.ts"}': [LINES],
        f'{_COMMENTARY} to=functions.get_lines code{{"path": "a.ts"}}{_COMMENTARY} '
        "to=functions.git_status json{}": [LINES, STATUS],
    },
)
