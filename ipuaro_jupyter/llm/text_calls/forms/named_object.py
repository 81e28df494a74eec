"""A tool's name on a line, and its arguments in JSON behind it: ``get_lines {"path": "a.ts"}``."""

from ipuaro_jupyter.llm.text_calls.announced import read_named
from ipuaro_jupyter.llm.text_calls.forms import LINES, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_MARK = ">>>"


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    at = mark.end if mark.text == _MARK else mark.start
    try:
        parsed = read_named(reply, reply.after_blanks(at), tools)
    except CutOff as cut:
        if not cut.name:
            cut.problem = ""
        raise
    return parsed if parsed is not None and tools.understands(parsed.outcomes) else None


FORM = Form(
    order=190,
    line_marks=(_MARK, "functions.", "tools.", "default_api."),
    tool_line_marks=lambda name: (name,),
    parse=_parse,
    is_unmarked=True,
    needs_end=True,
    samples={
        'get_lines\n{"path": "a.ts"}': [LINES],
        'functions.get_lines:0 {"path": "a.ts"}': [LINES],
        '>>>get_lines\n{"path": "a.ts"}': [LINES],
    },
)
