"""The first syntax error of Python code, as the compiler of this Python finds it."""

import ast
import re
import tokenize
import warnings
from io import StringIO
from typing import NamedTuple

_LARGEST = 500_000
_DEEPEST = 150
_BRACKETS = re.compile(r"[(\[{]|[)\]}]")
_NEWER = re.compile(
    r"\s*type\s+\w+[\s\[=]"  # type X = …
    r"|\s*(?:async\s+)?(?:def|class)\s+\w+\s*\["  # def f[T](…)
    r"|\s*except\s*\*?\s+[\w.]+\s*,"  # except A, B:
    r"|.*\b[rR]?[tT][rR]?[\"']"  # t"…"
)


class PythonError(NamedTuple):
    """A syntax error in a line, 1-based.

    ``is_unknown``: the compiler could not tell, because the code is too large or nested too deeply.
    """

    line: int
    reason: str
    is_unknown: bool = False


def python_error(data: bytes, *, is_cell: bool = False) -> PythonError | None:
    """The first syntax error of a file; None when there is none.

    Args:
        data: UTF-8, with or without a byte order mark.
        is_cell: Whether it is the code of a cell, which may await at its top level.
    """
    if len(data) > _LARGEST:
        return PythonError(1, "too large", is_unknown=True)
    text = data.decode("utf-8-sig")
    if _depth(text) > _DEEPEST:
        return PythonError(1, "nested too deeply", is_unknown=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if is_cell else 0
            compile(text, "<edit>", "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        return PythonError(error.lineno or 1, error.msg)
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return PythonError(1, str(error), is_unknown=True)
    return None


def indentation_error(data: bytes) -> PythonError | None:
    """The first wrong indentation, in whatever version of Python the code is written.

    Args:
        data: As for `python_error`.
    """
    if len(data) > _LARGEST:
        return None
    before = last = ""
    try:
        for token in tokenize.generate_tokens(StringIO(data.decode("utf-8-sig")).readline):
            if token.type in {tokenize.NL, tokenize.COMMENT}:
                continue
            if last == "NEWLINE":
                is_in = token.type == tokenize.INDENT
                if is_in and before != ":":
                    return PythonError(token.start[0], "unexpected indent")
                if before == ":" and not is_in:
                    return PythonError(token.start[0], "expected an indented block")
            is_end = token.type == tokenize.NEWLINE
            before, last = (last, "NEWLINE") if is_end else (last, token.string)
    except IndentationError as error:
        return PythonError(error.lineno or 1, error.msg)
    except (tokenize.TokenError, SyntaxError, RecursionError):
        return None
    return None


def is_newer_syntax(error: PythonError, line: str) -> bool:
    """Whether an error may be syntax of a Python newer than this one, by the text of its line."""
    return error.reason.startswith("f-string") or _NEWER.match(line) is not None


def _depth(text: str) -> int:
    """How deep brackets are nested at most, those in strings and comments included."""
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        depth = depth + 1 if found[0] in "([{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest
