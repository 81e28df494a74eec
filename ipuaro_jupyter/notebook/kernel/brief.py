"""A value in one line, within bounds."""

import collections
import datetime as dt
import decimal
import enum
import re
import types
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple

from ipuaro_jupyter.agent.redaction import PLACEHOLDER, kind_of
from ipuaro_jupyter.notebook.kernel.arrays import scalar_line, table_line
from ipuaro_jupyter.notebook.kernel.plain_arrays import WrittenValue
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    bases,
    class_name,
    derives,
    member,
    native_field,
    stored,
    strings,
)

_ELEMENTS, _FIELDS, _DEPTH, _NODES = 6, 12, 3, 150
_CHARACTERS, _READ, _READ_IN_ALL = 200, 4000, 200_000
_SECRET = 1000  # characters of a secret at most; what is longer has no placeholder of its own
_BITS = 512
_HIDDEN_FIELD = "_secret_value"  # where pydantic keeps what its SecretStr is not to show
_CONSTANTS = (None, True, False, ..., NotImplemented)
_NAMES = frozenset(("name", "key"))
_PROBE = "password = 'hT7kQ2vXz9LmP4wR'"  # what is hidden wherever anything is
_WORDS = re.compile(r"(?:[A-Za-z]?[a-z]*|[A-Z]+)(?:[-_ .@](?:[A-Za-z]?[a-z]*|[A-Z]+))*")
Hidden = Callable[[str], str]


class SecretName(NamedTuple):
    """A name that tells of secrets.

    Attributes:
        kind: What they are, such as "password".
        is_count: Whether numbers under the name are none: those of ``tokens`` are counts, or ids.
    """

    kind: str
    is_count: bool = False


def secret_name(name: Any) -> SecretName | None:
    """What a name, in the singular or the plural, tells of secrets; None for nothing.

    Args:
        name: A name; or several in a tuple, of which the first that tells of one counts.
    """
    if derives(type(name), tuple):
        found = (secret_name(one) for one in islice(tuple.__iter__(name), _ELEMENTS))
        return next((one for one in found if one), None)
    if not derives(type(name), str):
        return None
    read = str.__getitem__(name, slice(0, _CHARACTERS))
    if kind := kind_of(read):
        return SecretName(kind)
    kind = kind_of(read[:-1]) if read[-1:] in ("s", "S") else ""
    return SecretName(kind, kind == "token") if kind else None


def field_names(kind: type) -> tuple[Any, ...]:
    """The names of the elements of a named tuple; none for another class."""
    found = (member(one, "_fields") for one in bases(kind))
    names = next((one for one in found if one is not None), ())
    return names if type(names) is tuple else ()


class Brief:
    """Writes values of the kernel as short texts; it runs none of their code.

    Args:
        hidden: Removes secrets from a text.
        names: Those that the user knows the value by; one may tell of a secret.
    """

    def __init__(self, hidden: Hidden, names: Sequence[str] = ()) -> None:
        self._hidden = hidden
        self._left = _NODES
        self._unread = _READ_IN_ALL
        self._inside: list[int] = []
        self._secret = secret_name(tuple(names[-_ELEMENTS:])) if self.hides(names) else None

    def hides(self, names: Sequence[Any]) -> bool:
        """Whether secrets are hidden at all, asked where a name tells of one."""
        if not any(secret_name(one) for one in names):
            return False
        return self._hidden(_PROBE) != _PROBE

    def begin(self) -> None:
        """Begin another line: it has room of its own, while all share how much text is read."""
        self._left = _NODES

    def line(self, value: Any) -> str:
        """The value in one line; what is inside it as far as there is room."""
        kind = type(value)
        if any(value is one for one in _CONSTANTS):
            return repr(value)
        if kind is WrittenValue:
            return "<hidden>" if self._secret else str(value.text)
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

    def command(self, words: Sequence[Any]) -> str:
        """Words of which one is a secret only behind another, as an option; "" for all else."""
        if self._secret or not all(type(one) is str for one in words):
            return ""
        read = f"{[one[:_CHARACTERS] for one in words]}"
        shown = self._hidden(read)
        return shown if shown != read else ""

    def text(self, value: str, most: int = _CHARACTERS) -> str:
        """The beginning of a string without secrets, and without quotes."""
        return self._shown(str.__getitem__(value, slice(0, _READ)))[:most]

    def _shown(self, read: str) -> str:
        """A text without secrets; of one read after too much text, only that it is not read."""
        if self._secret:
            return self._secret_text(read)
        self._unread -= len(read)
        return self._hidden(read) if self._unread >= 0 else "… (not read)"

    def _secret_text(self, text: str) -> str:
        """What stands for a secret; equal ones have equal placeholders where they have one."""
        if not text or PLACEHOLDER.fullmatch(text):
            return text
        kind = self._secret.kind if self._secret else ""
        shown = self._hidden(f"{kind} = {text!r}") if len(text) <= _SECRET else ""
        found = PLACEHOLDER.search(shown)
        is_whole = found is not None and shown == f"{kind} = '{found.group()}'"
        return found.group() if found is not None and is_whole else "<hidden>"

    def _of_class(self, value: Any, kind: type) -> str:
        if derives(kind, enum.Enum):
            return self._member(value, kind)
        for base in bases(kind):
            write = _WRITERS.get(id(base))
            if write is not None:
                if self._secret and any(base is one for one in _SCALARS):
                    is_shown = self._secret.is_count and base is not decimal.Decimal
                    return write(self, value) if is_shown else "<hidden>"
                told: str = write(self, value)
                is_bare = (
                    base is kind or base is str or base is bytes
                )  # secrets are found by their quotes
                return told if is_bare else f"{class_name(kind)}({told})"
        if told := table_line(value):
            return told
        if (item := scalar_line(value, self.named)) is not None:
            return f"{class_name(kind)}({item})"
        return self._instance(value, kind)

    def _member(self, value: Any, kind: type) -> str:
        name, stands = attribute(value, "_name_"), attribute(value, "_value_")
        if name is None or stands is None or type(name[0]) is not str:
            return f"<{class_name(kind)}>"
        return f"{class_name(kind)}.{name[0]} = {self.named(name[0], stands[0])}"

    def _instance(self, value: Any, kind: type) -> str:
        fields = list(islice(stored(value), _FIELDS + 1))
        if not fields:
            return f"<{class_name(kind)}>"
        told = [f"{name}={self.named(name, inner)}" for name, inner in fields[:_FIELDS]]
        return f"{class_name(kind)}({', '.join([*told, *['…'] * (len(fields) > _FIELDS)])})"

    def named(self, name: Any, value: Any) -> str:
        """The value of a name; where the name tells of secrets, all that is inside it is hidden.

        By its name a secret is found that does not look like one.
        """
        if type(name) is str and name == _HIDDEN_FIELD:
            return "<hidden>"
        before, found = self._secret, secret_name(name)
        if found and (before is None or before.is_count) and self.hides([name]):
            self._secret = found
        try:
            return self.line(value)
        finally:
            self._secret = before

    def key(self, key: Any) -> str:
        """The key of a dictionary; among secrets only one that is plain words is shown."""
        is_plain = type(key) is str and len(key) <= _CHARACTERS and _WORDS.fullmatch(key)
        if not is_plain:
            return self.line(key)
        before, self._secret = self._secret, None
        try:
            return self.line(key)
        finally:
            self._secret = before

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
        shown = f"b{self._shown(read)[:_CHARACTERS]!r}"
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
        if base is tuple and (names := field_names(type(value))):
            fields = islice(zip(names, tuple.__iter__(value), strict=False), _ELEMENTS)
            told = [f"{self.line(name)}: {self.named(name, one)}" for name, one in fields]
            return ", ".join([*told, *([f"… {size:,} in all"] if size > len(told) else [])])
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
        called = _called(value)
        told = [
            f"{self.key(key)}: {self.named((key, called) if _is_value(key) else key, inner)}"
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

    def number(self, value: decimal.Decimal) -> str:
        """A decimal number; of a very long one the beginning."""
        told = decimal.Decimal.__str__(value)
        is_short = len(told) <= _CHARACTERS
        return told if is_short else f"{told[:_CHARACTERS]}… ({len(told):,} characters)"

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


def _called(value: Any) -> str:
    """What a dictionary such as ``{"name": …, "value": …}`` says that its value is called."""
    for key, inner in islice(dict.items(value), _ELEMENTS):
        if type(key) is str and key.lower() in _NAMES and derives(type(inner), str):
            return str.__getitem__(inner, slice(0, _CHARACTERS))
    return ""


def _is_value(key: Any) -> bool:
    return type(key) is str and key.lower() == "value"


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
_SCALARS = (int, float, complex, decimal.Decimal, dt.date, dt.timedelta)
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
    id(decimal.Decimal): Brief.number,
    id(PurePath): Brief.path,
    id(BaseException): Brief.error,
    id(dt.datetime): Brief.moment,
    id(dt.date): Brief.date,
    id(dt.timedelta): lambda _, value: dt.timedelta.__repr__(value),
}
"""The classes that are read as what they are, also where another class derives from them; by id,
because the hash of a class is its metaclass's."""
