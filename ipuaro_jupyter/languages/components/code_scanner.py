"""Find the end of JavaScript inside of a template."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ipuaro_jupyter.languages.bounded import ParsingTooSlow

_SIGN = re.compile(rb"[\"'`/{}()\[\]<]")
_STRINGS = {
    quote: re.compile(rb"%b(?:[^%b\\\n]|\\[\s\S])*%b?" % (quote, quote, quote))
    for quote in (b'"', b"'")
}
_TEMPLATE = re.compile(rb"\\[\s\S]|`|\$\{")
_REGEX = re.compile(rb"/(?![*/])(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_VALUE = re.compile(rb"(?:[(,=:\[!&|?{};+*%~^<>-]|\b(?:return|case|typeof|await|yield))$")
_TAG = re.compile(rb"<(?:[A-Za-z]|>)")
_LOOK = 24
_STEPS = 256

Element = Callable[[int], int]
"""Reads the markup that begins at an offset; returns the offset behind it."""


class _ScanClock(threading.local):
    """The CPU time of the thread at which reading ends."""

    until = float("inf")


_limit = _ScanClock()


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End the reading of templates inside the block after a time.

    Args:
        seconds: The CPU time it may take.

    Raises:
        ParsingTooSlow: It takes longer, or code is nested too deeply.
    """
    before, _limit.until = _limit.until, time.thread_time() + seconds
    try:
        yield
    except RecursionError as error:
        raise ParsingTooSlow("code and markup are nested too deeply") from error
    finally:
        _limit.until = before


def end_of_code(data: bytes, at: int, end: int, element: Element | None = None) -> int:
    """The offset of the brace that closes the code, or ``end``.

    Args:
        data: The file.
        at: The first byte of the code.
        end: Where it ends at the latest.
        element: Reads markup that stands for a value, as in Astro; None where there is none.

    Raises:
        ParsingTooSlow: The time of `limited` is up.
    """
    depth, begin, steps = 0, at, 0
    while (match := _SIGN.search(data, at, end)) is not None:
        at, sign = match.start(), match[0]
        steps += 1
        if steps % _STEPS == 0 and time.thread_time() > _limit.until:
            raise ParsingTooSlow("reading its template took too long")
        if sign in b"([{":
            depth += 1
        elif sign in b")]}":
            if depth == 0:
                if sign == b"}":
                    return at
            else:
                depth -= 1
        elif sign == b"<":
            if element is not None and _TAG.match(data, at) and _is_value(data, begin, at):
                at = max(element(at), at + 1)
                continue
        else:
            at = _behind_text(data, begin, at, end)
            continue
        at += 1
    return end


def _behind_text(data: bytes, begin: int, at: int, end: int) -> int:
    """The offset behind the string, comment or regular expression that a sign begins."""
    sign = data[at : at + 1]
    if sign == b"`":
        return _behind_template(data, at + 1, end)
    if sign != b"/":
        found = _STRINGS[sign].match(data, at, end)
        return at + 1 if found is None else found.end()
    if data.startswith(b"//", at):
        line_end = data.find(b"\n", at, end)
        return end if line_end < 0 else line_end
    if data.startswith(b"/*", at):
        closed = data.find(b"*/", at + 2, end)
        return end if closed < 0 else closed + 2
    found = _REGEX.match(data, at, end) if _is_value(data, begin, at) else None
    return at + 1 if found is None else found.end()


def _behind_template(data: bytes, at: int, end: int) -> int:
    while (match := _TEMPLATE.search(data, at, end)) is not None:
        at = match.end()
        if match[0] == b"`":
            return at
        if match[0] == b"${":
            at = end_of_code(data, at, end) + 1
    return end


def _is_value(data: bytes, begin: int, at: int) -> bool:
    """Whether what stands at an offset begins a value, and is no operator."""
    before = data[max(begin, at - _LOOK) : at].rstrip()
    return not before or _BEFORE_VALUE.search(before) is not None
