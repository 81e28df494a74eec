"""Calls in Python where nothing else stands, as in Llama's form: ``[get_lines(path="a.ts")]``."""

from ipuaro_jupyter.llm.text_calls.announced import read_python
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import call_start
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_LANGUAGES = frozenset({"", "python", "py", "python3", "tool_code", "tool_call"})


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if not reply.begins_line(mark.start) or not call_start(reply, mark.start, tools):
        return None
    parsed = read_python(reply, mark.start, tools)
    if parsed is not None and reply.language not in _LANGUAGES:
        called = reply.text[mark.start : parsed.end].removeprefix("[").removeprefix("print(")
        if "." in called.partition("(")[0]:
            return None  # of an object in the project's own code
    return parsed if parsed is not None and ends_block(reply, parsed.end) else None


FORM = Form(
    order=180,
    marks=("[",),
    line_marks=("print(", "default_api.", "functions.", "tools.", "tool.", "api."),
    tool_line_marks=lambda name: (name,),
    parse=_parse,
    is_unmarked=True,
    is_alone=True,
    needs_end=True,
    samples={
        '```python\nget_lines(path="a.ts")\ngit_status()\n```': [LINES, STATUS],
        '```\n[get_lines("a.ts"), git_status()]\n```': [LINES, STATUS],
        '```py\nprint(default_api.get_lines(path="a.ts"))\n```': [LINES],
    },
)
