"""Which names of the top of a file are bound again inside it.

Everywhere else such a name means what it means at the top, so that no syntax tree is needed to
tell what its uses stand for.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from ipuaro_jupyter.index.bound_names import declared_by
from ipuaro_jupyter.index.postings import MEMBER, offset_of
from ipuaro_jupyter.index.scopes import UNDERSTOOD
from ipuaro_jupyter.languages.language import Language, Node

_NEAR = 64
_OPENING = frozenset(b"(,{[<")
_AFTER_NAME = frozenset(b",)=:?}]>/")
_DOT = ord(".")
_BEFORE_NAME = (
    *(b"*", b"/"),
    *(b"const", b"let", b"var", b"using", b"function", b"class", b"interface", b"type", b"enum"),
    *(b"namespace", b"module", b"infer", b"import", b"asserts"),
)
_NO_BINDING = frozenset(
    {
        *("arguments", "type_arguments", "array", "object", "pair", "parenthesized_expression"),
        *("union_type", "intersection_type", "tuple_type", "call_expression", "binary_expression"),
        *("ternary_expression", "member_expression", "subscript_expression", "array_type"),
        *("type_annotation", "generic_type", "jsx_self_closing_element", "jsx_opening_element"),
        *("jsx_closing_element", "export_specifier", "implements_clause", "extends_clause"),
    }
)
"""Kinds directly around a name that bind nothing: most uses are in one of them."""


def shadowed_names(
    language: Language,
    root: Node,
    data: bytes,
    *,
    names: Iterable[bytes],
    places: Mapping[bytes, list[int]],
    imports: Sequence[tuple[int, int]],
) -> list[bytes]:
    """Return those of ``names`` that are bound in an inner scope too.

    Args:
        language: That of the file; one whose scopes are not understood shadows nothing.
        root: The syntax tree.
        data: The file.
        names: What the file declares at its top, or imports.
        places: The postings of the file, by name.
        imports: Where import statements are, in bytes; they bind nothing inside.
    """
    if language.name not in UNDERSTOOD:
        return []
    ordered = sorted(imports)
    starts = [start for start, _ in ordered]
    ends = [end for _, end in ordered]
    found = []
    for name in names:
        size = len(name)
        for place in places.get(name, ()):
            start = offset_of(place)
            if place & MEMBER or not _may_bind(data, start, start + size):
                continue
            before = bisect_right(starts, start) - 1
            if before >= 0 and start < ends[before]:
                continue
            if _is_bound_inside(root, start, start + size):
                found.append(name)
                break
    return found


def _is_bound_inside(root: Node, start: int, end: int) -> bool:
    node = root.descendant_for_byte_range(start, end)
    around = node.parent if node is not None else None
    if node is None or around is None or around.type in _NO_BINDING:
        return False
    declared = declared_by(node)
    return declared is not None and declared.end <= root.end_byte


def _may_bind(data: bytes, start: int, end: int) -> bool:
    """Return whether what stands around a name allows that it is a declaration."""
    before = data[max(0, start - _NEAR) : start].rstrip()
    last = before[-1] if before else 0
    if last == _DOT:
        return before.endswith(b"...")
    after = data[end : end + _NEAR].lstrip()
    if last in _OPENING:
        return not after or after[0] in _AFTER_NAME or after[:1].isalpha()
    return after.startswith(b"=>") or before.endswith(_BEFORE_NAME)
