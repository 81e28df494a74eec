"""How the facts of a file are stored: MessagePack arrays without field names.

The order of the fields is defined here and nowhere else; everywhere else records are plain dicts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import msgspec

Facts = dict[str, Any]

_FILE = ("path", "language", "hash", "size", "lines", "parse_error")
_METRICS = ("loc", "nesting_depth", "cyclomatic_complexity")
_PARAM = ("name", "type", "is_optional", "is_rest")
_RANGE = ("name", "qualified", "line_start", "line_end", "is_exported")
_FUNCTION = (
    *_RANGE,
    *("kind", "return_type", "is_async", "is_generator", "is_static", "is_abstract", "has_body"),
    *("cyclomatic", "nesting"),
)
_PROPERTY = ("name", "line_start", "line_end", "type", "is_static", "is_readonly")
_CLASS = (*_RANGE, "extends", "implements", "is_abstract")
_INTERFACE = (*_RANGE, "extends")
_TYPE = (*_RANGE, "text")
_PLAIN = {
    "imports": ("source", "line", "kind"),
    "exports": ("name", "line", "local", "source"),
    "enums": (*_RANGE, "members"),
    "namespaces": _RANGE,
    "variables": (*_RANGE, "kind"),
    "todos": ("line", "type", "text"),
}
_NAME = ("imported", "local")

_Get = Callable[[Facts], tuple[Any, ...]]
_file: _Get = itemgetter(*_FILE)
_metrics: _Get = itemgetter(*_METRICS)
_param: _Get = itemgetter(*_PARAM)
_function: _Get = itemgetter(*_FUNCTION)
_property: _Get = itemgetter(*_PROPERTY)
_class: _Get = itemgetter(*_CLASS)
_interface: _Get = itemgetter(*_INTERFACE)
_type: _Get = itemgetter(*_TYPE)
_name: _Get = itemgetter(*_NAME)
_plain: dict[str, _Get] = {kind: itemgetter(*fields) for kind, fields in _PLAIN.items()}


def pack_facts(facts: Facts) -> bytes:
    """Pack the facts of a file, named as in `records.code.FileFacts`, for storage.

    Raises:
        KeyError: A record lacks a field.
    """
    rows: list[Any] = [_file(facts), _metrics(facts["metrics"])]
    rows += [list(map(get, facts[kind])) for kind, get in _plain.items()]
    rows.append([list(map(_name, record["names"])) for record in facts["imports"]])
    rows.append(_functions(facts["functions"]))
    rows.append(
        [
            (_class(record), _functions(record["methods"]), _properties(record["properties"]))
            for record in facts["classes"]
        ]
    )
    for get, kind in ((_interface, "interfaces"), (_type, "types")):
        rows.append(
            [
                (get(record), _functions(record["methods"]), _properties(record["fields"]))
                for record in facts[kind]
            ]
        )
    return msgspec.msgpack.encode(rows)


def moved_facts(blob: bytes, path: str, to: str) -> bytes:
    """The facts of a file as of another path; nothing else in them depends on it.

    Raises:
        ValueError: They are not of ``path``.
    """
    start = 2  # after the headers of two short lists
    old = msgspec.msgpack.encode(path)
    if not blob.startswith(old, start):
        raise ValueError(f"not the facts of {path!r}")
    return blob[:start] + msgspec.msgpack.encode(to) + blob[start + len(old) :]


def unpack_facts(blob: bytes) -> Facts:
    """The facts that were given to `pack_facts`."""
    file, metrics, *rows = msgspec.msgpack.decode(blob)
    facts = _named(_FILE, file)
    facts["metrics"] = _named(_METRICS, metrics)
    for (kind, fields), listed in zip(_PLAIN.items(), rows, strict=False):
        facts[kind] = [_named(fields, row) for row in listed]
    names, functions, classes, interfaces, types = rows[len(_PLAIN) :]
    for record, listed in zip(facts["imports"], names, strict=True):
        record["names"] = [_named(_NAME, row) for row in listed]
    facts["functions"] = _read_functions(functions)
    facts["classes"] = [
        {
            **_named(_CLASS, own),
            "methods": _read_functions(methods),
            "properties": _read_properties(properties),
        }
        for own, methods, properties in classes
    ]
    for kind, own_fields, listed in (
        ("interfaces", _INTERFACE, interfaces),
        ("types", _TYPE, types),
    ):
        facts[kind] = [
            {
                **_named(own_fields, own),
                "methods": _read_functions(methods),
                "fields": _read_properties(fields),
            }
            for own, methods, fields in listed
        ]
    return facts


LineRange = tuple[int, int]
"""The first and the last line, 1-based."""

Span = tuple[str, str, str, int, int]
"""Name, qualified name, `SymbolKind`, first and last line (1-based, last included)."""


def declared_spans(blob: bytes) -> Iterator[Span]:
    """Yield the functions, classes and the like of a file, and its variables; of fields, none.

    A tenth of the time that `unpack_facts` takes.
    """
    rows = msgspec.msgpack.decode(blob)
    first = 2 + list(_PLAIN).index("enums")
    for kind, listed in zip(("enum", "namespace"), rows[first : first + 2], strict=True):
        yield from ((row[0], row[1], kind, row[2], row[3]) for row in listed)
    for row in rows[first + 2]:
        yield row[0], row[1], "const" if row[-1] == "const" else "variable", row[2], row[3]
    functions, classes, interfaces, types = rows[2 + len(_PLAIN) + 1 :]
    yield from _spans_of(functions)
    kinds = (("class", classes), ("interface", interfaces), ("type", types))
    for kind, holders in kinds:
        for row, methods, fields in holders:
            yield row[0], row[1], kind, row[2], row[3]
            yield from _spans_of(methods)
            for field, function in fields:
                if function is not None:
                    yield field[0], f"{row[1]}.{field[0]}", "function", field[1], field[2]


def declared_range(blob: bytes, qualified: str) -> LineRange | None:
    """The first and last line of a declaration; None for none, and for one in several parts.

    Args:
        blob: The facts of its file.
        qualified: Its name there.
    """
    found = {span[3:] for span in declared_spans(blob) if span[1] == qualified}
    return found.pop() if len(found) == 1 else None


def _spans_of(functions: Iterable[Any]) -> Iterator[Span]:
    for row, _ in functions:
        yield row[0], row[1], "function", row[2], row[3]


def _functions(records: Iterable[Facts]) -> list[Any]:
    return [(_function(record), list(map(_param, record["params"]))) for record in records]


def _properties(records: Iterable[Facts]) -> list[Any]:
    return [
        (
            _property(record),
            None if record["function"] is None else _functions([record["function"]]),
        )
        for record in records
    ]


def _named(fields: Sequence[str], row: Sequence[Any]) -> Facts:
    return dict(zip(fields, row, strict=True))


def _read_functions(rows: Iterable[Any]) -> list[Facts]:
    return [
        {**_named(_FUNCTION, own), "params": [_named(_PARAM, row) for row in params]}
        for own, params in rows
    ]


def _read_properties(rows: Iterable[Any]) -> list[Facts]:
    return [
        {**_named(_PROPERTY, own), "function": _read_functions(function)[0] if function else None}
        for own, function in rows
    ]
