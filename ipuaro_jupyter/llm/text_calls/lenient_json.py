"""JSON with the slips that models make, read as far as nothing has to be guessed.

Commas and brackets may be missing or too many, quotes and literals those of another language; but
no text is cut, joined or left out.
"""

import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""(?P<text>"(?>[^"\\]+|\\.)*"|'(?>[^'\\]+|\\.)*')"""
    r"""|(?P<plain>\u201c[^\u201c\u201d]*\u201d|<escape>.*?<escape>|<\|"\|>.*?<\|"\|>)"""
    r"|(?P<blank>//[^\n]*|/\*.*?\*/|\#[^\n]*|\s+)|(?P<comma>,)|(?P<opening>[{\[])"
    r"""|(?P<closing>[}\]])|(?P<word>[^{}\[\]:,\s"'\u201c\u201d<]+)""",
    re.DOTALL,
)
_PLAIN_QUOTE = re.compile(r"""\A(?:\u201c|<escape>|<\|"\|>)|(?:\u201d|<escape>|<\|"\|>)\Z""")
_COLON = re.compile(r"\s*:")
_NAME = re.compile(r"[A-Za-z_$][\w$\-]*")
_NUMBER = re.compile(r"[+-]?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?")
_ESCAPE = re.compile(r"""(\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))|\\'|["\\]""")
_DEEPEST = 100
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}


def load_json(text: str) -> Any:
    """The value of a JSON text that a model wrote; line breaks may stand in its strings.

    Raises:
        ValueError: What it says would have to be guessed, or is nested too deeply for what comes
            after.
    """
    opened: list[Any] = [[]]
    at, key = 0, None
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"a text that begins at character {at} has no end, or no place")
        at, kind, inside = token.end(), str(token.lastgroup), opened[-1]
        if kind == "blank" or (kind == "comma" and key is None):
            continue
        if kind == "closing" and key is None:
            _close(opened, dict if token[0] == "}" else list)
        elif isinstance(inside, dict) and key is None:
            key, at = _key(token, inside)
        else:
            value = _value(kind, token[0])
            if isinstance(inside, dict):
                inside[key], key = value, None
            else:
                inside.append(value)
            if kind == "opening":
                opened.append(value)
        if len(opened) > _DEEPEST:
            raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    if key is not None or len(opened[0]) != 1:
        raise ValueError("it is not one whole value")
    return opened[0][0]


def _close(opened: list[Any], kind: type) -> None:
    """Close the innermost of a kind, and what is open in it."""
    while len(opened) > 1:
        if isinstance(opened.pop(), kind):
            return
    raise ValueError("its brackets and commas cannot be told apart")


def _key(token: re.Match[str], inside: dict[str, Any]) -> tuple[str, int]:
    """The key of an object's next entry, and where its value may begin."""
    colon = _COLON.match(token.string, token.end())
    if colon is None or token["opening"]:
        raise ValueError(f"a value follows, or has to, at character {token.end()}")
    is_name = token["word"] is not None and _NAME.fullmatch(token[0])
    key = token[0] if is_name else _value(str(token.lastgroup), token[0])
    key = key if isinstance(key, str) else json.dumps(key)
    if key in inside:
        raise ValueError("it says the same twice")
    return key, colon.end()


def _value(kind: str, written: str) -> Any:
    match kind:
        case "opening":
            return {} if written == "{" else []
        case "plain":  # in curly quotes, or in those of FunctionGemma and Gemma 4
            return _PLAIN_QUOTE.sub("", written)
        case "text":  # a backslash that escapes nothing stands for itself
            return json.loads(f'"{_ESCAPE.sub(_escaped, written[1:-1])}"', strict=False)
    if written.lower() in _LITERALS:
        return _LITERALS[written.lower()]
    if not _NUMBER.fullmatch(written):
        raise ValueError(f"the word {written[:40]!r} has no quotes")
    number = written.removeprefix("+")
    return float(number) if set(number) & set(".eE") else int(number)


def _escaped(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    return "'" if found[0] == "\\'" else "\\" + found[0]
