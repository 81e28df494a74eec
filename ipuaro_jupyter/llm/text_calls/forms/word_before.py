"""Words before the JSON of a call: Phi's ``functools``, and what other models announce one with."""

from ipuaro_jupyter.llm.text_calls.announced import read_announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.json_text import likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import call_start
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    at = reply.after_blanks(mark.end)
    is_json = reply.char(at) in {"{", "["} and likeness(reply, at, tools) in {"call", "loose"}
    if not is_json and not call_start(reply, at, tools):
        return None
    parsed = read_announced(reply, mark, tools)
    return parsed if parsed is not None and (is_json or ends_block(reply, parsed.end)) else None


FORM = Form(
    order=65,
    line_marks=(
        "functools",
        "TOOL_CALL:",
        "Tool call:",
        "Tool Call:",
        "tool_call:",
        "Function call:",
        "Function Call:",
        "[TOOL_CALL]",
    ),
    closings=("[/TOOL_CALL]",),
    parse=_parse,
    needs_end=True,
    samples={
        'functools[{"name": "get_lines", "arguments": {"path": "a.ts"}}]': [LINES],
        'TOOL_CALL: {"name": "get_lines", "arguments": {"path": "a.ts"}}': [LINES],
    },
)
