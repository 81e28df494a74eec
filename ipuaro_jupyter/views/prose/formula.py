r"""Formulas in Markdown, which front ends with MathJax draw.

Those between ``$$`` on lines of their own; within text also those between ``\(`` and ``\)``, and
between ``\[`` and ``\]``, with a sign of mathematics: brackets are escaped in other texts too. A
single ``$`` begins none: prices and variables of a shell have it too.
"""

import re
from functools import cache
from importlib.resources import files

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from ipuaro_jupyter.views.markup import element, escape

_MARK = "$$"
_COMMAND = re.compile(r"\\([A-Za-z]+)(?:\s*\{([A-Za-z]*\*?)\})?")
_MOST_CHARACTERS = 2000
_IN_TEXT = re.compile(
    r"(?<![\w/)\]])(?:\\\((?P<small>[^`]{1,2000}?)\\\)|\\\[(?P<large>[^`]{1,2000}?)\\\])"
    r"|\$\$(?P<same>[^`$]{1,2000})\$\$(?!\w)"
)
_LARGE_SIGN = re.compile(r"[\\^_={}<>+*/]")
_SMALL_SIGN = re.compile(r"[\\^_={}<>+*/()|-]|^.{1,2}$")


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


def formula_in_text(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the signature is markdown-it's
    """Read a formula at a place in a paragraph, as a rule of markdown-it."""
    found = _IN_TEXT.match(state.src, state.pos, state.posMax)
    tex = next(filter(None, found.groups()), "").strip() if found else ""
    if found is None or not (_SMALL_SIGN if found["small"] else _LARGE_SIGN).search(tex):
        return False
    if not silent:
        token = state.push("formula_in_text", "", 0)
        token.content = tex
        token.markup = "\\(" if found["small"] else _MARK
    state.pos = found.end()
    return True


def html(tex: str) -> str:
    """A formula as text that MathJax draws, or leaves as it is where it does more than show."""
    return _element("div", tex, _MARK, _MARK) + "\n"


def html_in_text(tex: str, mark: str) -> str:
    """The same within a line; ``mark`` is what it begins with."""
    return _element("span", tex, mark, _MARK if mark == _MARK else "\\)")


def _element(tag: str, tex: str, before: str, after: str) -> str:
    drawn = "mathjax_process tex2jax_process" if _is_harmless(tex) else ""
    classes = f"ipuaro-formula {drawn}".strip()
    return element(tag, escape(f"{before}{tex}{after}"), class_=classes)


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
