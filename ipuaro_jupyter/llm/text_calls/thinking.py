"""What models think aloud, between marks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ipuaro_jupyter.llm.text_calls.reply_text import MarkFinder, ReplyText

CLOSING: Mapping[str, str] = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<reflection>": "</reflection>",
    "<seed:think>": "</seed:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|end_thinking|>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}
"""Opening mark -> closing mark, as their models write them; in angle brackets case is ignored.

Each closing mark may stand alone: then the prompt's template has written the opening one.
"""
CLOSINGS = frozenset(CLOSING.values())
_QUOTES = frozenset("`'\"")


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking that has begun.

    ``ends`` are the marks that end it and belong to it, ``begins`` those with which something else
    begins, ``opening`` the one by which it may be opened again inside. ``is_quoted``: it stands in
    a fence, as an example.
    """

    ends: tuple[str, ...]
    begins: tuple[str, ...] = ()
    opening: str = ""
    is_quoted: bool = False


@lru_cache(maxsize=100)
def marks_in(thinking: Thinking) -> MarkFinder:
    """Finds the marks that mean something in it."""
    return MarkFinder({*thinking.ends, *thinking.begins, thinking.opening} - {""})


def lone_closing(reply: ReplyText, start: int) -> int:
    """The position of the first closing mark from ``start`` on that is not in quotes; -1: none."""
    text = reply.text
    places = [text.find(mark, start) for mark in CLOSINGS]
    return min((at for at in places if at >= 0 and text[at - 1 : at] not in _QUOTES), default=-1)
