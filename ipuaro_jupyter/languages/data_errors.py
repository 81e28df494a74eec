"""The first syntax error of a data file: JSON, with comments or without, and TOML."""

import json
import re
import tomllib

_STRING = r'"(?>[^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?\Z)'  # also an unclosed one
_STRING_OR_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING_OR_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
_INK = re.compile(r"\S")
_TOML_TEXT = re.compile(
    rb'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    rb"|'''.*?(?:'''|\Z)"
    rb'|"(?:\\.|[^"\\\n])*"?'
    rb"|'[^'\n]*'?|#[^\n]*",
    re.DOTALL,
)
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")

Error = tuple[int, str]
"""The 1-based line of an error, and the reason."""


def json_error(data: bytes) -> Error | None:
    """The first error of a JSON file; None when there is none, or it cannot be told."""
    return _json(data.decode("utf-8-sig"))


def jsonc_error(data: bytes) -> Error | None:
    """The same where comments and trailing commas are no errors."""
    return _json(without_comments(data.decode("utf-8-sig")))


def toml_error(data: bytes) -> Error | None:
    """The first error of a TOML file; None when there is none, or it cannot be told."""
    text = data.decode("utf-8-sig")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else _last_line(text)
        return line, _PLACE.sub("", str(error))
    except (ValueError, RecursionError):
        return None
    return None


def is_in_toml_text(data: bytes, at: int) -> bool:
    """Whether a place of a TOML file, in bytes, is within a string or a comment."""
    return any(found.start() < at < found.end() for found in _TOML_TEXT.finditer(data))


def has_comments(data: bytes) -> bool:
    """Whether there is a comment in a JSON file."""
    found = _STRING_OR_COMMENT.finditer(data.decode("utf-8-sig"))
    return any(one[0].startswith("/") for one in found)


def without_comments(text: str) -> str:
    """JSON with blanks in place of comments and of trailing commas; its lines stay."""
    text = _STRING_OR_COMMENT.sub(lambda found: _blank(found[0]), text)
    return _STRING_OR_COMMA.sub(lambda found: _blank(found[0]), text)


def _blank(found: str) -> str:
    return found if found[0] == '"' else _INK.sub(" ", found)


def _json(text: str) -> Error | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, error.msg
    except (ValueError, RecursionError):
        return None
    return None


def _last_line(text: str) -> int:
    return max(1, text.count("\n") + (not text.endswith("\n")))
