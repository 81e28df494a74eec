"""The channels of gpt-oss, where a server hands its reply on as it is.

``<|start|>assistant<|channel|>NAME to=RECIPIENT<|message|>`` begins a message; the recipient may
also stand before the channel. See https://cookbook.openai.com/articles/openai-harmony.
"""

from itertools import pairwise

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_addressed
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.thinking import Thinking
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_CHANNEL, _MESSAGE = "<|channel|>", "<|message|>"
_HEADS = ("<|start|>", _CHANNEL)
_ENDS = ("<|end|>", "<|return|>", "<|call|>")
_ANALYSIS = Thinking(ends=_ENDS, begins=_HEADS)
_LONGEST_HEADER = 300
_TO, _NAMESPACE = "to=", "functions."


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    limit = mark.start + _LONGEST_HEADER
    end = reply.text.find(_MESSAGE, mark.start, limit)
    if end < 0 and len(reply.text) < limit:
        raise CutOff
    if end < 0:
        return None
    words = reply.text[mark.start : end].replace("<|", " <|").replace("|>", "|> ").split()
    end += len(_MESSAGE)
    recipient = next((word.removeprefix(_TO) for word in words if word.startswith(_TO)), "")
    if recipient:
        return read_addressed(reply, recipient.removeprefix(_NAMESPACE), end, tools)
    is_thinking = (_CHANNEL, "analysis") in pairwise(words)
    return ParsedForm(end, thinking=_ANALYSIS if is_thinking else None)


FORM = Form(
    order=80,
    marks=_HEADS,
    closings=(_MESSAGE, "<|constrain|>", *_ENDS),
    parse=_parse,
    is_in_fences=False,
    samples={
        "<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>commentary "
        'to=functions.get_lines <|constrain|>json<|message|>{"path": "a.ts"}<|call|>': [LINES],
        "<|start|>assistant to=functions.git_status<|channel|>commentary json<|message|>{}": [
            STATUS
        ],
    },
)
