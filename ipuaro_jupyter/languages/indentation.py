"""Move all lines of a piece of code to another indentation."""

import re
import tokenize
from io import StringIO

_BLANKS = re.compile(r"[ \t]*")
_OPENS, _CLOSES = "FSTRING_START", "FSTRING_END"


def indentation(line: str) -> str:
    """The blanks that a line begins with."""
    found = _BLANKS.match(line)
    return "" if found is None else found[0]


def first_indentation(text: str) -> str | None:
    """The indentation of the first line that is not blank; None when all are."""
    return next((indentation(line) for line in text.split("\n") if line.strip()), None)


def shifted(text: str, wanted: str, *, python: bool) -> str | None:
    """The text with the indentation of its first line that is not blank changed to ``wanted``.

    All other lines move by as much. In Python, the lines of strings over several lines stay, unless
    the string is a docstring.

    Args:
        text: Lines of code.
        wanted: The indentation.
        python: Whether it is Python.

    Returns:
        None when a line has less indentation than is to be taken away.
    """
    first = first_indentation(text)
    if first is None:
        return text
    lines = text.split("\n")
    kept = _string_lines([line.removeprefix(first) for line in lines]) if python else set()
    made = _moved_lines(lines, first, wanted, kept)
    return None if made is None else "\n".join(made)


def _moved_lines(lines: list[str], first: str, wanted: str, kept: set[int]) -> list[str] | None:
    """The lines with ``first`` at their beginning replaced by ``wanted``; see `shifted`."""
    if wanted.startswith(first):
        old, new = "", wanted[len(first) :]
    elif first.startswith(wanted):
        old, new = first[len(wanted) :], ""
    else:
        old, new = first, wanted
    made = []
    for number, line in enumerate(lines, 1):
        if number in kept or not line.strip():
            made.append(line)
        elif line.startswith(old):
            made.append(new + line[len(old) :])
        else:
            return None
    return made


def _string_lines(lines: list[str]) -> set[int]:
    """The lines, 1-based, that begin within a string that is no docstring."""
    inside: set[int] = set()
    start, before = 0, ""
    try:
        for token in tokenize.generate_tokens(StringIO("\n".join(lines) + "\n").readline):
            kind = tokenize.tok_name[token.type]
            if kind == _OPENS:
                start = token.start[0]
            elif kind == _CLOSES:
                inside.update(range(start + 1, token.end[0] + 1))
            elif kind == "STRING" and before not in {"", "NEWLINE", "INDENT", "DEDENT"}:
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
            if kind not in {"NL", "COMMENT"}:
                before = kind
    except (tokenize.TokenError, SyntaxError):
        return inside
    return inside
