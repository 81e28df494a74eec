"""Find the names at the top of a file that are bound again in an inner scope.

Everywhere else such a name means the top-level one, so that resolving its uses needs no syntax
tree.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ipuaro_jupyter.index.extract.ecmascript.binder import (
    UNDERSTOOD,
    Binding,
    declarations_by,
    declared_by,
    innermost,
    may_load,
)
from ipuaro_jupyter.index.extract.postings import INNER, MEMBER, UNSURE, offset_of
from ipuaro_jupyter.languages.language import Language, Node

_NEAR = 64
_OPENING = frozenset(b"(,{[<")
_AFTER_NAME = frozenset(b",)=:?}]>/;!")
_AFTER_DECORATED = (b",", b")", b"=", b":", b"?")
_DOT = ord(".")
_BEFORE_NAME = (
    *(b"*", b"/"),
    *(b"const", b"let", b"var", b"using", b"function", b"class", b"interface", b"type", b"enum"),
    *(b"namespace", b"module", b"infer", b"import", b"asserts", b"in", b"out"),
    *(b"private", b"protected", b"public", b"readonly", b"override"),
)
_ENDS_BEFORE_NAME = frozenset(word[-1] for word in _BEFORE_NAME)
_EXPORTING = re.compile(
    rb"export (?:declare )?(?:(?:const|let|var|(?:async )?function[ *]*|(?:abstract )?class|"
    rb"interface|type|(?:const )?enum|namespace)\b *)"
)
_SIGNS = frozenset(bytes([code]) for code in b":|&=?!+-%^~;")
_OPENED = frozenset(bytes([code]) for code in _OPENING)
_BEFORE_ARROW = frozenset((b"", b"=", b"/", *(bytes([code]) for code in b" \t\r\n\v\f")))
_GOES_ON = frozenset(bytes([code]) for code in b".([<&|+-*%^")
_DECORATED = re.compile(rb"(?:\)|@[\w$.]+)$")
_LONGEST_LINE = 1000
_MOST_LOOKS = 1_000_000
_MOST_AMONG_ERRORS = 250  # finding a node is slow in an error with thousands of children
_NO_BINDING = frozenset(
    {
        *("arguments", "type_arguments", "array", "object", "pair", "parenthesized_expression"),
        *("union_type", "intersection_type", "tuple_type", "call_expression", "binary_expression"),
        *("ternary_expression", "member_expression", "subscript_expression", "array_type"),
        *("type_annotation", "generic_type", "jsx_self_closing_element", "jsx_opening_element"),
        *("jsx_closing_element", "export_specifier", "implements_clause", "extends_clause"),
    }
)
"""Kinds of parent nodes whose names bind nothing: most uses have one of them."""
_LISTS = frozenset({"arguments", "type_arguments", "array", "object", "export_clause"})


class Scopes(NamedTuple):
    """A file and its syntax tree; in a language that is not understood it has no inner scopes."""

    language: Language
    root: Node
    data: bytes


def shadowed_places(
    file: Scopes,
    definitions: Mapping[str, list[int]],
    *,
    names: Iterable[bytes],
    members: Collection[bytes],
    places: Mapping[bytes, list[int]],
    imports: Sequence[tuple[int, int]],
) -> Iterator[tuple[bytes, list[int]]]:
    """Yield those of ``names`` that an inner scope binds too, with new places that carry roles.

    Args:
        file: The file.
        definitions: Byte offsets of its declared names, by qualified name.
        names: The names that the file declares at its top, or imports.
        members: Members of the file's enums; inside the enum they are ordinary names.
        places: The postings of the file, by name.
        imports: Byte ranges of import statements; they bind nothing in inner scopes.
    """
    if file.language.name not in UNDERSTOOD:
        return
    data = file.data
    ordered = sorted(imports)
    starts = [start for start, _ in ordered]
    ends = [end for _, end in ordered]
    last_end = ends[-1] if ends else 0
    is_whole = not file.root.has_error
    for name in names:
        size = len(name)
        own = definitions.get(name.decode(), ()) if is_whole else ()
        for place in places.get(name, ()):
            start = offset_of(place)
            if place & MEMBER or _is_plain_use(data, start, start + size):
                continue
            if start < last_end:
                before = bisect_right(starts, start) - 1
                if before >= 0 and start < ends[before]:
                    continue
            if not _may_bind(data, start, start + size) or (
                start in own and _is_exported(file, start)
            ):
                continue
            if _is_bound_inside(file, start, start + size):
                yield name, _with_roles(file, definitions, places[name], name)
                break
        else:
            if name in members:
                yield name, _with_roles(file, definitions, places.get(name, []), name)


def _with_roles(
    file: Scopes, definitions: Mapping[str, list[int]], places: list[int], name: bytes
) -> list[int]:
    """The places of a name that an inner scope binds, each with its role."""
    root, size = file.root, len(name)
    if root.has_error and len(places) > _MOST_AMONG_ERRORS:
        return [place | UNSURE for place in places]
    nodes = [
        root.descendant_for_byte_range(offset_of(place), offset_of(place) + size)
        for place in places
    ]
    bounds = [bound for node in nodes if node is not None for bound in declarations_by(node)]
    if len(bounds) * len(places) > _MOST_LOOKS:
        return [place | UNSURE for place in places]
    own = definitions.get(name.decode(), ())
    return [
        place if place & MEMBER else place | _role(file, node, bounds, own)
        for place, node in zip(places, nodes, strict=True)
    ]


def _role(file: Scopes, node: Node | None, bounds: list[Binding], own: Collection[int]) -> int:
    """The role of a name; ``own`` are the offsets of its declarations."""
    found = innermost(bounds, node) if node is not None else []
    if not found or found[0].end > file.root.end_byte:
        return 0
    is_irregular = any(b.node.start_byte in own or may_load(file.data, b) for b in found)
    return UNSURE if is_irregular else INNER


def _is_bound_inside(file: Scopes, start: int, end: int) -> bool:
    root = file.root
    if _is_listed(file, start, end):
        return False
    node = root.descendant_for_byte_range(start, end)
    around = node.parent if node is not None else None
    if node is None or around is None or around.type in _NO_BINDING:
        return False
    declared = declared_by(node)
    return declared is not None and declared.end <= root.end_byte


def _is_exported(file: Scopes, start: int) -> bool:
    """Whether a name is declared by an export statement at the top."""
    line = file.data.rfind(b"\n", 0, start) + 1
    if _EXPORTING.fullmatch(file.data, line, start) is None:
        return False
    statement = file.root.first_child_for_byte(line)
    return statement is not None and statement.start_byte == line


def _is_listed(file: Scopes, start: int, end: int) -> bool:
    """Whether a name directly follows the opening sign or a comma of a list that binds nothing.

    Finding the list takes half as long as finding the name and then its parents.
    """
    data = file.data
    before = data[max(0, start - _NEAR) : start].rstrip()
    after = data[end : end + _NEAR].lstrip()
    if not before or before[-1] not in _OPENING or after[:1] in {b"", b"=", b"/"}:
        return False
    sign = start - min(start, _NEAR) + len(before) - 1
    around = file.root.descendant_for_byte_range(sign, end)
    return around is not None and around.type in _LISTS


def _is_plain_use(data: bytes, start: int, end: int) -> bool:
    """Whether the characters next to a name rule out a declaration.

    Every case that `_may_bind` allows is left to it; most uses never get that far.
    """
    last, after = data[start - 1 : start], data[end : end + 1]
    if last == b" ":
        last = data[start - 2 : start - 1]
    if last in _SIGNS:
        return after not in _BEFORE_ARROW
    if last in _OPENED:
        return after in _GOES_ON
    if last == b".":
        return data[start - 3 : start] != b"..."
    return last == b"/" and data[start - 2 : start] == b"</"


def _may_bind(data: bytes, start: int, end: int) -> bool:
    """Whether the text around a name allows it to be a declaration."""
    space = data[max(0, start - _NEAR) : start]
    before = space.rstrip()
    last = before[-1] if before else 0
    if last == _DOT:
        return before.endswith(b"...")
    after = data[end : end + _NEAR].lstrip()
    if last in _OPENING:
        return not after or after[0] in _AFTER_NAME or after[:1].isalpha()
    if after.startswith(b"=>") or (last in _ENDS_BEFORE_NAME and before.endswith(_BEFORE_NAME)):
        return True
    if after.startswith(_AFTER_DECORATED) and _DECORATED.search(before):
        return True
    return b"\n" in space[len(before) :] and _ends_in_comment(
        data, start - len(space) + len(before)
    )


def _ends_in_comment(data: bytes, end: int) -> bool:
    """Whether the line up to ``end`` may end in a comment."""
    least = max(0, end - _LONGEST_LINE)
    return data.find(b"//", max(least, data.rfind(b"\n", least, end)), end) >= 0
