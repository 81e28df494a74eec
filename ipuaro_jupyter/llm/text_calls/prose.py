"""The prose around calls that have no mark of their own: behind them, it explains them."""

import re

from ipuaro_jupyter.llm.text_calls.pieces import ParsedForm
from ipuaro_jupyter.records.chat import ToolCall

_TAG = re.compile(r"</[^<>\n]{0,60}>|<[|\uff5c][^<>\n]{0,60}>")
_WORD = re.compile(r"[^\W_]")
_THOUGHT = re.compile(r"[\s*]*Thought\b")

_UNSURE = (
    "The call of {name} was not run: with text before it, it could be an example. To call it, "
    'write <tool_call name="{name}"><parameter>value</parameter>…</tool_call>. If it only explains '
    "a call, end with a sentence behind it."
)


class Passages:
    """What of a reply is text, as places in it."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        """Add a place that follows the others."""
        if self._places and self._places[-1][1] == start:
            start = self._places.pop()[0]
        self._places.append((start, end))

    def last_prose(self, text: str) -> int:
        """Where the last prose ends; marks without words, and thoughts before a call, are none."""
        for start, end in reversed(self._places):
            passage = _TAG.sub("", text[start:end])
            is_thought = text[end:].strip() and _THOUGHT.match(passage)
            if _WORD.search(passage) and not is_thought:
                return end
        return 0


def doubted(parsed: ParsedForm, before: str, changing: frozenset[str]) -> str:
    """What to tell of a call that would change something with prose before it; "" of others.

    A thought, as ReAct has it, is no prose.

    Args:
        parsed: A call without a mark of its own.
        before: The text before it.
        changing: The tools that change something.
    """
    called = [outcome.name for outcome in parsed.outcomes if isinstance(outcome, ToolCall)]
    name = next((name for name in called if name in changing), "")
    is_prose = _WORD.search(before) and not _THOUGHT.match(before)
    return _UNSURE.format(name=name) if name and is_prose else ""
