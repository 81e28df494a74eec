"""Make a broken file parse: close what was left open, blank what cannot be read.

For languages with brackets, where indentation tells what belongs to what. The text keeps its
length and its lines. Nothing here is taken when the parser then finds less than before.
"""

import re
import time
from collections.abc import Callable, Iterator
from itertools import islice

from tree_sitter import Node, Tree

from ipuaro_jupyter.languages.balance import balanced
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask

MOST_PARSES = 6
"""How often a file is parsed again at most."""
LONGEST_S = 1.5
"""After so many seconds of the processor no further attempt begins."""
_LONGEST = 400_000
_MOST_LINES = 40
_ROUNDS = 3
_CONFLICT = re.compile(rb"^(?P<sign><{7}|\|{7}|={7}|>{7})(?![<|=>])[^\n]*", re.MULTILINE)
_HALF = re.compile(
    rb"(?:[-=.,+*/&|?:<(\[!%^~]|\b(?:new|return|extends|implements|as|in|of|typeof))$"
)
_OUTSIDE = re.compile(
    rb"^(?:export|import|function|class|const|let|var|interface|type|enum|async|declare)\b[^\n]*",
    re.MULTILINE,
)


def repaired(language: Language, text: bytes, tree: Tree) -> Tree:
    """Return a tree with more declarations, or as many and fewer errors, if it can.

    At most `MOST_PARSES` parses; none begins after `LONGEST_S`.

    Args:
        language: One with a grammar.
        text: What was parsed.
        tree: Its tree, with errors.
    """
    if not language.tables.kept or len(text) > _LONGEST:
        return tree
    return _Repair(language, text, tree).run()


class _Repair:
    def __init__(self, language: Language, text: bytes, tree: Tree) -> None:
        self._language = language
        self._text, self._tree = text, tree
        self._value = _value(language, tree)
        self._by_errors = (
            self._without_causes,
            self._without_errors,
            self._without_statement,
        )
        self._left = MOST_PARSES
        self._until = time.thread_time() + LONGEST_S

    def run(self) -> Tree:
        self._try(without_conflicts, is_sure=True)
        self._try(self._without_open_templates)
        self._try(self._with_brackets)
        for _ in range(_ROUNDS):
            if not any(map(self._try, self._by_errors)):
                break
        return self._tree

    def _try(self, attempt: Callable[[bytes], bytes], *, is_sure: bool = False) -> bool:
        """Parse what an attempt makes of the text; return whether that is better.

        What is sure is taken in any case.
        """
        if not self._tree.root_node.has_error:
            return False
        text = attempt(self._text)
        seconds = self._until - time.thread_time()
        if text == self._text or self._left <= 0 or seconds <= 0:
            return False
        self._left -= 1
        try:
            tree = parse(self._language, text, seconds=seconds)
        except ParsingTooSlow:
            self._left = 0
            return False
        value = _value(self._language, tree)
        if value <= self._value and not is_sure:
            return False
        self._text, self._tree, self._value = text, tree, value
        return True

    def _without_open_templates(self, text: bytes) -> bytes:
        """Blank the line in which a template begins that swallows declarations."""
        masked = mask(text, self._language.comments)
        if masked.unclosed is None:
            return text
        starts = [t.start for t in masked.templates if _OUTSIDE.search(text, t.start, t.end)]
        at = min([*starts, masked.unclosed])
        end = text.find(b"\n", at)
        return _blanked(text, at, end if end >= 0 else len(text))

    def _with_brackets(self, text: bytes) -> bytes:
        return balanced(text, mask(text, self._language.comments).text)

    def _without_causes(self, text: bytes) -> bytes:
        """Blank the lines that errors are in, or the half lines before them."""
        lines = text.split(b"\n")
        rows = set()
        for row, column in self._error_points():
            is_first = not lines[row][:column].strip()
            before = (r for r in range(row - 1, -1, -1) if lines[r].strip())
            above = next(before, row) if is_first else row
            rows.add(above if _HALF.search(lines[above].rstrip()) else row)
        return _without_rows(text, rows)

    def _without_errors(self, text: bytes) -> bytes:
        """Blank the lines that errors begin in."""
        return _without_rows(text, {row for row, _ in self._error_points()})

    def _error_points(self) -> list[tuple[int, int]]:
        errors = islice(_innermost_errors(self._tree.root_node), _MOST_LINES)
        return [(node.start_point.row, node.start_point.column) for node in errors]

    def _without_statement(self, text: bytes) -> bytes:
        """Blank the statement around the first error, by its indentation."""
        node = next(_innermost_errors(self._tree.root_node), None)
        if node is None:
            return text
        lines = text.split(b"\n")
        first, last = _statement(lines, min(node.start_point.row, len(lines) - 1))
        return _without_rows(text, set(range(first, last + 1)))


def without_conflicts(text: bytes) -> bytes:
    """Blank the signs of a merge conflict, and all sides but the first."""
    made = bytearray(text)
    kept_from = -1  # where the blanked side begins; -1 outside
    for found in _CONFLICT.finditer(text):
        sign = found["sign"][:1]
        start, end = found.span()
        if sign in b"|=" and kept_from < 0:
            kept_from = start
        elif sign == b">" and kept_from >= 0:
            start, kept_from = kept_from, -1
        elif sign != b"<":
            continue
        made[start:end] = _blank(text[start:end])
    return bytes(made)


def _value(language: Language, tree: Tree) -> tuple[int, int]:
    """Return how many whole declarations a tree has, and how many errors, as a negative number."""
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
            return declared, -errors


def _innermost_errors(root: Node) -> Iterator[Node]:
    """Yield the errors that hold no other, in the order of the text."""
    open_ = [root]
    while open_:
        node = open_.pop()
        inner = [child for child in node.children if child.has_error]
        if (node.is_error or node.is_missing) and not inner:
            yield node
        open_.extend(reversed(inner))


def _statement(lines: list[bytes], row: int) -> tuple[int, int]:
    """Return the first and last line of what a line belongs to, by indentation."""
    depth = _indent(lines[row])
    first = row
    while first > 0 and (not lines[first].strip() or _indent(lines[first]) >= max(depth, 1)):
        first -= 1
    outer = _indent(lines[first])
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
