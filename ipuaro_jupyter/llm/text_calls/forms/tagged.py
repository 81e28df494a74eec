"""Calls in tags: the one that our prompt asks for, and those of others."""

from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.json_calls import begins_call, read_objects, unmarked_calls
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.python_calls import read_python
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.results import ends_block
from ipuaro_jupyter.llm.text_calls.tag_calls import (
    CALL,
    plain_name,
    read_tag,
    read_tag_call,
    read_tool_tag,
    tag_word,
)
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
        reply.calling = ""
        raise CutOff  # the text ends in the name or after it
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
    if letter in {"{", "["} and begins_call(reply, body, tools):
        parsed = read_objects(reply, body, lambda text: unmarked_calls(text, tools))
        return parsed if parsed.outcomes else None
    if letter != "<":
        read = read_python(reply, body, tools)
        return read if read is not None and ends_block(reply, read.end) else None
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
    except CutOff:
        reply.calling = reply.calling or None
        raise


FORMS = (
    Form(
        marks=(_BEGUN, _OPENING, _CLOSING),
        closings=(_CLOSING,),
        parse=_parse,
    ),
    Form(  # Qwen coder, Llama
        marks=("<function",),
        closings=("</function>",),
        parse=read_tag_call,
    ),
    Form(  # Claude, MiniMax, DeepSeek
        marks=tuple(f"<{name}" for name in _INVOKES),
        closings=tuple(f"</{name}>" for name in _INVOKES),
        parse=read_tag_call,
    ),
    Form(
        marks=tuple(f"<{name}" for name in _WRAPPERS),
        closings=tuple(f"</{name}>" for name in (*_WRAPPERS, *_CALLS)),
        parse=_parse_wrapper,
    ),
    Form(  # Cline
        marks=(*(f"<{name}" for name in _GENERIC), "<{tool}"),
        closings=tuple(f"</{name}>" for name in _GENERIC),
        parse=_parse_tool,
        is_marked=False,
        needs_end=True,
    ),
)
