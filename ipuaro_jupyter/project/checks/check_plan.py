"""What a check of a change runs: type checkers, and the tests that reach the changed files."""

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.checks.checkers import TypeChecker, find_checkers
from ipuaro_jupyter.project.checks.reach import Graph, is_test, may_be_test, reached_files
from ipuaro_jupyter.project.project_tests.runner_commands import (
    RunnerCommand,
    Selection,
    runner_command,
)
from ipuaro_jupyter.project.project_tests.runners import FoundRunner, find_runner, npm_scripts
from ipuaro_jupyter.project.project_tests.settings_files import as_proposed
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.files.folders import inner_path

if TYPE_CHECKING:
    from ipuaro_jupyter.workspace.workspace import Workspace

_MOST_CHARACTERS = 60_000  # of the paths in one command; with more, all tests run
_SHOWN_PATHS = 3
_WITHOUT_NAMES = ("mocha", "npm")  # runners that take any file for a test


@dataclass(frozen=True, slots=True)
class PlannedTests:
    """The tests of one runner: ``files`` relative to the project, all that reach the change.

    ``scripts`` are what `npm test` runs, where that is the runner.
    """

    found: FoundRunner
    selection: Selection
    files: tuple[str, ...]
    scripts: tuple[str, ...] = ()

    def command(self, root: Path, copy: Path) -> tuple[Path, RunnerCommand]:
        """The folder and the command, in the copy of the project at ``root``."""
        folder = copy / (inner_path(root, str(self.found.folder)) or "")
        found = replace(self.found, folder=folder)
        return folder, runner_command(found, copy, self.selection)


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What a check runs.

    ``changed`` are the changed files, ``tested`` those of them that a test of ``tests`` reaches.
    ``lost`` are test files that the change deletes.
    """

    changed: tuple[str, ...]
    checkers: tuple[TypeChecker, ...]
    tests: tuple[PlannedTests, ...]
    tested: frozenset[str]
    lost: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to run."""
        return not self.tests and all(checker.missing for checker in self.checkers)

    @property
    def test_files(self) -> frozenset[str]:
        """The test files that run."""
        return frozenset(file for tests in self.tests for file in tests.files)

    def commands(self, root: Path) -> tuple[str, ...]:
        """The commands as they would be typed, long lists of files shortened."""
        told = [
            _in_folder(checker.told, checker.folder)
            for checker in self.checkers
            if not checker.missing
        ]
        for tests in self.tests:
            folder, command = tests.command(root, root)
            where = inner_path(root, str(folder)) or ""
            line = _in_folder(_short(command.argv, tests.selection), where)
            runs = f", which runs: {' && '.join(tests.scripts)}" if tests.scripts else ""
            told.append(line + runs)
        return tuple(told)


def check_plan(workspace: "Workspace", changes: Sequence[Change], dependents: Graph) -> CheckPlan:
    """What is to run for these changes, as the project's settings are with them.

    Args:
        workspace: The project.
        changes: What is proposed.
        dependents: For each file of the project the files that import it.
    """
    changed = tuple(dict.fromkeys(change.path for change in changes))
    gone = {change.path for change in changes if change.after is None}
    reached = reached_files(changed, dependents)
    left = reached - gone or reached
    with as_proposed(workspace.root, changes):
        tests = _planned(workspace, reached - gone, dependents)
        checkers = find_checkers(workspace.root, left)
    ran = {file for planned in tests for file in planned.files}
    return CheckPlan(
        changed=changed,
        checkers=checkers,
        tests=tuple(tests),
        tested=frozenset(p for p in changed if ran & reached_files([p], dependents)),
        lost=tuple(path for path in changed if path in gone and is_test(path)),
    )


def _planned(
    workspace: "Workspace", reached: Collection[str], dependents: Graph
) -> list[PlannedTests]:
    by_runner: dict[FoundRunner, list[str]] = {}
    for path in sorted(reached):
        named = is_test(path)
        if not named and not may_be_test(path, dependents):
            continue
        try:
            found = find_runner(workspace, path)
        except ToolError:  # nothing runs it
            continue
        if named or found.runner in _WITHOUT_NAMES:
            by_runner.setdefault(replace(found, others=()), []).append(path)
    return [
        PlannedTests(
            found,
            _selection(workspace.root, found, files),
            tuple(files),
            npm_scripts(found.folder) if found.runner == "npm" else (),
        )
        for found, files in by_runner.items()
    ]


def _selection(root: Path, found: FoundRunner, files: Sequence[str]) -> Selection:
    inside = [(root / file).relative_to(found.folder).as_posix() for file in files]
    if sum(map(len, inside)) > _MOST_CHARACTERS:
        return Selection()
    return Selection(path=inside[0], others=tuple(inside[1:]))


def _short(argv: Sequence[str], selection: Selection) -> str:
    left_out = set(selection.others[_SHOWN_PATHS - 1 :])
    shown = shlex.join(word for word in argv if word not in left_out)
    return shown + (f" and {len(left_out)} more files" if left_out else "")


def _in_folder(command: str, folder: str) -> str:
    return f"{command} (in {folder})" if folder else command
