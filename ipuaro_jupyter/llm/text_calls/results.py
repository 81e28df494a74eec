"""Results that a model invents: what it writes behind its own call as if a tool had answered."""

import re

from ipuaro_jupyter.llm import reply_marks, turn_marks
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText, one_of

MARKS, LINE_MARKS = reply_marks.RESULTS, reply_marks.RESULT_LINES
_ENDING = MARKS | (turn_marks.MARKS - turn_marks.BESIDE - {"<|end|>", "<|start|>"})
_LONGEST = max(map(len, _ENDING | LINE_MARKS))
MARK, _LINE_MARK = re.compile(one_of(_ENDING)), re.compile(one_of(LINE_MARKS))


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
