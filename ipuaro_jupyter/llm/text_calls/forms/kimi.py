"""Kimi's form: ``<|tool_call_begin|>functions.TOOL:0<|tool_call_argument_begin|>{…}``."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_SECTION, _CALL, _CLOSING = (
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<|tool_call_end|>",
)


def _parse(reply: ReplyText, mark: Mark, _tools: ToolNames) -> ParsedForm | None:
    """Drop the mark of a section; the call's own mark is that of DeepSeek's in ASCII, too."""
    at = reply.after_blanks(mark.end)
    return ParsedForm(at) if reply.starts(_CALL, at) else None


FORM = Form(
    order=130,
    marks=(_SECTION, "<|tool_call_section_begin|>"),
    closings=("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
    parse=_parse,
    samples={
        f"{_SECTION}{_CALL}functions.get_lines:0<|tool_call_argument_begin|>"
        f'{{"path": "a.ts"}}{_CLOSING}{_CALL}functions.git_status:1<|tool_call_argument_begin|>{{}}'
        f"{_CLOSING}<|tool_calls_section_end|>": [LINES, STATUS],
    },
)
