"""JSON with the slips that models make, read as far as nothing has to be guessed.

Commas and brackets may be missing or too many, quotes and literals those of another language; but
no text is cut, joined or left out.
"""

import json
import math
import re
from typing import Any

TOKEN = re.compile(
    r"""(?P<text>"(?>[^"\\]+|\\.)*"|'(?>[^'\\]+|\\.)*')"""
    r"""|(?P<plain>\u201c[^\u201c\u201d]*\u201d|<escape>.*?<escape>|<\|"\|>.*?<\|"\|>)"""
    r"|(?P<blank>//[^\n]*|/\*(?>[^*]+|\*(?!/))*(?:\*/|\Z)|\#[^\n]*|\s+)|(?P<comma>,)|(?P<colon>:)|(?P<opening>[{\[])"
    r"""|(?P<closing>[}\]])|(?P<word>(?:[^{}\[\]:,\s"'\u201c\u201d<`]|`(?!``))+)""",
    re.DOTALL,
)
"""What JSON consists of; marks and fences are none of it, nor are texts without an end."""
_PLAIN_QUOTE = re.compile(r"""\A(?:\u201c|<escape>|<\|"\|>)|(?:\u201d|<escape>|<\|"\|>)\Z""")
_COLON = re.compile(r"\s*:")
_NAME = re.compile(r"[\w$\-]+")
_NUMBER = re.compile(r"[+-]?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?")
_ZEROS = re.compile(r"(?<![^+-])0+(?=\d)")  # before a number, where JSON has none
_ESCAPE = re.compile(r"""(\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))|\\'|["\\]""")
_DEEPEST = 100
_LITERALS = {"true": "true", "false": "false", "null": "null", "none": "null", "undefined": "null"}
_CLOSING = {"{": "}", "[": "]"}
_OPENING = {"}": "{", "]": "["}


def load_json(text: str) -> Any:
    """The value of a JSON text that a model wrote; line breaks may stand in its strings.

    Raises:
        ValueError: What it says would have to be guessed, or is nested too deeply for what comes
            after.
    """
    written, opened, at = list[str](), list[str](), 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"a text that begins at character {at} has no end, or no place")
        at, kind = token.end(), token.lastgroup
        if kind == "closing":
            while opened and opened[-1] != _OPENING[token[0]]:
                written.append(_CLOSING[opened.pop()])
            if not opened:
                raise ValueError("its brackets and commas cannot be told apart")
            opened.pop()
            written.append(token[0])
        elif kind == "comma" and written[-1:] == [":"]:
            raise ValueError(f"a value has to stand at character {at}")
        elif kind not in {"blank", "comma"}:
            is_next = kind != "colon" and written and written[-1] not in {"[", "{", ":"}
            written += [",", _in_json(token)] if is_next else [_in_json(token)]
            opened += [token[0]] if kind == "opening" else []
        if len(opened) > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    written += [_CLOSING[opening] for opening in reversed(opened)]
    try:
        text = "".join(written)
        return json.loads(text, strict=False, object_pairs_hook=_object, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise ValueError(error.msg) from None


def _in_json(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "text":  # a backslash that escapes nothing stands for itself
            return f'"{_ESCAPE.sub(_escaped, token[0][1:-1])}"'
        case "plain":  # in curly quotes, or in those of FunctionGemma and Gemma 4
            return json.dumps(_PLAIN_QUOTE.sub("", token[0]))
        case "word" if _NAME.fullmatch(token[0]) and _COLON.match(token.string, token.end()):
            return f'"{token[0]}"'
        case "word" if token[0].lower() not in _LITERALS and not _NUMBER.fullmatch(token[0]):
            raise ValueError(f"the word {token[0][:40]!r} has no quotes")
    return _LITERALS.get(token[0].lower(), _ZEROS.sub("", token[0]).removeprefix("+"))


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError(f"the number {number} is too large")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("it says the same twice")
    return found


def _escaped(found: re.Match[str]) -> str:
    return found[1] or ("'" if found[0] == "\\'" else "\\" + found[0])
