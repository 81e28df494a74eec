"""Llama's form: ``<|python_tag|>``, then objects in JSON."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import read_marked_json
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_MARK = "<|python_tag|>"
_NO_PYTHON = (
    f"What stands behind {_MARK} was not run: Python is not there. Call a tool, as "
    '<tool_call name="TOOL"><parameter>value</parameter>…</tool_call>.'
)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if reply.char(reply.after_blanks(mark.end)) not in {"{", "["}:
        return ParsedForm(mark.end, (_NO_PYTHON,))
    return read_marked_json(reply, mark, tools)


FORM = Form(
    order=70,
    marks=(_MARK,),
    closings=("<|eom_id|>", "<|eot_id|>"),
    parse=_parse,
    samples={
        f'{_MARK}{{"name": "get_lines", "parameters": {{"path": "a.ts"}}}}<|eom_id|>': [LINES],
        f'{_MARK}{{"name": "git_status", "parameters": {{}}}}; '
        '{"name": "get_lines", "parameters": {"path": "a.ts"}}': [STATUS, LINES],
    },
)
