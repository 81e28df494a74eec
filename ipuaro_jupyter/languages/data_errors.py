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

_CONFLICT = re.compile(rb"^<{7}(?: .*)?$(?=(?s:.*?)^={7}\r?$(?s:.*?)^>{7}(?: |\r?$))", re.MULTILINE)
_MAKE_TEXT = re.compile(rb"[ \t]*(?:override[ \t]+)?define\b")
_MAKE_LINE = re.compile(
    rb"[ \t]*(?:(?:ifn?eq|ifn?def|else|endif|-?include|sinclude|export|unexport|override|vpath"
    rb"|private|undefine|load)\b|\$[({]|[\w.$(){}%/-]+[ \t]*(?:[?+!]|:{1,3})?=)"
)
_MAKE_RULE = re.compile(rb"[^\t#=][^#=]*:(?!=)")
_NOT_FINITE = re.compile(rb'"(?>[^"\\]*(?:\\.[^"\\]*)*)"|-?\bInfinity\b|\bNaN\b', re.DOTALL)

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


def conflict_line(data: bytes) -> int | None:
    """The 1-based line of the first mark of a merge conflict in a file; None without a whole one.

    A string of JSON has no line ends, so that a mark at the beginning of a line is none of its.
    """
    found = _CONFLICT.search(data)
    return None if found is None else data.count(b"\n", 0, found.start()) + 1


def makefile_error(data: bytes) -> Error | None:
    """The first line of a recipe that begins with spaces, where make wants a tab."""
    if b".RECIPEPREFIX" in data:
        return None
    is_recipe = is_continued = is_text = False
    for number, line in enumerate(data.split(b"\n"), 1):
        follows, is_continued = is_continued, line.rstrip(b"\r").endswith(b"\\")
        if follows or not line.strip() or line.lstrip().startswith(b"#"):
            continue
        is_text = not line.startswith(b"endef") if is_text else _MAKE_TEXT.match(line) is not None
        if is_text:
            is_recipe = False
        elif line.startswith(b" "):
            if is_recipe and not _MAKE_LINE.match(line):
                return number, "a line of a recipe begins with spaces; make wants a tab"
        elif not line.startswith(b"\t") and not _MAKE_LINE.match(line):
            is_recipe = _MAKE_RULE.match(line) is not None
    return None


def without_nan(data: bytes) -> bytes:
    """JSON with a number of the same length for each NaN and Infinity, which Python writes."""
    return _NOT_FINITE.sub(lambda found: _number(found[0]), data)


def _number(text: bytes) -> bytes:
    if text.startswith(b'"'):
        return text
    sign = b"-" if text.startswith(b"-") else b""
    return sign + b"0." + b"0" * (len(text) - len(sign) - 2)
