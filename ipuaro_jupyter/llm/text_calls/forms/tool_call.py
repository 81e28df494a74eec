"""The form that our prompt asks for, and those of others with more than that in the same tag."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call
from ipuaro_jupyter.llm.text_calls.tags import CALL
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_BEGUN, _OPENING, _CLOSING = "<tool_", f"<{CALL}", f"</{CALL}>"


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if _OPENING.startswith(reply.text[mark.start : mark.start + len(_OPENING) + 1].lower()):
        raise CutOff.in_call()  # the text ends in the name or after it
    if mark.text == _CLOSING:
        return ParsedForm(mark.end)  # it closes nothing
    return read_tag_call(reply, mark, tools) if mark.text == _OPENING else None


FORM = Form(
    order=10,
    marks=(_BEGUN, _OPENING, _CLOSING),
    closings=(_CLOSING,),
    parse=_parse,
    samples={
        '<tool_call name="get_lines">\n<path>a.ts</path>\n</tool_call>': [LINES],
        '<tool_call name="create_file"><param name="path">a.ts</param><content>\n  <b>\n'
        "</content></tool_call>": [("create_file", {"path": "a.ts", "content": "  <b>\n"})],
        '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tool_call>': [LINES],
        '<tool_call name="git_status"/></tool_call>': [STATUS],
        "<tool_call>get_lines\n<arg_key>path</arg_key><arg_value>a.ts</arg_value>\n</tool_call>": [
            LINES
        ],
        '<tool_call>get_lines<tool_sep>\n```json\n{"path": "a.ts"}\n```\n</tool_call>': [LINES],
        '<tool_call>get_lines(path="a.ts")</tool_call>': [LINES],
        '<tool_call><name>get_lines</name><arguments>{"path": "a.ts"}</arguments></tool_call>': [
            LINES
        ],
    },
)
