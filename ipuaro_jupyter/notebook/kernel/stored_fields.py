"""Classes and instances, read past everything that a class can override.

``type(x)`` and the descriptors of ``type`` itself tell a class, its bases and what an instance
stores. Attribute access, ``isinstance`` and a look-up in a dictionary of the user's would run code
of theirs: metaclasses, properties, and ``__eq__`` of keys.
"""

import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

_mro = type.__dict__["__mro__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_module = type.__dict__["__module__"].__get__
_dict = type.__dict__["__dict__"].__get__
_flags = type.__dict__["__flags__"].__get__
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made by a class statement, or like one
_BUILTINS = "builtins"
_STORED_BY = (types.GetSetDescriptorType, types.MemberDescriptorType)


def bases(kind: type) -> tuple[type, ...]:
    """The class and its bases, in the order of resolution."""
    found: tuple[type, ...] = _mro(kind)
    return found


def derives(kind: type, base: type) -> bool:
    """Whether a class is ``base`` or derives from it."""
    return any(one is base for one in bases(kind))


def class_name(kind: type) -> str:
    """The qualified name of a class with its module, which builtins have none of."""
    name, module = plain_text(_qualname(kind)), None
    with suppress(AttributeError):  # a class may have lost it
        module = _module(kind)
    if type(module) is not str or module in (_BUILTINS, "__main__"):
        return name
    return f"{module}.{name}"


def plain_text(text: str) -> str:
    """A string as a plain one, also when its class derives from ``str``."""
    return str.__str__(text)


def is_native(kind: type) -> bool:
    """Whether a class is written in C, and cannot be changed from Python."""
    return not _flags(kind) & _HEAP_TYPE


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield what the class itself defines, by name."""
    return strings(_dict(kind))


def member(kind: type, name: str) -> Any:
    """What the class itself defines under a name; None when it does not."""
    return next((value for known, value in members(kind) if known == name), None)


def strings(names: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the items of a real dictionary, or a view of one, whose keys are plain strings."""
    items = dict.items(names) if isinstance(names, dict) else names.items()
    for name, value in list(items):
        if type(name) is str:
            yield name, value


def stored(value: object) -> Iterator[tuple[str, Any]]:
    """Yield what an instance stores, in its dictionary and in its slots."""
    kinds = bases(type(value))
    for kind in kinds:
        found = member(kind, "__dict__")
        if type(found) in _STORED_BY and found.__objclass__ is kind:
            with suppress(Exception):  # a class may have it and an instance not
                names = found.__get__(value)
                if derives(type(names), dict):
                    yield from strings(names)
            break
    for kind in kinds:
        if is_native(kind):
            continue
        for name, slot in members(kind):
            if type(slot) is types.MemberDescriptorType and slot.__objclass__ is kind:
                with suppress(AttributeError):  # it is empty
                    yield name, slot.__get__(value)


def attribute(value: object, name: str) -> tuple[Any] | None:
    """What an instance stores under a name, in a tuple; None when it stores nothing there."""
    return next(((found,) for known, found in stored(value) if known == name), None)


def native_field(kind: type, value: object, name: str) -> Any:
    """A field of an instance of a class written in C, or compiled to it.

    Raises:
        AttributeError: There is none.
    """
    found = member(kind, name)
    if type(found) not in _STORED_BY:
        raise AttributeError(name)
    return found.__get__(value)
