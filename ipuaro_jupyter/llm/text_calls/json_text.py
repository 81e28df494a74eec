"""JSON in a model's text: where it ends, and whether it begins like a call."""

from typing import Literal

from ipuaro_jupyter.llm.text_calls.names import Names
from ipuaro_jupyter.llm.text_calls.source import Reading, Source

NAME_KEYS = ("name", "tool", "tool_name", "function")
ARGUMENT_KEYS = ("arguments", "args", "parameters", "params")
_TELLING_KEYS = (*NAME_KEYS, *ARGUMENT_KEYS, "tool_calls")
_SCALAR_KEYS = (
    *("type", "id", "call_id", "tool_call_id", "index", "role", "content"),
    *("thought", "thoughts", "reasoning", "explanation"),
)
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
_LONGEST_KEY = 100

Likeness = Literal["call", "maybe", "loose", ""]
"""Like a tool's call; like a call of something; like a tool's, but not in JSON's own quotes; or
like none."""


def json_end(source: Source, start: int, *, quotes: str = '"') -> Reading[int]:
    """Return where the object or list that begins at ``start`` ends, brackets counted.

    Raises:
        CutOff: It does not end.
    """
    depth, at, text = 0, start, source.text
    while True:
        if at >= len(text):
            yield from source.sure_char(at)
            text = source.text
        character = text[at]
        if character in quotes:
            at = yield from _string_end(source, at, character)
            continue
        depth += (character in "{[") - (character in "}]")
        at += 1
        if depth == 0:
            return at


def likeness(source: Source, start: int, names: Names) -> Reading[Likeness]:
    """Return whether the object or list at ``start`` begins like a call of one of the tools.

    Raises:
        CutOff: The text ends before that can be seen.
    """
    at = start
    if source.text[at] == "[":
        at = yield from _next(source, at + 1)
    if source.text[at] != "{":
        return ""
    key, at, loose = yield from _telling_key(source, at)
    if key == "function" and source.text[at] == "{":
        key, at, inner = yield from _telling_key(source, at)
        loose = loose or inner
    if key in NAME_KEYS:
        return (yield from _name_likeness(source, at, names, loose=loose))
    return "maybe" if key and not loose else ""


def _telling_key(source: Source, start: int) -> Reading[tuple[str, int, bool]]:
    """Return the first key of the object at ``start`` that tells whether it is a call.

    Also where its value stands, and whether a key up to there is not in JSON's own quotes. The
    key is "" when a key comes first that no call has.
    """
    at, loose = start, False
    while source.text[at] in "{,":
        at = yield from _next(source, at + 1)
        key, at, quoted = yield from _key(source, at)
        loose = loose or not quoted
        if key not in _TELLING_KEYS and key not in _SCALAR_KEYS:
            break
        at = yield from _next(source, at)
        if source.text[at] != ":":
            break
        at = yield from _next(source, at + 1)
        if key in _TELLING_KEYS:
            return key, at, loose
        at = yield from _after_scalar(source, at)
    return "", at, loose


def _name_likeness(source: Source, at: int, names: Names, *, loose: bool) -> Reading[Likeness]:
    """Return what the value of the key that names the tool says; a loose call needs arguments."""
    name, at, quoted = yield from _key(source, at)
    if not names.candidates(name):
        return ""
    if quoted and not loose:
        return "call"
    at = yield from _next(source, at)
    if source.text[at] != ",":
        return ""
    at = yield from _next(source, at + 1)
    key, _, _ = yield from _key(source, at)
    return "loose" if key in ARGUMENT_KEYS else ""


def _key(source: Source, at: int) -> Reading[tuple[str, int, bool]]:
    """Return the short text at ``at``, its end, and whether it stands in JSON's own quotes."""
    opening = source.text[at]
    if opening in _QUOTES:
        end = at + 1
        while (character := (yield from source.sure_char(end))) != _QUOTES[opening]:
            if end - at > _LONGEST_KEY or character in "\\\n":
                return "", end, False
            end += 1
        return source.text[at + 1 : end], end + 1, opening == '"'
    end = at
    while (character := (yield from source.sure_char(end))).isalnum() or character in "_$":
        if end - at > _LONGEST_KEY:
            return "", end, False
        end += 1
    return source.text[at:end], end, False


def _after_scalar(source: Source, at: int) -> Reading[int]:
    """Return the position of what follows the string, number or word at ``at``, blanks aside."""
    if source.text[at] in "\"'":
        at = yield from _string_end(source, at, source.text[at])
    else:
        while (character := (yield from source.sure_char(at))).isalnum() or character in "+-.":
            at += 1
    return (yield from _next(source, at))


def _string_end(source: Source, start: int, quote: str) -> Reading[int]:
    """Return the position after the string whose opening quote is at ``start``."""
    at, text = start + 1, source.text
    while True:
        if at >= len(text):
            yield from source.sure_char(at)
            text = source.text
        if text[at] == quote:
            return at + 1
        at += 1 + (text[at] == "\\")


def _next(source: Source, at: int) -> Reading[int]:
    at = yield from source.after_blanks(at)
    yield from source.sure_char(at)
    return at
