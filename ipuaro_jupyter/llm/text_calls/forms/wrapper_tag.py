"""Tags that several models put around their calls, as ``<tools>`` and ``<function_calls>``."""

from ipuaro_jupyter.llm.text_calls.announced import read_python
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import next_object, unmarked_calls
from ipuaro_jupyter.llm.text_calls.json_text import after_strays, json_end, likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import Outcomes, ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import call_start
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call
from ipuaro_jupyter.llm.text_calls.tags import CALL, plain_name, read_tag, tag_word
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_WRAPPERS = (
    *("tools", "tool_calls", "function_call", "function_calls", "antml:function_calls", "toolcall"),
    *("minimax:tool_call", "seed:tool_call", "steptml:toolcall", "\uff5cdsml\uff5cfunction_calls"),
    *("tool_code", "code", "execute_tool"),
)
_CALLS = (CALL, "function", "invoke")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Read the tag with the first call in it; None when it stands around something else."""
    tag = read_tag(reply, mark.start) if tag_word(reply, mark.start) == mark.text[1:] else None
    if tag is None:
        return None
    if tools.candidates(tag.attributes.get("name", "")):
        return read_tag_call(reply, mark, tools)
    body = reply.after_blanks(tag.end)
    letter = reply.char(body)
    if letter in {"{", "["} and likeness(reply, body, tools):
        end, outcomes = _read_objects(reply, body, tools)
        return ParsedForm(end, outcomes) if outcomes else None
    if letter != "<":
        parsed = read_python(reply, body, tools) if call_start(reply, body, tools) else None
        return parsed if parsed is not None and ends_block(reply, parsed.end) else None
    word = tag_word(reply, body)
    is_call = plain_name(word) in _CALLS
    return read_tag_call(reply, Mark(f"<{word}", body), tools) if is_call else None


def _read_objects(reply: ReplyText, at: int, tools: ToolNames) -> tuple[int, Outcomes]:
    """Where the objects or lists end that stand one behind the other, and what they call."""
    outcomes: Outcomes = ()
    while True:
        end = json_end(reply, at)
        found = unmarked_calls(reply.text[at:end], tools, is_meant=True)
        outcomes += found
        end = after_strays(reply, end)
        at = next_object(reply, end)
        if at < 0 or not found:
            return end, outcomes


FORM = Form(
    order=40,
    marks=tuple(f"<{name}" for name in _WRAPPERS),
    closings=tuple(f"</{name}>" for name in (*_WRAPPERS, *_CALLS)),
    parse=_parse,
    samples={
        '<tools>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tools>': [LINES],
        '<tool_calls><tool_call name="git_status"></tool_call></tool_calls>': [STATUS],
        '<function_call>{"name": "git_status", "arguments": {}}</function_call>': [STATUS],
        '<TOOLCALL>[{"name": "get_lines", "arguments": {"path": "a.ts"}}]</TOOLCALL>': [LINES],
        '<function_calls>\nget_lines(path="a.ts")\ngit_status()\n</function_calls>': [
            LINES,
            STATUS,
        ],
        "<seed:tool_call><function=get_lines><parameter=path>a.ts</parameter></function>"
        "</seed:tool_call>": [LINES],
    },
)
