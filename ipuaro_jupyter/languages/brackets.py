"""Find the bracket that makes a file unbalanced, by its indentation."""

import re
from typing import NamedTuple

_SIGNS = re.compile(rb"[(){}\[\]\n]")
_PAIRS = {b")": b"(", b"}": b"{", b"]": b"["}


class Unmatched(NamedTuple):
    """A bracket without another: its 1-based line, the sign, and whether it opens."""

    line: int
    sign: str
    opens: bool


class _Bracket(NamedTuple):
    sign: bytes
    line: int
    indent: int


def unmatched_bracket(masked: bytes) -> Unmatched | None:
    """The bracket that most probably has no other; None when all are matched.

    Where a closing bracket that begins a line is matched by one of another indentation, the deeper
    of the two is it.

    Args:
        masked: A file without its comments, strings and the text of templates; see `mask`.
    """
    open_: list[_Bracket] = []
    suspect: Unmatched | None = None
    line, begin = 1, 0
    for found in _SIGNS.finditer(masked):
        sign, at = found.group(), found.start()
        if sign == b"\n":
            line, begin = line + 1, at + 1
        elif sign not in _PAIRS:
            open_.append(_Bracket(sign, line, _indent(masked, begin)))
        elif not open_:
            return suspect or Unmatched(line, sign.decode(), opens=False)
        elif open_[-1].sign != _PAIRS[sign]:
            return suspect or _mismatch(open_, sign, line)
        else:
            opener = open_.pop()
            if suspect is None and opener.line != line and not masked[begin:at].strip():
                suspect = _suspected(opener, sign, line, _indent(masked, begin))
    if not open_:
        return None
    return suspect or Unmatched(open_[-1].line, open_[-1].sign.decode(), opens=True)


def _mismatch(open_: list[_Bracket], sign: bytes, line: int) -> Unmatched:
    """The wrong one of a closing bracket and the bracket of another kind that it meets."""
    if any(opener.sign == _PAIRS[sign] for opener in open_):
        return Unmatched(open_[-1].line, open_[-1].sign.decode(), opens=True)
    return Unmatched(line, sign.decode(), opens=False)


def _suspected(opener: _Bracket, sign: bytes, line: int, indent: int) -> Unmatched | None:
    if opener.indent > indent:
        return Unmatched(opener.line, opener.sign.decode(), opens=True)
    if opener.indent < indent:
        return Unmatched(line, sign.decode(), opens=False)
    return None


def _indent(masked: bytes, begin: int) -> int:
    """The width of the blanks at the beginning of a line."""
    end = masked.find(b"\n", begin)
    text = masked[begin : end if end >= 0 else len(masked)]
    return len(text[: len(text) - len(text.lstrip(b" \t"))].expandtabs(4))
