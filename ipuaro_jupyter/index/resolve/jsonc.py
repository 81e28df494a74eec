"""JSON as found in configuration files: with comments, trailing commas and a byte order mark."""

import json
import re
from typing import Any

_STRING = (
    r'"(?>[^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?\Z)'  # also an unclosed string, or it would be tried again
)
_STRING_OR_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING_OR_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)


def read_object(text: str | None) -> dict[str, Any]:
    """The object in ``text``; empty when it is None, broken or not an object."""
    if text is None:
        return {}
    try:
        value = json.loads(_plain(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """The strings of a list, in order; empty for anything else."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _plain(text: str) -> str:
    """The text without comments and trailing commas."""
    text = _STRING_OR_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return _STRING_OR_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else "", text)
