"""From the text of a parameter to its value, as the tool's JSON schema types it."""

import re
from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter.llm.text_calls.lenient_json import load_json
from ipuaro_jupyter.llm.text_calls.reply_text import BLANKS

VERBATIM = frozenset(
    {"content", "patch", "target", "code", "contents", "file_text", "file_content", "new_content"}
    | {"old_string", "new_string", "old_str", "new_str", "old_text", "new_text", "new_code"}
    | {"old_code", "replacement"}
)
"""Parameters that hold code: their blanks and entities are the code's own."""

OMITTED = object()
"""What `typed` returns for a parameter that the model left out by saying "null"."""

_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]{1,9})|#[xX]([0-9A-Fa-f]{1,8}));")
_KINDS = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("integer", "number"),
    list: ("array",),
    dict: ("object",),
}
"""What a schema may call the type of a value."""


def plain_text(name: str, raw: str) -> str:
    """The text between a parameter's tags without framing, entities decoded.

    One newline after the opening tag is framing, and then so is the indentation of a closing tag
    on a line of its own. What is not code also loses the blanks around it when it is one line,
    and all blanks before the closing tag when it has more.
    """
    framed = raw.startswith(("\n", "\r\n"))
    raw = raw[2:] if raw.startswith("\r\n") else raw.removeprefix("\n")
    if name.lower() in VERBATIM:
        unindented = raw.rstrip(" \t")
        return unindented if framed and unindented.endswith("\n") else raw
    lines = raw.rstrip(BLANKS)
    return decode_entities(lines if "\n" in lines.lstrip(BLANKS) else lines.lstrip(BLANKS))


def decode_entities(text: str) -> str:
    """The text with XML's five entities and numeric ones decoded, once."""
    return _ENTITY.sub(_decoded, text)


def _decoded(entity: re.Match[str]) -> str:
    name, decimal, hexadecimal = entity.groups()
    if name:
        return _ENTITIES[name]
    try:
        return chr(int(decimal) if decimal else int(hexadecimal, base=16))
    except (ValueError, OverflowError):
        return entity[0]


def typed(text: str, entry: Mapping[str, Any], *, optional: bool) -> Any:
    """The value that the text stands for.

    What cannot be read as its type stays text: the tool's own validation knows what to say.

    Args:
        text: A parameter's text, or a string where the model gave one in JSON.
        entry: The parameter's JSON schema; empty when the tool has no such parameter.
        optional: Whether the text "null" means that the parameter is left out (`OMITTED`).
    """
    types = _types(entry)
    if optional and text.strip() == "null":
        return OMITTED
    if not types or "string" in types:
        return text
    try:
        value = load_json(text.strip())
    except ValueError:
        return text
    return text if types.isdisjoint(_KINDS.get(type(value), ())) else value


def _types(entry: Mapping[str, Any]) -> set[str]:
    named = entry.get("type", [])
    types = {named} if isinstance(named, str) else set(named)
    for option in [*entry.get("anyOf", ()), *entry.get("oneOf", ())]:
        types |= _types(option)
    if not types and "$ref" in entry:
        types = {"object"}
    return types - {"null"}
