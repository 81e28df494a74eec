"""The input transformers: rewrite a cell of ours before IPython reads it.

Where the kernel handles widget messages while a cell awaits, our cells await, so that buttons work.
Everywhere, a line for the model that ends in a question mark stays one: IPython would take it for a
help request.
"""

import re
import tokenize
from collections.abc import Iterator, Sequence

from IPython.core.inputtransformer2 import make_tokens_by_line

_LINE = re.compile(r"%(ask|tool|ipuaro)(?:\s+(.*))?$", re.DOTALL)
_CELL = re.compile(r"%%ask(?:[ \t]+(.*))?$")
_ASKED = re.compile(r"(\w+[ \t]*=[ \t]*)?%(ask|tool)[ \t]+(.*\?)$")
_BLANK = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}
_ENTRY = 'await get_ipython().magics_manager.registry["IpuaroMagics"].awaited'


def awaiting(lines: list[str]) -> list[str]:
    """The lines of a cell, rewritten when it is ``%%ask`` or one line of our magics.

    The typed text stays in the history; only the code that runs is changed. ``%ipuaro?`` and the
    like are left to IPython.
    """
    if not lines:
        return lines
    cell = _CELL.match(lines[0].rstrip())
    if cell:
        return _call("ask", cell.group(1) or "", "".join(lines[1:]))
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    line = _LINE.match(told[0].strip()) if len(told) == 1 else None
    if line is None:
        return asking(lines)
    return _call(line.group(1), line.group(2) or "", None)


def is_ours(source: str) -> bool:
    """Whether a cell as typed is ``%%ask``, or one line of our magics."""
    return bool(_magic(source))


def is_question(source: str) -> bool:
    """Whether a cell as typed is ``%%ask``, or one line of ``%ask``."""
    return _magic(source) == "ask"


def _magic(source: str) -> str:
    """The name of our magic that a cell as typed is one call of; "" when it is none."""
    lines = source.splitlines()
    if lines and _CELL.match(lines[0].rstrip()):
        return "ask"
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    found = _LINE.match(told[0].strip()) if len(told) == 1 else None
    return found[1] if found else ""


def asking(lines: list[str]) -> list[str]:
    """The lines of a cell, with each ``%ask …?`` and ``%tool …?`` rewritten as the call it means.

    Only lines that begin a statement without indentation, including ``name = %ask …?``. ``%ask?``
    is left to IPython, which shows its help.
    """
    rewritten = list(lines)
    while not rewritten or not rewritten[0].startswith("%%"):
        found = _asked(rewritten)
        if found is None:
            break
        number, (target, magic, said) = found
        rewritten[number] = f"{target or ''}get_ipython().run_line_magic({magic!r}, {said!r})\n"
    return rewritten


def _asked(lines: list[str]) -> tuple[int, Sequence[str | None]] | None:
    """The 0-based index of the first line that `asking` rewrites, and its parts."""
    asked = {n: match for n, line in enumerate(lines) if (match := _ASKED.fullmatch(line.rstrip()))}
    if not asked:
        return None
    # One at a time: a message need not be Python, and spoils the tokens after it.
    starts = sorted(asked.keys() & set(_starts(lines)))
    return (starts[0], asked[starts[0]].groups()) if starts else None


def _starts(lines: list[str]) -> Iterator[int]:
    """Yield the numbers of the lines on which a statement begins."""
    for tokens in make_tokens_by_line(lines):
        told = [token for token in tokens if token.type not in _BLANK]
        if told:
            yield told[0].start[0] - 1


def is_silenced(line: str) -> bool:
    """Whether the line of a ``%%ask`` cell suppresses its output."""
    return line.strip() == ";"


def _call(magic: str, line: str, cell: str | None) -> list[str]:
    end = ";" if cell is not None and is_silenced(line) else ""
    return [f"{_ENTRY}({magic!r}, {line!r}, {cell!r}){end}\n"]
