"""The failed tests and their messages, read from the output of test runners.

The formats are those of vitest, jest, mocha, pytest, and TAP, which ``node:test`` also prints.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ipuaro_jupyter.records.outputs import FailedTest

_MOST = 200
_PYTEST = re.compile(
    r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\](?= - |$))?)(?: - (.*))?$", re.MULTILINE
)
_VITEST = re.compile(r"^ *(?:FAIL|\u00d7 FAIL) {2}(.+? > .+)$", re.MULTILINE)
_JEST = re.compile(r"^ {2}\u25cf (.+)$", re.MULTILINE)
_MOCHA = re.compile(r"^ {2}\d{1,6}\) (\S.*)$", re.MULTILINE)
_TAP = re.compile(r"^ *not ok \d+ (?:- )?(.+?)(?: # .*)?$", re.MULTILINE)
_TAP_ERROR = re.compile(r"^ *error: (?:\|-|>-)?\s*(.+)$", re.MULTILINE)
_FOLLOWING = 12  # lines within which the message of a failed test begins
_SPAN = 4000  # characters within which these lines are searched
_NO_MESSAGE = re.compile(r"^[\s\u2500-\u257f\u2014-]*$|^\s*(?:at |\u276f )|^ *(?:Error|Failure):$")


@lru_cache(maxsize=4)
def failed_tests(text: str) -> tuple[FailedTest, ...]:
    """The failed tests in the order in which they are printed, each once.

    Only the first line of a message is kept, "" when there is none. For several runs in one output,
    the failures of all are included, as far as they are shown.

    The latest few are cached: one result is drawn more than once.
    """
    found: dict[str, str] = {}
    for read in (_pytest, _vitest, _jest, _mocha, _tap):
        for name, message in read(text):
            found.setdefault(name, message)
            if len(found) == _MOST:
                break
        if found:
            break
    return tuple(FailedTest(name=name, message=said) for name, said in found.items())


def _pytest(text: str) -> Iterator[tuple[str, str]]:
    for match in _PYTEST.finditer(text):
        if "::" in match[1] or match[1].endswith(".py"):
            yield match[1], match[2] or ""


def _vitest(text: str) -> Iterator[tuple[str, str]]:
    for match in _VITEST.finditer(text):
        yield match[1].strip(), _next_line(text, match.end())


def _jest(text: str) -> Iterator[tuple[str, str]]:
    for match in _JEST.finditer(text):
        message = _next_line(text, match.end())
        if "\u203a" in match[1] or message:
            yield match[1].strip(), message


def _mocha(text: str) -> Iterator[tuple[str, str]]:
    """Read the list at the end: a name continues over lines until a colon."""
    start = re.search(r"^ *\d{1,9} failing$", text, re.MULTILINE)
    for match in _MOCHA.finditer(text, start.end()) if start else ():
        lines = [match[1]]
        rest = _following(text, match.end())
        while not lines[-1].endswith(":") and rest and rest[0].strip():
            lines.append(rest.pop(0).strip())
        yield " ".join(lines).removesuffix(":"), _first_message(rest)


def _tap(text: str) -> Iterator[tuple[str, str]]:
    for match in _TAP.finditer(text):
        following = "\n".join(_following(text, match.end()))
        said = _TAP_ERROR.search(following.split("not ok ")[0])
        yield match[1], said[1].strip().strip("'\"") if said else ""


def _next_line(text: str, at: int) -> str:
    return _first_message(_following(text, at))


def _following(text: str, at: int) -> list[str]:
    """The lines after the one that ends ``at``; the last one may be cut."""
    return text[at : at + _SPAN].split("\n", _FOLLOWING)[1:_FOLLOWING]


def _first_message(lines: list[str]) -> str:
    return next((line.strip() for line in lines if not _NO_MESSAGE.match(line)), "")
