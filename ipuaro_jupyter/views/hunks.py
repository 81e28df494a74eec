"""The differing lines of two texts, with the lines around them."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, MatchingBlock, ends, matches

CONTEXT_LINES = 3
# Steps for the lines and for the words of one diff: about a tenth of a second each at worst. Beyond
# that, the diff may be longer than necessary and its words unmarked, but never wrong.
LINE_STEPS = 2_000_000
WORD_STEPS = 1_000_000
# A line with more differing words than this is not marked.
MAX_WORDS = 300
_WORDS = re.compile(r"\w+|\s+|.")
_ALIKE = 0.4

Opcode = tuple[str, int, int, int, int]


class Row(NamedTuple):
    """One line of a diff.

    ``old`` and ``new`` are 1-based line numbers, None on the side that lacks the line. ``marks``
    are the changed words: character ranges, the end excluded.
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
    """The hunks that turn ``old`` into ``new``; None is an absent file.

    The latest few are cached: one change is drawn as a question, a record and an answer.
    """
    return list(_hunks(old, new))


@lru_cache(maxsize=4)
def _hunks(old: str | None, new: str | None) -> tuple[Hunk, ...]:
    before, after = lines(old), lines(new)
    groups = _grouped(_opcodes(before, after))
    words = ComparisonBudget(WORD_STEPS)
    return tuple(_hunk(group, before, after, words) for group in groups)


def differing(found: Sequence[Hunk]) -> tuple[int, int]:
    """The numbers of added and of removed lines."""
    signs = [row.sign for hunk in found for row in hunk.rows]
    return signs.count("+"), signs.count("-")


def chosen(
    old: Sequence[str], new: Sequence[str], *, found: Sequence[Hunk], numbers: Collection[int]
) -> list[str]:
    """The lines of ``old`` with only some of its hunks applied.

    Args:
        old: With their ends, which need not be those of the compared texts.
        new: The same.
        found: The result of `hunks` for the two.
        numbers: The hunks to apply, 1-based.
    """
    result: list[str] = []
    at = 0
    for number, hunk in enumerate(found, 1):
        if number not in numbers:
            continue
        first = next((row.old - 1 for row in hunk.rows if row.old is not None), at)
        result += old[at:first]
        at = first
        for row in hunk.rows:
            if row.sign == "+" and row.new is not None:
                result.append(new[row.new - 1])
            elif row.old is not None:
                result += old[row.old - 1 : row.old] if row.sign == " " else []
                at = row.old
    return [*result, *old[at:]]


def lines(text: str | None) -> list[str]:
    r"""Split on ``\n`` only, line ends kept; the last line may be without one."""
    return [] if not text else re.findall(r"[^\n]*\n|[^\n]+", text)


def _opcodes(before: list[str], after: list[str]) -> list[Opcode]:
    found = matches(before, after, ComparisonBudget(LINE_STEPS))
    return list(_steps(found, len(before), len(after)))


def _steps(found: list[MatchingBlock], old_size: int, new_size: int) -> Iterator[Opcode]:
    """Yield the equal ranges and those in between, named as in `difflib`."""
    at_old = at_new = 0
    for old, new, size in [*found, MatchingBlock(old_size, new_size, 0)]:
        if (at_old, at_new) != (old, new):
            yield "replace", at_old, old, at_new, new
        if size:
            yield "equal", old, old + size, new, new + size
        at_old, at_new = old + size, new + size


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


def _hunk(
    group: list[Opcode], before: list[str], after: list[str], words: ComparisonBudget
) -> Hunk:
    rows: list[Row] = []
    for tag, a, b, c, d in group:
        if tag == "equal":
            rows += [
                _row(" ", a + n, c + n, before[a + n]) for n in range(b - a)
            ]  # fmt: skip
            continue
        rows += [_row("-", a + n, None, line) for n, line in enumerate(before[a:b])]
        rows += [_row("+", None, c + n, line) for n, line in enumerate(after[c:d])]
    start, end = group[0], group[-1]
    return Hunk(
        header=f"@@ -{_range(start[1], end[2])} +{_range(start[3], end[4])} @@",
        rows=tuple(marked(rows, words)),
    )


def marked(rows: Sequence[Row], budget: ComparisonBudget) -> Iterator[Row]:
    """Yield the rows; where as many lines come as go, with the changed words marked."""
    for is_same, group in groupby(rows, key=lambda row: row.sign == " "):
        block = list(group)
        removed = [row for row in block if row.sign == "-"]
        added = [row for row in block if row.sign == "+"]
        if is_same or len(removed) != len(added):
            yield from block
            continue
        pairs = [_marked(*pair, budget) for pair in zip(removed, added, strict=True)]
        yield from (minus for minus, _ in pairs)
        yield from (plus for _, plus in pairs)


def _row(sign: Literal[" ", "-", "+"], old: int | None, new: int | None, line: str) -> Row:
    """A row of 0-based line numbers and a line with its end."""
    return Row(
        sign=sign,
        old=None if old is None else old + 1,
        new=None if new is None else new + 1,
        text=line.removesuffix("\n"),
        ends_file_bare=not line.endswith("\n"),
    )


def _range(start: int, end: int) -> str:
    """The range as unified diffs write it: an empty one names the line before it."""
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _marked(minus: Row, plus: Row, budget: ComparisonBudget) -> tuple[Row, Row]:
    """Mark the words that differ, unless the lines have little in common or are very long."""
    if budget.is_spent:
        return minus, plus
    old, new = _WORDS.findall(minus.text), _WORDS.findall(plus.text)
    differing_words = max(len(old), len(new)) - sum(ends(old, new))
    if differing_words > MAX_WORDS:
        return minus, plus
    found = matches(old, new, budget)
    alike = 2 * sum(match.size for match in found)
    if alike < _ALIKE * (len(old) + len(new)):
        return minus, plus
    codes = [code for code in _steps(found, len(old), len(new)) if code[0] != "equal"]
    gone = tuple(_merged(_spans(old, [(a, b) for _, a, b, _, _ in codes])))
    come = tuple(_merged(_spans(new, [(c, d) for _, _, _, c, d in codes])))
    return minus._replace(marks=gone), plus._replace(marks=come)


def _spans(words: list[str], ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Convert ranges of words to ranges of characters."""
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
