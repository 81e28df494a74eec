"""The marks in a model's text after which something else than text may come."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.llm.text_calls.source import Reading, Source
from ipuaro_jupyter.llm.text_calls.tags import CALL, ends_name
from ipuaro_jupyter.llm.text_calls.thinking import CLOSING

Kind = Literal[
    "think",  # opens thinking
    "thought",  # closes it
    "call",  # <tool_call …>
    "foreign",  # the call of another form: <function=NAME>, <invoke name="NAME">
    "wrapper",  # stands around calls
    "list",  # JSON calls follow
    "channel",  # a header of gpt-oss: what follows is thinking, text or a call
    "control",  # its other marks
    "end",  # closes a call
    "foreign end",  # closes a call of another form, or what stands around calls
]

_LITERALS: Mapping[str, Kind] = {
    **dict.fromkeys(CLOSING, "think"),
    **dict.fromkeys(CLOSING.values(), "thought"),
    **dict.fromkeys(("[TOOL_CALLS]", "<|python_tag|>", "<|tool_call|>"), "list"),
    **dict.fromkeys(("<|start|>", "<|channel|>"), "channel"),
    **dict.fromkeys(("<|message|>", "<|constrain|>", "<|end|>", "<|return|>"), "control"),
    "<|call|>": "control",
}
_WRAPPERS = ("tool_calls", "function_calls", "function_call", "tools")
_FOREIGN = ("function", "invoke")
_TAGS: Mapping[str, Kind] = {
    CALL: "call",
    "/" + CALL: "end",
    **dict.fromkeys(_FOREIGN, "foreign"),
    **dict.fromkeys(_WRAPPERS, "wrapper"),
    **{f"/{name}": "foreign end" for name in (*_FOREIGN, *_WRAPPERS)},
}
_LONGEST = max(map(len, _LITERALS))
FIRST_LETTERS = frozenset(literal[0] for literal in _LITERALS)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark at ``start``.

    ``text`` is the mark as the tables spell it, a tag's name in case of a tag. ``end`` is after
    it; of a tag only ``<`` and name have been read.
    """

    kind: Kind
    text: str
    start: int
    end: int


def mark_at(source: Source, at: int) -> Reading[Mark | None]:
    """Return the mark that stands at ``at``; None when there is none."""
    while True:
        here = source.text[at : at + _LONGEST]
        here = here.lower() if here.startswith("<") else here
        for literal, kind in _LITERALS.items():
            if here.startswith(literal):
                return Mark(kind, literal, at, at + len(literal))
        grows = len(here) < _LONGEST and any(literal.startswith(here) for literal in _LITERALS)
        if source.final or not grows:
            break
        yield
    if not here.startswith("<"):
        return None
    return (yield from _tag_at(source, at))


def _tag_at(source: Source, at: int) -> Reading[Mark | None]:
    """Return the mark whose tag opens at ``at``; waits only while its name may become one."""
    end = at + 1
    while True:
        following = yield from source.char(end)
        word = source.text[at + 1 : end].lower()
        if following == "" or not any(tag.startswith(word + following.lower()) for tag in _TAGS):
            break
        end += 1
    kind = _TAGS.get(word)
    if kind is None or not ends_name(following, word):
        return None
    return Mark(kind, word, at, end)
