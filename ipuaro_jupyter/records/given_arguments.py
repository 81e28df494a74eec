"""The arguments of a call as the tool takes them, from what a model wrote."""

import ast
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ipuaro_jupyter.records.given_items import around, as_objects, is_object_list
from ipuaro_jupyter.records.parameter_names import likely_parameters, meant_parameters

_SHOWN = 60  # characters of a value in an error
_WRAPPERS = frozenset(
    {"parameters", "parameter", "params", "arguments", "argument", "args", "kwargs", "input"}
    | {"inputs", "tool_input", "tool_args", "function_args", "action_input"}
)
_NAMES = frozenset({"name", "tool", "tool_name", "toolName", "function", "type", "id", "action"})
_DESCRIBING = frozenset({"type", "value", "description", "title", "name"})
_TEXTS = frozenset({"content", "patch", "target"})
Properties = Mapping[str, Mapping[str, Any]]
"""The JSON schemas of a tool's parameters by name."""

_NOTHING = frozenset({"null", "None", ""})
_DEEPEST = 3  # wrappers in wrappers
_LONGEST = 1_000_000  # characters of a text that may hold a list or an object
_NOT_IN_LISTS = frozenset("{}[]()'\"\n")  # a text with these is no list of words with commas


class GivenArguments(NamedTuple):
    """Arguments under the tool's own names; what nothing explains keeps its name.

    ``problems`` has a sentence for each name that cannot be understood because of another.
    """

    values: dict[str, Any]
    problems: tuple[str, ...] = ()


def given_arguments(
    parameters: Mapping[str, Any], given: object, *, changes: bool = False
) -> GivenArguments | None:
    """What a model means by the arguments of a call; None when they are no arguments.

    Wrapped arguments are unwrapped, other usual names are replaced by those of the tool, texts are
    read as the numbers, lists and objects that they hold where the tool wants such. None and texts
    such as "null" leave out an optional parameter.

    Args:
        parameters: The tool's JSON schema; when it allows further names, all names are kept.
        given: The arguments; also a JSON text, or a list with one object.
        changes: Whether the tool changes something: then doubtful names are not understood.
    """
    properties: Properties = parameters.get("properties", {})
    if isinstance(given, str):
        given = _loaded(given.strip()) if given.strip() else {}
    read = _object(around(given, parameters))
    if read is None:
        return None
    if parameters.get("additionalProperties", not properties) not in (False, None):
        wrappers = _WRAPPERS.difference(properties) & read.keys()
        empty = {name for name in wrappers if not read[name]}
        # Any other name may have a meaning.
        named = {str(name): (str(name), read[name]) for name in read if name not in empty}
        return _typed(named, parameters, changes=changes)
    unwrapped = _unwrapped(read, properties)
    plain = {str(name): _plain(str(name), value, properties) for name, value in unwrapped.items()}
    plain = {name: value for name, value in plain.items() if value is not None}
    plain = dict(around(plain, parameters))
    meant = meant_parameters(
        tuple(plain),
        tuple(properties),
        changes=changes,
        fits=lambda name, parameter: _fits(plain[name], properties[parameter]),
    )
    named = {name: (meant.get(name, name), value) for name, value in plain.items()}
    return _typed(named, parameters, changes=changes)


def _typed(
    named: Mapping[str, tuple[str, Any]], parameters: Mapping[str, Any], *, changes: bool
) -> GivenArguments:
    """The arguments in the tool's types; ``named`` has the parameter and value for each name."""
    properties: Properties = parameters.get("properties", {})
    values: dict[str, Any] = {}
    came_from: dict[str, str] = {}
    problems: list[str] = []
    for name, (own, value) in sorted(named.items(), key=lambda item: item[0] != item[1][0]):
        entry = properties.get(own, {})
        is_optional = own in properties and own not in parameters.get("required", ())
        if value is None or (is_optional and _is_nothing(value, entry)):
            continue
        typed = typed_value(value, entry, own)
        if own in values and values[own] != typed:
            problems.append(
                f"{came_from[own]!r} and {name!r} mean the same parameter, but differ: "
                f"{_short(values[own])} and {_short(typed)}"
            )
        if own not in properties and (choice := _choice(own, properties, named, changes=changes)):
            problems.append(f"{own!r} could mean {' or '.join(map(repr, choice))}: say which")
        came_from.setdefault(own, name)
        values.setdefault(own, typed)
    order = dict.fromkeys(own for own, _ in named.values())
    return GivenArguments({own: values[own] for own in order if own in values}, tuple(problems))


def typed_value(value: Any, entry: Mapping[str, Any], name: str = "") -> Any:
    """The value in the type that a JSON schema wants, if it can be read so, else unchanged.

    ``2.0`` and ``"2"`` become 2, ``"true"`` True, ``'["a"]'``, ``"a"`` and ``"a,b"`` lists of
    strings, a list with one string that string, and a list of lines their text where ``name`` is a
    parameter for text. For lists of objects see `given_items.as_objects`.
    """
    types = _types(entry)
    if is_object_list(entry):
        return as_objects(value, entry, loaded=_loaded, typed=typed_value)
    if isinstance(value, str):
        return value if "string" in types or not types else _read_text(value, types, entry)
    if isinstance(value, float) and value.is_integer() and "integer" in types:
        return int(value)
    if isinstance(value, list | tuple) and types == {"string"}:
        lines = [line for line in value if isinstance(line, str)]
        if len(lines) == len(value) and (len(lines) == 1 or (lines and name in _TEXTS)):
            return "\n".join([*(line.removesuffix("\n") for line in lines[:-1]), lines[-1]])
    return value


def _read_text(text: str, types: set[str], entry: Mapping[str, Any]) -> Any:
    stripped = text.strip()
    value = _loaded(stripped)
    if isinstance(value, bool):
        return value if "boolean" in types else text
    if isinstance(value, int | float):
        if "integer" in types and float(value).is_integer():
            return int(value)
        return value if "number" in types else text
    if isinstance(value, dict) and "object" in types:
        return value
    if "array" in types:
        return value if isinstance(value, list) else _words(text, entry)
    return text


def _words(text: str, entry: Mapping[str, Any]) -> Any:
    """The list that a text stands for where a list of strings is wanted."""
    if _types(entry.get("items", {})) not in ({"string"}, set()):
        return text
    words = [word.strip() for word in text.split(",")]
    if len(words) == 1 or not all(words) or _NOT_IN_LISTS & set(text):
        return [text] if text.strip() else []
    return words


def _loaded(text: str) -> Any:
    """The value of a text in JSON or in Python's notation; None when it is neither."""
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if len(text) > _LONGEST or text[:1] not in set("+-.0123456789[{("):
        return None
    with suppress(ValueError, RecursionError):
        return json.loads(text.removeprefix("+"), strict=False)
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        value = ast.literal_eval(text)
        return list(value) if isinstance(value, tuple) else value
    return None


def _object(given: object) -> Mapping[Any, Any] | None:
    """An object, also one in a JSON text or alone in a list."""
    if isinstance(given, str):
        given = _loaded(given.strip()) if given.strip() else {}
    if isinstance(given, list | tuple) and len(given) == 1:
        (given,) = given
    if isinstance(given, list | tuple) and not given:
        return {}
    return given if isinstance(given, Mapping) else None


def _unwrapped(given: Mapping[Any, Any], properties: Properties) -> Mapping[Any, Any]:
    """The arguments without an object around them, such as ``{"parameters": {…}}``."""
    for _ in range(_DEEPEST):
        wrapper = next(
            (name for name in given if name in _WRAPPERS and name not in properties), None
        )
        inner = None if wrapper is None else _object(given[wrapper] or {})
        if inner is None:
            break
        outer = {name: value for name, value in given.items() if name != wrapper}
        given = dict(inner) if _NAMES.issuperset(outer) else {**outer, **inner}
    return given


def _plain(name: str, value: Any, properties: Properties) -> Any:
    """The value in ``{"type": "string", "value": …}`` or in ``{name: …}``."""
    if not isinstance(value, Mapping) or "object" in _types(properties.get(name, {})):
        return value
    if "value" in value and _DESCRIBING.issuperset(value):
        return value["value"]
    return value[name] if set(value) == {name} else value


def _choice(
    name: str,
    properties: Properties,
    named: Mapping[str, tuple[str, Any]],
    *,
    changes: bool,
) -> list[str]:
    """The parameters that a name may mean, if there is a choice."""
    found = likely_parameters(name, tuple(properties), changes=changes)
    taken = {own for own, _ in named.values()}
    left = [each for each in found if each not in taken]
    return left if len(left) > 1 else []


def _fits(value: Any, entry: Mapping[str, Any]) -> bool:
    """Whether the value can be one of a parameter."""
    if isinstance(value, str) and value.strip() in _NOTHING:
        return True
    return is_of_type(typed_value(value, entry), entry)


def is_of_type(value: Any, entry: Mapping[str, Any]) -> bool:
    """Whether a value is of a type that a JSON schema names, or the schema names none."""
    types = _types(entry)
    return not types or bool(types & _kinds(value))


def _kinds(value: Any) -> set[str]:
    match value:
        case bool():
            return {"boolean"}
        case str():
            return {"string"}
        case int() | float():
            return {"integer", "number", "string"}
        case list() | tuple():
            return {"array"}
        case _:
            return {"object"}


def _is_nothing(value: Any, entry: Mapping[str, Any]) -> bool:
    """Whether the value of an optional parameter leaves it out; "" does where no text is wanted."""
    if not isinstance(value, str) or value.strip() not in _NOTHING:
        return False
    return bool(value.strip()) or "enum" in entry or _types(entry) != {"string"}


def _types(entry: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema names, without null."""
    named = entry.get("type", [])
    types = {named} if isinstance(named, str) else set(named)
    for option in [*entry.get("anyOf", ()), *entry.get("oneOf", ())]:
        types |= _types(option)
    if not types and "$ref" in entry:
        types = {"object"}
    return types - {"null"}


def _short(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…"
