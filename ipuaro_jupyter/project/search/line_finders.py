"""Finders of matching lines: one for plain text, one for regular expressions."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search import line_search
from ipuaro_jupyter.workspace.processes.subprocesses import Child

_START_S = 60.0  # for starting a process on a very busy machine
_TICK_S = 0.05

Spans = tuple[tuple[int, int], ...]


class Clock:
    """The time limits of a search.

    Attributes:
        found: Whether there is a match; set by the finder of the first one.
    """

    def __init__(self, first_s: float, total_s: float) -> None:
        self._first_s = first_s
        self._total_s = total_s
        self._began = time.monotonic()
        self.found = False

    @property
    def limit_s(self) -> float:
        """The time limit in seconds: until a match is found, or afterwards for all."""
        return self._total_s if self.found else self._first_s

    @property
    def left_s(self) -> float:
        """The remaining seconds, at least 0."""
        return max(0.0, self._began + self.limit_s - time.monotonic())

    def forgive(self, seconds: float) -> None:
        """Extend the limits by some seconds."""
        self._began += seconds


@dataclass(frozen=True)
class FileLines:
    """The matches in one file.

    Attributes:
        lines: The matching lines, 1-based, with the matched ranges in characters of the line.
        slow: The lines left out because the expression takes too long for them.
    """

    lines: tuple[tuple[int, Spans], ...] = ()
    slow: tuple[int, ...] = ()


class Finder(Protocol):
    """Finds lines in files that are UTF-8 text."""

    def find(self, files: Sequence[bytes], *, most: int) -> list[FileLines]:
        """The matches in each file; of fewer files when time is up or ``most`` lines are found.

        Raises:
            ToolError: "validation" for an invalid regular expression.
            Cancelled: The user asked to stop.
        """
        ...


class LiteralFinder:
    """Finds a text without line feeds, in linear time."""

    def __init__(self, text: str, *, ignore_case: bool, clock: Clock, cancel: CancelToken) -> None:
        self._ignore_case = ignore_case
        self._text = folded(text) if ignore_case else text
        self._clock = clock
        self._cancel = cancel

    def find(self, files: Sequence[bytes], *, most: int) -> list[FileLines]:
        """The matches in each file; see `Finder`."""
        found: list[FileLines] = []
        for data in files:
            self._cancel.check()
            if most <= 0 or not self._clock.left_s:
                break
            lines = tuple(self._lines(data.decode().removeprefix("\ufeff"), most))
            self._clock.found = self._clock.found or bool(lines)
            most -= len(lines)
            found.append(FileLines(lines))
        return found

    def _lines(self, text: str, most: int) -> Iterator[tuple[int, Spans]]:
        searched = folded(text) if self._ignore_case else text
        number, start = 1, 0
        at = searched.find(self._text)
        while at >= 0 and most > 0:
            number += text.count("\n", start, at)
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            stop = len(text) if end < 0 else end - (text[end - 1] == "\r")
            spans = tuple(self._spans(searched, at, stop, start))
            if spans:
                yield number, spans
                most -= 1
            if end < 0:
                return
            number, start = number + 1, end + 1
            at = searched.find(self._text, start)

    def _spans(self, searched: str, at: int, stop: int, start: int) -> Iterator[tuple[int, int]]:
        """Yield the occurrences from ``at`` to ``stop``, in characters from ``start``."""
        for _ in range(line_search.MOST_SPANS):
            if at < 0 or at + len(self._text) > stop:
                return
            yield at - start, at - start + len(self._text)
            at = searched.find(self._text, at + len(self._text), stop)


def folded(text: str) -> str:
    """``text`` in lower case, character by character: its length stays the same."""
    if text.isascii():
        return text.lower()
    for sign, plain in (("\u0130", "i"), ("\u03a3", "\u03c3"), ("\u03c2", "\u03c3")):
        text = text.replace(sign, plain)  # two letters in lower case; two forms of one letter
    return text.lower()


class RegexFinder:
    """Finds matches of a Python regular expression, in a process that can be stopped."""

    def __init__(self, text: str, *, ignore_case: bool, clock: Clock, cancel: CancelToken) -> None:
        self._pattern = text
        self._ignore_case = ignore_case
        self._clock = clock
        self._cancel = cancel

    def find(self, files: Sequence[bytes], *, most: int) -> list[FileLines]:
        """The matches in each file; see `Finder`."""
        request = {
            "pattern": self._pattern,
            "ignore_case": self._ignore_case,
            "sizes": [len(data) for data in files],
            "most": most,
        }
        argv = [sys.executable, "-I", "-S", line_search.__file__]
        input_ = b"".join((json.dumps(request).encode(), b"\n", *files))
        with ExitStack() as stack:
            self._cancel.check()
            child = stack.enter_context(Child(argv, cwd=Path("/"), input_=input_))
            stack.enter_context(self._cancel.calling(child.stop))
            _await_start(child, self._clock, self._cancel)
            while not child.wait(min(_TICK_S, self._clock.left_s)):
                self._cancel.check()
                self._note_found(child)
                if not self._clock.left_s:
                    break
            self._cancel.check()
            self._note_found(child)
            return self._results(_answers(child))

    def _note_found(self, child: Child) -> None:
        if not self._clock.found:
            self._clock.found = any(lines for lines, _ in _answers(child)[1:] if lines)

    def _results(self, answers: list[Any]) -> list[FileLines]:
        if answers and isinstance(answers[0], dict):
            raise ToolError(
                "validation",
                f"The pattern {self._pattern!r} is not a regular expression:"
                f" {answers[0]['error']}.",
                suggestion="Write it as for Python's re, or leave use_regex out to find the text.",
            )
        return [
            FileLines(
                tuple((line, tuple((start, end) for start, end in spans)) for line, spans in lines),
                tuple(slow),
            )
            for lines, slow in answers[1:]
        ]


def _await_start(child: Child, clock: Clock, cancel: CancelToken) -> None:
    """Wait until the process has started; that time does not count."""
    began = time.monotonic()
    while not child.wait(_TICK_S / 5) and not child.finished().stdout:
        cancel.check()
        if time.monotonic() - began > _START_S:
            raise ToolError("timeout", "A process for the search could not be started in time.")
    clock.forgive(time.monotonic() - began)


def _answers(child: Child) -> list[Any]:
    """The complete responses of a process so far, without the first."""
    *lines, _unfinished = child.finished().stdout.split(b"\n")
    return [json.loads(line) for line in lines[1:]]
