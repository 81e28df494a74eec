"""Tags that several models put around their calls, as ``<tools>`` and ``<function_calls>``."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import unmarked_calls
from ipuaro_jupyter.llm.text_calls.json_text import json_end, likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call
from ipuaro_jupyter.llm.text_calls.tags import CALL, read_tag, tag_word
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_WRAPPERS = ("tools", "tool_calls", "function_call", "function_calls")
_CALLS = (CALL, "function", "invoke")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Read the tag with the first call in it; None when it stands around something else."""
    tag = read_tag(reply, mark.start) if tag_word(reply, mark.start) == mark.text[1:] else None
    if tag is None:
        return None
    body = reply.after_blanks(tag.end)
    letter = reply.char(body)
    if letter in {"{", "["} and likeness(reply, body, tools):
        end = json_end(reply, body)
        outcomes = unmarked_calls(reply.text[body:end], tools, is_meant=True)
        return ParsedForm(end, outcomes) if outcomes else None
    word = tag_word(reply, body) if letter == "<" else ""
    return read_tag_call(reply, Mark(f"<{word}", body), tools) if word in _CALLS else None


FORM = Form(
    order=40,
    marks=tuple(f"<{name}" for name in _WRAPPERS),
    closings=tuple(f"</{name}>" for name in (*_WRAPPERS, *_CALLS)),
    parse=_parse,
    samples={
        '<tools>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tools>': [LINES],
        '<tool_calls><tool_call name="git_status"></tool_call></tool_calls>': [STATUS],
        '<function_call>{"name": "git_status", "arguments": {}}</function_call>': [STATUS],
    },
)
