"""Formulas in Markdown, ``$$`` on lines of their own, which front ends with MathJax draw."""

import re
from functools import cache
from importlib.resources import files

from markdown_it.rules_block import StateBlock

from ipuaro_jupyter.views.markup import element, escape

_MARK = "$$"
_COMMAND = re.compile(r"\\([A-Za-z]+)(?:\s*\{([A-Za-z]*\*?)\})?")
_MOST_CHARACTERS = 2000


def formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the signature is markdown-it's
    """Read a formula at a line, as a rule of markdown-it; it has no empty line and an end."""
    if state.is_code_block(start) or not _line(state, start).startswith(_MARK):
        return False
    lines: list[str] = []
    for number in range(start, end):
        line = _line(state, number)
        if not line or state.sCount[number] < state.blkIndent:
            return False
        lines.append(line)
        is_end = line.endswith(_MARK) and (number > start or len(line) > 2 * len(_MARK))
        if is_end:
            break
    else:
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = "\n".join(lines)[len(_MARK) : -len(_MARK)].strip()
        token.map = [start, start + len(lines)]
        state.line = start + len(lines)
    return True


def html(tex: str) -> str:
    """A formula as text that MathJax draws, or leaves as it is where it does more than show."""
    drawn = "mathjax_process tex2jax_process" if _is_harmless(tex) else ""
    classes = f"ipuaro-formula {drawn}".strip()
    return element("div", escape(f"{_MARK}{tex}{_MARK}"), class_=classes) + "\n"


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].strip()


def _is_harmless(tex: str) -> bool:
    """Whether all commands are known to set mathematics: others make links, styles or macros."""
    known = _known()
    return len(tex) <= _MOST_CHARACTERS and all(
        (argument in known if name in ("begin", "end") else name in known)
        for name, argument in _COMMAND.findall(tex)
    )


@cache
def _known() -> frozenset[str]:
    text = (files("ipuaro_jupyter.views") / "static" / "formula_commands.txt").read_text("utf-8")
    return frozenset(text.split())
