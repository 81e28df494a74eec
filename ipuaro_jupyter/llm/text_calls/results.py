"""Results that a model invents: what it writes behind its own call as if a tool had answered."""

import re
from collections.abc import Collection

from ipuaro_jupyter.llm.text_calls.reply_text import ReplyText, one_of

_TAGS = (
    *("tool_result", "tool_results", "tool_response", "tool_responses", "tool_output"),
    *("function_result", "function_results", "function_response", "function_output"),
    *("observation", "execution_result", "tool_call_result"),
)
_TOKENS = (
    *("<|tool_result|>", "<|tool_results|>", "<|tool_response|>", "<|tool_response>"),
    *("<|tool_output|>", "<|tool_outputs|>", "<|start_tool_result|>", "<|observation|>"),
    *("<start_function_response>", "<|start_header_id|>", "[TOOL_RESULTS]"),
    *("<\uff5ctool\u2581outputs\u2581begin\uff5c>", "<\uff5ctool\u2581output\u2581begin\uff5c>"),
    *("<|im_start|>user", "<|im_start|>tool", "<start_of_turn>", "\u273fRESULT\u273f"),
)
_WORDS = ("Observation", "Tool result", "Tool Result", "Tool output", "Tool Output")

_STOPS = ("\n<tool_response>", "\n<tool_result>", "\n<function_results>", "<|observation|>")

MARKS = frozenset({*(f"<{tag}{end}" for tag in _TAGS for end in "> "), *_TOKENS})
"""What begins a result anywhere in a reply; in lower case behind ``<``, where case is ignored."""

LINE_MARKS = frozenset(
    mark for word in _WORDS for mark in (f"{word}:", f"**{word}:**", f"**{word}**:")
) | {"```tool_output"}
"""What begins one where a line begins."""

_LONGEST = max(map(len, MARKS | LINE_MARKS))
_MARK, _LINE_MARK = re.compile(one_of(MARKS)), re.compile(one_of(LINE_MARKS))


def stops(conversation: Collection[str] = ()) -> tuple[str, ...]:
    """Texts at which a server may end a reply: behind a call they begin an invented result.

    They are four at most, as some servers take no more. One that the conversation mentions is left
    out, as an answer or an edit may have to hold it.
    """
    return tuple(one for one in _STOPS if not any(one.strip() in text for text in conversation))


def result_at(reply: ReplyText, at: int) -> int:
    """Where a result begins that follows at ``at``, blanks aside; -1 when none does."""
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
