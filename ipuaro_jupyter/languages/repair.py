"""Repair a broken file so that it parses: close open brackets, blank unreadable parts.

For languages with brackets, where indentation shows the structure. The text keeps its length and
its lines. A repair after which the parser finds less than before is discarded.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node, Tree

from ipuaro_jupyter.languages.balance import balanced
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask

MOST_PARSES = 6
"""The number of times a file is parsed again at most."""
LONGEST_S = 1.5
"""No further attempt begins after this CPU time, in seconds."""
_LONGEST = 400_000
_MOST_LINES = 40
_COST_OF_ERROR = 2
_CONFLICT = re.compile(rb"^(?P<sign><{7}|\|{7}|={7}|>{7})(?![<|=>])[^\n]*", re.MULTILINE)
_HALF = re.compile(
    rb"(?:[-=.,+*/&|?:<(\[!%^~]|\b(?:new|return|extends|implements|as|in|of|typeof))$"
)
_OUTSIDE = re.compile(
    rb"^(?:export|import|function|class|const|let|var|interface|type|enum|async|declare)\b[^\n]*",
    re.MULTILINE,
)


def repaired(language: Language, text: bytes, tree: Tree) -> Tree:
    """A tree with fewer errors and at least as many whole declarations, if one is found.

    At most `MOST_PARSES` parses; none begins after `LONGEST_S`.

    Args:
        language: One with a grammar.
        text: The parsed text.
        tree: Its tree, with errors.
    """
    if not language.tables.kept or len(text) > _LONGEST:
        return tree
    return _Repair(language, text, tree).run()


@dataclass(frozen=True)
class _Attempt:
    """A text for the grammar with its tree and the numbers of whole declarations and errors."""

    text: bytes
    tree: Tree
    declared: int
    errors: int


def _value(attempt: _Attempt) -> int:
    return attempt.declared - _COST_OF_ERROR * attempt.errors


class _Repair:
    def __init__(self, language: Language, text: bytes, tree: Tree) -> None:
        self._language = language
        self._best = _Attempt(text, tree, *_counts(language, tree))
        self._seen = {text}
        self._left = MOST_PARSES
        self._until = time.thread_time() + LONGEST_S

    def run(self) -> Tree:
        sure = self._parsed(without_conflicts(self._best.text))
        self._best = sure or self._best
        self._improve(self._without_open_templates)
        self._improve(self._balanced, self._without_first_cause)
        while self._improve(self._without_causes, self._without_first_cause):
            pass
        self._improve(self._without_statement)
        return self._best.tree

    def _improve(self, *attempts: Callable[[bytes], bytes]) -> bool:
        """Parse what attempts make of the text; keep the best, and return whether it is better."""
        if not self._best.tree.root_node.has_error or self._is_over():
            return False
        before = self._best
        for attempt in attempts:
            made = self._parsed(attempt(before.text))
            if made is not None and made.declared >= before.declared:
                self._best = max(self._best, made, key=_value)
        return self._best is not before

    def _is_over(self) -> bool:
        return self._left <= 0 or time.thread_time() >= self._until

    def _parsed(self, text: bytes) -> _Attempt | None:
        """The attempt that a text makes; None when it is unchanged, or the limits are reached."""
        if text in self._seen or self._is_over():
            return None
        self._seen.add(text)
        self._left -= 1
        try:
            tree = parse(self._language, text, seconds=self._until - time.thread_time())
        except ParsingTooSlow:
            self._left = 0
            return None
        return _Attempt(text, tree, *_counts(self._language, tree))

    def _without_open_templates(self, text: bytes) -> bytes:
        """Blank the line with the beginning of a template that swallows declarations."""
        masked = mask(text, self._language.comments)
        if masked.unclosed is None:
            return text
        starts = [t.start for t in masked.templates if _OUTSIDE.search(text, t.start, t.end)]
        at = min([*starts, masked.unclosed])
        end = text.find(b"\n", at)
        return _blanked(text, at, end if end >= 0 else len(text))

    def _balanced(self, text: bytes) -> bytes:
        return balanced(text, mask(text, self._language.comments).text)

    def _without_causes(self, text: bytes) -> bytes:
        """Blank the lines that cause errors."""
        return self._balanced(_without_rows(text, set(self._causes(text))))

    def _without_first_cause(self, text: bytes) -> bytes:
        """Blank the line that causes the first error."""
        return self._balanced(_without_rows(text, set(self._causes(text)[:1])))

    def _causes(self, text: bytes) -> list[int]:
        """The rows of errors, or of the incomplete lines before them."""
        lines = text.split(b"\n")
        rows = []
        for node in islice(_innermost_errors(self._best.tree.root_node), _MOST_LINES):
            row, column = node.start_point.row, node.start_point.column
            is_first = not lines[row][:column].strip()
            before = (r for r in range(row - 1, -1, -1) if lines[r].strip())
            above = next(before, row) if is_first else row
            rows.append(above if _HALF.search(lines[above].rstrip()) else row)
        return rows

    def _without_statement(self, text: bytes) -> bytes:
        """Blank the statement around the first error, by its indentation."""
        node = next(_innermost_errors(self._best.tree.root_node), None)
        if node is None:
            return text
        lines = text.split(b"\n")
        first, last = _statement(lines, min(node.start_point.row, len(lines) - 1))
        return self._balanced(_without_rows(text, set(range(first, last + 1))))


def without_conflicts(text: bytes) -> bytes:
    """Blank the markers of a merge conflict, and all sides but the first."""
    made = bytearray(text)
    is_open = False
    blank_from = -1  # the beginning of the blanked side; -1 outside
    for found in _CONFLICT.finditer(text):
        sign = found["sign"][:1]
        start, end = found.span()
        if sign == b"<":
            is_open = True
        elif not is_open:
            continue
        elif sign in b"|=" and blank_from < 0:
            blank_from = start
        elif sign == b">":
            start = start if blank_from < 0 else blank_from
            blank_from, is_open = -1, False
        made[start:end] = _blank(text[start:end])
    return bytes(made)


def _counts(language: Language, tree: Tree) -> tuple[int, int]:
    """The numbers of whole declarations and of errors in a tree."""
    kinds = language.kept_kinds
    errors = declared = 0
    cursor = tree.walk()
    down = True
    while True:
        if down:
            node = cursor.node
            if node is not None and (node.is_error or node.is_missing):
                errors += 1
            elif node is not None and node.kind_id in kinds and not node.has_error:
                declared += 1
            down = cursor.goto_first_child()
        elif cursor.goto_next_sibling():
            down = True
        elif not cursor.goto_parent():
            return declared, errors


def _innermost_errors(root: Node) -> Iterator[Node]:
    """Yield the errors that contain no other, in text order."""
    open_ = [root]
    while open_:
        node = open_.pop()
        inner = [child for child in node.children if child.has_error]
        if (node.is_error or node.is_missing) and not inner:
            yield node
        open_.extend(reversed(inner))


def _statement(lines: list[bytes], row: int) -> tuple[int, int]:
    """The first and last line of the statement that a line belongs to, by indentation."""
    depth = _indent(lines[row])
    first = row
    while first > 0 and (not lines[first].strip() or _indent(lines[first]) >= max(depth, 1)):
        first -= 1
    if first < row and lines[first].lstrip()[:1] in {b")", b"]", b"}"}:  # closes a bracket above
        first += 1
    outer = min(_indent(lines[first]), depth)
    last = row
    for last in range(row, len(lines)):
        if last > row and lines[last].strip() and _indent(lines[last]) <= outer:
            closes = lines[last].lstrip()[:1] in b")]}"
            return first, last if closes else last - 1
    return first, last


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _without_rows(text: bytes, rows: set[int]) -> bytes:
    if not rows:
        return text
    lines = text.split(b"\n")
    return b"\n".join(_blank(line) if row in rows else line for row, line in enumerate(lines))


def _blanked(text: bytes, start: int, end: int) -> bytes:
    return text[:start] + _blank(text[start:end]) + text[end:]


def _blank(text: bytes) -> bytes:
    return text.translate(_BLANKS)


_BLANKS = bytes(code if code in b"\r\n" else 32 for code in range(256))
