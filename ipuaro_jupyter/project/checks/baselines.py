"""The results of checkers and tests without a change, kept while the project stays as it is."""

import hashlib
import os
import sysconfig
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.workspace.scratch.scratch import (
    CacheFolder,
    installed_folders,
    is_package_cache,
)

if TYPE_CHECKING:
    from ipuaro_jupyter.project.checks.check_plan import PlannedTests
    from ipuaro_jupyter.project.checks.checker_output import CheckerOutput
    from ipuaro_jupyter.project.checks.checkers import TypeChecker
    from ipuaro_jupyter.project.checks.tests_output import RanTests
    from ipuaro_jupyter.workspace.workspace import Workspace

_MOST_INSTALLED = 500_000  # files; with more, no result is kept
_COMPILED = "__pycache__"  # written whenever a program runs

FoundTypes = tuple["CheckerOutput | None", str]


class Baselines:
    """The results for one state of the project's files; those of an older state are dropped.

    Attributes:
        cache: For the caches of checkers.
    """

    def __init__(self) -> None:
        self.cache = CacheFolder()
        self._state = ""
        self._types: dict[TypeChecker, FoundTypes] = {}
        self._tests: dict[PlannedTests, RanTests] = {}

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

    def tests(self, planned: "PlannedTests", run: Callable[[], "RanTests"]) -> "RanTests":
        """The same for tests."""
        if planned in self._tests:
            return self._tests[planned]
        found = run()
        if found.outcome is not None:
            self._tests[planned] = found
        return found


def state_of(workspace: "Workspace", *, cancel: CancelToken | None = None) -> str:
    """A mark of the project's files and installed packages: it changes when one of them does.

    Raises:
        Cancelled: ``cancel`` was set meanwhile.
    """
    cancel = cancel or CancelToken()
    mark = hashlib.sha256()
    root, files = workspace.root, workspace.files().files
    for path in files:
        mark.update(f"{path}\0{_stamp(root / path)}\0".encode(errors="surrogateescape"))
    for count, (path, stamp) in enumerate(_installed(root, files, cancel)):
        mark.update(f"{path}\0{stamp}\0".encode(errors="surrogateescape"))
        if count == _MOST_INSTALLED:
            mark.update(os.urandom(16))  # it may have changed
            break
    return mark.hexdigest()


def _stamp(path: Path) -> str:
    try:
        return _told(os.stat(path))  # noqa: PTH116 - many of them
    except OSError:
        return ""


def _told(found: os.stat_result) -> str:
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def _installed(
    root: Path, files: Collection[str], cancel: CancelToken
) -> Iterator[tuple[str, str]]:
    """Yield the files of the packages that programs find, with their stamps."""
    folders = [os.fspath(folder) for folder in installed_folders(root, files)]
    is_python = any(path.endswith(".py") for path in files)
    if is_python and all(folder.endswith("node_modules") for folder in folders):
        folders += sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    for folder in folders:
        yield from _files_in(os.path.realpath(folder), cancel)


def _files_in(folder: str, cancel: CancelToken) -> Iterator[tuple[str, str]]:
    """Yield the files below a folder of packages with their stamps, and what links lead to."""
    pending, known = [folder], {folder}
    while pending:
        cancel.check()
        at = pending.pop()
        with suppress(OSError), os.scandir(at) as entries:
            for entry in sorted(entries, key=attrgetter("name")):
                if entry.is_dir():
                    real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                    is_cache = entry.name == _COMPILED or is_package_cache(at, entry.name)
                    if not is_cache and real not in known:
                        known.add(real)
                        pending.append(real)
                else:
                    with suppress(OSError):  # a link that leads nowhere
                        yield entry.path, _told(entry.stat())
