"""The source of a declaration in the shortest form that still answers."""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ipuaro_jupyter.index.retrieval.file_declarations import Declaration, FileDeclarations

_MOST_HEAD = 6
_MOST_DOCUMENTED = 4
_AROUND = 2
_SHORT_LINE = 80
_LONGEST_LINE = 300
_BODY = re.compile(r"(?:[:{]|=>\s*[({]?)\s*(?:(?://|#).*)?$")
_QUOTES = ('"""', "'''", 'r"""', "r'''")


def whole(file: FileDeclarations, one: Declaration) -> list[str]:
    """All lines of a declaration, numbered."""
    return _numbered(file, range(one.line, one.end + 1), one)


def signatures(
    file: FileDeclarations, one: Declaration, *, first: AbstractSet[int], most: int
) -> list[str]:
    """A class or the like as its first lines and those of its members.

    Args:
        file: Where it is.
        one: The declaration.
        first: Lines with words of the question: members that have some are the last to go.
        most: The number of members.
    """
    inside = [
        other
        for other in file.declared
        if other is not one
        and one.line <= other.line
        and other.end <= one.end
        and other.qualified.rpartition(".")[0] == one.qualified
    ]
    told = sorted(inside, key=lambda other: first.isdisjoint(range(other.line, other.end + 1)))
    lines = set(_head(file, one)) | {_named_at(file, other) for other in told[:most]}
    return _numbered(file, sorted(lines), one)


def passages(
    file: FileDeclarations, one: Declaration, *, first: Sequence[int], most: int
) -> list[str]:
    """A large function as its signature, its documentation and the lines with the words.

    If none of these is in its body, the first lines of that: a signature alone says too little.

    Args:
        file: Where it is.
        one: The declaration.
        first: Lines with words of the question, the most telling first.
        most: The number of lines.
    """
    lines = set(_head(file, one))
    for line in range(one.line, one.end) if lines.issuperset(first) else first:
        if len(lines) >= most:
            break
        lines |= {_beside(file, line, -1), line, _beside(file, line, 1)}
    return _numbered(file, sorted(line for line in lines if one.line <= line <= one.end), one)


def _beside(file: FileDeclarations, line: int, step: int) -> int:
    """The next line before or after one that is not blank, if it is near."""
    near = (line + step * far for far in range(1, _AROUND + 1))
    return next((one for one in near if _line(file, one).strip()), line)


def _head(file: FileDeclarations, one: Declaration) -> Iterable[int]:
    """The lines of the signature, and the first ones of the documentation below it."""
    last = min(one.end, one.line + _MOST_HEAD)
    line = one.line
    while line < last and not _BODY.search(_line(file, line)):
        line += 1
    end = line
    if line < one.end and _line(file, line + 1).lstrip().startswith(_QUOTES):
        end = line + 1
        while end < min(one.end, line + _MOST_DOCUMENTED) and not _is_closed(file, line + 1, end):
            end += 1
    return range(one.line, end + 1)


def _is_closed(file: FileDeclarations, first: int, line: int) -> bool:
    text = _line(file, line).rstrip()
    return text.endswith(('"""', "'''")) and (line > first or len(text.strip()) > len(_QUOTES[2]))


def _named_at(file: FileDeclarations, one: Declaration) -> int:
    """The line of a declaration that has its name, below its decorators."""
    for line in range(one.line, min(one.end, one.line + _MOST_HEAD) + 1):
        if one.name in _line(file, line):
            return line
    return one.line


def _numbered(file: FileDeclarations, lines: Iterable[int], one: Declaration) -> list[str]:
    """Lines with their numbers, and notes on those left out between them and after them."""
    told: list[str] = []
    last = one.line - 1
    for line in lines:
        if line == last + 2 and len(_line(file, last + 1)) <= _SHORT_LINE:
            told.append(f"{last + 1}\t{_line(file, last + 1)}")  # a note on it takes as much
        elif line > last + 1:
            told.append(_left_out(last + 1, line - 1))
        told.append(f"{line}\t{_line(file, line)}")
        last = line
    if last < one.end:
        told.append(_left_out(last + 1, one.end))
    return told


def _left_out(first: int, last: int) -> str:
    return f"[… line {first}]" if first == last else f"[… lines {first}-{last}]"


def _line(file: FileDeclarations, line: int) -> str:
    text = file.lines[line - 1].rstrip() if line <= len(file.lines) else ""
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
