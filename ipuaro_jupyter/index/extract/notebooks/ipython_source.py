"""Make plain Python of the code in a cell: what IPython alone understands becomes blank.

Every line stays where it is, and every character that stays.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

_LEXEME = re.compile(
    r"(?P<string>\"\"\"|'''|\"|')|(?P<comment>#.*)|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<rest>[^\"'#()\[\]{}]++)"
)
_IN_STRING = {quote: re.compile(rf"\\.|{quote}") for quote in ('"""', "'''", '"', "'")}
_ASSIGNED = re.compile(r"[^=#\"'!%]*+=[ \t]*+(?=[!%][^=\s])")
_MAGIC = ("%", "!", "?")


class _State(NamedTuple):
    """What is open at the end of a line: a quote, brackets, a line that goes on."""

    quote: str = ""
    depth: int = 0
    goes_on: bool = False


def plain_python(lines: Sequence[str], foreign: Collection[str]) -> list[str]:
    """Return the lines of a cell with spaces for what is no Python.

    That is a cell magic, with all that follows when it is one of ``foreign``; lines that begin
    with ``%``, ``!`` or ``?`` or end in ``?``, unless they continue something; and the magic in
    ``name = %magic``.

    Args:
        lines: The lines of a code cell.
        foreign: The cell magics, in lower case, whose cells are in another language.
    """
    found = list(lines)
    start = _body_start(found, foreign)
    for number in range(start):
        found[number] = _blank(found[number])
    state = _State()
    in_magic = False
    for number in range(start, len(found)):
        line = found[number]
        if in_magic:
            found[number], in_magic = _blank(line), line.endswith("\\")
            continue
        if state != _State():
            state, _ = _after(line, state)
            continue
        kept = _kept(line)
        after, asks = _after(line, state)
        if kept is None and not asks:
            state = after
            continue
        in_magic = kept is not None and line.endswith("\\")
        found[number] = _filled(line, kept or 0)
    return found


def _body_start(lines: list[str], foreign: Collection[str]) -> int:
    """Return how many lines are cell magics: all of them when the cell is in another language."""
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if not line.startswith("%%"):
            return number
        words = line[2:].split(maxsplit=1)
        if not words or words[0].lower() in foreign:
            return len(lines)
    return len(lines)


def _kept(line: str) -> int | None:
    """Return how many characters stay of a line with a magic; None for a line without."""
    if line.lstrip().startswith(_MAGIC):
        return 0
    assigned = _ASSIGNED.match(line)
    return None if assigned is None else assigned.end()


def _filled(line: str, kept: int) -> str:
    """Return a line whose magic is blank; where Python needs something there, it is a zero."""
    indent = len(line) - len(line.lstrip())
    if kept or indent:
        place = kept or indent
        return line[:place] + "0" + _blank(line[place + 1 :])
    return _blank(line)


def _blank(line: str) -> str:
    return " " * len(line)


def _after(line: str, state: _State) -> tuple[_State, bool]:
    """Return what is open after a line, and whether it asks for help: its code ends in ``?``."""
    quote, depth, _ = state
    position, last = 0, ""
    while position < len(line):
        if quote:
            end = _string_end(line, position, quote)
            if end is None:
                break
            quote, last, position = "", "'", end
            continue
        found = _LEXEME.match(line, position)
        assert found is not None  # noqa: S101 - the pattern matches everywhere
        position, kind = found.end(), found.lastgroup
        if kind == "string":
            quote = found.group()
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        if kind != "comment":
            last = found.group().rstrip()[-1:] or last
    if len(quote) == 1 and not line.endswith("\\"):
        quote = ""  # a string that is not closed ends with its line
    goes_on = not quote and last == "\\" and line.endswith("\\")
    return _State(quote, depth, goes_on), not quote and not depth and last == "?"


def _string_end(line: str, position: int, quote: str) -> int | None:
    """Return where the string ends that is open at a place; None when it goes on."""
    for found in _IN_STRING[quote].finditer(line, position):
        if found.group() == quote:
            return found.end()
    return None
