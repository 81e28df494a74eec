"""Arrays and tables, in the words of a kernel's value: types, shape and the first rows."""

from typing import Any

from ipuaro_jupyter.notebook.kernel.plain_arrays import (
    COLUMNS,
    NOT_READ,
    Named,
    elements,
    numpy_class,
    plain_array,
)
from ipuaro_jupyter.notebook.kernel.read_tables import Column, read_table
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    bases,
    class_name,
    derives,
    member,
)
from ipuaro_jupyter.records.kernel import KernelValue, NamedType

_CELLS = 10
_TABLE_FIELDS = ("_mgr", "_df", "_s")
_TABLES = tuple(
    f"{library}.{kind}"
    for library in ("pandas", "pandas.core.frame", "pandas.core.series")
    for kind in ("DataFrame", "Series")
)
_TABLES += ("polars.dataframe.frame.DataFrame", "polars.series.series.Series")


def table_value(value: object, named: Named) -> KernelValue | None:
    """An array or a table with its types and its first rows; None for another value."""
    array = plain_array(value)
    if array is not None:
        return _array_value(value, array, named)
    table = read_table(value)
    if table is None:
        return None
    width = () if table.width is None else (table.width,)
    columns = [(_name(one.name, named), one) for one in table.columns]
    left = 0 if table.width is None else table.width - len(table.columns)
    return KernelValue(
        type="",
        length=table.rows,
        shape=(table.rows, *width),
        dtypes=tuple(NamedType(name=name, type=one.type) for name, one in columns),
        head=tuple(
            f"{f'{name}: ' if name else ''}{_cells(one, table.rows, named)}"
            for name, one in columns
        ),
        note=f"{left} more columns" if left > 0 else "",
    )


def is_unread_table(value: object) -> bool:
    """Whether a value is of a class of tables, of which `table_value` has read nothing."""
    return any(
        class_name(base) in _TABLES and attribute(value, field) is not None
        for base in bases(type(value))
        for field in _TABLE_FIELDS
    )


def table_line(value: object) -> str:
    """An array or a table in a few words; "" for another value."""
    kind = class_name(type(value))
    array = plain_array(value)
    if array is not None:
        return f"{kind} of shape {array.shape}, {array.dtype.name}"
    table = read_table(value)
    if table is None:
        return ""
    width = "" if table.width is None else f" and {table.width} columns"
    return f"{kind} of {table.rows:,} rows{width}"


def _array_value(value: object, array: Any, named: Named) -> KernelValue:
    told = elements(array.flat[:_CELLS], named)
    size = array.size
    more = [f"… {size:,} in all"] if size > len(told) else []
    names = array.dtype.names
    fields = names[:COLUMNS] if names else ()
    types_ = [NamedType(name=name, type=array.dtype[name].name) for name in fields]
    return KernelValue(
        type="",
        length=array.shape[0] if array.shape else None,
        shape=array.shape,
        dtypes=tuple(types_) or (NamedType(name="", type=array.dtype.name),),
        head=(", ".join([*_unmasked(value, array, told), *more]),),
    )


def _unmasked(value: object, array: Any, told: list[str]) -> list[str]:
    """The first elements; of an array with a mask, only those that it shows."""
    found = attribute(value, "_mask")
    if found is None or _is_false(found[0]):
        return told
    mask = plain_array(found[0])
    if mask is None or mask.shape != array.shape:
        return [NOT_READ]
    off = mask.flat[:_CELLS].tolist()
    return ["masked" if _is_any(is_off) else one for one, is_off in zip(told, off, strict=True)]


def _is_false(value: object) -> bool:
    """Whether a value is the false of numpy, which stands for a mask that hides nothing."""
    kind = numpy_class("bool") or numpy_class("bool_")
    return kind is not None and type(value) is kind and not member(kind, "__bool__")(value)


def _is_any(mask: Any) -> bool:
    """Whether a mask of an element hides it, or a field of it."""
    if type(mask) is tuple or type(mask) is list:
        return any(map(_is_any, mask))
    return mask is not False


def _cells(column: Column, rows: int, named: Named) -> str:
    """The first cells of a column; a label of a row may tell of a secret too."""
    if column.values is None:
        return NOT_READ
    labels = [*column.labels, *[""] * len(column.values)]
    told = [
        named((column.name, label), one) for one, label in zip(column.values, labels, strict=False)
    ]
    return f"{', '.join(told)}{' …' * (rows > len(told))}"


def _name(name: Any, named: Named) -> str:
    if name is None:
        return ""
    return name if type(name) is str else named("", name)


def scalar_line(value: object, named: Named) -> str | None:
    """A scalar of numpy in one line; None for another value."""
    generic = numpy_class("generic")
    if generic is None or not derives(type(value), generic):
        return None
    return elements(member(generic, "__array__")(value).reshape(1), named)[0]
