"""What a type is here: something with members that can be looked up by name."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from ipuaro_jupyter.index.binding.inference.type_syntax import Syntax

Kind = Literal["instance", "value", "builtin", "written", "expression", "module", "unknown"]


@dataclass(frozen=True, slots=True)
class Type:
    """One possible type of an expression.

    Attributes:
        kind: An ``instance`` of a declared class, interface or enum; the ``value`` of a
            declaration, as ``typeof`` gives; a ``builtin`` type of the language; a type as
            ``written`` in a file; the type of an object literal or function ``expression``; that of
            a whole ``module``; or ``unknown``.
        path: The file of the declaration, text or expression.
        name: The qualified name of the declaration, also of the alias whose members a written type
            has, or the name of the builtin type.
        args: Type arguments.
        syntax: The type as written.
        start: The first byte of the expression; of a written type, the place whose names it uses.
        end: The byte after the expression.
        scope: The types of type parameters that are not those of the place.
    """

    kind: Kind
    path: str = ""
    name: str = ""
    args: tuple["Types", ...] = ()
    syntax: Syntax | None = None
    start: int = 0
    end: int = 0
    scope: "Bound" = ()


Types = frozenset[Type]
Bound = tuple[tuple[str, Types], ...]
"""The types of type parameters, by name."""

UNKNOWN = Type("unknown")
NOT_KNOWN: Types = frozenset({UNKNOWN})
NOTHING: Types = frozenset()
_MOST = 40


def builtin(name: str, *args: Types) -> Types:
    """A type of the language."""
    return frozenset({Type("builtin", name=name, args=args)})


def literal_scalar(text: str) -> str:
    """The scalar that a literal is one of, by its text; "" for the name of a type."""
    if text[:1] in {"'", '"'}:
        return "string"
    if not text[:1].isdecimal():
        return ""
    return "bigint" if text.endswith("n") else "number"


def widened(types: Types) -> Types:
    """The types of a place that may be given other values later: scalars in place of literals."""
    return frozenset(_widened(one) for one in types)


def inner_widened(types: Types) -> Types:
    """The types of a constant: the elements of a list may be given other values later."""
    return frozenset(
        one if one.kind == "builtin" and literal_scalar(one.name) else _widened(one)
        for one in types
    )


def _widened(one: Type) -> Type:
    if one.kind != "builtin":
        return one
    name = literal_scalar(one.name) or one.name
    return replace(one, name=name, args=tuple(widened(arg) for arg in one.args))


def limited(types: Types) -> Types:
    """Types, or that they are not known where there are too many; deep arguments are not known."""
    if len(types) > _MOST:
        return NOT_KNOWN
    if all(_depth(one) <= _DEEPEST for one in types):
        return types
    return frozenset(
        one if _depth(one) <= _DEEPEST else replace(one, args=(NOT_KNOWN,) * len(one.args))
        for one in types
    )


def agreed(several: Iterable[Types]) -> Types:
    """What is known of a value with the types of one of several, nobody can say which.

    The types that all have stay, and so do the arguments that all give to the same type; what is
    different is not known. Where one has no types at all, it has no members either.
    """
    told = [one for one in set(several) if one]
    if len(told) < 2:  # noqa: PLR2004
        return NOTHING.union(*told)
    common = frozenset.intersection(*told)
    rests = [one - common for one in told]
    firsts = [next(iter(rest)) for rest in rests if len(rest) == 1]
    bare = {replace(one, args=()) for one in firsts}
    counts = {len(one.args) for one in firsts}
    if len(firsts) < len(rests) or len(bare) > 1 or len(counts) > 1:
        return common | NOT_KNOWN
    args = tuple(agreed(given) for given in zip(*(one.args for one in firsts), strict=True))
    return common | {replace(one, args=args) for one in bare}


_DEEPEST = 5


def _depth(one: Type) -> int:
    return 1 + max((_depth(inner) for arg in one.args for inner in arg), default=0)


def element(types: Types) -> Types:
    """The types of the elements of arrays and other iterables."""
    found: set[Type] = set()
    for one in types:
        if one.kind == "builtin" and one.name in ELEMENTS and one.args:
            places = ELEMENTS[one.name]
            if one.name == "Tuple":
                found |= frozenset().union(*one.args)
            elif len(places) == 1:
                found |= one.args[0]
            else:
                found.add(Type("builtin", name="Tuple", args=one.args[:2]))
        elif one.kind == "builtin" and one.name == "string":
            found.add(one)
        else:
            found.add(UNKNOWN)
    return frozenset(found)


ELEMENTS = {
    **dict.fromkeys(("Array", "Set", "Iterable", "Tuple", "AsyncIterable"), (0,)),
    "Map": (0, 1),
}


def awaited(types: Types) -> Types:
    """The types of the values of promises."""
    found: set[Type] = set()
    for one in types:
        is_promise = one.kind == "builtin" and one.name == "Promise"
        found |= awaited(one.args[0]) if is_promise and one.args else {one}
    return frozenset(found)
