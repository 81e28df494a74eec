"""Arrays and tables: of numpy, pandas and polars, and of classes that derive from theirs.

They are read from what their compiled parts store; a subclass, or an object in a column, is never
called. Nothing is imported: a value of a library is there only if the library is. What a release of
theirs stores otherwise is not read, and that is said.
"""

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ipuaro_jupyter.agent.redaction import kind_of
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    class_name,
    derives,
    is_native,
    member,
    native_field,
    strings,
)
from ipuaro_jupyter.records.kernel import KernelValue, NamedType

Line = Callable[[Any], str]
_ROWS, _COLUMNS, _CELLS = 5, 40, 10
_COMPILED = (".so", ".pyd", ".dll")


class WrittenValue(NamedTuple):
    """A value that is written already, as that of a table without an equal in Python."""

    text: str


class _Column(NamedTuple):
    name: Any
    type: str
    values: Sequence[Any]


class _ReadTable(NamedTuple):
    """A table; ``columns`` are the first ones."""

    rows: int
    width: int | None
    columns: Sequence[_Column]


def table_value(value: object, line: Line) -> KernelValue | None:
    """An array or a table with its types and its first rows; None for another value."""
    array = _array(value)
    if array is not None:
        return _array_value(array, line)
    table = _read(value)
    if table is None:
        return None
    width = () if table.width is None else (table.width,)
    named = [(_name(one.name, line), one) for one in table.columns]
    left = 0 if table.width is None else table.width - len(table.columns)
    return KernelValue(
        type="",
        length=table.rows,
        shape=(table.rows, *width),
        dtypes=tuple(NamedType(name=name, type=one.type) for name, one in named),
        head=tuple(
            f"{name}: {', '.join(_cells(name, one, line))}{' …' * (table.rows > len(one.values))}"
            for name, one in named
        ),
        note=f"{left} more columns" if left > 0 else "",
    )


def table_line(value: object) -> str:
    """An array or a table in a few words; "" for another value."""
    kind = class_name(type(value))
    array = _array(value)
    if array is not None:
        return f"{kind} of shape {array.shape}, {array.dtype.name}"
    table = _read(value)
    if table is None:
        return ""
    width = "" if table.width is None else f" and {table.width} columns"
    return f"{kind} of {table.rows:,} rows{width}"


def _array_value(array: Any, line: Line) -> KernelValue:
    first = array.flat[:_CELLS].tolist()
    size = array.size
    more = [f"… {size:,} in all"] if size > len(first) else []
    names = array.dtype.names
    fields = names[:_COLUMNS] if names else ()
    types_ = [NamedType(name=name, type=array.dtype[name].name) for name in fields]
    return KernelValue(
        type="",
        length=array.shape[0] if array.shape else None,
        shape=array.shape,
        dtypes=tuple(types_) or (NamedType(name="", type=array.dtype.name),),
        head=(", ".join([*map(line, first), *more]),),
    )


def _cells(name: str, column: _Column, line: Line) -> Iterator[str]:
    """Yield the first cells; the name stands before each whose name tells of a secret."""
    for number, one in enumerate(column.values):
        yield f"{name}: {line(one)}" if number and kind_of(name) else line(one)


def _name(name: Any, line: Line) -> str:
    return name if type(name) is str else line(name)


def _compiled(module: str, name: str) -> Any:
    """A class or function of a compiled module; None when that is not loaded."""
    found = sys.modules.get(module)
    if type(found) is not types.ModuleType:
        return None
    names = dict(strings(found.__dict__))
    file = names.get("__file__")
    is_compiled = type(file) is str and file.endswith(_COMPILED)
    return names.get(name) if is_compiled else None


def _array(value: object) -> Any:
    """A numpy array, or one of a class that derives from it, as a plain one; else None."""
    ndarray = _numpy("ndarray")
    if ndarray is None or not derives(type(value), ndarray):
        return None
    return member(ndarray, "view")(value, ndarray)


def scalar_item(value: object) -> tuple[Any] | None:
    """A scalar of numpy as a value of Python, in a tuple; None for another value."""
    generic = _numpy("generic")
    if generic is None or not derives(type(value), generic):
        return None
    return (member(generic, "item")(value),)


def _numpy(name: str) -> type | None:
    """A class of numpy that is written in C; None when it is not loaded."""
    numpy = sys.modules.get("numpy")
    found = numpy.__dict__.get(name) if type(numpy) is types.ModuleType else None
    return found if type(found) is type and is_native(found) else None


def _read(value: object) -> _ReadTable | None:
    """A table or a column of pandas or polars; None for another value, and for what is unknown."""
    try:
        for field, read in (("_mgr", _pandas), ("_df", _polars), ("_s", _polars_column)):
            found = attribute(value, field)
            if found is not None:
                return read(value, found[0])
    except Exception:  # noqa: BLE001 - another release of the library stores it otherwise
        return None
    return None


def _pandas(value: object, blocks: object) -> _ReadTable | None:
    """A frame or a series of pandas, from its blocks."""
    manager = _compiled("pandas._libs.internals", "BlockManager")
    block = _compiled("pandas._libs.internals", "Block")
    if block is None:
        return None
    if derives(type(blocks), manager):
        axes = native_field(manager, blocks, "axes")
        parts = native_field(manager, blocks, "blocks")
    else:
        (axes,) = attribute(blocks, "axes") or (None,)
        (parts,) = attribute(blocks, "blocks") or (None,)
    if type(axes) is not list or type(parts) is not tuple:
        return None
    rows = _length(axes[-1])
    if len(axes) == 1:
        name = attribute(value, "_name")
        kind, cells = _values(native_field(block, parts[0], "values"), None)
        return _ReadTable(rows, None, [_Column(name[0] if name else None, kind, cells)])
    width = _length(axes[0])
    names = _index_values(axes[0], min(width, _COLUMNS))
    columns: list[_Column | None] = [None] * len(names)
    for part in parts:
        places = native_field(block, part, "_mgr_locs")
        values = native_field(block, part, "values")
        for at, place in enumerate(native_field(type(places), places, "as_array").tolist()):
            if place < len(columns):
                columns[place] = _Column(names[place], *_values(values, at))
    return _ReadTable(rows, width, [one for one in columns if one is not None])


def _length(index: object) -> int:
    """The length of an index of pandas, without calling it."""
    steps = attribute(index, "_range")
    if steps is not None and type(steps[0]) is range:
        return len(steps[0])
    levels = attribute(index, "_codes")
    data = attribute(index, "_data")
    if data is None and levels is not None:
        return int(_backing(levels[0][0]).shape[0])
    if data is None:
        raise AttributeError("_data")
    return int(_backing(data[0]).shape[-1])


def _index_values(index: object, count: int) -> list[Any]:
    """The first labels of an index."""
    steps = attribute(index, "_range")
    if steps is not None and type(steps[0]) is range:
        return list(islice(steps[0], count))
    data = attribute(index, "_data")
    if data is None:
        return [f"column {number}" for number in range(count)]
    _, values = _values(data[0], None, count)
    return list(values)


def _backing(values: object) -> Any:
    """The plain array with the values, or their codes, of an array of pandas.

    Raises:
        AttributeError: They are stored otherwise.
    """
    array = _array(values)
    if array is not None:
        return array
    backed = _compiled("pandas._libs.arrays", "NDArrayBacked")
    if backed is not None and derives(type(values), backed):
        return _array(native_field(backed, values, "_ndarray"))
    data = attribute(values, "_data")
    array = None if data is None else _array(data[0])
    if array is None:
        raise AttributeError("_data")
    return array


def _values(values: object, row: int | None, count: int = _ROWS) -> tuple[str, Sequence[Any]]:
    """The type of the values of a column, and the first ones.

    Args:
        values: An array, of pandas or numpy.
        row: Which row of it they are; None for an array of one dimension.
        count: How many are read.
    """
    kind = class_name(type(values)).rpartition(".")[2]
    try:
        array = _backing(values)
    except AttributeError:
        return kind, ()
    if row is not None and len(array.shape) > 1:
        array = array[row]
    first = array[:count]
    if array.dtype.kind in "mM":
        return array.dtype.name, [WrittenValue(str(one)) for one in first]
    told = first.tolist()
    if _array(values) is not None:
        return array.dtype.name, told
    if kind == "Categorical":
        return "category", [_category(values, code) for code in told]
    mask = attribute(values, "_mask")
    if mask is not None and (hidden := _array(mask[0])) is not None:
        off = hidden[:count].tolist()
        return array.dtype.name.capitalize(), [
            WrittenValue("<NA>") if is_off else one for one, is_off in zip(told, off, strict=True)
        ]
    return kind.removesuffix("Array").lower(), told


def _category(values: object, code: int) -> Any:
    """The category of a code."""
    backed = _compiled("pandas._libs.arrays", "NDArrayBacked")
    known = attribute(native_field(backed, values, "_dtype"), "_categories")
    if code < 0 or known is None:
        return None
    return _index_values(known[0], code + 1)[code]


def _polars(_value: object, frame: object) -> _ReadTable | None:
    """A frame of polars, from its compiled part."""
    kind = _compiled("polars._plr", "PyDataFrame") or _compiled("polars.polars", "PyDataFrame")
    if kind is None or type(frame) is not kind:
        return None
    rows, width = member(kind, "shape")(frame)
    names = member(kind, "columns")(frame)[:_COLUMNS]
    types_ = member(kind, "dtype_strings")(frame)
    first = member(kind, "row_tuples")(member(kind, "slice")(frame, 0, _ROWS))
    return _ReadTable(
        rows,
        width,
        [_Column(name, types_[at], [row[at] for row in first]) for at, name in enumerate(names)],
    )


def _polars_column(_value: object, series: object) -> _ReadTable | None:
    """A series of polars, from its compiled part."""
    kind = _compiled("polars._plr", "PySeries") or _compiled("polars.polars", "PySeries")
    if kind is None or type(series) is not kind:
        return None
    first = member(kind, "to_list")(member(kind, "slice")(series, 0, _ROWS))
    name = member(kind, "name")(series)
    return _ReadTable(member(kind, "len")(series), None, [_Column(name, "", first)])
