"""Results that a model invents: what it writes behind its own call as if a tool had answered."""

import re

from ipuaro_jupyter.llm import turn_marks
from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText, one_of

_TAGS = (
    *("tool_result", "tool_results", "tool_response", "tool_responses", "tool_output"),
    *("function_result", "function_results", "function_response", "function_output"),
    *("observation", "execution_result", "tool_call_result"),
)
_TOKENS = (
    *("<|tool_result|>", "<|tool_results|>", "<|tool_response|>", "<|tool_response>"),
    *("<|tool_output|>", "<|tool_outputs|>", "<|start_tool_result|>", "<|observation|>"),
    *("<start_function_response>", "[TOOL_RESULTS]", "\u273fRESULT\u273f"),
    *("<\uff5ctool\u2581outputs\u2581begin\uff5c>", "<\uff5ctool\u2581output\u2581begin\uff5c>"),
)
_WORDS = ("Observation", "Tool result", "Tool Result", "Tool output", "Tool Output")

MARKS = frozenset({*(f"<{tag}{end}" for tag in _TAGS for end in "> "), *_TOKENS})
"""What begins a result anywhere in a reply; in lower case behind ``<``, where case is ignored."""

LINE_MARKS = frozenset(
    mark for word in _WORDS for mark in (f"{word}:", f"**{word}:**", f"**{word}**:")
) | {"```tool_output"}
"""What begins one where a line begins."""

_ENDING = MARKS | (turn_marks.MARKS - turn_marks.BESIDE - {"<|end|>", "<|start|>"})
_LONGEST = max(map(len, _ENDING | LINE_MARKS))
_MARK, _LINE_MARK = re.compile(one_of(_ENDING)), re.compile(one_of(LINE_MARKS))


def result_at(reply: ReplyText, at: int) -> int:
    """Where a result or a turn begins that follows at ``at``, blanks aside; -1 when none does."""
    start = reply.after_blanks(at)
    is_line = reply.begins_line(start) and _LINE_MARK.match(reply.text, start)
    if is_line or _MARK.match(reply.text, start):
        return start
    reply.wait(start, _LONGEST)
    return -1


def ends_block(reply: ReplyText, at: int) -> bool:
    """Whether nothing follows but blanks and the end of the reply or of a fence, or a mark."""
    following = reply.char(reply.after_blanks(at))
    return following in {"", "`", "<"} or result_at(reply, at) >= 0
