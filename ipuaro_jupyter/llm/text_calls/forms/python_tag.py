"""Llama's form: ``<|python_tag|>``, then objects in JSON, or calls in Python."""

from ipuaro_jupyter.llm.text_calls.announced import read_announced
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_MARK, _PYTHON = "<|python_tag|>", "<|python_start|>"
_NO_PYTHON = (
    f"What stands behind {_MARK} was not run: Python is not there. Call a tool, as "
    '<tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'
)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    return read_announced(reply, mark, tools) or ParsedForm(mark.end, (_NO_PYTHON,))


FORM = Form(
    order=70,
    marks=(_MARK, _PYTHON),
    closings=("<|python_end|>", "<|eom_id|>", "<|eom|>", "<|eot|>"),
    parse=_parse,
    samples={
        f'{_MARK}{{"name": "get_lines", "parameters": {{"path": "a.ts"}}}}<|eom_id|>': [LINES],
        f'{_MARK}{{"name": "git_status", "parameters": {{}}}}; '
        '{"name": "get_lines", "parameters": {"path": "a.ts"}}': [STATUS, LINES],
        f'{_MARK}get_lines.call(path="a.ts")': [LINES],
        f'{_PYTHON}[get_lines(path="a.ts"), git_status()]<|python_end|>': [LINES, STATUS],
    },
)
