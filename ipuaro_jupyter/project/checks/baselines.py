"""The results of checkers and tests without a change, kept while the project stays as it is."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.workspace.scratch.scratch import CacheFolder

if TYPE_CHECKING:
    from ipuaro_jupyter.project.checks.check_plan import PlannedTests
    from ipuaro_jupyter.project.checks.checker_output import CheckerOutput
    from ipuaro_jupyter.project.checks.checkers import TypeChecker
    from ipuaro_jupyter.project.checks.tests_output import RunOutcome
    from ipuaro_jupyter.workspace.workspace import Workspace

_INSTALLED = ("node_modules", "node_modules/.package-lock.json", ".venv", "venv", "env")

FoundTypes = tuple["CheckerOutput | None", str]
FoundTests = tuple["RunOutcome | None", str]


class Baselines:
    """The results for one state of the project's files; those of an older state are dropped.

    Attributes:
        cache: For the caches of checkers.
    """

    def __init__(self) -> None:
        self.cache = CacheFolder()
        self._state = ""
        self._types: dict[TypeChecker, FoundTypes] = {}
        self._tests: dict[PlannedTests, FoundTests] = {}

    def at(self, state: str) -> "Baselines":
        """The same for this state, empty if it is another one."""
        if state != self._state:
            self._state = state
            self._types.clear()
            self._tests.clear()
        return self

    def types(self, checker: "TypeChecker", run: Callable[[], FoundTypes]) -> FoundTypes:
        """The result of a checker: kept, or else that of ``run``, which is kept if it has one."""
        if checker in self._types:
            return self._types[checker]
        found = run()
        if found[0] is not None:
            self._types[checker] = found
        return found

    def tests(self, planned: "PlannedTests", run: Callable[[], FoundTests]) -> FoundTests:
        """The same for tests."""
        if planned in self._tests:
            return self._tests[planned]
        found = run()
        if found[0] is not None:
            self._tests[planned] = found
        return found


def state_of(workspace: "Workspace") -> str:
    """A mark of the project's files as they are now: it changes when one of them does."""
    mark = hashlib.sha256()
    for path in (*workspace.files().files, *_INSTALLED):
        mark.update(f"{path}\0{_stamp(workspace.root / path)}\0".encode(errors="surrogateescape"))
    return mark.hexdigest()


def _stamp(path: Path) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - many of them
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"
