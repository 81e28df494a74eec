"""Find the lines that a regular expression matches, in a process that can be stopped.

``python -I -S line_search.py`` reads a request, responds and ends. It imports nothing of the
package, so that it starts at once. The request is a line of JSON with ``pattern``, ``ignore_case``,
``sizes`` (bytes of each file) and ``most`` (lines to find), then the files.

Each response is a line of JSON: ``"started"``; then ``"ready"``, or ``{"error": …}`` for an invalid
regular expression; then ``[[[line, [[start, end], …]], …], [slow line, …]]`` for each file, until
``most`` lines have been found. Lines are 1-based, start and end count characters. A slow line is
one that takes the expression too long, because it tries too many ways to match: it is left out.
"""

import json
import re
import resource
import signal
import sys
import warnings
from itertools import islice
from typing import Any

MOST_SPANS = 50  # per line
_SLOW_S = 0.2  # of processor time, for one line
_CPU_LIMIT_S = 60  # in case its parent is gone and cannot stop it
_MEMORY_LIMIT = 2**31


class _TooSlowError(Exception):
    """The line takes too long."""


class _MatchTimer:
    """Breaks off a match that is still running when the CPU timer has ticked twice.

    The engine checks for signals while it matches.
    """

    def __init__(self) -> None:
        self.line = 0  # 0 between the lines
        self._seen = 0
        signal.signal(signal.SIGVTALRM, self._tick)
        signal.setitimer(signal.ITIMER_VIRTUAL, _SLOW_S, _SLOW_S)

    def _tick(self, *_: object) -> None:
        if self.line and self.line == self._seen:
            raise _TooSlowError
        self._seen = self.line


def split_lines(text: str) -> list[str]:
    r"""Return the lines without their ends, which are ``\n`` and ``\r\n``, and without a BOM."""
    *ended, last = text.removeprefix("\ufeff").split("\n")
    lines = [line[:-1] if line[-1:] == "\r" else line for line in ended]
    return [*lines, last] if last else lines


def main() -> None:
    """Serve the request on standard input."""
    _limit(resource.RLIMIT_CPU, _CPU_LIMIT_S)
    if sys.platform == "linux":  # pragma: no branch - macOS does not heed such a limit
        _limit(resource.RLIMIT_AS, _MEMORY_LIMIT)
    request = json.loads(sys.stdin.buffer.readline())
    _say("started")
    warnings.simplefilter("ignore")  # future Pythons may read some expressions differently
    try:
        flags = re.IGNORECASE if request["ignore_case"] else 0
        regex = re.compile(request["pattern"], flags)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        _say({"error": str(error) or type(error).__name__})
        return
    _say("ready")
    watch, left = _MatchTimer(), request["most"]
    for size in request["sizes"]:
        found, slow = _search(sys.stdin.buffer.read(size).decode(), regex, watch, left)
        _say([found, slow])
        left -= len(found)
        if left <= 0:
            return


def _search(
    text: str, regex: re.Pattern[str], watch: _MatchTimer, most: int
) -> tuple[list[Any], list[int]]:
    found: list[Any] = []
    slow: list[int] = []
    search = regex.search
    for number, line in enumerate(split_lines(text), 1):
        try:
            watch.line = number
            if search(line) is not None:
                spans = [match.span() for match in islice(regex.finditer(line), MOST_SPANS)]
                found.append([number, spans])
            watch.line = 0
        except (_TooSlowError, MemoryError, RecursionError):
            watch.line = 0
            slow.append(number)
        if len(found) >= most:
            break
    return found, slow


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(what, (most, hard))


def _say(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
