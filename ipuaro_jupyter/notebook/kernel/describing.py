"""A value of the kernel: its type, its size and its beginning."""

import ast
import collections
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.notebook.kernel.arrays import is_unread_table, table_value
from ipuaro_jupyter.notebook.kernel.brief import Brief, Hidden, field_names, is_written
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    bases,
    class_name,
    derives,
    is_native,
    members,
    stored,
    strings,
)
from ipuaro_jupyter.records.kernel import KernelValue
from ipuaro_jupyter.text_distance import closest

_ELEMENTS, _FIELDS, _READ, _KEYS = 10, 30, 200, 20_000_000
_LINE, _TEXT, _LINES, _NAME = 300, 1500, 40, 100
_SIZED: tuple[Any, ...] = (
    *(list, tuple, set, frozenset, dict, str, bytes, bytearray, collections.deque),
)


def described(value: Any, name: str, hidden: Hidden) -> KernelValue:
    """What is told of a value, without running code of its class.

    Args:
        value: The value.
        name: The user's name for it, which may tell of a secret.
        hidden: Removes secrets from a text.
    """
    brief = Brief(hidden, _names(name))
    found = table_value(value, brief.named)
    if found is None:
        lines = [_clean(line) for line in islice(_lines(value, name, brief), _LINES + 1)]
        note = "more is left out" if len(lines) > _LINES else ""
        if is_unread_table(value):
            note = "this release of the library stores its rows in a way that cannot be read"
        found = KernelValue(type="", length=_length(value), head=tuple(lines[:_LINES]), note=note)
    head = tuple(_cut(hidden(_cut(_clean(line), 3))) for line in found.head)
    dtypes = tuple(
        one.model_copy(update={"name": hidden(_clean(one.name[: 3 * _NAME]))[:_NAME]})
        for one in found.dtypes
    )
    kind = _clean(_type(type(value)))
    return found.model_copy(update={"type": kind, "head": head, "dtypes": dtypes})


def _names(path: str) -> tuple[str, ...]:
    """The names and keys in a path, each of which may tell of a secret."""
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        steps = list(ast.walk(ast.parse(path.strip(), mode="eval")))
        keys = [one.value for one in steps if isinstance(one, ast.Constant)]
        return (
            *(one.id for one in steps if isinstance(one, ast.Name)),
            *(one.attr for one in steps if isinstance(one, ast.Attribute)),
            *(key for key in keys if isinstance(key, str)),
        )
    return (path,)


def at_path(names: Mapping[str, Any], path: str) -> Any:
    """The value at a path such as ``order.items[0]["sku"]``, as far as it is stored.

    Raises:
        ToolError: "validation", when it is no such path, or nothing is stored there.
    """
    try:
        tree = ast.parse(path.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _no_path(path) from None
    steps: list[ast.expr] = []
    while isinstance(tree, ast.Attribute | ast.Subscript):
        steps.append(tree)
        tree = tree.value
    if not isinstance(tree, ast.Name):
        raise _no_path(path)
    value = _named(names, tree.id)
    for step in reversed(steps):
        value = _step(value, step, path)
    return value


def _named(names: Mapping[str, Any], name: str) -> Any:
    known = dict(strings(names))
    if name in known:
        return known[name]
    near = closest(name, [one for one in known if not one.startswith("_")])
    hint = f"Did you mean {', '.join(near)}?" if near else None
    raise ToolError("validation", f"The kernel has no name {name!r}.", suggestion=hint)


def _step(value: Any, step: ast.expr, path: str) -> Any:
    kind = type(value)
    if isinstance(step, ast.Attribute):
        found = attribute(value, step.attr)
        if found is None:
            names = [name for name, _ in islice(stored(value), _FIELDS)]
            told = f"It stores {', '.join(names)}." if names else "It stores no attributes."
            raise ToolError(
                "validation",
                f"{_told(step)}: nothing is stored under {step.attr!r}; properties and "
                "methods are not run.",
                suggestion=_clean(told),
            )
        return found[0]
    key = _key(step)
    for base in (list, tuple):
        if type(key) is int and derives(kind, base):
            if -base.__len__(value) <= key < base.__len__(value):
                return base.__getitem__(value, key)
            raise ToolError("validation", f"{_told(step)}: there are {_length(value)}.")
    if derives(kind, dict) and type(key) in (str, int):
        for known, inner in islice(dict.items(value), _KEYS):
            if type(known) is type(key) and known == key:
                return inner
        is_whole = dict.__len__(value) <= _KEYS
        missing = "there is no such key" if is_whole else f"not among the first {_KEYS:,} keys"
        raise ToolError("validation", f"{_told(step)}: {missing}.")
    if key is None:
        raise _no_path(path)
    raise ToolError(
        "validation",
        f"{_told(step)}: {_clean(class_name(kind))} has no such key or index that can be read.",
        suggestion="Whole numbers are read in lists and tuples, and text and whole numbers in "
        "dictionaries. Nothing is called or computed.",
    )


def _key(step: ast.expr) -> Any:
    try:
        return ast.literal_eval(step.slice) if isinstance(step, ast.Subscript) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _told(step: ast.expr) -> str:
    """A step of a path as it is typed, within bounds."""
    try:
        return _clean(ast.unparse(step)[:_NAME])
    except (ValueError, RecursionError):  # a number with thousands of digits
        return "this path"


def _no_path(path: str) -> ToolError:
    return ToolError(
        "validation",
        f"{path[:100]!r} is no name of the kernel.",
        suggestion="Give a name, or a path of stored attributes, indexes of lists and keys of "
        'dictionaries such as order.items[0]["sku"]. Nothing is called or computed.',
    )


def _type(kind: type) -> str:
    """The class, and the first class from a library that it derives from."""
    own = () if _is_known(kind) else bases(kind)[1:-1]
    base = next((one for one in own if _is_known(one)), None)
    return class_name(kind) if base is None else f"{class_name(kind)}, a {class_name(base)}"


def _is_known(kind: type) -> bool:
    return is_native(kind) or class_name(kind).partition(".")[0] in ("pandas", "polars", "pydantic")


def _length(value: Any) -> int | None:
    for base in bases(type(value)):
        if any(base is one for one in _SIZED):
            size: int = base.__len__(value)  # type: ignore[attr-defined] # each of them has it
            return size
    return None


def _lines(value: Any, name: str, brief: Brief) -> Iterator[str]:
    """Yield the beginning of a value: a line for each element or field."""
    kind = type(value)
    if derives(kind, str):
        text = brief.text(value, _TEXT)
        yield f"{name} = {text!r}" if "\n" not in text else text
    elif derives(kind, dict):
        for key, inner in islice(dict.items(value), _ELEMENTS):
            brief.begin()
            yield f"{brief.key(key)}: {brief.named(key, inner)}"
    elif derives(kind, list) or derives(kind, tuple):
        yield from _elements(value, name, brief)
    elif derives(kind, type):
        yield from _class_lines(value)
    else:
        yield from _instance(value, name, brief)


def _elements(value: Any, name: str, brief: Brief) -> Iterator[str]:
    """Yield the first elements of a list or tuple, under their names in a named tuple."""
    base: Any = list if derives(type(value), list) else tuple
    names = field_names(type(value))
    first = list(islice(base.__iter__(value), _ELEMENTS))
    if command := brief.command(first):
        yield f"{name} = {command}"
        return
    for number, one in enumerate(first):
        brief.begin()
        label = names[number] if number < len(names) else None
        if type(label) is str:
            yield f"{label} = {brief.named(label, one)}"
        else:
            yield f"{name}[{number}] = {brief.line(one)}"


def _class_lines(kind: type) -> Iterator[str]:
    """Yield the bases of a class and the methods that it defines."""
    yield f"bases: {', '.join(class_name(one) for one in bases(kind)[1:])}"
    functions = [name for name, one in members(kind) if type(one) is types.FunctionType]
    if functions:
        yield f"methods: {', '.join(functions[:_FIELDS])}"


def _instance(value: Any, name: str, brief: Brief) -> Iterator[str]:
    """Yield the stored fields of an instance; what is read as a whole, in one line."""
    fields = [field for field in islice(stored(value), _READ) if not field[0].startswith("__")]
    is_whole = is_written(type(value))
    if is_whole or not fields:
        yield f"{name} = {brief.line(value)}"
    if is_whole and not derives(type(value), BaseException):
        return
    for label, inner in fields[:_FIELDS]:
        brief.begin()
        yield f"{label} = {brief.named(label, inner)}"
    if len(fields) > _FIELDS:
        yield "…"


def _clean(text: str) -> str:
    """The text as it can be stored: without halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()


def _cut(line: str, times: int = 1) -> str:
    most = times * (_TEXT if "\n" in line else _LINE)
    return line if len(line) <= most else f"{line[:most]}…"
