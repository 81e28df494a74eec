"""Calls behind a mark that means nothing else: mostly the special tokens of models' templates."""

import re

from ipuaro_jupyter.llm.reply_marks import ANNOUNCED_ENDS, ANNOUNCING
from ipuaro_jupyter.llm.text_calls.announced import read_announced
from ipuaro_jupyter.llm.text_calls.forms import Form
from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.llm.text_calls.reply_text import Mark, ReplyText
from ipuaro_jupyter.llm.text_calls.tool_names import WRITE_IT, ToolNames

_CLOSING = re.compile(f"(?i:{'|'.join(map(re.escape, ANNOUNCED_ENDS))})")
_LONGEST_UNREADABLE = 2000
_UNREADABLE = f"What stands behind {{mark}} cannot be read as a call. It was not run. {WRITE_IT}"
_NO_PYTHON = (
    f"What stands behind {{mark}} was not run: Python is not there. Call a tool. {WRITE_IT}"
)


def _parse(reply: ReplyText, mark: Mark, tools: ToolNames) -> ParsedForm | None:
    """Parse what stands behind the mark; what is no call is told if a closing mark follows."""
    if parsed := read_announced(reply, mark, tools):
        return parsed
    if "python" in mark.text:
        return ParsedForm(mark.end, (_NO_PYTHON.format(mark=mark.text),))
    found = _CLOSING.search(reply.text, mark.end, mark.end + _LONGEST_UNREADABLE)
    if found is None:
        reply.wait(mark.end, _LONGEST_UNREADABLE)
        return None
    return ParsedForm(found.end(), (_UNREADABLE.format(mark=mark.text),))


FORMS = (Form(marks=ANNOUNCING, closings=ANNOUNCED_ENDS, parse=_parse),)
