"""Results that a model invents: what it writes behind its own call as if a tool had answered."""

import re

from ipuaro_jupyter.llm import turn_marks
from ipuaro_jupyter.llm.reply_marks import RESULT_LINES, RESULTS
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText, one_of

_ENDING = RESULTS | (turn_marks.MARKS - turn_marks.BESIDE - {"<|end|>", "<|start|>"})
_LONGEST = max(map(len, _ENDING | RESULT_LINES))
MARK, _LINE_MARK = re.compile(one_of(_ENDING)), re.compile(one_of(RESULT_LINES))


def result_at(reply: ReplyText, at: int) -> int:
    """Where a result or a turn begins that follows at ``at``, blanks aside; -1 when none does."""
    start = reply.after_blanks(at)
    is_line = reply.begins_line(start) and _LINE_MARK.match(reply.text, start)
    if is_line or MARK.match(reply.text, start):
        return start
    reply.wait(start, _LONGEST)
    return -1


def ends_block(reply: ReplyText, at: int) -> bool:
    """Whether nothing follows but blanks and the end of the reply or of a fence, or a mark."""
    following = reply.char(reply.after_blanks(at))
    return following in {"", "`", "<"} or result_at(reply, at) >= 0
