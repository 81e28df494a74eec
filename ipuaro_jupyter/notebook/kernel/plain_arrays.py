"""Arrays of numpy, and of classes that derive from its own, read as plain ones."""

import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from ipuaro_jupyter.notebook.kernel.stored_fields import derives, is_native, member

Named = Callable[[Any, Any], str]
"""Writes a value in one line; its name, "" for none, may tell of a secret."""
COLUMNS = 40
"""How many columns of a table, or fields of an element, are told."""
NOT_READ = "(not read)"


class WrittenValue(NamedTuple):
    """A value that is written already, as that of a table without an equal in Python."""

    text: str


def plain_array(value: object) -> Any:
    """A numpy array, or one of a class that derives from it, as a plain one; else None."""
    ndarray = numpy_class("ndarray")
    if ndarray is None or not derives(type(value), ndarray):
        return None
    return member(ndarray, "view")(value, ndarray)


def elements(array: Any, named: Named, name: str = "") -> list[str]:
    """Each element along the first axis of a plain array, written with the names of its fields."""
    names = array.dtype.names
    if names:
        fields = [(one, elements(array[one], named, one)) for one in names[:COLUMNS]]
        return [
            f"({', '.join(f'{field}={told[at]}' for field, told in fields)})"
            for at in range(len(array))
        ]
    return [named(name, one) for one in python_values(array)]


def python_values(array: Any) -> list[Any]:
    """The elements of a plain array, written already where Python has no equal of them."""
    if array.dtype.kind not in "mM" and array.dtype.char not in "gG":
        found: list[Any] = array.tolist()
        return found
    if len(array.shape) > 1:
        return [WrittenValue(NOT_READ)] * len(array)
    return [WrittenValue(str(one)) for one in array]


def numpy_class(name: str) -> type | None:
    """A class of numpy that is written in C; None when it is not loaded."""
    numpy = sys.modules.get("numpy")
    found = numpy.__dict__.get(name) if type(numpy) is types.ModuleType else None
    return found if type(found) is type and is_native(found) else None
