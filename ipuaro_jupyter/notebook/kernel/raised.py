"""An error with its frames, read without running code of its class."""

import linecache
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from types import CodeType, TracebackType
from typing import Any, Literal

from ipuaro_jupyter.notebook.kernel.brief import Brief, Hidden
from ipuaro_jupyter.notebook.kernel.stored_fields import (
    attribute,
    bases,
    class_name,
    derives,
    member,
    native_field,
    plain_text,
)
from ipuaro_jupyter.records.kernel import RaisedError, RaisedFrame

CellOf = Callable[[str], int | None]
"""Returns the number of the cell whose code has a file name; None for a file."""

_FIRST, _LAST, _ERRORS, _PARTS, _NOTES = 15, 35, 8, 3, 10
_Link = Literal["", "cause", "context", "part"]
_MESSAGE, _LINE, _READ, _PARTIAL = 2000, 200, 4000, 1000
_OF_GROUP = ("message", "exceptions")
_PLAIN = (str, int, float, bool, type(None))
_WRITING = (BaseException, KeyError, ImportError, SyntaxError, UnicodeEncodeError)
_WRITTEN_FROM: tuple[tuple[type, tuple[str, ...]], ...] = (
    (SyntaxError, ("msg",)),
    (UnicodeEncodeError, ("encoding", "object", "reason")),
)
"""What the texts of builtin classes are written from besides ``args``."""


def raised(
    error: BaseException, *, cell_of: CellOf, hidden: Hidden, told: str = ""
) -> tuple[RaisedError, ...]:
    """An error, and those that led to it.

    Args:
        error: The error.
        cell_of: Finds the cells of frames.
        hidden: Removes secrets from a text.
        told: What the kernel has shown as its message, if that is known.
    """
    found: list[RaisedError] = []
    for one, link in islice(_led_by(error, "", []), _ERRORS):
        message = told if told and not found else _message(one, hidden)
        message = "\n".join(part for part in (message, *_notes(one)) if part)
        frames, left = _frames(one, cell_of, hidden, is_first=not found)
        found.append(
            RaisedError(
                type=class_name(type(one)),
                message=_clean(hidden(_beginning(message, 3 * _MESSAGE))[:_MESSAGE]),
                frames=(*frames, *_syntax(one, cell_of, hidden)),
                left_out=left,
                link=link,
            )
        )
    return tuple(found)


def _led_by(
    error: BaseException, link: _Link, seen: list[int]
) -> Iterator[tuple[BaseException, _Link]]:
    """Yield an error, the first ones of a group that it is, and what led to each."""
    if id(error) in seen:
        return
    seen.append(id(error))
    yield error, link
    if derives(type(error), BaseExceptionGroup):
        for one in native_field(BaseExceptionGroup, error, "exceptions")[:_PARTS]:
            yield from _led_by(one, "part", seen)
    before, how = _before(error)
    if before is not None:
        yield from _led_by(before, how, seen)


def _before(error: BaseException) -> tuple[BaseException | None, _Link]:
    """The error that led to another, as Python shows it."""
    cause = native_field(BaseException, error, "__cause__")
    if cause is not None:
        return cause, "cause"
    if native_field(BaseException, error, "__suppress_context__"):
        return None, ""
    return native_field(BaseException, error, "__context__"), "context"


def _notes(error: BaseException) -> list[str]:
    """What was added to an error, which Python shows below its message."""
    notes = attribute(error, "__notes__")
    if notes is None or type(notes[0]) is not list:
        return []
    return [one for one in notes[0][:_NOTES] if type(one) is str]


def _message(error: BaseException, hidden: Hidden) -> str:
    """What an error says; its arguments where a class of the user's would write the text."""
    if derives(type(error), BaseExceptionGroup):
        said, parts = (native_field(BaseExceptionGroup, error, name) for name in _OF_GROUP)
        return f"{plain_text(said)} ({len(parts)} sub-exception{'s' * (len(parts) != 1)})"
    args = native_field(BaseException, error, "args")
    if all(_is_plain(one) for one in args) and _is_written_natively(error):
        with suppress(ValueError):  # a number has too many digits to be written
            told: str = member(_writing(error), "__str__")(error)
            return told
    return Brief(hidden).error(error)


def _writing(error: BaseException) -> type:
    """The class whose ``__str__`` an error has."""
    return next(one for one in bases(type(error)) if member(one, "__str__") is not None)


def _is_written_natively(error: BaseException) -> bool:
    """Whether Python itself writes the text of an error, from plain values only."""
    writing = _writing(error)
    if not any(writing is one for one in _WRITING) or derives(type(error), OSError):
        return False
    return all(
        _is_plain(native_field(kind, error, name))
        for kind, names in _WRITTEN_FROM
        if writing is kind
        for name in names
    )


def _is_plain(value: object) -> bool:
    return any(type(value) is plain for plain in _PLAIN)


def _frames(
    error: BaseException, cell_of: CellOf, hidden: Hidden, *, is_first: bool
) -> tuple[list[RaisedFrame], int]:
    """The frames, the outermost first, and how many in the middle are left out.

    Those of IPython around a cell are not among them, nor those that read a cell with a wrong
    syntax: the first error has no other ones then.
    """
    found: list[tuple[CodeType, int | None]] = []
    trace: TracebackType | None = native_field(BaseException, error, "__traceback__")
    while trace is not None:
        found.append((trace.tb_frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    unread = len(found) if is_first and derives(type(error), SyntaxError) else 0
    first = (n for n, (code, _) in enumerate(found) if cell_of(plain_text(code.co_filename)))
    found = found[next(first, unread) :]
    left = max(0, len(found) - _FIRST - _LAST)
    kept = [*found[:_FIRST], *found[-_LAST:]] if left else found
    return [_frame(code, line, cell_of, hidden) for code, line in kept], left


def _frame(code: CodeType, line: int | None, cell_of: CellOf, hidden: Hidden) -> RaisedFrame:
    file = plain_text(code.co_filename)
    cell = cell_of(file)
    number = max(1, line or code.co_firstlineno)
    return RaisedFrame(
        file="" if cell is not None else _clean(file),
        cell=cell,
        line=number,
        function=_clean(plain_text(code.co_qualname)),
        code=_code(file, number, hidden),
    )


def _syntax(error: BaseException, cell_of: CellOf, hidden: Hidden) -> Iterator[RaisedFrame]:
    """Yield the place that a syntax error is about, which is no frame."""
    if not derives(type(error), SyntaxError):
        return
    file, line = (native_field(SyntaxError, error, name) for name in ("filename", "lineno"))
    if type(file) is str and type(line) is int and line > 0:
        cell = cell_of(file)
        code = _code(file, line, hidden)
        shown = "" if cell is not None else _clean(file)
        yield RaisedFrame(file=shown, cell=cell, line=line, function="", code=code)


def _code(file: str, line: int, hidden: Hidden) -> str:
    """A line as Python has shown it in the traceback; nothing is read from the disk."""
    entry: Any = linecache.cache.get(file)
    lines = entry[2] if type(entry) is tuple and len(entry) == 4 else []  # noqa: PLR2004 - loaded
    if type(lines) is not list or not 1 <= line <= len(lines) or type(lines[line - 1]) is not str:
        return ""
    return _clean(hidden(_beginning(lines[line - 1].strip(), _READ))[:_LINE])


def _beginning(text: str, most: int) -> str:
    """The beginning of a long text, without the line, or the end of one, that is cut through.

    A secret is not found by its beginning.
    """
    if len(text) <= most:
        return text
    lines, end, _ = text[:most].rpartition("\n")
    return lines if end else text[: most - _PARTIAL]


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
