"""Parse bytes and run the language's query over the tree."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from tree_sitter import Node, QueryCursor, Tree

from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.registry import language_named

_LONG_RUN = 15_000


class SyntaxTooDeep(ValueError):  # noqa: N818 - a finding, not a fault
    """A query would take too long: unclosed nesting makes it quadratic."""


@dataclass(frozen=True)
class Syntax:
    """What the query found in a file.

    ``captures`` has the nodes of each capture in no order; they live as long as ``tree``.
    ``language`` is the one whose grammar fitted. ``error_line`` is the 1-based line of the first
    syntax error, or None.
    """

    language: Language
    tree: Tree
    captures: Mapping[str, list[Node]]
    error_line: int | None


def read_syntax(language: Language, data: bytes) -> Syntax:
    """Return what the query of ``language`` captures in ``data``.

    A file with syntax errors is tried again: with what the grammar does not know blanked out, then
    with the grammar of ``language.retry``. The first attempt without an error counts, else the
    very first.

    Args:
        language: One with a grammar.
        data: UTF-8, with or without a byte order mark.

    Raises:
        SyntaxTooDeep: The query would take too long.
    """
    tree = language.parser.parse(data)
    if tree.root_node.has_error:
        language, tree = _try_again(language, data, tree)
    root = tree.root_node
    if root.has_error:
        _check_depth(root)
    captures = QueryCursor(language.query).captures(root)
    line = None
    if root.has_error:
        line = min((node.start_point.row + 1 for node in captures.get("error", ())), default=1)
    return Syntax(language=language, tree=tree, captures=captures, error_line=line)


def _try_again(language: Language, data: bytes, first: Tree) -> tuple[Language, Tree]:
    blanked = _blank(language, data)
    if blanked != data:
        tree = language.parser.parse(blanked)
        if not tree.root_node.has_error:
            return language, tree
    if language.retry is not None:
        other = language_named(language.retry)
        tree = other.parser.parse(data)
        if not tree.root_node.has_error:
            return other, tree
    return language, first


@lru_cache(maxsize=64)
def _pattern(text: str) -> re.Pattern[bytes]:
    return re.compile(text.encode())


def _blank(language: Language, data: bytes) -> bytes:
    """Return ``data`` with blanks, of the same length, for what the grammar does not know."""
    blanked = bytearray(data)
    for text in language.tables.blank:
        for found in _pattern(text).finditer(data):
            start, end = found.span(1)
            blanked[start:end] = b" " * (end - start)
    return bytes(blanked)


def _check_depth(root: Node) -> None:
    """Refuse a tree over which a query would take minutes.

    A query looks, from each child of an error node, for the next one that is named: unclosed
    brackets leave thousands of unnamed ones in a row. (The time-out of py-tree-sitter 0.26,
    ``progress_callback``, reads freed memory.)
    """
    open_ = [root]
    while open_:
        node = open_.pop()
        if node.is_error and node.child_count > _LONG_RUN:
            runs = (
                sum(1 for _ in run)
                for named, run in groupby(node.children, key=lambda child: child.is_named)
                if not named
            )
            if max(runs, default=0) > _LONG_RUN:
                raise SyntaxTooDeep
        open_.extend(child for child in node.children if child.has_error)
