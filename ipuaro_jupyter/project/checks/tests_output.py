"""The outcome of the tests of a check, and what a change has broken of them."""

import re
from typing import NamedTuple

from ipuaro_jupyter.project.project_tests.failed_tests import failed_tests
from ipuaro_jupyter.project.project_tests.test_results import (
    Runner,
    TestCounts,
    printed,
    read_results,
)
from ipuaro_jupyter.records.outputs import FailedTest

_LAST_LINES = 3
_LONGEST = 300
_CARETS = re.compile(r"[\s^~]*")
_FRAME = re.compile(r"(?:E +)?File \"(.+)\", line (\d+)|(\S.*?):(\d+): in ")  # of pytest, too
_RAISED = re.compile(r"(?:E   )?([A-Za-z_][\w.]*(?::| *$).*)")


class RunOutcome(NamedTuple):
    """The outcome of a run: ``counts`` is None when the runner printed none.

    ``said`` is the error that ended a run that failed without naming a test, else the end of its
    output.
    """

    is_passed: bool
    counts: TestCounts | None
    failed: tuple[FailedTest, ...]
    said: str = ""

    def broken(self, before: "RunOutcome") -> tuple[FailedTest, ...]:
        """The failures that are not there without the change."""
        known = {test.name for test in before.failed}
        new = tuple(test for test in self.failed if test.name not in known)
        if new or not self._is_worse(before):
            return new
        return (FailedTest(name="the run of the tests", message=self.said),)

    def _is_worse(self, before: "RunOutcome") -> bool:
        if before.is_passed or self.is_passed:
            return before.is_passed and not self.is_passed
        if self.counts is None or before.counts is None:
            return self.counts is None and before.counts is not None
        counts = self.counts, before.counts
        return counts[0].failed > counts[1].failed or counts[0].passed < counts[1].passed


class RanTests(NamedTuple):
    """The outcome of tests, None when they have not run to their end.

    ``problem`` says why it is not that of the change, "" when it is. ``loaded`` are those changed
    files that the tests have loaded; None when that is not known.
    """

    outcome: RunOutcome | None
    problem: str = ""
    loaded: frozenset[str] | None = None


def read_tests(runner: Runner, output: str, *, exit_code: int, copy: str = "") -> RunOutcome:
    """The outcome in what a runner has printed.

    ``copy`` is the folder in which it ran; places are told as in it.
    """
    text = printed(output)
    results = read_results(runner, text)
    failed = failed_tests(text) if exit_code else ()
    return RunOutcome(
        is_passed=exit_code == 0,
        counts=None if results is None else results.counts,
        failed=failed,
        said=_end(text, copy)[:_LONGEST] if exit_code and not failed else "",
    )


def _end(text: str, copy: str) -> str:
    """The error of Python's last traceback with its place; without one, the last lines."""
    lines = [line for line in text.splitlines() if not _CARETS.fullmatch(line)]
    error: re.Match[str] | None = None  # the first below
    for line in reversed(lines):
        if error and (frame := _FRAME.match(line.strip())):
            place = f"{frame[1] or frame[3]}:{frame[2] or frame[4]}"
            return f"{error[1]} ({place.removeprefix(f'{copy}/')})"
        error = _RAISED.fullmatch(line) or error
    return " ".join(line.strip() for line in lines[-_LAST_LINES:])
