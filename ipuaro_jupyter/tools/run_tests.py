"""Run the project's tests."""

import re
import shlex
from typing import Annotated, ClassVar

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.project_tests.failed_tests import failed_tests
from ipuaro_jupyter.project.project_tests.runner_commands import (
    RunnerCommand,
    Selection,
    runner_command,
)
from ipuaro_jupyter.project.project_tests.runners import FoundRunner, find_runner
from ipuaro_jupyter.project.project_tests.test_results import (
    Runner,
    TestCounts,
    printed,
    read_results,
)
from ipuaro_jupyter.records.outputs import Output, Run
from ipuaro_jupyter.records.result_room import ENDS_SHARE
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.files.folders import inner_path
from ipuaro_jupyter.workspace.processes import subprocesses
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.running import run_program, start_job

_SHOWN_BYTES = 48_000
_FIRST_LOOK_S = 1.0  # for a run that ends at once because it is misconfigured
_SHELL_ACTIVE = re.compile(r"""[$`"\\!]""")
_QUOTING_NPM = 9


class TestsOutput(Output):
    """The result of a test run; ``duration`` is in milliseconds, the runner's if it has one.

    ``stats`` is None when the runner's output has no counts. ``job`` is the id of a run in the
    background; ``passed`` and ``exit_code`` are None while it goes on.
    """

    beginning: ClassVar[float] = ENDS_SHARE
    how_to_get_less: ClassVar[str] = "select fewer tests with path or filter"

    runner: Runner
    passed: bool | None
    exit_code: int | None
    output: str
    stats: TestCounts | None = None
    duration: int | None = None
    job: str | None = None
    command: str = Field(default="", exclude=True)
    notes: tuple[str, ...] = Field(default=(), exclude=True)

    def text(self) -> str:
        """The runner, its output, and the counts."""
        told = [f"Test runner: {self.runner}", f"Running: {self.command}"]
        told += [f"Note: {note}" for note in self.notes]
        if self.output.strip():
            told += ["", self.output.strip("\n")]
        return "\n".join([*told, "", *self._ending()])

    def shape(self) -> Run:
        """The counts and the failed tests, the command and its output."""
        stats = self.stats
        return Run(
            title=f"Tests with {self.runner}"
            + (f", in the background: {self.job}" * bool(self.job)),
            command=self.command,
            stdout=self.output,
            stderr="",
            exit_code=self.exit_code or 0,
            duration_ms=self.duration or 0,
            counts=()
            if stats is None
            else ((stats.failed, "failed"), (stats.passed, "passed"), (stats.skipped, "skipped")),
            failed=() if self.passed else failed_tests(self.output),
        )

    def _ending(self) -> list[str]:
        if self.passed is None:
            return [f"Runs in the background as {self.job}", _how_to_go_on(self.job)]
        told = [f"Passed: {'yes' if self.passed else f'no (exit code {self.exit_code})'}"]
        if self.stats is not None:
            more = ((self.stats.failed, "failed"), (self.stats.skipped, "skipped"))
            rest = ", ".join(f"{number} {word}" for number, word in more if number)
            numbers = f"{self.stats.passed}/{self.stats.total}" + (f" ({rest})" if rest else "")
            told.insert(0, f"Tests passed: {numbers}")
        return [*told, f"Duration: {self.duration} ms"]


@tool(
    asks_first=True,
    judged=True,
    times_itself=True,
    foreign=("test", "tests", "run_test", "execute_tests", "test_runner"),
    rare=("watch", "timeout"),
    names={"path": "place"},
)
def run_tests(
    project: Project,
    path: str | None = None,
    filter: str | None = None,  # noqa: A002 - the documented name
    *,
    watch: bool = False,
    timeout: Annotated[int, Field(ge=1, le=1_800_000)] = 300_000,
) -> TestsOutput:
    """Run the project's tests with the runner it uses, such as vitest, jest or pytest.

    Args:
        path: Test file or folder. Default: all tests.
        filter: Only tests whose name matches this, in the runner's own syntax.
        watch: Run in the background, again when files change; the tool job reads and stops it.
        timeout: Milliseconds, at most 1800000. Default: 300000. Not with watch.
    """
    selection, found = _selected(project, path, filter)
    command = runner_command(found, project.workspace.root, selection)
    if found.runner == "npm":
        _check_npm(project, command)
    if watch:
        return _in_background(project, found, command)
    outcome = run_program(
        project.workspace.execution_context,
        command.argv,
        tool="run_tests",
        timeout_s=timeout / 1000,
        cwd=str(found.folder),
        env=command.env or None,
        quietly=command.quietly,
        first=command.first,
        cancel=project.cancel,
    )
    output = printed(outcome.stdout)
    results = read_results(found.runner, output)
    measured = None if results is None else results.duration_ms
    return TestsOutput(
        runner=found.runner,
        passed=outcome.exit_code == 0,
        exit_code=outcome.exit_code,
        output=shortened(output, _SHOWN_BYTES),
        stats=None if results is None else results.counts,
        duration=outcome.duration_ms if measured is None else measured,
        command=_shown(project, found, command, command.argv),
        notes=_notes(found, command, outcome.sandbox),
    )


def _selected(
    project: Project, path: str | None, name: str | None
) -> tuple[Selection, FoundRunner]:
    """The selected tests, and their runner."""
    workspace = project.workspace
    if name is not None and "\0" in name:
        raise ToolError("validation", "The filter holds a NUL character.")
    file, _, rest = (path or "").partition("::")
    target = workspace.relative(file) if file else ""
    found = find_runner(workspace, target)
    place = workspace.root / target
    inside = ""
    if target and place != found.folder:
        inside = place.relative_to(found.folder).as_posix()
    folder = bool(inside) and place.is_dir()
    selection = Selection(path=inside, name=name or None, rest=rest, is_folder=folder)
    return selection, found


def _in_background(project: Project, found: FoundRunner, command: RunnerCommand) -> TestsOutput:
    if command.watching is None:
        raise ToolError(
            "validation",
            f"There is no known way to have {shlex.join(command.argv)} watch for changes.",
            suggestion="Call run_tests without watch.",
        )
    job = start_job(
        project.workspace.execution_context,
        command.watching,
        judged=command.argv,
        tool="run_tests",
        cwd=str(found.folder),
        env=command.env or None,
        first=command.first,
        cancel=project.cancel,
    )
    job.wait(_FIRST_LOOK_S)
    state = job.state()
    return TestsOutput(
        runner=found.runner,
        passed=None if state.exit_code is None else state.exit_code == 0,
        exit_code=state.exit_code,
        output=printed(state.output),
        duration=state.duration_ms,
        job=job.id,
        command=_shown(project, found, command, command.watching),
        notes=_notes(found, command),
    )


def _check_npm(project: Project, command: RunnerCommand) -> None:
    """Raise ToolError for arguments that an old npm would pass to a shell in double quotes."""
    risky = [word for word in command.argv if _SHELL_ACTIVE.search(word)]
    if not risky:
        return
    done = subprocesses.run(
        ["npm", "--version"], cwd=project.workspace.root, timeout_s=60, cancel=project.cancel
    )
    version = done.stdout.decode(errors="replace").strip()
    if not version.partition(".")[0].isdigit() or int(version.partition(".")[0]) < _QUOTING_NPM:
        raise ToolError(
            "validation",
            f"npm {version} does not quote what it passes to scripts, such as {risky[0]!r}.",
            suggestion='Do without $ ` " \\ and ! in path and filter, or install npm 9 or later.',
        )


def _notes(found: FoundRunner, command: RunnerCommand, sandbox: str = "") -> tuple[str, ...]:
    others = f"{', '.join(found.others)} is here as well: a path of its tests selects it."
    return tuple(filter(None, (sandbox, command.note, others if found.others else "")))


def _shown(
    project: Project, found: FoundRunner, command: RunnerCommand, words: tuple[str, ...]
) -> str:
    """A command as it would be typed."""
    assignments = [f"{name}={shlex.quote(value)}" for name, value in command.env.items()]
    folder = inner_path(project.workspace.root, str(found.folder))
    where = f" (in {folder})" if folder else ""
    return " ".join([*assignments, shlex.join(words)]) + where


def _how_to_go_on(job: str | None) -> str:
    return f'job(id="{job}", action="read") shows what it has printed, action="stop" ends it.'
