"""A list of objects as a tool takes it, from what a model wrote in its place."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ipuaro_jupyter.records.parameter_names import meant_parameters, same_name

_MOST_NESTED = 3
_HOLDERS = frozenset(
    {"change", "edit", "hunk", "operation", "modification", "update", "replacement", "range"}
    | {"patch", "file", "item", "line"}
)
"""Names, without a plural's s, of what holds changes of one file, or one change."""

Entry = Mapping[str, Any]
Typed = Callable[[Any, Entry, str], Any]
Loaded = Callable[[str], Any]


def is_object_list(entry: Entry) -> bool:
    """Whether a JSON schema wants a list of objects with named properties."""
    return entry.get("type") == "array" and bool(_properties(entry))


def lone_list(parameters: Entry) -> str:
    """The name of a tool's only parameter if that is a list of objects, else ""."""
    properties = parameters.get("properties", {})
    return next(
        (n for n, e in properties.items() if len(properties) == 1 and is_object_list(e)), ""
    )


def around(given: Any, parameters: Entry) -> Any:
    """Arguments with the name of the only parameter where they are its value.

    They may be the list itself, or the properties of its only object.
    """
    name = lone_list(parameters)
    if not name:
        return given
    if isinstance(given, list | tuple) and len(given) > 1 and all(map(_is_object, given)):
        return {name: list(given)}
    if not isinstance(given, Mapping) or name in given:
        return given
    inner = _properties(parameters["properties"][name])
    plain = [str(key) for key in given]
    meant = meant_parameters(plain, tuple(inner), changes=True)
    return {name: [given]} if len(meant) > 1 and len(meant) == len(plain) else given


def with_items(arguments: Entry) -> Iterator[Entry]:
    """Yield the arguments of a call, and the objects in the lists among them."""
    yield arguments
    for value in arguments.values():
        if isinstance(value, list | tuple):
            yield from filter(_is_object, value)


def as_objects(value: Any, entry: Entry, *, loaded: Loaded, typed: Typed) -> Any:
    """The objects under the names and in the types of a schema; else ``value`` unchanged.

    One object stands for a list of one. A text may hold the JSON of the list or of an object. An
    object with a list of objects inside stands for these, each with its other properties.

    Args:
        value: What the model gave.
        entry: The schema of the list.
        loaded: Returns the value of a JSON text, None for other texts.
        typed: Returns a property's value in the type of its schema; its name comes last.
    """
    objects = _objects(value, loaded, _MOST_NESTED)
    if objects is None:
        return value
    properties = _properties(entry)
    flat = [each for one in objects for each in _flat(one, properties, loaded)]
    return [_named(one, properties, typed) for one in flat]


def _objects(value: Any, loaded: Loaded, depth: int) -> list[Mapping[str, Any]] | None:
    """The objects that a value holds; None when it holds something else."""
    if isinstance(value, str):
        value = loaded(value.strip())
    if isinstance(value, Mapping):
        return [{str(name): inner for name, inner in value.items()}]
    if not isinstance(value, list | tuple) or not depth:
        return None
    found = [_objects(one, loaded, depth - 1) for one in value]
    return None if None in found else [one for some in found if some for one in some]


def _flat(
    one: Mapping[str, Any], properties: Mapping[str, Entry], loaded: Loaded
) -> Iterator[Mapping[str, Any]]:
    """Yield an object, or those in a list or an object that it holds by another name."""
    meant = meant_parameters(tuple(one), tuple(properties), changes=True)
    for name, value in one.items():
        is_holder = name not in meant and same_name(name).rstrip("s") in _HOLDERS
        inner = _objects(value, loaded, _MOST_NESTED) if is_holder else None
        if inner is not None:
            outer = {key: given for key, given in one.items() if key != name}
            yield from ({**outer, **each} for each in inner)
            return
    yield one


def _named(one: Mapping[str, Any], properties: Mapping[str, Entry], typed: Typed) -> dict[str, Any]:
    meant = meant_parameters(tuple(one), tuple(properties), changes=True)
    named: dict[str, Any] = {}
    for name, value in one.items():
        own = meant.get(name, name)
        if value is None:
            continue
        if own in named:
            own = name  # said twice: the tool tells that it has no such name
        named[own] = typed(value, properties.get(own, {}), own)
    return named


def _properties(entry: Entry) -> Mapping[str, Entry]:
    found = entry.get("items", {}).get("properties", {})
    return found if isinstance(found, Mapping) else {}


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)
