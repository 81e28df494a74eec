"""Parsing with a time limit that lets other threads run meanwhile.

Some texts take a parser quadratic time. py-tree-sitter holds the interpreter lock while it parses;
its progress callback gives other threads a chance, and can end the parsing, but only between two
steps, and one step may take minutes: ``a=>`` repeated, 25 s for 16 KB of Java. So a long text is
tried in another process first, where there is one (`try_first`).

With it goes a function that reads the text, and py-tree-sitter 0.26 keeps one reference for ever to
each part that such a function returns: every text that is parsed would stay in memory.

Both cost a tenth of the parsing. A worker that may die does without: see `dying_when_late`.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from tree_sitter import Language as Grammar
from tree_sitter import Parser, Tree

from ipuaro_jupyter.cancellation import watched
from ipuaro_jupyter.languages.language import Language

_CHUNK = 65_536
_STEPS = 32
_Trial = Callable[[str, bytes, float], bool]
_trials: list[_Trial] = []
_LEAST_S = 1.0  # a shorter limit is what is left for one attempt of several: the next may be better
_may_die = False
_is_known = ContextVar("_is_known", default=False)


class ParsingTooSlow(ValueError):  # noqa: N818 - a finding, not a fault
    """Parsing took longer than allowed."""


def try_first(trial: _Trial) -> None:
    """From now on, have each text that may take long parsed in another process first.

    Args:
        trial: Called with the name of the language, the text and the limit in seconds; tells
            whether parsing takes no longer.
    """
    _trials[:] = [trial]


@contextmanager
def dying_when_late() -> Iterator[None]:
    """Meanwhile, `parse` ends the process by SIGPROF when a text takes longer than it may.

    For the main thread of a worker, whose caller tries again without this.
    """
    global _may_die  # noqa: PLW0603 - like the signal, it is the process's
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # without a handler, it needs no interpreter
    _may_die = True
    try:
        yield
    finally:
        _may_die = False


@contextmanager
def untried(*, is_known: bool) -> Iterator[None]:
    """Meanwhile, this thread parses without a trial (`try_first`).

    Args:
        is_known: Whether the same texts were parsed elsewhere before, without errors in the end and
            within the limits there. If not, nothing changes.
    """
    before = _is_known.set(is_known)
    try:
        yield
    finally:
        _is_known.reset(before)


def parse(language: Language, data: bytes, *, seconds: float) -> Tree:
    """The syntax tree of a file.

    Args:
        language: One with a grammar.
        data: UTF-8, with or without a byte order mark.
        seconds: The CPU time that parsing may take, regardless of the load of the machine.

    Raises:
        ParsingTooSlow: It takes longer. In a process without a trial (`try_first`), a single step
            of the parser may itself take long.
        Cancelled: The token in force was set.
    """
    data = data.replace(b"\0", b" ")  # a grammar takes it for the end
    if len(data) <= language.safe_bytes:
        return language.parser.parse(data)
    if _may_die and seconds >= _LEAST_S:
        return _parsed_or_dead(language, data, seconds)
    trials = () if _is_known.get() else _trials
    if not all(trial(language.name, data, seconds) for trial in trials):
        raise ParsingTooSlow(_told(seconds))
    until = time.thread_time() + seconds
    asked, stop = 0, watched()

    def is_over(_offset: int, _has_error: object) -> bool:
        nonlocal asked
        asked += 1
        return asked % _STEPS == 0 and (stop.cancelled or time.thread_time() > until)

    tree = steps_parsed(language, data, is_over)
    if tree is None:
        stop.check()
    if tree is None or time.thread_time() > until:
        raise ParsingTooSlow(_told(seconds))
    return tree


def _parsed_or_dead(language: Language, data: bytes, seconds: float) -> Tree:
    """The syntax tree of a file; the process dies when that takes longer than ``seconds``."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return language.parser.parse(data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def steps_parsed(
    language: Language, data: bytes, is_over: Callable[[int, bool], bool]
) -> Tree | None:
    """The syntax tree of a file; None when ``is_over`` has ended the parsing between two steps."""
    parts: list[bytes] = []
    is_parsing = True

    def read(offset: int, _point: object) -> bytes:
        """A part of the text; the tree asks for one later too, for the text of nodes."""
        part = _copied(data, offset)
        if is_parsing:
            parts.append(part)
        return part

    parser = Parser(language.parser.language)  # an interrupted parser would resume
    try:
        return parser.parse(read, progress_callback=is_over)
    except ValueError:
        return None
    finally:
        is_parsing = False
        if _keeps_parts(parser.language):
            _release(parts)
        parts.clear()


def _copied(data: bytes, offset: int) -> bytes:
    """A part of a text, which nothing else refers to if it is longer than a byte."""
    return bytes(memoryview(data)[offset : offset + _CHUNK])


@cache
def _keeps_parts(grammar: Grammar) -> bool:
    """Whether the parser keeps a reference to what a read function has returned."""
    part = _copied(b" " * _CHUNK, 0)
    before = sys.getrefcount(part)
    Parser(grammar).parse(lambda offset, _point: b"" if offset else part)
    return sys.getrefcount(part) > before


def _release(parts: list[bytes]) -> None:
    """Give up the references that the parser has kept.

    How many there are without it depends on Python and on what traces it: a part that the parser
    has not seen tells.
    """
    try:
        import ctypes  # noqa: PLC0415 - some builds of Python lack it
    except ImportError:
        return

    parts.append(bytes(2))
    usual = 0
    for part in reversed(parts):
        count = sys.getrefcount(part)
        usual = usual or count
        if len(part) > 1 and count == usual + 1:
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(part))


def _told(seconds: float) -> str:
    return f"the parser took longer than {seconds:g} s"
