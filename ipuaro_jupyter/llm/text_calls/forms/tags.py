"""Calls in tags: the one that our prompt asks for, and those of others."""

from ipuaro_jupyter.llm.text_calls.announced import read_python
from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import likeness, read_objects, unmarked_calls
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import call_start
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tag_calls import read_tag_call, read_tool_tag
from ipuaro_jupyter.llm.text_calls.tags import CALL, plain_name, read_tag, tag_word
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_BEGUN, _OPENING, _CLOSING = "<tool_", f"<{CALL}", f"</{CALL}>"
_INVOKES = ("invoke", "antml:invoke", "steptml:invoke", "\uff5cdsml\uff5cinvoke")
_WRAPPERS = (
    *("tools", "tool_calls", "function_call", "function_calls", "antml:function_calls", "toolcall"),
    *("minimax:tool_call", "seed:tool_call", "steptml:toolcall", "\uff5cdsml\uff5cfunction_calls"),
    *("tool_code", "code", "execute_tool"),
)
_CALLS = (CALL, "function", "invoke")
_GENERIC = ("tool", "tool_use", "use_tool", "use_mcp_tool", "tool_invocation")


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    if _OPENING.startswith(reply.text[mark.start : mark.start + len(_OPENING) + 1].lower()):
        raise CutOff.in_call()  # the text ends in the name or after it
    if mark.text == _CLOSING:
        return ParsedForm(mark.end)  # it closes nothing
    return read_tag_call(reply, mark, tools) if mark.text == _OPENING else None


def _parse_wrapper(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse the tag with the first call in it; None when it stands around something else."""
    tag = read_tag(reply, mark.start) if tag_word(reply, mark.start) == mark.text[1:] else None
    if tag is None:
        return None
    if tools.candidates(tag.attributes.get("name", "")):
        return read_tag_call(reply, mark, tools)
    body = reply.after_blanks(tag.end)
    letter = reply.char(body)
    if letter in {"{", "["} and likeness(reply, body, tools):
        end, outcomes = read_objects(
            reply, body, lambda text: unmarked_calls(text, tools, is_meant=True)
        )
        return ParsedForm(end, outcomes) if outcomes else None
    if letter != "<":
        parsed = read_python(reply, body, tools) if call_start(reply, body, tools) else None
        return parsed if parsed is not None and ends_block(reply, parsed.end) else None
    word = tag_word(reply, body)
    is_call = plain_name(word) in _CALLS
    return read_tag_call(reply, Mark(f"<{word}", body), tools) if is_call else None


def _parse_tool(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse a tag per tool, or one for all, unless it is of something else."""
    if tag_word(reply, mark.start) != mark.text[1:]:
        return None
    try:
        if mark.text[1:] in _GENERIC:
            return read_tag_call(reply, mark, tools)
        return read_tool_tag(reply, mark, tools)
    except CutOff as cut:
        if not cut.name:
            cut.problem = ""
        raise


FORMS = (
    Form(
        marks=(_BEGUN, _OPENING, _CLOSING),
        closings=(_CLOSING,),
        parse=_parse,
        samples={
            '<tool_call name="get_lines">\n<path>a.ts</path>\n</tool_call>': [LINES],
            '<tool_call name="create_file"><param name="path">a.ts</param><content>\n  <b>\n'
            "</content></tool_call>": [("create_file", {"path": "a.ts", "content": "  <b>\n"})],
            '<tool_call>\n{"name": "get_lines", "arguments": {"path": "a.ts"}}\n</tool_call>': [
                LINES
            ],
            '<tool_call name="git_status"/></tool_call>': [STATUS],
            "<tool_call>get_lines\n<arg_key>path</arg_key><arg_value>a.ts</arg_value>\n"
            "</tool_call>": [LINES],
            '<tool_call>get_lines<tool_sep>\n```json\n{"path": "a.ts"}\n```\n</tool_call>': [LINES],
            '<tool_call>get_lines(path="a.ts")</tool_call>': [LINES],
            '<tool_call><name>get_lines</name><arguments>{"path": "a.ts"}</arguments>'
            "</tool_call>": [LINES],
        },
    ),
    Form(  # Qwen coder, Llama
        marks=("<function",),
        closings=("</function>",),
        parse=read_tag_call,
        samples={
            "<function=get_lines>\n<parameter=path>\na.ts\n</parameter>\n</function>": [LINES],
            "<tool_call>\n<function=get_lines>\n<parameter=path>a.ts</parameter>\n</function>\n"
            "</tool_call>": [LINES],
            '<function=get_lines>{"path": "a.ts"}</function>': [LINES],
        },
    ),
    Form(  # Claude, MiniMax, DeepSeek
        marks=tuple(f"<{name}" for name in _INVOKES),
        closings=tuple(f"</{name}>" for name in _INVOKES),
        parse=read_tag_call,
        samples={
            '<invoke name="get_lines"><parameter name="path">a.ts</parameter></invoke>': [LINES],
            '<minimax:tool_call>\n<invoke name="get_lines">\n<parameter name="path">a.ts'
            "</parameter>\n</invoke>\n</minimax:tool_call>": [LINES],
            '<\uff5cDSML\uff5cinvoke name="get_lines"><\uff5cDSML\uff5cparameter name="path" '
            'string="true">a.ts</\uff5cDSML\uff5cparameter></\uff5cDSML\uff5cinvoke>': [LINES],
            '<function_calls>\n<invoke name="get_lines">\n<parameter name="path">a.ts</parameter>'
            "\n</invoke>\n</function_calls>": [LINES],
        },
    ),
    Form(
        marks=tuple(f"<{name}" for name in _WRAPPERS),
        closings=tuple(f"</{name}>" for name in (*_WRAPPERS, *_CALLS)),
        parse=_parse_wrapper,
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
    ),
    Form(  # Cline
        marks=(*(f"<{name}" for name in _GENERIC), "<{tool}"),
        closings=tuple(f"</{name}>" for name in _GENERIC),
        parse=_parse_tool,
        counts="unmarked last",
        samples={
            "<get_lines>\n<path>a.ts</path>\n</get_lines>": [LINES],
            "<git_status></git_status>": [STATUS],
            '<get_lines path="a.ts" />': [LINES],
            '<tool name="get_lines"><path>a.ts</path></tool>': [LINES],
            '<tool_use><name>get_lines</name><arguments>{"path": "a.ts"}</arguments></tool_use>': [
                LINES
            ],
        },
    ),
)
