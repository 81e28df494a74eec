"""The arguments after ``%tool NAME``: a JSON object, ``key=value`` pairs, or values in order."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.parameter_names import meant_parameters
from ipuaro_jupyter.text_distance import closest

if TYPE_CHECKING:
    from ipuaro_jupyter.tools.tool import Tool

Properties = Mapping[str, Mapping[str, Any]]

_WORD = re.compile(r"""(?:[^ \t\r\n"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+""", re.DOTALL)
# The parameters of foreign tools may have any names.
_KEY = re.compile(r"([A-Za-z_][\w.-]*)=")
# No symbol has "=", so a word with it is a pair there; a path may.
_OF_SYMBOLS = frozenset({"symbol", "name"})
# The similarity of a name and a parameter above which a word counts as a pair.
_MISSPELT = 0.75
_OF_LINES = r"""A \n in key="…" stays as it is. For several lines write JSON:
  %%tool %s {"content": "one\ntwo", …}"""


class _Word(NamedTuple):
    """A word of the line: as typed, as the shell reads it, and the key that it begins with.

    ``key`` is None in a quoted word and where there is none; it need not be a parameter.
    """

    typed: str
    read: str
    key: str | None


def read_arguments(text: str, properties: Properties) -> dict[str, Any]:
    """The arguments of a tool.

    Args:
        text: The line after the tool's name, quoted as in a shell, except for JSON lists and
            objects after ``key=``. A list may also be a word, or words with commas.
        properties: The tool's parameters: name to JSON schema, in the order of the signature.

    Raises:
        SettingsError: The line cannot be parsed, or a key in it is not a parameter.
    """
    text = text.strip()
    if text.startswith("{"):
        return _json_object(text)
    words = list(_words(text, properties))
    arguments: dict[str, Any] = {}
    left = list(properties)
    pair = ""
    for place, word in enumerate(words):
        typed, said = word.typed, word.read
        if word.key is not None and word.key in properties:
            pair = name = word.key
            typed, said = typed.partition("=")[2], said.partition("=")[2]
        else:
            _check_value(word, [*words[:place], *words[place + 1 :]], properties, left)
            if pair:
                raise SettingsError(
                    f"{said!r} comes after {pair}=…, so write which argument it is: key=value. "
                    "Quote a value that has spaces."
                )
            name = _next(left, said, properties)
        arguments[name] = _typed(typed, said, properties[name])
        if name in left:
            left.remove(name)
    return arguments


def explained(tool: "Tool") -> str:
    """The usage of ``%tool NAME``, the tool's description, and its parameters."""
    properties = tool.schema.parameters["properties"]
    required = tool.schema.parameters.get("required", [])
    words = [f"{name}=…" if name in required else f"[{name}=…]" for name in properties]
    told = [" ".join(["%tool", tool.name, *words]), "", tool.explained]
    if "content" in properties:
        told += ["", _OF_LINES % tool.name]
    return "\n".join(told)


def _words(text: str, properties: Properties) -> Iterator[_Word]:
    """Split the line; the value of a parameter that is not text may be plain JSON."""
    try:
        shlex.split(text)
    except ValueError as error:
        raise SettingsError(f"Cannot read {text!r}: {error}. Quote as in a shell.") from None
    at = 0
    while found := _WORD.search(text, at):
        at, typed = found.end(), found[0]
        key = _KEY.match(typed)
        if key and not key[1].isidentifier() and key[1] not in properties:
            key = None
        name = _meant(key[1], properties) if key else None
        if key and name is not None and name in properties and _kind(properties[name]) != "string":
            end = _json_end(text, found.start() + key.end())
            if end is not None:
                at = end
                yield _Word(text[found.start() : end], text[found.start() : end], name)
                continue
        (read,) = shlex.split(typed)
        yield _Word(typed, read, name)


def _meant(key: str, properties: Properties) -> str:
    """The parameter that a key stands for, which may be another usual name of it."""
    return meant_parameters([key], tuple(properties)).get(key, key)


def _json_end(text: str, start: int) -> int | None:
    """The end of a JSON list or object that begins at ``start``; None when none does."""
    if text[start : start + 1] not in {"[", "{"}:
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return end if not text[end : end + 1].strip() else None


def _check_value(
    word: _Word, others: Sequence[_Word], properties: Properties, left: Sequence[str]
) -> None:
    """Raise when a word without a known key is a pair with a misspelt one rather than a value."""
    if word.key is None:
        return
    is_pair = any(other.key is not None for other in others)
    has_quotes = word.typed[len(word.key) + 1 :].startswith(("'", '"'))
    is_name = bool(left) and left[0] in _OF_SYMBOLS
    is_near = closest(word.key, properties, limit=1, cutoff=_MISSPELT)
    if is_pair or has_quotes or is_name or is_near:
        _refuse_key(word, properties)


def _refuse_key(word: _Word, properties: Properties) -> NoReturn:
    near = closest(word.key or "", properties, limit=1)
    known = ", ".join(properties) or "none"
    meant = f" Did you mean {near[0]}=?" if near else ""
    raise SettingsError(
        f"There is no argument {word.key!r}.{meant} There are: {known}. "
        "If it is a value, quote it whole, as in 'a=b'."
    )


def _next(left: Sequence[str], said: str, properties: Properties) -> str:
    """The parameter that a value without a key is for."""
    if not left:
        known = ", ".join(properties) or "none"
        raise SettingsError(f"{said!r} is one argument too many; there are: {known}.")
    return left[0]


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


def _kind(schema: Mapping[str, Any]) -> str:
    return str(schema.get("type", ""))


def _typed(typed: str, said: str, schema: Mapping[str, Any]) -> Any:
    """Text for a string parameter, else the text read as JSON, or a list of words."""
    if _kind(schema) == "string":
        return said
    if _kind(schema) != "array":
        return _json_or(said)
    for text in (typed, said):
        found = _json_or(text)
        if isinstance(found, list):
            return found
    items = schema.get("items", {})
    words = [word.strip() for word in said.split(",") if word.strip()]
    return [_typed(word, word, items) for word in words] or said


def _json_or(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
