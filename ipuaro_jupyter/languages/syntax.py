"""Parse bytes and run the language's query over the tree."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor, Tree

from ipuaro_jupyter.languages.bounded import parse
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.mending import Mending, Ranges, needs_prepatching, typed_templates
from ipuaro_jupyter.languages.registry import language_named

_LONG_RUN = 15_000
_LINES_AROUND = 2
_MOST_LOOKS = 1000
_MOST_PARTED = 500
_TEXT = re.compile("string|comment|jsx_text")
_BARE_AMPERSAND = re.compile(rb"&(?!#?\w+;)")
_JSX_TEXT = frozenset({"jsx_text", "string_fragment", "string"})
PARSING_S = 2.0
"""The CPU time that parsing a file may take, in seconds."""


class SyntaxTooDeep(ValueError):  # noqa: N818 - a finding, not a fault
    """A query would take too long: unclosed nesting makes it quadratic."""


@dataclass(frozen=True)
class Syntax:
    """The result of a language's query over a file.

    ``captures`` has the nodes of each capture in no order; they live as long as ``tree``.
    ``language`` is the one whose grammar fitted. ``error_line`` is the 1-based line of the first
    syntax error, or None. ``details`` is the query for imports and exports, None when its captures
    are among the others. ``patched`` are the ranges, in bytes, that were rewritten because the
    grammar does not know their syntax.
    """

    language: Language
    tree: Tree
    captures: Mapping[str, list[Node]]
    error_line: int | None
    details: Query | None = None
    patched: Ranges = ()

    def details_in(self, node: Node, *, depth: int) -> Mapping[str, list[Node]]:
        """The captures of ``details`` in a node, at most ``depth`` levels down."""
        if self.details is None:
            return {}
        cursor = QueryCursor(self.details)
        cursor.set_max_start_depth(depth)
        return cursor.captures(node)


class GrammarError(NamedTuple):
    """A place that the grammar cannot read.

    ``start`` and ``end`` are in bytes, ``line`` is 1-based. ``missing`` is the sign that the
    grammar expects there, "" where it meets something that it does not expect.
    """

    start: int
    end: int
    line: int
    missing: str


def read_syntax(language: Language, data: bytes) -> Syntax:
    """The captures of the query of ``language`` in ``data``.

    A file with syntax errors is tried again: with unknown syntax rewritten, and with the grammar of
    ``language.retry``, which counts when it finds no error.

    Args:
        language: One with a grammar.
        data: UTF-8, with or without a byte order mark.

    Raises:
        SyntaxTooDeep: The query would take too long.
        ParsingTooSlow: The parser takes too long.
    """
    language, tree, patched, line = _fitted(language, data)
    root = tree.root_node
    if root.has_error:
        _check_depth(root)
    captures = QueryCursor(language.query).captures(root)
    details = language.details_query
    if details is not None and (root.has_error or patched):
        captures |= QueryCursor(details).captures(root)
        details = None
    made_up = {end for start, end in patched if data.startswith(b"default", start)}
    if made_up:
        found = captures.get("identifier", [])
        captures["identifier"] = [node for node in found if node.end_byte not in made_up]
    return Syntax(language, tree, captures, error_line=line, details=details, patched=patched)


def parse_fitting(language: Language, data: bytes) -> tuple[Language, Tree, Ranges]:
    """The tree of a file with the fewest errors, the language that fitted, and the patches.

    See `Syntax` for their meaning.

    Args:
        language: One with a grammar.
        data: UTF-8, with or without a byte order mark.

    Raises:
        ParsingTooSlow: The parser takes too long.
    """
    return _fitted(language, data)[:3]


def grammar_errors(language: Language, data: bytes, *, retry: bool) -> tuple[GrammarError, ...]:
    """The errors of a file under the grammar that fits best, by place.

    Args:
        language: One with a grammar.
        data: UTF-8, with or without a byte order mark.
        retry: Whether a file that is right under the grammar of ``language.retry`` has none.

    Raises:
        ParsingTooSlow: The parser takes too long.
    """
    if needs_prepatching(language, data) and _foreseen(language, data) is not None:
        return ()
    tree = parse(language, data, seconds=PARSING_S)
    if tree.root_node.has_error:
        _, tree, _ = _mended(language, data, tree, retry=retry)
    found = (
        GrammarError(
            node.start_byte,
            node.end_byte,
            node.start_point.row + 1,
            node.type if node.is_missing else "",
        )
        for node in _errors(tree.root_node)
    )
    return tuple(sorted(found))


def is_in_text(language: Language, data: bytes, at: int) -> bool:
    """Whether a place, in bytes, is within a string or a comment.

    Raises:
        ParsingTooSlow: The parser takes too long.
    """
    tree = parse(language, data, seconds=PARSING_S)
    node = tree.root_node.descendant_for_byte_range(at, at)
    while node is not None:
        if node.start_byte < at and _TEXT.search(node.type):
            return True
        node = node.parent
    return False


def _fitted(language: Language, data: bytes) -> tuple[Language, Tree, Ranges, int | None]:
    """The result of `parse_fitting`, and the line of the first error of a broken file."""
    if needs_prepatching(language, data) and (known := _foreseen(language, data)) is not None:
        return language, *known, None
    tree = parse(language, data, seconds=PARSING_S)
    if not tree.root_node.has_error:
        patched: Ranges = ()
        places = islice(typed_templates(language, data), _MOST_LOOKS)
        if any(_begins(tree.root_node, place) for place in places):
            tree, patched = _with_typed_templates(language, data, tree)
        return language, tree, patched, None
    language, tree, patched = _mended(language, data, tree)
    if not tree.root_node.has_error:
        return language, tree, patched, None
    lines = (node.start_point.row + 1 for node in _errors(tree.root_node))
    line = min(lines, default=1)  # the parser may hide what it left out
    return language, tree, patched, line


def _foreseen(language: Language, data: bytes) -> tuple[Tree, Ranges] | None:
    """The tree of a file whose unknown syntax is rewritten before parsing.

    None when there is no such syntax, or the file has other errors.
    """
    text, patched, holders = Mending(language, data).foreseen()
    if not 0 < len(holders) <= _MOST_PARTED:
        return None
    tree = parse(language, text, seconds=PARSING_S)
    root = tree.root_node
    if root.has_error or not all(_holds(root, *holder) for holder in holders):
        return None
    return None if any(_splitting(language, root, patched)) else (tree, patched)


def _holds(root: Node, start: int, end: int, kinds: Collection[str]) -> bool:
    """Whether a node of one of ``kinds`` contains a range, or a node that is the range."""
    node = root.descendant_for_byte_range(start, end)
    if node is not None and node.type not in kinds:
        node = node.parent
    return node is not None and node.type in kinds


def _splitting(language: Language, root: Node, patched: Ranges) -> Iterator[tuple[int, int]]:
    """Yield the rewritten ranges that split one construct: a name and its rest in the next line.

    There are few in hand-written files: none is checked where there are more than `_MOST_PARTED`,
    since a check takes time linear in the nodes beside it.
    """
    joined = language.tables.joined
    for start, end in patched if joined and len(patched) <= _MOST_PARTED else ():
        sign = root.descendant_for_byte_range(start, end)
        behind = sign.next_sibling if sign is not None and sign.start_byte == start else None
        if sign is None or behind is None or behind.type not in joined.values():
            continue
        before = sign.prev_sibling
        while before is not None and before.is_extra:
            before = before.prev_sibling
        is_one = before is not None and joined.get(before.type) == behind.type
        if before is not None and is_one and before.child_by_field_name("type") is None:
            yield start, end


def _parse_patched(
    language: Language, data: bytes, text: bytes, patched: Ranges
) -> tuple[Tree, Ranges]:
    """The tree of a rewritten file, and the ranges of the rewritings that were right."""
    tree = parse(language, text, seconds=PARSING_S)
    wrong = set(_splitting(language, tree.root_node, patched))
    if not wrong:
        return tree, patched
    mended = bytearray(text)
    for start, end in wrong:
        mended[start:end] = data[start:end]
    right = tuple(place for place in patched if place not in wrong)
    return parse(language, bytes(mended), seconds=PARSING_S), right


def _begins(root: Node, place: int) -> bool:
    """Whether a sign begins a node outside comments and strings, and not at an end."""
    node = root.descendant_for_byte_range(place, place + 1)
    around = node.parent if node is not None and node.start_byte == place else None
    return around is not None and around.start_byte == place


def _with_typed_templates(language: Language, data: bytes, tree: Tree) -> tuple[Tree, Ranges]:
    """The tree of a file in which ``tag<A>`…``` is not taken for a comparison."""
    text, patched = Mending(language, data).typed_templates()
    if patched:
        other = parse(language, text, seconds=PARSING_S)
        if not other.root_node.has_error:
            return other, patched
    return tree, ()


def _mended(
    language: Language, data: bytes, first: Tree, *, retry: bool = True
) -> tuple[Language, Tree, Ranges]:
    """The language that fits best, with its tree and the rewritten ranges."""
    text, ampersands = _with_ampersands(language, data)
    if ampersands:
        tree = parse(language, text, seconds=PARSING_S)
        if not tree.root_node.has_error:
            return language, tree, ampersands
        found, tree, patched = _mended_otherwise(language, text, tree, retry=retry)
        if not tree.root_node.has_error:
            return found, tree, tuple(sorted({*ampersands, *patched}))
    return _mended_otherwise(language, data, first, retry=retry)


def _with_ampersands(language: Language, data: bytes) -> tuple[bytes, Ranges]:
    """The text without bare ampersands in the text and the attributes of JSX, and their ranges.

    With a bar in place of each, all code around them can be read, and tells which are in text.
    """
    places = [found.start() for found in _BARE_AMPERSAND.finditer(data)]
    if not places or not language.kind_id("jsx_text"):
        return data, ()
    root = parse(language, _BARE_AMPERSAND.sub(b"|", data), seconds=PARSING_S).root_node
    text = bytearray(data)
    ranges = []
    for place in places:
        node = root.descendant_for_byte_range(place, place + 1)
        if node is not None and node.type in _JSX_TEXT:
            text[place] = ord("|")
            ranges.append((place, place + 1))
    return bytes(text), tuple(ranges)


def _mended_otherwise(
    language: Language, data: bytes, first: Tree, *, retry: bool
) -> tuple[Language, Tree, Ranges]:
    """The same as `_mended`, by the patches of the language and by its other grammar."""
    errors = list(_errors(first.root_node))
    mending = Mending(language, data)
    text, patched = mending.within(_around(errors, data))
    tree = first
    if patched:
        tree, patched = _parse_patched(language, data, text, patched)
    if tree.root_node.has_error:
        text, patched = mending.everywhere()
        tree = first
        if patched:
            tree, patched = _parse_patched(language, data, text, patched)
    if tree.root_node.has_error and retry and language.retry is not None:
        other = language_named(language.retry)
        retried = parse(other, data, seconds=PARSING_S)
        if not retried.root_node.has_error:
            return other, retried, ()
        retried, ranges = _parse_patched(other, data, *Mending(other, data).everywhere())
        if not retried.root_node.has_error:
            return other, retried, ranges
    if tree is not first and sum(1 for _ in _errors(tree.root_node)) < len(errors):
        return language, tree, patched
    return language, first, ()


def _around(errors: Iterable[Node], data: bytes) -> Ranges:
    """The places of errors, with some lines around them, which mostly contain the cause."""
    windows: list[tuple[int, int]] = []
    for start, end in sorted((node.start_byte, node.end_byte) for node in errors):
        first, last = start, end
        for _ in range(_LINES_AROUND):
            first = max(data.rfind(b"\n", 0, first), 0)
            last = data.find(b"\n", last + 1) if last < len(data) else -1
            last = len(data) if last < 0 else last
        if windows and first <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(windows[-1][1], last))
        else:
            windows.append((first, last))
    return tuple(windows)


def _errors(root: Node) -> Iterator[Node]:
    """Yield the syntax errors, nested ones included, in no order."""
    return (node for node in _with_errors(root) if node.is_error or node.is_missing)


def _with_errors(root: Node) -> Iterator[Node]:
    """Yield the nodes that are errors or contain some."""
    open_ = [root]
    while open_:
        node = open_.pop()
        yield node
        open_.extend(child for child in node.children if child.has_error)


def _check_depth(root: Node) -> None:
    """Raise SyntaxTooDeep for a tree over which a query would take minutes.

    From each child of an error node, a query looks for the next named one: unclosed brackets leave
    thousands of unnamed ones in a row. (The time-out of py-tree-sitter 0.26, ``progress_callback``,
    reads freed memory.)
    """
    for node in _with_errors(root):
        if node.is_error and node.child_count > _LONG_RUN:
            runs = (
                sum(1 for _ in run)
                for named, run in groupby(node.children, key=lambda child: child.is_named)
                if not named
            )
            if max(runs, default=0) > _LONG_RUN:
                raise SyntaxTooDeep
