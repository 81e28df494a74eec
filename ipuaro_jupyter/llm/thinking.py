"""The marks between which models think aloud."""

CLOSING = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}
"""Opening mark -> closing mark; in tags case is ignored."""

LONE = ("</think>", "</thinking>", "[/THINK]", "◁/think▷")
"""What closes thinking that the prompt's template has opened."""

FIRST_LETTERS = frozenset("<[◁")
_MARKS = (*CLOSING, *LONE)
_LONGEST = max(map(len, _MARKS))


def mark_at(text: str, at: int) -> str:
    """Return the mark that stands at ``at``, "" when there is none."""
    here = _folded(text[at : at + _LONGEST])
    return next((mark for mark in _MARKS if here.startswith(mark)), "")


def may_become_mark(text: str, at: int) -> bool:
    """Whether the text ends in what may be the beginning of a mark, at ``at``."""
    here = _folded(text[at : at + _LONGEST])
    return any(mark.startswith(here) for mark in _MARKS)


def find_mark(text: str, mark: str, at: int) -> int:
    """Return where ``mark`` stands from ``at`` on, the length of the text when it does not."""
    at = _find(text, mark[0], at)
    while at < len(text) and _folded(text[at : at + len(mark)]) != mark:
        at = _find(text, mark[0], at + 1)
    return at


def _find(text: str, letter: str, at: int) -> int:
    found = text.find(letter, at)
    return len(text) if found < 0 else found


def _folded(text: str) -> str:
    return text.lower() if text.startswith("<") else text
