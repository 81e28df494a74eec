"""Python code for a compiler that does not know the f-strings of Python 3.12."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from ipuaro_jupyter.languages.bounded import parse
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.syntax import PARSING_S

_VISIBLE = re.compile(rb"[^\r\n]")
_STRINGS = ("string", "concatenated_string")
_HOLES = ("interpolation", "format_expression")


def without_fstrings(language: Language, data: bytes) -> bytes | None:
    """The code with a tuple of its expressions in place of each f-string, on the same lines.

    None when the grammar cannot read the code, or no f-string is in it.

    Raises:
        ParsingTooSlow: The parser takes too long.
    """
    root = parse(language, data, seconds=PARSING_S).root_node
    if root.has_error:
        return None
    made = _plain(root, data)
    return None if made == data else made


def _plain(node: Node, data: bytes) -> bytes:
    """The code of a node without f-strings."""
    pieces = []
    last = node.start_byte if node.parent is not None else 0
    for string in _fstrings(node):
        pieces += [data[last : string.start_byte], b"("]
        last = string.start_byte
        for value in _values(string):
            pieces += [_blank(data[last : value.start_byte]), _plain(value, data), b","]
            last = value.end_byte
        pieces += [_blank(data[last : string.end_byte]), b")"]
        last = string.end_byte
    return b"".join([*pieces, data[last : node.end_byte if node.parent is not None else None]])


def _fstrings(node: Node) -> Iterator[Node]:
    """Yield the outermost strings with placeholders, in the order of the text."""
    open_ = [node]
    while open_:
        found = open_.pop()
        if found.type in _STRINGS and next(_values(found), None) is not None:
            yield found
        else:
            open_ += reversed(found.children)


def _values(string: Node) -> Iterator[Node]:
    """Yield the expressions of a string, those in format specifications included."""
    for child in string.children:
        value = child.child_by_field_name("expression") if child.type in _HOLES else None
        if value is not None:
            yield value
            specification = child.child_by_field_name("format_specifier")
            yield from () if specification is None else _values(specification)
        else:
            yield from _values(child)


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)
