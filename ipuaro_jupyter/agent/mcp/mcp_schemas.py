"""JSON schemas of foreign tools in a form that every model's server accepts, and a model reads.

Ollama's package passes on the type, description, items and choices of a parameter, drops the rest,
and refuses the whole request for a description that is not text. So the target of a reference, or
the alternative to null in a choice, is inserted directly at the parameter.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_DEEPEST, _MOST_PARTS = 8, 500
_CHOICES = ("anyOf", "oneOf", "allOf")
_NEEDLESS = ("$schema", "$id", "$defs", "definitions")
_KINDS: dict[str, type] = {
    "description": str,
    "enum": list,
    "properties": dict,
    **dict.fromkeys(_CHOICES, list),
}
_NESTED = ("properties", "items", "$ref", *_CHOICES)


def readable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a tool's parameters, always with ``properties`` and ``required``.

    Everything else stays as it is, without definitions that only references need.
    """
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    required = required if isinstance(required, list) else ()
    reader = _SchemaReader(schema)
    return {
        **{key: value for key, value in schema.items() if key not in _NEEDLESS},
        "type": "object",
        "properties": {name: reader.read(part) for name, part in properties.items()},
        "required": [n for n in required if isinstance(n, str) and n in properties],
    }


def type_names(entry: Mapping[str, Any]) -> set[str]:
    """The JSON types that a value may have; "any" where types alone do not tell."""
    named = entry.get("type")
    if isinstance(named, str):
        return {named}
    if isinstance(named, list):
        return set(named)
    options: Sequence[Mapping[str, Any]] = entry.get("anyOf") or entry.get("oneOf") or ()
    return {name for option in options for name in (type_names(option) or {"any"})}


class _SchemaReader:
    """Reads the parts of one schema. Recursive or huge ones are cut to their types."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST_PARTS

    def read(self, part: Any, inside: tuple[str, ...] = (), depth: int = 0) -> dict[str, Any]:
        """The schema of one value; ``inside`` are the references that led to it."""
        if not isinstance(part, Mapping):
            return {}
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return _valid_entries({key: value for key, value in part.items() if key not in _NESTED})
        reference = part.get("$ref")
        if reference is not None:
            own = {key: value for key, value in part.items() if key != "$ref"}
            behind = _referenced(reference, self._root)
            if reference in inside:
                behind = {key: value for key, value in behind.items() if key not in _NESTED}
            return self.read({**behind, **own}, (*inside, str(reference)), depth + 1)
        for key in _CHOICES:
            options = part.get(key)
            if isinstance(options, list) and options:
                read = [self.read(option, inside, depth + 1) for option in options]
                return _chosen(part, key, read)
        found = _valid_entries(part)
        if isinstance(inner := part.get("properties"), Mapping):
            found["properties"] = {
                name: self.read(one, inside, depth + 1) for name, one in inner.items()
            }
        if isinstance(part.get("items"), Mapping):
            found["items"] = self.read(part["items"], inside, depth + 1)
        if "const" in part and "enum" not in part:
            found["enum"] = [part["const"]]
        return found


def _referenced(reference: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The target of a reference inside the schema; empty for any other."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return {}
    found: Any = root
    for part in reference[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _chosen(entry: Mapping[str, Any], key: str, options: list[dict[str, Any]]) -> dict[str, Any]:
    """An entry with a choice; a single option besides null replaces the choice."""
    own = _valid_entries({name: value for name, value in entry.items() if name != key})
    real = [option for option in options if option.get("type") != "null"]
    if len(real) != 1:
        return {**own, key: options}
    found = {**real[0], **own}
    if len(real) < len(options) and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _valid_entries(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry without parts that are not JSON schema."""
    found = dict(entry)
    named = found.get("type")
    if isinstance(named, list):
        found["type"] = [name for name in named if isinstance(name, str)]
    elif not isinstance(named, str):
        found.pop("type", None)
    for key, kind in _KINDS.items():
        if not isinstance(found.get(key, kind()), kind):
            del found[key]
    return found
