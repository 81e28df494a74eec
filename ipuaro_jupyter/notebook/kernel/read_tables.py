"""Tables of pandas and polars, read from what their compiled parts store.

A subclass, or an object in a column, is never called. Nothing is imported: a value of a library is
there only if the library is. What a release of theirs stores otherwise is not read, and that is
said.
"""

import datetime as dt
import sys
import types
import zoneinfo
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from ipuaro_jupyter.notebook.kernel.plain_arrays import (
    COLUMNS,
    WrittenValue,
    plain_array,
    python_values,
)
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    class_name,
    derives,
    member,
    native_field,
    strings,
)

_ROWS = 5
_COMPILED = (".so", ".pyd", ".dll")


class Column(NamedTuple):
    """A column; of ``values``, the first, None where they could not be read."""

    name: Any
    type: str
    values: Sequence[Any] | None
    labels: Sequence[Any] = ()


class ReadTable(NamedTuple):
    """A table; ``columns`` are the first ones."""

    rows: int
    width: int | None
    columns: Sequence[Column]


def read_table(value: object) -> ReadTable | None:
    """A table or a column of pandas or polars; None for another value, and for what is unknown."""
    try:
        for field, read in (("_mgr", _pandas), ("_df", _polars), ("_s", _polars_column)):
            found = attribute(value, field)
            if found is not None:
                return read(value, found[0])
    except Exception:  # noqa: BLE001 - another release of the library stores it otherwise
        return None
    return None


def _pandas(value: object, blocks: object) -> ReadTable | None:
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
        kind, cells = _column(native_field(block, parts[0], "values"), None)
        return ReadTable(
            rows, None, [Column(name[0] if name else None, kind, cells, _labels(axes[-1], rows))]
        )
    width = _length(axes[0])
    labels = _labels(axes[1], rows)
    names = [
        f"column {number}" if one is None else one
        for number, one in enumerate(_index_values(axes[0], min(width, COLUMNS)))
    ]
    columns = [Column(name, "unknown", None) for name in names]
    for part in parts:
        places = native_field(block, part, "_mgr_locs")
        values = native_field(block, part, "values")
        for at, place in enumerate(native_field(type(places), places, "as_array").tolist()):
            if place < len(columns):
                columns[place] = Column(names[place], *_column(values, at), labels)
    return ReadTable(rows, width, columns)


def _labels(index: object, rows: int) -> Sequence[Any]:
    """The names of the first rows."""
    return _index_values(index, min(rows, _ROWS))


def _length(index: object) -> int:
    """The length of an index of pandas, without calling it."""
    steps = attribute(index, "_range")
    if steps is not None and type(steps[0]) is range:
        return len(steps[0])
    levels = attribute(index, "_codes")
    data = attribute(index, "_data")
    if data is None and levels is not None:
        return int(_backing(_first(levels[0])).shape[0])
    if data is None:
        raise AttributeError("_data")
    left = attribute(data[0], "_left")  # intervals keep their ends
    if left is not None:
        return int(_backing(left[0]).shape[0])
    return int(_backing(data[0]).shape[-1])


def _first(values: object) -> object:
    """The first element of a list, past what its class overrides.

    Raises:
        AttributeError: It is no list.
    """
    if not derives(type(values), list):
        raise AttributeError("_codes")
    return list.__getitem__(values, 0)  # type: ignore[call-overload] # a list, or derived from it


def _index_values(index: object, count: int, start: int = 0) -> list[Any]:
    """Labels of an index, None for each that cannot be read."""
    with suppress(Exception):  # another release of the library stores it otherwise
        found = _read_labels(index, count, start)
        if len(found) == count:
            return found
    return [None] * count


def _read_labels(index: object, count: int, start: int) -> list[Any]:
    steps = attribute(index, "_range")
    if steps is not None and type(steps[0]) is range:
        return list(islice(steps[0], start, start + count))
    levels, codes = attribute(index, "_levels"), attribute(index, "_codes")
    if levels is None or codes is None:
        (data,) = attribute(index, "_data") or (None,)
        return list(_values(data, None, count, start)[1])
    parts = [
        [
            None if code < 0 else _index_values(level, 1, code)[0]
            for code in _backing(array)[start : start + count].tolist()
        ]
        for level, array in zip(list.__iter__(levels[0]), list.__iter__(codes[0]), strict=True)
    ]
    return list(zip(*parts, strict=True))


def _backing(values: object) -> Any:
    """The plain array with the values, or their codes, of an array of pandas.

    Raises:
        AttributeError: They are stored otherwise.
    """
    array = plain_array(values)
    if array is not None:
        return array
    backed = _compiled("pandas._libs.arrays", "NDArrayBacked")
    if backed is not None and derives(type(values), backed):
        return plain_array(native_field(backed, values, "_ndarray"))
    data = attribute(values, "_data")
    array = None if data is None else plain_array(data[0])
    if array is None:
        raise AttributeError("_data")
    return array


def _column(values: object, row: int | None) -> tuple[str, Sequence[Any] | None]:
    """The type of the values of a column, and the first ones; None where they cannot be read."""
    try:
        return _values(values, row)
    except Exception:  # noqa: BLE001 - one odd column is no reason not to read the others
        return class_name(type(values)).rpartition(".")[2], None


def _values(
    values: object, row: int | None, count: int = _ROWS, start: int = 0
) -> tuple[str, Sequence[Any]]:
    """The type of the values of a column, and some of them.

    Args:
        values: An array, of pandas or numpy.
        row: Which row of it they are; None for an array of one dimension.
        count: How many are read.
        start: The first that is read.

    Raises:
        AttributeError: They are stored in a way that is not known.
    """
    array = _backing(values)
    if row is not None and len(array.shape) > 1:
        array = array[row]
    first = array[start : start + count]
    if plain_array(values) is not None:
        return array.dtype.name, python_values(first)
    kind = class_name(type(values)).rpartition(".")[2]
    if kind == "Categorical":
        return "category", _categories(values, first.tolist())
    if kind == "DatetimeArray":
        return _moments(values, first)
    if kind in ("TimedeltaArray", "NumpyExtensionArray", "PandasArray"):
        return array.dtype.name, python_values(first)
    if kind == "StringArray":
        return "str" if _is_nan(values) else "string", first.tolist()
    (mask,) = attribute(values, "_mask") or (None,)
    hidden = plain_array(mask)
    if kind not in ("BooleanArray", "IntegerArray", "FloatingArray") or hidden is None:
        raise AttributeError("_data")
    name = array.dtype.name.capitalize().replace("Uint", "UInt")
    return "boolean" if kind == "BooleanArray" else name, [
        WrittenValue("<NA>") if is_off else one
        for one, is_off in zip(first.tolist(), hidden[start : start + count].tolist(), strict=True)
    ]


def _dtype(values: object) -> object:
    return native_field(_compiled("pandas._libs.arrays", "NDArrayBacked"), values, "_dtype")


def _is_nan(values: object) -> bool:
    """Whether missing strings are those of numpy, which pandas calls another type."""
    missing = attribute(_dtype(values), "_na_value")
    return missing is not None and type(missing[0]) is float


def _moments(values: object, first: Any) -> tuple[str, Sequence[Any]]:
    """Points in time; those with a zone are stored, and written, in UTC."""
    name, told = first.dtype.name, python_values(first)
    zone = attribute(_dtype(values), "_tz")
    if zone is None:
        return name, told
    kind = type(zone[0])
    key = native_field(kind, zone[0], "key") if kind is zoneinfo.ZoneInfo else None
    if key is None and kind is dt.timezone:
        key = dt.timezone.tzname(zone[0], None)
    shown = key if type(key) is str else class_name(kind)
    in_utc = [one if one.text == "NaT" else WrittenValue(f"{one.text} UTC") for one in told]
    return f"{name[:-1]}, {shown}]", in_utc


def _categories(values: object, codes: Sequence[int]) -> list[Any]:
    """The categories of codes."""
    known = attribute(_dtype(values), "_categories")
    found = [
        None if code < 0 or known is None else _index_values(known[0], 1, code)[0] for code in codes
    ]
    if any(one is None and code >= 0 for one, code in zip(found, codes, strict=True)):
        raise AttributeError("_categories")
    return found


def _polars(_value: object, frame: object) -> ReadTable | None:
    """A frame of polars, from its compiled part."""
    kind = _compiled("polars._plr", "PyDataFrame") or _compiled("polars.polars", "PyDataFrame")
    if kind is None or type(frame) is not kind:
        return None
    rows, width = member(kind, "shape")(frame)
    names = member(kind, "columns")(frame)[:COLUMNS]
    types_ = member(kind, "dtype_strings")(frame)
    first = member(kind, "row_tuples")(member(kind, "slice")(frame, 0, _ROWS))
    return ReadTable(
        rows,
        width,
        [Column(name, types_[at], [row[at] for row in first]) for at, name in enumerate(names)],
    )


def _polars_column(_value: object, series: object) -> ReadTable | None:
    """A series of polars, from its compiled part."""
    kind = _compiled("polars._plr", "PySeries") or _compiled("polars.polars", "PySeries")
    if kind is None or type(series) is not kind:
        return None
    first = member(kind, "to_list")(member(kind, "slice")(series, 0, _ROWS))
    name = member(kind, "name")(series)
    return ReadTable(member(kind, "len")(series), None, [Column(name, "", first)])


def _compiled(module: str, name: str) -> Any:
    """A class or function of a compiled module; None when that is not loaded."""
    found = sys.modules.get(module)
    if type(found) is not types.ModuleType:
        return None
    names = dict(strings(found.__dict__))
    file = names.get("__file__")
    is_compiled = type(file) is str and file.endswith(_COMPILED)
    return names.get(name) if is_compiled else None
