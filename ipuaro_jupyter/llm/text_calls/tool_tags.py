"""Calls as a tag with the name of the tool: ``<TOOL><path>a.ts</path></TOOL>``."""

from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tag_calls import GENERIC, known_parameters, read_body
from ipuaro_jupyter.llm.text_calls.tags import Malformed, Tag, plain_name, read_tag, tag_word
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames, required


def read_tool_tag(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """What a tag with the name of a tool calls; None when it holds something else.

    Its parameters are tags, attributes, or an object in JSON.
    """
    name = mark.text[1:]
    tag = read_tag(reply, mark.start)
    if tag is None or reply.is_mention(mark.start, tag.end):
        return None
    known = known_parameters(name, tools)
    end = tag.end if tag.is_empty else _closing_end(reply, tag.end, call=name)
    if end >= 0 or tag.attributes:
        is_call = end >= 0 and _takes(tag, known, tools)
        outcome = tools.call(name, tag.attributes, bare=tag.attributes)
        return ParsedForm(end, (outcome,), name) if is_call else None
    body = reply.after_blanks(tag.end)
    letter = reply.sure_char(body)
    word = tag_word(reply, body) if letter == "<" else ""
    is_parameter = plain_name(word) in GENERIC or _is_parameter(word, name, tools)
    if letter != "{" and not is_parameter:
        return None
    try:
        return read_body(reply, tag, tools, name=name, call=name)
    except CutOff:
        raise CutOff.in_call(name) from None
    except Malformed as problem:
        told = f"The call of {name} was not run: {problem}"
        return ParsedForm(problem.end, (told,), name)


def _takes(tag: Tag, known: set[str], tools: ToolNames) -> bool:
    """Whether the attributes are all that the tool needs."""
    needed = {key for schema in tools.candidates(tag.name)[:1] for key in required(schema)}
    return needed <= set(tag.attributes) <= known


def _is_parameter(word: str, name: str, tools: ToolNames) -> bool:
    """Whether the tool has a parameter of that name, or understands it as one."""
    return any(schema.understands({word: "1"}) for schema in tools.candidates(name) if word)


def _closing_end(reply: ReplyText, at: int, *, call: str) -> int:
    """Where the closing tag at ``at`` ends, blanks aside; -1 when something else stands there."""
    at = reply.after_blanks(at)
    if reply.char(at) != "<" or tag_word(reply, at) != f"/{call}":
        return -1
    tag = read_tag(reply, at)
    return -1 if tag is None else tag.end
