"""Whether a text may be the name of a declaration."""

import keyword
import re
from collections.abc import Iterable

from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_RESERVED = frozenset(
    {
        *("break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete"),
        *("do", "else", "enum", "export", "extends", "false", "finally", "for", "function", "if"),
        *("import", "in", "instanceof", "new", "null", "return", "super", "switch", "this"),
        *("throw", "true", "try", "typeof", "var", "void", "while", "with"),
        *("implements", "interface", "let", "package", "private", "protected", "public", "static"),
        *("yield", "await", "arguments", "eval", "async"),
        *("any", "unknown", "never", "number", "bigint", "boolean", "string", "symbol", "object"),
        *("undefined", "as"),
    }
)
"""Words that some kind of declaration cannot have as its name."""

_FIXED = frozenset({"constructor", "default", "new"})


def unfit(to: str, name: str, paths: Iterable[str], *, is_member: bool) -> str:
    """The reason why a declaration cannot have a name; "" when it can.

    Args:
        to: The name.
        name: The present name.
        paths: The files in which it would be written.
        is_member: Whether it is that of a class's or another holder's member.
    """
    if to == name:
        return "is its name already"
    if name in _FIXED or (name.startswith("__") and name.endswith("__")):
        return f"cannot replace {name}, which the language itself uses"
    if name.startswith("#") != to.startswith("#"):
        return "and the present name differ in the # of a private member"
    reasons = (_unfit_in(path, to.removeprefix("#"), is_member=is_member) for path in paths)
    return next((reason for reason in reasons if reason), "")


def _unfit_in(path: str, to: str, *, is_member: bool) -> str:
    """The reason why a name cannot be written in a file."""
    if is_understood(path) is not None:
        is_name = _IDENTIFIER.fullmatch(to) is not None
        is_reserved = to == "constructor" if is_member else to in _RESERVED
    else:
        is_name, is_reserved = to.isidentifier(), keyword.iskeyword(to)
    if not is_name:
        return f"is no name in {path}"
    return f"is a reserved word in {path}" if is_reserved else ""
