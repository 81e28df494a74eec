"""The results of a test run, read from the end of the runner's output.

The formats are those of vitest, jest, mocha, pytest and ``node:test``, and of TAP and JSON, which
the settings of a project may select.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.terminal_codes import without_codes

Runner = Literal["vitest", "jest", "mocha", "npm", "pytest"]

_ITEM = re.compile(r"(\d{1,9}) ([a-z]+)")
_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|min|s|m|h)\b")
_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}
_VITEST = re.compile(r"^ *Tests {2,}(?:no tests|([\da-z |]+?) \((\d{1,9})\)) *$", re.MULTILINE)
_VITEST_TIME = re.compile(r"^ *Duration {2,}([^(\n]*)", re.MULTILINE)
_JEST = re.compile(r"^Tests: +((?:\d[\da-z, ]*, )?(\d{1,9}) total)$", re.MULTILINE)
_JEST_TIME = re.compile(r"^Time: +([^,\n]*)", re.MULTILINE)
_MOCHA = re.compile(
    r"^ *(\d{1,9} passing)(?: \((\w+)\))?$(?:\n *(\d{1,9} pending)$)?(?:\n *(\d{1,9} failing)$)?",
    re.MULTILINE,
)
_PYTEST = re.compile(
    r"^(?:=+ )?(no tests ran|\d[\da-z, ]*) in (\d{1,9}\.\d\ds)(?: \([\d:]+\))?(?: =+)?$",
    re.MULTILINE,
)
_NODE = re.compile(
    r"^[#ℹ] (tests|pass|fail|cancelled|skip|skipped|todo|duration_ms) +(\d{1,15})[.\d]*$",  # noqa: RUF001 - the sign that node prints
    re.MULTILINE,
)
_JEST_JSON = re.compile(r'"num(Total|Passed|Failed|Pending|Todo)Tests": ?(\d{1,9})')
_MOCHA_JSON = re.compile(
    r'^ *"(tests|passes|pending|failures|duration)": (\d{1,9}),?$', re.MULTILINE
)
_PASSED = {"passed", "passing", "xpassed"}
_FAILED = {"failed", "failing", "error", "errors"}
_SKIPPED = {"skipped", "todo", "pending", "xfailed"}


class TestCounts(Record):
    """The numbers of tests; ``total`` includes the skipped ones."""

    total: int
    passed: int
    failed: int
    skipped: int


class Results(Record):
    """The results of a test run; ``duration_ms`` is None when the runner did not report it."""

    counts: TestCounts
    duration_ms: int | None = None


def printed(output: str) -> str:
    """A program's output as a terminal would show it, without colours."""
    lines = without_codes(output).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def read_results(runner: Runner, text: str) -> Results | None:
    """The results of the last run in ``text``, which is `printed`; None when there are none.

    A script may run several test programs one after the other: for "npm" they are added up.
    """
    readers = list(_READERS.values()) if runner == "npm" else [_READERS[runner]]
    found = [results for read in readers for results in read(text)]
    if not found:
        found = next(filter(None, (list(read(text)) for read in _OTHERS)), [])
    if runner != "npm":
        found = found[-1:]
    return _sum(found) if found else None


def _vitest(text: str) -> Iterator[Results]:
    for match, rest in _with_rest(_VITEST, text):
        time = _VITEST_TIME.search(rest)
        yield _results(match[1] or "", total=int(match[2] or 0), time=time and time[1])


def _jest(text: str) -> Iterator[Results]:
    for match, rest in _with_rest(_JEST, text):
        time = _JEST_TIME.search(rest)
        yield _results(match[1], total=int(match[2]), time=time and time[1])


def _mocha(text: str) -> Iterator[Results]:
    for match in _MOCHA.finditer(text):
        yield _results(" ".join(filter(None, match.group(1, 3, 4))), time=match[2])


def _pytest(text: str) -> Iterator[Results]:
    for match in _PYTEST.finditer(text):
        words = {word for _, word in _ITEM.findall(match[1])}
        known = words & {*_PASSED, *_FAILED, *_SKIPPED, "deselected"}
        if known or match[1] == "no tests ran":
            yield _results(match[1], time=match[2])


def _node(text: str) -> Iterator[Results]:
    """Read the comments at the end of TAP, which ``node:test`` also prints in its other format."""
    run: dict[str, int] = {}
    for match in _NODE.finditer(text):
        if match[1] == "tests" and run:
            yield _of_node(run)
            run = {}
        run[match[1]] = int(match[2])
    if "tests" in run:
        yield _of_node(run)


def _of_node(run: Mapping[str, int]) -> Results:
    counts = TestCounts(
        total=run.get("tests", 0),
        passed=run.get("pass", 0),
        failed=run.get("fail", 0) + run.get("cancelled", 0),
        skipped=run.get("skipped", 0) + run.get("skip", 0) + run.get("todo", 0),
    )
    return Results(counts=counts, duration_ms=run.get("duration_ms"))


def _jest_json(text: str) -> Iterator[Results]:
    """Read the JSON format that vitest and jest share."""
    last = {name: int(number) for name, number in _JEST_JSON.findall(text)}
    if "Total" in last:
        skipped = last.get("Pending", 0) + last.get("Todo", 0)
        passed, failed = last.get("Passed", 0), last.get("Failed", 0)
        yield Results(
            counts=TestCounts(total=last["Total"], passed=passed, failed=failed, skipped=skipped)
        )


def _mocha_json(text: str) -> Iterator[Results]:
    start = text.rfind('"stats": {')
    stats = {name: int(n) for name, n in _MOCHA_JSON.findall(text[start : text.find("}", start)])}
    if start >= 0 and "tests" in stats:
        counts = TestCounts(
            total=stats["tests"],
            passed=stats.get("passes", 0),
            failed=stats.get("failures", 0),
            skipped=stats.get("pending", 0),
        )
        yield Results(counts=counts, duration_ms=stats.get("duration"))


_READERS: Mapping[Runner, Callable[[str], Iterator[Results]]] = {
    "vitest": _vitest,
    "jest": _jest,
    "mocha": _mocha,
    "pytest": _pytest,
    "npm": _node,
}
_OTHERS = (_jest_json, _mocha_json, _node)


def _with_rest(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each match with the text between it and the next one."""
    matches = list(pattern.finditer(text))
    ends = [*(match.start() for match in matches), len(text)][1:]
    for match, end in zip(matches, ends, strict=False):
        yield match, text[match.end() : end]


def _results(items: str, *, total: int | None = None, time: str | None = None) -> Results:
    """The results for text like "1 failed, 2 passed" and "1.5s"."""
    numbers = {"passed": 0, "failed": 0, "skipped": 0}
    for number, word in _ITEM.findall(items):
        for kind, words in (("passed", _PASSED), ("failed", _FAILED), ("skipped", _SKIPPED)):
            numbers[kind] += int(number) if word in words else 0
    counts = TestCounts(total=sum(numbers.values()) if total is None else total, **numbers)
    return Results(counts=counts, duration_ms=_milliseconds(time or ""))


def _milliseconds(text: str) -> int | None:
    """The sum of times like "1.5s" and "2 m 3 s"; None when there is none."""
    found = _TIME.findall(text)
    if not found:
        return None
    return round(sum(float(number) * _UNITS_MS[unit] for number, unit in found))


def _sum(found: list[Results]) -> Results:
    counts = TestCounts(
        total=sum(results.counts.total for results in found),
        passed=sum(results.counts.passed for results in found),
        failed=sum(results.counts.failed for results in found),
        skipped=sum(results.counts.skipped for results in found),
    )
    times = [results.duration_ms for results in found]
    known = [time for time in times if time is not None]
    return Results(counts=counts, duration_ms=sum(known) if len(known) == len(times) else None)
