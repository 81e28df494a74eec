"""Turn the code of a cell into plain Python: IPython's own syntax is blanked out.

Every line, and every character that is kept, stays in its place.
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
_RUNS_CODE = re.compile(
    r"[ \t]*%%?(?:time(?:[ \t]+--[\w-]+)*"
    r"|timeit(?:[ \t]+-(?:[nrp][ \t]*\d+|[tcqov]+))*"
    r"|prun(?:[ \t]+-(?:[lsTD][ \t]*[^\s-]\S*|[rq]+))*"
    r"|memit(?:[ \t]+-(?:[rt][ \t]*\d+|[ico]+))*)[ \t]+(?=[^\s-])"
)
"""A magic that runs the Python code behind it, with its options."""
_COMPOUND = re.compile(r"(?:for|while|if|with|try|def|class|async)\b")


class _State(NamedTuple):
    """What is open at the end of a line: a string, brackets, a continued line."""

    quote: str = ""
    depth: int = 0
    goes_on: bool = False


def plain_python(lines: Sequence[str], foreign: Collection[str]) -> list[str]:
    """The lines of a cell with everything that is not Python replaced by spaces.

    Replaced are: a cell magic, with the whole cell when the magic is one of ``foreign``; lines that
    begin with ``%``, ``!`` or ``?`` or end in ``?``, unless they continue another; and the magic in
    ``name = %magic``. Code that a magic such as ``%timeit`` runs is kept.

    Args:
        lines: The lines of a code cell.
        foreign: The cell magics, in lower case, whose cells are in another language.
    """
    found = list(lines)
    start = _body_start(found, foreign)
    for number in range(start):
        found[number] = _filled(found[number], 0) if start < len(found) else _blank(found[number])
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
        found[number] = _filled(line, kept or 0)
        is_code = kept is not None and _code_start(line, kept) is not None
        if is_code:
            state = _State(goes_on=line.endswith("\\"))
        in_magic = kept is not None and not is_code and line.endswith("\\")
    return found


def _body_start(lines: list[str], foreign: Collection[str]) -> int:
    """The number of lines taken by cell magics: all when the cell is in another language."""
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
    """The number of characters kept of a line with a magic; None for a line without one."""
    if line.lstrip().startswith(_MAGIC):
        return 0
    assigned = _ASSIGNED.match(line)
    return None if assigned is None else assigned.end()


def _filled(line: str, kept: int) -> str:
    """A line with its magic blanked out; a zero stands where Python needs an expression."""
    indent = len(line) - len(line.lstrip())
    code = _code_start(line, kept)
    if code is not None and kept:
        return line[:kept] + _blank(line[kept:code]) + line[code:]
    if code is not None and not _COMPOUND.match(line, code):
        return f"{line[:indent]}0;".ljust(code) + line[code:]
    if kept or indent:
        place = kept or indent
        return line[:place] + "0" + _blank(line[place + 1 :])
    return _blank(line)


def _code_start(line: str, kept: int) -> int | None:
    """Where the code begins that the magic behind the kept characters runs."""
    found = _RUNS_CODE.match(line, kept)
    return None if found is None else found.end()


def _blank(line: str) -> str:
    return " " * len(line)


def _after(line: str, state: _State) -> tuple[_State, bool]:
    """The state after a line, and whether the line asks for help: its code ends in ``?``."""
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
        quote = ""  # an unclosed string ends with its line
    goes_on = not quote and last == "\\" and line.endswith("\\")
    return _State(quote, depth, goes_on), not quote and not depth and last == "?"


def _string_end(line: str, position: int, quote: str) -> int | None:
    """The end of the string that is open at ``position``; None when it continues."""
    for found in _IN_STRING[quote].finditer(line, position):
        if found.group() == quote:
            return found.end()
    return None
