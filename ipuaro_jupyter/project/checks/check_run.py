"""A check of a change: the planned type checkers and tests, run in a copy of the project."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.checks.baselines import Baselines
from ipuaro_jupyter.project.checks.check_lines import TestsFound, TypesFound, report_of
from ipuaro_jupyter.project.checks.check_plan import CheckPlan, PlannedTests
from ipuaro_jupyter.project.checks.checker_output import CheckerOutput, read_output
from ipuaro_jupyter.project.checks.checkers import TypeChecker
from ipuaro_jupyter.project.checks.copy_imports import CopyImports
from ipuaro_jupyter.project.checks.tests_output import RanTests, read_tests
from ipuaro_jupyter.project.project_tests.test_results import printed
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.workspace.execution_context import ExecutionContext
from ipuaro_jupyter.workspace.files.folders import inner_path
from ipuaro_jupyter.workspace.running import CommandOutcome, run_program
from ipuaro_jupyter.workspace.sandbox.sandbox import Sandbox
from ipuaro_jupyter.workspace.scratch.scratch import Scratch, scratch_copy

TOOL = "check"
_MOST_CHARACTERS = 60_000  # of the paths in one command
_TESTS_TOOL = "run_tests"  # the policy knows what runners run under this name


@dataclass(frozen=True)
class CheckConditions:
    """The conditions of a check.

    Attributes:
        context: Who decides on its commands, in the project; they run in a copy.
        timeout_s: Seconds that all of it may take.
        cancel: Ends it.
        baselines: The results without the change, kept between checks.
    """

    context: ExecutionContext
    timeout_s: float
    cancel: CancelToken
    baselines: Baselines


def run_check(
    plan: CheckPlan,
    changes: Sequence[Change],
    conditions: CheckConditions,
    *,
    uncovered: Sequence[str] = (),
) -> CheckReport:
    """Run a plan with the changes applied; nothing of the project itself is written.

    Errors and failing tests count only if they are not there without the changes.

    Args:
        plan: What to run.
        changes: What is proposed.
        conditions: The conditions.
        uncovered: Places that use what is changed, and that none of the tests reaches.

    Raises:
        ProjectError: The project cannot be copied, or a change is of a file that the copy shares.
        Cancelled: ``conditions.cancel`` was set.
    """
    began_s = time.monotonic()
    root = conditions.context.root
    with scratch_copy(root, cancel=conditions.cancel) as copy:
        running = _CopyRunner(root, copy, conditions, began_s + conditions.timeout_s)
        with_changes = _Applied(copy, changes)
        with_changes.apply()
        running.begin(changes)
        types = [TypesFound(one, *running.types(one)) for one in plan.checkers]
        tests = [TestsFound.of(one, running.tests(one)) for one in plan.tests]
        with_changes.take_back()
        running.begin(())
        is_listed = any(change.after is None for change in changes)
        types = [running.types_before(found, is_listed=is_listed) for found in types]
        tests = [running.tests_before(found) for found in tests]
    seconds = time.monotonic() - began_s
    return report_of(plan, changes, types, tests, uncovered=uncovered, seconds=seconds)


class _Applied:
    """Changes in a copy: made, and taken back."""

    def __init__(self, copy: Scratch, changes: Sequence[Change]) -> None:
        self._copy = copy
        self._changes = changes
        self._before = {change.path: copy.read(change.path) for change in changes}

    def apply(self) -> None:
        for change in self._changes:
            self._copy.put(change.path, change.after, mode=change.mode)

    def take_back(self) -> None:
        for change in self._changes:
            self._copy.put(change.path, self._before[change.path], mode=change.mode)


class _CopyRunner:
    """Runs single checkers and test runners in the copy, within the time that is left."""

    def __init__(
        self, root: Path, copy: Scratch, conditions: CheckConditions, until_s: float
    ) -> None:
        self._root = root
        self._copy = copy.root
        self._conditions = conditions
        self._until_s = until_s
        self._imports = CopyImports(root, copy.root)
        self._context = replace(
            conditions.context,
            root=copy.root,
            sandbox=self._sandbox(conditions.context),
            ask_person=None,
        )

    def _sandbox(self, context: ExecutionContext) -> Sandbox | None:
        """The sandbox for the copies, with the folders that programs in them leave notes in."""
        if context.sandbox is None:
            return None
        kept = (self._imports.folder, self._conditions.baselines.cache.path)
        return replace(context.sandbox, writable=kept)

    def begin(self, changes: Sequence[Change]) -> None:
        """Have the copy run with these changes, which are applied, from now on."""
        self._changes = changes
        self._imports.begin(changes)

    def types(self, checker: TypeChecker) -> tuple[CheckerOutput | None, str]:
        """What a checker finds, or None and why there is nothing."""
        if checker.missing:
            return None, f"{checker.name} is configured, but not installed: {checker.missing}"
        folder = self._copy / checker.folder
        try:
            words = (*checker.argv, *self._bounded(checker.files))
            done = self._run(words, TOOL, folder, first=checker.first)
        except ToolError as error:
            return None, self._why(error)
        text = printed(done.stdout)
        found = read_output(checker, text, exit_code=done.exit_code, root=self._copy)
        return found, "" if found else f"no result (exit code {done.exit_code}): {_end(text)}"

    def tests(self, planned: PlannedTests) -> RanTests:
        """The results of tests, or None and why there are none."""
        self._imports.begin(self._changes)
        try:
            folder, command = planned.command(self._root, self._copy)
            variables = {**command.env, **command.quietly}
            done = self._run(
                command.argv, _TESTS_TOOL, folder, first=command.first, variables=variables
            )
        except ToolError as error:
            return RanTests(None, self._why(error))
        outcome = read_tests(
            planned.found.runner, done.stdout, exit_code=done.exit_code, copy=str(self._copy)
        )
        if planned.found.runner != "pytest":
            return RanTests(outcome)
        seen = self._imports.seen()
        return RanTests(outcome, seen.problem, seen.loaded)

    def types_before(self, found: TypesFound, *, is_listed: bool) -> TypesFound:
        """The same with the errors that were there before, looked up only if there are errors.

        ``is_listed``: also to know which files the checker has seen, if its output lists them.
        """
        if found.after is None:
            return found
        if not found.after.errors and not (is_listed and found.after.seen is not None):
            return found
        output, problem = self._conditions.baselines.types(
            found.checker, lambda: self.types(found.checker)
        )
        if output is not None and found.after.errors and not output.is_complete:
            problem = f"types are not looked at because of an error: {output.errors[0]}"
        return replace(found, before=output, problem=problem and f"without the change, {problem}")

    def tests_before(self, found: TestsFound) -> TestsFound:
        """The same with the results before, which tell broken and lost tests from others."""
        if found.after is None or found.problem:
            return found
        before = self._conditions.baselines.tests(found.planned, lambda: self.tests(found.planned))
        problem = before.problem and f"without the change, {before.problem}"
        return replace(found, before=before.outcome, problem=problem)

    def _bounded(self, files: Sequence[str]) -> Sequence[str]:
        """Files for a command line, which is limited: as a file of arguments if they are many."""
        if sum(map(len, files)) <= _MOST_CHARACTERS:
            return files
        return (f"@{self._imports.listed(files)}",)

    def _run(
        self,
        argv: Sequence[str],
        tool: str,
        folder: Path,
        *,
        first: Sequence[str],
        variables: dict[str, str] | None = None,
    ) -> CommandOutcome:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise ToolError("timeout", "The time was up.")
        return run_program(
            self._context,
            argv,
            tool=tool,
            timeout_s=left_s,
            cwd=str(folder),
            quietly={**self._quietly(folder), **(variables or {})},
            first=[self._in_copy(place) for place in first],
            cancel=self._conditions.cancel,
        )

    def _quietly(self, folder: Path) -> dict[str, str]:
        """Variables with which nothing is written next to installed packages.

        Python imports the project's packages from the copy, wherever they are installed.
        """
        places = [self._imports.folder]
        places += [place for place in (folder / "src", folder) if place.is_dir()]
        own = os.environ.get("PYTHONPATH")
        paths = [*map(str, places), *([own] if own else [])]
        return {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(paths),
            "MYPY_CACHE_DIR": str(self._conditions.baselines.cache.path),
        }

    def _in_copy(self, place: str) -> str:
        inner = inner_path(self._root, place)
        return place if inner is None else str(self._copy / inner)

    def _why(self, error: ToolError) -> str:
        if error.type == "timeout":
            return f"not finished within {self._conditions.timeout_s:g} s"
        return str(error).partition("\n")[0]


def _end(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip()[:200] if lines else "it printed nothing"
