"""JSON as it is, in a fence or not: ``{"name": "TOOL", "arguments": {…}}`` and its relatives."""

from ipuaro_jupyter.llm.text_calls.forms import LINES, STATUS, Form
from ipuaro_jupyter.llm.text_calls.json_calls import is_meant_as_call, next_object, unmarked_calls
from ipuaro_jupyter.llm.text_calls.json_text import Likeness, after_strays, json_end, likeness
from ipuaro_jupyter.llm.text_calls.marks import Mark
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS, CutOff, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import ToolNames

_CUT_OFF = (
    "The call is cut off: its JSON has no end, or a quote inside of a text is not written as "
    '\\". It was not run. Write it again in full.'
)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Read what the bracket calls: no outcomes for data. A call that does not end is told."""
    if _is_in_data(reply, mark.start):
        return None
    like: Likeness = ""
    try:
        like = likeness(reply, mark.start, tools)
        if not like:
            return None
        end = json_end(reply, mark.start)
    except CutOff:
        rest = reply.text[mark.start :] if reply.has_ended else ""
        is_call = is_meant_as_call(rest, tools, like)
        raise CutOff(problem=_CUT_OFF if is_call else "") from None
    text = reply.text[mark.start : end]
    outcomes = unmarked_calls(text, tools, is_meant=is_meant_as_call(text, tools, like))
    end = after_strays(reply, end) if outcomes else end
    following = next_object(reply, end) if outcomes else -1
    is_separated = following > 0 and reply.text[end:following].strip(BLANKS)
    return ParsedForm(following if is_separated else end, outcomes)


def _is_in_data(reply: ReplyText, at: int) -> bool:
    """Whether a bracket stands in code or in other JSON and begins no call."""
    before, place = _nonblank_before(reply, at)
    if before in {"[", "{", "(", "="}:
        return True
    return before in {":", ","} and _nonblank_before(reply, place)[0] in {'"', "}", "]"}


def _nonblank_before(reply: ReplyText, at: int) -> tuple[str, int]:
    """The last character before ``at``, blanks aside, and its position."""
    while at > reply.begin and reply.text[at - 1] in BLANKS:
        at -= 1
    return (reply.text[at - 1], at - 1) if at > reply.begin else ("", at)


FORM = Form(
    order=90,
    marks=("{", "["),
    parse=_parse,
    is_unmarked=True,
    samples={
        '{"name": "get_lines", "arguments": {"path": "a.ts"}}': [LINES],
        '```json\n[{"tool": "get_lines", "args": {"path": "a.ts"}}]\n```': [LINES],
        '{"tool_calls": [{"type": "function", "function": {"name": "get_lines", "arguments": '
        '"{\\"path\\": \\"a.ts\\"}"}}]}': [LINES],
        '{"thought": "I look", "name": "git_status", "parameters": {}}, {"tool": "git_status"}': [
            STATUS,
            STATUS,
        ],
    },
)
