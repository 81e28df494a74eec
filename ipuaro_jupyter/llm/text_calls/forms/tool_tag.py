"""A tag per tool, as Cline asks for, ``<TOOL><path>a.ts</path></TOOL>``, or one for all."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call
from ipuaro_jupyter.llm.text_calls.tags import tag_word
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames
from ipuaro_jupyter.llm.text_calls.tool_tags import read_tool_tag

_GENERIC = ("tool", "tool_use", "use_tool", "use_mcp_tool", "tool_invocation")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if tag_word(reply, mark.start) != mark.text[1:]:
        return None
    try:
        if mark.text[1:] in _GENERIC:
            return read_tag_call(reply, mark, tools)
        return read_tool_tag(reply, mark, tools)
    except CutOff as cut:
        if not cut.name:
            cut.problem = ""  # it may be a tag of something else
        raise


FORM = Form(
    order=100,
    marks=tuple(f"<{name}" for name in _GENERIC),
    tool_marks=lambda name: (f"<{name.lower()}",),
    closings=tuple(f"</{name}>" for name in _GENERIC),
    parse=_parse,
    is_unmarked=True,
    needs_end=True,
    samples={
        "<get_lines>\n<path>a.ts</path>\n</get_lines>": [LINES],
        "<git_status></git_status>": [STATUS],
        '<get_lines path="a.ts" />': [LINES],
        '<tool name="get_lines"><path>a.ts</path></tool>': [LINES],
        '<tool_use><name>get_lines</name><arguments>{"path": "a.ts"}</arguments></tool_use>': [
            LINES
        ],
    },
)
