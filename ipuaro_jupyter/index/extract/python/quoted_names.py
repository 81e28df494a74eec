"""Find the names that Python code writes in quotes: in types, and in the list of exports.

A string in a place for a type stands for the type that is written in it: ``x: "Engine"``,
``list["Engine"]``, ``cast("Engine", x)``. All other strings are data.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from keyword import kwlist

from ipuaro_jupyter.index.extract.postings import MEMBER, ROLE_BITS, UNSURE, offset_of
from ipuaro_jupyter.index.extract.python.python_modules import listed_parts, listed_values
from ipuaro_jupyter.index.extract.scope_stack import SourceBytes
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.syntax import Syntax

_GENERICS = (
    *(b"Union", b"Optional", b"List", b"Dict", b"Tuple", b"Set", b"FrozenSet", b"Type"),
    *(b"Callable", b"Iterable", b"Iterator", b"Sequence", b"Mapping", b"MutableMapping"),
    *(b"Generator", b"Awaitable", b"AsyncIterator", b"AsyncIterable", b"AsyncGenerator"),
    *(b"Coroutine", b"ClassVar", b"Final", b"Collection", b"Deque", b"DefaultDict"),
    *(b"ContextManager", b"AsyncContextManager", b"MutableSequence", b"Annotated"),
)
_BUILTIN_GENERICS = (b"list", b"dict", b"tuple", b"set", b"frozenset", b"type")
"""Generics that are often names of something else, too."""
_FIRST_ONLY = "Annotated"
_OF_VALUES = "Literal"
_SUBSCRIPTS = frozenset({"subscript", "generic_type"})
_AROUND_TYPES = frozenset(
    {
        *("type", "type_parameter", "binary_operator", "list", "union_type", "tuple"),
        *("concatenated_string", "parenthesized_expression", "list_splat", "splat_type"),
    }
)
_CALLS = {b"cast": slice(0, 1), b"TypeVar": slice(1, None)}
"""Functions that take types, and which of their arguments these are."""
_CAST_ARGUMENTS = 2

_QUOTED_ARGUMENT = re.compile(rb"\[[\w\s.,\[\]|*\x80-\xff]{0,500}+[\"']")
_QUOTED_CALL = re.compile(rb"\([^()\"']{0,500}+[\"']")
_REBOUND = rb"(?<![\w.\]\x80-\xff])%s\s*+(?:=(?!=)|[:,)])|\b(?:as|for)\s++%s\b"
_PREFIX = re.compile(rb"[rRuU]?(?:\"\"\"|'''|\"|')")
_NESTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
_TYPE = re.compile(rb"[\w\s.,|\[\]()*'\x80-\xff]*+")
_PROSE = re.compile(rb"[\w\x80-\xff]\s++[\w\x80-\xff]")
_NAME = re.compile(rb"(?<![\w\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*+")
_WHOLE_NAME = re.compile(_NAME.pattern + rb"\Z")
_KEYWORDS = frozenset(word.encode() for word in kwlist)
_LONGEST = 2000
_MOST = 3000
_MOST_AMONG_ERRORS = 200
_MOST_LISTS = 200  # statements about the list of exports


def quoted_names(
    syntax: Syntax, data: bytes, places: Mapping[bytes, Sequence[int]]
) -> Iterator[tuple[bytes, int]]:
    """Yield the names in quotes that are no data, with their places.

    Those in a type have the role `UNSURE`, those in the list of exports the role `MEMBER`.

    Args:
        syntax: The file's syntax tree.
        data: Its bytes.
        places: The places of its other names.
    """
    source = SourceBytes(data, syntax.language, syntax.patched)
    types = {
        string.start_byte: string
        for place in _places_of_types(syntax, data, places)
        for string in _strings_in(place, data)
    }
    for string in types.values():
        for name, offset in _names_in(string, data):
            yield name, offset << ROLE_BITS | UNSURE
    for string in _listed(source, syntax.tree.root_node, places):
        content = _content(string, data)
        if content is not None and _WHOLE_NAME.match(data, *content):
            yield data[slice(*content)], content[0] << ROLE_BITS | MEMBER


def _places_of_types(
    syntax: Syntax, data: bytes, places: Mapping[bytes, Sequence[int]]
) -> Iterator[Node]:
    """Yield the places for types that have quotes in them."""
    for node in syntax.captures.get("annotation", ()):
        if _has_quote(data, node.start_byte, node.end_byte):
            yield node
    yield from _generics(syntax, data, places)
    yield from _types_in_calls(syntax, data, places)


def _generics(syntax: Syntax, data: bytes, places: Mapping[bytes, Sequence[int]]) -> Iterator[Node]:
    """Yield the outermost generics that have quotes among their arguments."""
    quoted: list[tuple[int, bytes]] = []
    for name in (*_GENERICS, *_BUILTIN_GENERICS):
        some = [
            (place, name)
            for place in places.get(name, ())
            if _QUOTED_ARGUMENT.match(data, offset_of(place) + len(name))
        ]
        if some and not (name in _BUILTIN_GENERICS and _is_rebound(data, name)):
            quoted += some
    end = 0
    for place, name in sorted(quoted)[: _most(syntax)]:
        around = _around(syntax, place, name) if offset_of(place) >= end else None
        if around is not None and around.type in _SUBSCRIPTS:
            end = around.end_byte
            yield around


def _types_in_calls(
    syntax: Syntax, data: bytes, places: Mapping[bytes, Sequence[int]]
) -> Iterator[Node]:
    """Yield the types among the arguments of ``cast`` and ``TypeVar``."""
    for name, which in _CALLS.items():
        quoted = (
            place
            for place in places.get(name, ())
            if _QUOTED_CALL.match(data, offset_of(place) + len(name))
        )
        for place in islice(quoted, _most(syntax)):
            call = _around(syntax, place, name)
            listed = call.child_by_field_name("arguments") if call is not None else None
            if call is None or listed is None or call.type != "call":
                continue
            given = [node for node in listed.named_children if node.type != "comment"]
            if name == b"cast" and len(given) != _CAST_ARGUMENTS:
                continue
            for node in given[which]:
                value = node.child_by_field_name("value")
                is_keyword = node.type == "keyword_argument" and value is not None
                yield value if is_keyword and value is not None else node


def _most(syntax: Syntax) -> int:
    """How many places are looked at: what is around one takes long to find among errors."""
    return _MOST_AMONG_ERRORS if syntax.tree.root_node.has_error else _MOST


def _around(syntax: Syntax, place: int, name: bytes) -> Node | None:
    """The call or generic of a name: the node with the name and the bracket behind it."""
    start = offset_of(place)
    return syntax.tree.root_node.descendant_for_byte_range(start, start + len(name) + 1)


def _is_rebound(data: bytes, name: bytes) -> bool:
    """Whether a file may give the name of a builtin to something else."""
    return re.search(_REBOUND % (name, name), data) is not None


def _has_quote(data: bytes, start: int, end: int) -> bool:
    return data.find(b'"', start, end) >= 0 or data.find(b"'", start, end) >= 0


def _strings_in(place: Node, data: bytes) -> Iterator[Node]:
    """Yield the strings that stand for types in a place for a type."""
    open_ = [place]
    while open_:
        node = open_.pop()
        if node.type == "string":
            yield node
        elif node.type in _SUBSCRIPTS:
            open_ += _arguments(node, data)
        elif node.type in _AROUND_TYPES:
            open_ += node.named_children


def _arguments(generic: Node, data: bytes) -> list[Node]:
    """The types among the arguments of a generic."""
    head, *given = generic.named_children
    if generic.type == "generic_type":
        given = [node for one in given for node in one.named_children]
    name = data[head.start_byte : head.end_byte].decode().rpartition(".")[2].strip()
    if name == _OF_VALUES:
        return []
    return given[:1] if name == _FIRST_ONLY else given


def _content(string: Node, data: bytes) -> tuple[int, int] | None:
    """The first byte within the quotes of a string and the one behind; None if it has more.

    A string with an escape or a replacement field is not read.
    """
    start, end = string.start_byte, string.end_byte
    quotes = _PREFIX.match(data, start, end)
    if quotes is None or end - start > _LONGEST:
        return None
    size = len(quotes[0].lstrip(b"rRuU"))
    if quotes.end() > end - size or data.find(b"\\", start, end) >= 0:
        return None
    return quotes.end(), end - size


def _names_in(string: Node, data: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the names in a string that is a type, with their offsets; none for a text."""
    content = _content(string, data)
    if content is None:
        return
    text = _NESTED.sub(lambda nested: b"'" * len(nested[0]), data[slice(*content)])
    if _TYPE.fullmatch(text) and not _PROSE.search(text):
        for found in _NAME.finditer(text):
            if found[0] not in _KEYWORDS:
                yield found[0], content[0] + found.start()


def _listed(
    source: SourceBytes, root: Node, places: Mapping[bytes, Sequence[int]]
) -> Iterator[Node]:
    """Yield the strings in the file's lists of exports."""
    for name in source.tables.export_lists:
        text = name.encode()
        for place in places.get(text, ())[:_MOST_LISTS]:
            start = offset_of(place)
            node = root.descendant_for_byte_range(start, start + len(text))
            values = listed_values(source, node) if node is not None else None
            for value in values or ():
                for part in listed_parts(source, value):
                    if part.type in source.tables.strings:
                        yield part
