"""The errors that type checkers print, and the difference between two runs."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.project.checks.checkers import TypeChecker
from ipuaro_jupyter.workspace.files.folders import inner_path

_TSC = re.compile(r"^(\S[^\n]*?)\((\d+),\d+\): error (TS\d+): (.*)$", re.MULTILINE)
_TSC_GLOBAL = re.compile(r"^error (TS\d+): (.*)$", re.MULTILINE)
_MYPY = re.compile(r"^([^\n:]+):(\d+):(?:\d+:)? error: (.*?)(?:  \[([\w-]+)\])?$", re.MULTILINE)
_LISTED = re.compile(r"^(/.+\.(?:[cm]?[jt]sx?|vue|json))$", re.MULTILINE)
# With these, tsc prints no type errors: those of the syntax and of the configuration. The numbers
# left out among them are type errors after all, such as variables that are not used.
_TSC_NO_TYPES = re.compile(
    r"TS(?:1\d{3}|2657|5\d{3}|6(?!133|138|19[2689]|205)\d{3}|17\d{3}"
    r"|18(?!004|04[6-9]|05\d)\d{3})"
)
_MYPY_BROKEN_OFF = "errors prevented further checking"
_MYPY_ENDED = re.compile(r"^(?:Success: no issues|Found \d+ error)", re.MULTILINE)
_MOST_EXIT = 5  # a higher code, or a negative one, is that of a checker that was killed or crashed
_OWN_LINE = re.compile(r"\bline \d+")


class TypeProblem(NamedTuple):
    """An error of a type checker; ``line`` is 1-based, 0 for one of the whole run.

    ``path`` is relative to the project.
    """

    path: str
    line: int
    code: str
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}: " if self.path else ""
        return place + self.message + (f" ({self.code})" if self.code else "")

    @property
    def key(self) -> tuple[str, str, str]:
        """What stays the same when the lines around it move."""
        return self.path, self.code, _OWN_LINE.sub("line", self.message)


class CheckerOutput(NamedTuple):
    """The errors of a run in their order, and the files of the project that it has looked at.

    ``seen`` is None when the output does not say that. ``is_complete`` is False when an error of
    the syntax or the configuration has kept the checker from looking for others.
    """

    errors: tuple[TypeProblem, ...]
    seen: frozenset[str] | None = None
    is_complete: bool = True


def read_output(
    checker: TypeChecker, text: str, *, exit_code: int, root: Path
) -> CheckerOutput | None:
    """The errors in what a checker has printed; None when it did not check anything.

    Args:
        checker: The checker.
        text: Its output, both streams.
        exit_code: Its exit code: one that is not 0 without a readable error is a failed run.
        root: The folder that took the place of the project's.
    """
    folder = root / checker.folder
    seen: frozenset[str] | None = None
    is_complete = True
    if checker.name == "pyright":
        errors = _pyright(text, folder, root)
    elif checker.name == "mypy":
        errors = [
            TypeProblem(_project_path(path, folder, root), int(line), code, message)
            for path, line, message, code in _MYPY.findall(text)
        ]
        is_complete = _MYPY_BROKEN_OFF not in text
    else:
        errors = [
            TypeProblem(_project_path(path, folder, root), int(line), code, message)
            for path, line, code, message in _TSC.findall(text)
        ]
        errors += [TypeProblem("", 0, *found) for found in _TSC_GLOBAL.findall(text)]
        is_complete = all(one.path and not _TSC_NO_TYPES.fullmatch(one.code) for one in errors)
        listed = (_project_path(path, folder, root) for path in _LISTED.findall(text))
        seen = frozenset(path for path in listed if not path.startswith(".."))
    if errors is None or (exit_code and not errors) or not 0 <= exit_code <= _MOST_EXIT:
        return None
    if checker.name == "mypy" and not _MYPY_ENDED.search(text):
        return None
    return CheckerOutput(tuple(errors), seen, is_complete)


def new_problems(
    after: Sequence[TypeProblem], before: Sequence[TypeProblem]
) -> tuple[TypeProblem, ...]:
    """The errors that were not there before, wherever their lines have moved."""
    left = Counter(problem.key for problem in before)
    new = []
    for problem in after:
        if left[problem.key] > 0:
            left[problem.key] -= 1
        else:
            new.append(problem)
    return tuple(new)


def _project_path(path: str, folder: Path, root: Path) -> str:
    place = os.path.normpath(folder / path)
    inner = inner_path(root, place)
    return os.path.relpath(place, root) if inner is None else inner


def _pyright(text: str, folder: Path, root: Path) -> list[TypeProblem] | None:
    start = text.find("{")
    try:
        value, _ = json.JSONDecoder().raw_decode(text[max(start, 0) :])
        if not value["summary"]["filesAnalyzed"]:
            return None
        return list(_diagnostics(value["generalDiagnostics"], folder, root))
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return None  # it is something else


def _diagnostics(found: Sequence[Any], folder: Path, root: Path) -> Iterator[TypeProblem]:
    for one in found:
        if one["severity"] == "error":
            yield TypeProblem(
                path=_project_path(one["file"], folder, root),
                line=one.get("range", {}).get("start", {}).get("line", -1) + 1,
                code=str(one.get("rule", "")),
                message=str(one["message"]).partition("\n")[0],
            )
