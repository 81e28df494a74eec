"""The lines that differ between two texts, with what lies around them."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

CONTEXT_LINES = 3
# Beyond this many lines between the first and the last difference, a popular line (a lone brace)
# is no longer tried as an anchor: the diff may be longer than need be, never wrong.
EXACT_LINES = 2000
_WORDS = re.compile(r"\w+|\s+|.")
_ALIKE = 0.4

Opcode = tuple[str, int, int, int, int]


class Row(NamedTuple):
    """One line of a diff.

    ``old`` and ``new`` are 1-based line numbers, None on the side where the line is not.
    ``marks`` are the changed words: character ranges, the end excluded.
    """

    sign: Literal[" ", "-", "+"]
    old: int | None
    new: int | None
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    ends_file_bare: bool = False


class Hunk(NamedTuple):
    """Changed lines with three lines around them; ``header`` is "@@ -1,4 +1,5 @@"."""

    header: str
    rows: tuple[Row, ...]


def hunks(old: str | None, new: str | None) -> list[Hunk]:
    """Return what has to change for ``old`` to become ``new``; None is an absent file."""
    before, after = _lines(old), _lines(new)
    groups = _grouped(_opcodes(before, after))
    return [_hunk(group, before, after) for group in groups]


def differing(found: list[Hunk]) -> tuple[int, int]:
    """Return how many lines were added and how many removed."""
    signs = [row.sign for hunk in found for row in hunk.rows]
    return signs.count("+"), signs.count("-")


def _lines(text: str | None) -> list[str]:
    r"""Split on ``\n`` only, line ends kept: a line without one is the file's bare last line."""
    return [] if not text else re.findall(r"[^\n]*\n|[^\n]+", text)


def _opcodes(before: list[str], after: list[str]) -> list[Opcode]:
    """Compare what lies between the common head and the common tail."""
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    long = max(map(len, middle)) > EXACT_LINES
    found = SequenceMatcher(None, *middle, autojunk=long).get_opcodes()
    codes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    codes += [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in found]
    if tail:
        codes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return codes


def _grouped(codes: list[Opcode]) -> list[list[Opcode]]:
    """Cut long stretches of equal lines down to the context."""
    groups: list[list[Opcode]] = [[]]
    for number, (tag, a, b, c, d) in enumerate(codes):
        if tag != "equal":
            groups[-1].append((tag, a, b, c, d))
            continue
        first, last = number == 0, number == len(codes) - 1
        lead, trail = 0 if first else CONTEXT_LINES, 0 if last else CONTEXT_LINES
        if b - a <= lead + trail:
            groups[-1].append((tag, a, b, c, d))
            continue
        if lead:
            groups[-1].append((tag, a, a + lead, c, c + lead))
        groups.append([])
        if trail:
            groups[-1].append((tag, b - trail, b, d - trail, d))
    return [group for group in groups if any(code[0] != "equal" for code in group)]


def _hunk(group: list[Opcode], before: list[str], after: list[str]) -> Hunk:
    rows: list[Row] = []
    for tag, a, b, c, d in group:
        if tag == "equal":
            rows += [
                _row(" ", a + n, c + n, before[a + n]) for n in range(b - a)
            ]  # fmt: skip
            continue
        removed = [_row("-", a + n, None, line) for n, line in enumerate(before[a:b])]
        added = [_row("+", None, c + n, line) for n, line in enumerate(after[c:d])]
        if len(removed) == len(added):
            pairs = [_marked(minus, plus) for minus, plus in zip(removed, added, strict=True)]
            removed, added = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        rows += removed + added
    start, end = group[0], group[-1]
    return Hunk(
        header=f"@@ -{_range(start[1], end[2])} +{_range(start[3], end[4])} @@", rows=tuple(rows)
    )


def _row(sign: Literal[" ", "-", "+"], old: int | None, new: int | None, line: str) -> Row:
    """Make a row of 0-based line numbers and a line with its end."""
    return Row(
        sign=sign,
        old=None if old is None else old + 1,
        new=None if new is None else new + 1,
        text=line.removesuffix("\n"),
        ends_file_bare=not line.endswith("\n"),
    )


def _range(start: int, end: int) -> str:
    """Return the range as unified diffs write it: an empty one names the line before it."""
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _marked(minus: Row, plus: Row) -> tuple[Row, Row]:
    """Mark the words that differ, unless the two lines have little in common."""
    old, new = _WORDS.findall(minus.text), _WORDS.findall(plus.text)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if len(old) * len(new) > EXACT_LINES**2 or matcher.ratio() < _ALIKE:
        return minus, plus
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    gone = tuple(_merged(_spans(old, [(a, b) for _, a, b, _, _ in codes])))
    come = tuple(_merged(_spans(new, [(c, d) for _, _, _, c, d in codes])))
    return minus._replace(marks=gone), plus._replace(marks=come)


def _spans(words: list[str], ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Turn ranges of words into ranges of characters."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return ((starts[start], starts[end]) for start, end in ranges if start < end)


def _merged(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last: tuple[int, int] | None = None
    for start, end in spans:
        if last is not None and start <= last[1]:
            last = (last[0], end)
            continue
        if last is not None:
            yield last
        last = (start, end)
    if last is not None:
        yield last
