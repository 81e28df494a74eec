"""Whether a written type takes a value, as far as literals, scalars and functions tell."""

from ipuaro_jupyter.index.binding.inference.inferred_type import Type, Types, literal_scalar
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    Compound,
    FunctionSyntax,
    Named,
    Syntax,
    Text,
)

_SCALARS = frozenset({"string", "number", "boolean", "bigint"})
_QUOTES = frozenset("'\"")


def takes(syntax: Syntax, given: Types) -> bool | None:
    """Whether a written type takes a value of some types; None when that is not known.

    Args:
        syntax: The type. Parts of a union are not told from those of an intersection.
        given: The types of the value.
    """
    if isinstance(syntax, Compound):
        each = {takes(part, given) for part in syntax.parts}
        return each.pop() if len(each) == 1 else None
    each = {_takes_one(syntax, one) for one in given}
    return each.pop() if len(each) == 1 else None


def _takes_one(syntax: Syntax, given: Type) -> bool | None:
    scalar = _scalar(given)
    match syntax:
        case Named((name,), ()) if name in _SCALARS and scalar:
            return scalar == name
        case FunctionSyntax() if scalar in _SCALARS:
            return False
        case Text(text) if scalar and (kind := literal_scalar(text)):
            return _is_same(text, given.name) if kind == scalar else False
    return None


def _is_same(text: str, name: str) -> bool | None:
    """Whether a literal is one of a type; ``name`` is the scalar where its value is not known."""
    if name in _SCALARS or "\\" in text + name:
        return None
    if text[:1] in _QUOTES:
        return text[1:-1] == name[1:-1]
    return text == name if text.isdecimal() and name.isdecimal() else None


def _scalar(given: Type) -> str:
    """The scalar that a type is, "object" for functions and objects; "" when neither is known."""
    if given.kind == "builtin":
        return given.name if given.name in _SCALARS else literal_scalar(given.name)
    return "object" if given.kind in {"expression", "value"} else ""
