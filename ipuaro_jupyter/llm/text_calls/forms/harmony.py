"""The channels of gpt-oss, where a server hands its reply on as it is, or without the marks.

``<|start|>assistant<|channel|>NAME to=RECIPIENT<|message|>`` begins a message; the recipient may
also stand before the channel. See https://cookbook.openai.com/articles/openai-harmony. Without the
marks: ``analysisI look.assistantcommentary to=functions.TOOL json{…}``, ``assistantfinalIt is.``
"""

import re
from dataclasses import replace
from itertools import pairwise

from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_addressed
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm, Thinking
from ipuaro_jupyter.llm.text_calls.reply_text import Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_CHANNEL, _MESSAGE = "<|channel|>", "<|message|>"
_HEADS = ("<|start|>", _CHANNEL)
_ENDS = ("<|end|>", "<|return|>", "<|call|>")
_LONGEST_HEADER = 300
_TO, _NAMESPACE = "to=", "functions."

_COMMENTARY, _ANALYSIS, _FINAL = "assistantcommentary", "assistantanalysis", "assistantfinal"
_ADDRESS = re.compile(r"\s*to=([\w.\-:]{1,100})\s*(?:json|code)?\s*(?=\{)")
_LONGEST_ADDRESS = 160
_BEGINNINGS = ("analysis", "commentary", "final", "assistant")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if reply.block is not None:
        return None
    end = reply.text.find(_MESSAGE, mark.start, mark.start + _LONGEST_HEADER)
    if end < 0:
        reply.wait(mark.start, _LONGEST_HEADER)
        return None
    words = reply.text[mark.start : end].replace("<|", " <|").replace("|>", "|> ").split()
    end += len(_MESSAGE)
    recipient = next((word.removeprefix(_TO) for word in words if word.startswith(_TO)), "")
    if recipient:
        return read_addressed(reply, recipient.removeprefix(_NAMESPACE), end, tools)
    if (_CHANNEL, "analysis") in pairwise(words):
        return ParsedForm(end, thinking=Thinking(ends=_ENDS, begins=_HEADS))
    return ParsedForm(end)


def _parse_plain(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    is_analysis = reply.text.lstrip().startswith(("analysis", _ANALYSIS))
    is_channel = is_analysis or reply.text.lstrip().startswith(_BEGINNINGS)
    if mark.text in {_FINAL, _ANALYSIS}:
        following = Thinking(ends=(), begins=(_COMMENTARY, _FINAL))
        thinking = following if mark.text == _ANALYSIS else None
        parsed = ParsedForm(mark.end, thinking=thinking, ends_thinking=True)
        return parsed if is_channel else None
    reply.wait(mark.end, _LONGEST_ADDRESS)
    address = _ADDRESS.match(reply.text, mark.start if mark.text[:3] == _TO else mark.end)
    if address is not None:
        parsed = read_addressed(reply, address[1], address.end(), tools)
        return replace(parsed, ends_thinking=is_analysis)
    is_aside = mark.text == _COMMENTARY and is_channel
    return ParsedForm(mark.end, ends_thinking=is_analysis) if is_aside else None


FORMS = (
    Form(marks=_HEADS, closings=(_MESSAGE, "<|constrain|>", *_ENDS), parse=_parse),
    Form(
        marks=(_COMMENTARY, _ANALYSIS, _FINAL),
        line_marks=("commentary", "analysis", "to=functions."),
        parse=_parse_plain,
    ),
)
