"""What follows ``%tool NAME``: a JSON object, ``key=value`` pairs, or values in order."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter.errors import SettingsError


def read_arguments(text: str, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the arguments of a tool.

    Args:
        text: The line after the tool's name. Quoting is the shell's.
        properties: The tool's parameters: name to JSON schema, in the order of the signature.

    Raises:
        SettingsError: The line cannot be read.
    """
    text = text.strip()
    if text.startswith("{"):
        return _json_object(text)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise SettingsError(f"Cannot read {text!r}: {error}. Quote as in a shell.") from None
    arguments: dict[str, Any] = {}
    left = list(properties)
    for word in words:
        name, equals, said = word.partition("=")
        if not (equals and name in properties):
            if not left:
                known = ", ".join(properties) or "none"
                raise SettingsError(f"{word!r} is one argument too many; there are: {known}.")
            name, said = left[0], word
        arguments[name] = _typed(said, properties[name])
        if name in left:
            left.remove(name)
    return arguments


def _json_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise SettingsError(
            f"The arguments are no JSON object: {error}. "
            "key=value pairs and values in order work too."
        ) from None
    if not isinstance(found, dict):
        raise SettingsError(f"The arguments have to be a JSON object, not {text!r}.")
    return found


def _typed(said: str, schema: Mapping[str, Any]) -> Any:
    """Return text for a string parameter, else what the text means as JSON."""
    if schema.get("type") == "string":
        return said
    try:
        return json.loads(said)
    except ValueError:
        return said
