"""A value in one line, within bounds."""

import collections
import datetime as dt
import decimal
import enum
import types
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import PurePath
from typing import Any

from ipuaro_jupyter.agent.redaction import kind_of
from ipuaro_jupyter.notebook.kernel.arrays import WrittenValue, scalar_item, table_line
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    bases,
    class_name,
    derives,
    native_field,
    stored,
    strings,
)

_ELEMENTS, _FIELDS, _DEPTH, _NODES = 6, 12, 3, 150
_CHARACTERS, _READ = 200, 20_000
_BITS = 512
_HIDDEN_FIELD = "_secret_value"  # where pydantic keeps what its SecretStr is not to show
_CONSTANTS = (None, True, False, ..., NotImplemented)
Hidden = Callable[[str], str]


class Brief:
    """Writes values of the kernel as short texts; it runs none of their code.

    Args:
        hidden: Removes secrets from a text.
    """

    def __init__(self, hidden: Hidden) -> None:
        self._hidden = hidden
        self._left = _NODES
        self._inside: list[int] = []

    def line(self, value: Any) -> str:
        """The value in one line; what is inside it as far as there is room."""
        kind = type(value)
        if any(value is one for one in _CONSTANTS):
            return repr(value)
        if kind is WrittenValue:
            return str(value.text)
        self._left -= 1
        if self._left < 0:
            return "…"
        if id(value) in self._inside:
            return "… (contains itself)"
        if len(self._inside) >= _DEPTH:
            return f"<{class_name(kind)}>"
        self._inside.append(id(value))
        try:
            return self._of_class(value, kind)
        finally:
            self._inside.pop()

    def text(self, value: str, most: int = _CHARACTERS) -> str:
        """The beginning of a string without secrets, and without quotes."""
        read = str.__getitem__(value, slice(0, _READ))
        return self._hidden(read)[:most]

    def _of_class(self, value: Any, kind: type) -> str:
        if derives(kind, enum.Enum):
            return self._member(value, kind)
        for base in bases(kind):
            write = _WRITERS.get(id(base))
            if write is not None:
                told: str = write(self, value)
                is_bare = (
                    base is kind or base is str or base is bytes
                )  # secrets are found by their quotes
                return told if is_bare else f"{class_name(kind)}({told})"
        if told := table_line(value):
            return told
        if (item := scalar_item(value)) is not None:
            return f"{class_name(kind)}({self.line(item[0])})"
        return self._instance(value, kind)

    def _member(self, value: Any, kind: type) -> str:
        name, stands = attribute(value, "_name_"), attribute(value, "_value_")
        if name is None or stands is None or type(name[0]) is not str:
            return f"<{class_name(kind)}>"
        return f"{class_name(kind)}.{name[0]} = {self.line(stands[0])}"

    def _instance(self, value: Any, kind: type) -> str:
        fields = list(islice(stored(value), _FIELDS + 1))
        if not fields:
            return f"<{class_name(kind)}>"
        told = [f"{name}={self.named(name, inner)}" for name, inner in fields[:_FIELDS]]
        return f"{class_name(kind)}({', '.join([*told, *['…'] * (len(fields) > _FIELDS)])})"

    def named(self, name: Any, value: Any) -> str:
        """The value of a name; where the name tells of secrets, before each of several values.

        By its name a secret is found that does not look like one.
        """
        if type(name) is str and name == _HIDDEN_FIELD:
            return "<hidden>"
        kind = type(value)
        is_several = derives(kind, list) or derives(kind, tuple)
        if type(name) is not str or not is_several:
            return self.line(value)
        name = name if kind_of(name) else name.removesuffix("s")
        if not kind_of(name):
            return self.line(value)
        base: Any = list if derives(kind, list) else tuple
        told = (f"{name}={self.line(one)}" for one in islice(base.__iter__(value), _ELEMENTS))
        return f"[{', '.join(told)}]"

    def string(self, value: str) -> str:
        """A string in quotes."""
        size = str.__len__(value)
        shown = repr(self.text(value))
        return shown if size <= _CHARACTERS else f"{shown}… ({size:,} characters)"

    def bytes(self, value: Any) -> str:
        """Bytes in quotes."""
        base = bytes if derives(type(value), bytes) else bytearray
        size = base.__len__(value)
        read = bytes(base.__getitem__(value, slice(0, _READ))).decode("latin-1")
        shown = f"b{self._hidden(read)[:_CHARACTERS]!r}"
        return shown if size <= _CHARACTERS else f"{shown}… ({size:,} bytes)"

    def integer(self, value: int) -> str:
        """A number; of a very large one only its size."""
        bits = int.bit_length(value)
        return int.__repr__(value) if bits <= _BITS else f"<an integer of {bits:,} bits>"

    def items(self, value: Any) -> str:
        """The elements of a list, tuple, set or deque."""
        base = next(one for one in bases(type(value)) if id(one) in _SIZED)
        size = base.__len__(value)  # type: ignore[attr-defined] # each of them has it
        left, right = _SIZED[id(base)]
        inner = self.elements(base.__iter__(value), size)  # type: ignore[attr-defined] # the same
        comma = "," if base is tuple and size == 1 else ""
        return f"{left}{inner}{comma}{right}"

    def elements(self, values: Iterable[Any], size: int) -> str:
        """The first of several values, and how many there are."""
        told = [self.line(one) for one in islice(values, _ELEMENTS)]
        return ", ".join([*told, *([f"… {size:,} in all"] if size > len(told) else [])])

    def mapping(self, value: Any) -> str:
        """The items of a dictionary."""
        size = dict.__len__(value)
        told = [
            f"{self.line(key)}: {self.named(key, inner)}"
            for key, inner in islice(dict.items(value), _ELEMENTS)
        ]
        return f"{{{', '.join([*told, *([f'… {size:,} in all'] if size > len(told) else [])])}}}"

    def function(self, value: types.FunctionType) -> str:
        """A function with its parameters and where it is defined."""
        code = value.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        return f"function {code.co_qualname}({', '.join(code.co_varnames[:count])})"

    def error(self, value: BaseException) -> str:
        """The arguments of an error."""
        return self.items(BaseException.__dict__["args"].__get__(value))[1:-1].rstrip(",")

    def bounds(self, value: Any) -> str:
        """The start, the end and the step of a range or slice."""
        base = range if type(value) is range else slice
        told = [self.line(native_field(base, value, name)) for name in ("start", "stop", "step")]
        return f"{base.__name__}({', '.join(told)})"

    def path(self, value: PurePath) -> str:
        """A path, as far as it is stored as plain text."""
        for name in ("_raw_paths", "_parts"):
            found = attribute(value, name)
            if found is not None and type(found[0]) is list:
                parts = [one for one in found[0] if type(one) is str]
                first = parts[0].rstrip("/") if parts else "."
                return self.string("/".join([first, *parts[1:]]) or "/")
        return "…"

    def date(self, value: dt.date) -> str:
        """A day."""
        base = dt.date.__dict__
        return "-".join(f"{base[name].__get__(value):02}" for name in ("year", "month", "day"))

    def moment(self, value: dt.datetime) -> str:
        """A day with its time; the zone only where it is Python's own."""
        base = dt.datetime.__dict__
        names = ("hour", "minute", "second")
        told = f"{self.date(value)} {':'.join(f'{base[n].__get__(value):02}' for n in names)}"
        zone = base["tzinfo"].__get__(value)
        return told if zone is None else f"{told} <{class_name(type(zone))}>"


def _named(kind: type) -> str:
    return f"class {class_name(kind)}"


def _module(module: types.ModuleType) -> str:
    names = dict(strings(native_field(types.ModuleType, module, "__dict__")))
    name = names.get("__name__")
    return f"module {name}" if type(name) is str else "module"


def is_written(kind: type) -> bool:
    """Whether values of a class are read as a whole, not by their fields."""
    return derives(kind, enum.Enum) or any(id(base) in _WRITERS for base in bases(kind))


_SIZED = {
    id(list): ("[", "]"),
    id(tuple): ("(", ")"),
    id(set): ("{", "}"),
    id(frozenset): ("frozenset({", "})"),
    id(collections.deque): ("deque([", "])"),
}
_WRITERS: dict[int, Callable[[Brief, Any], str]] = {
    id(int): Brief.integer,
    id(float): lambda _, value: float.__repr__(value),
    id(complex): lambda _, value: complex.__repr__(value),
    id(str): Brief.string,
    id(bytes): Brief.bytes,
    id(bytearray): Brief.bytes,
    **dict.fromkeys(_SIZED, Brief.items),
    id(dict): Brief.mapping,
    id(type): lambda _, value: _named(value),
    id(types.FunctionType): Brief.function,
    id(types.ModuleType): lambda _, value: _module(value),
    id(range): Brief.bounds,
    id(slice): Brief.bounds,
    id(decimal.Decimal): lambda _, value: decimal.Decimal.__str__(value),
    id(PurePath): Brief.path,
    id(BaseException): Brief.error,
    id(dt.datetime): Brief.moment,
    id(dt.date): Brief.date,
    id(dt.timedelta): lambda _, value: dt.timedelta.__repr__(value),
}
"""The classes that are read as what they are, also where another class derives from them; by id,
because the hash of a class is its metaclass's."""
