"""Checks of proposals: the index knows what a change reaches, the project's programs the rest."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import CancelToken, watched
from ipuaro_jupyter.errors import Cancelled, ProjectError, StorageError, ToolError
from ipuaro_jupyter.index.changed_callers import uncovered_callers
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.project.checks.baselines import Baselines, state_of
from ipuaro_jupyter.project.checks.check_settings import CheckSettings
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.workspace.approval import Approve
from ipuaro_jupyter.workspace.checked_decisions import ProposalChecks, agreed
from ipuaro_jupyter.workspace.execution_context import ExecutionContext
from ipuaro_jupyter.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ipuaro_jupyter.project.checks.check_plan import CheckPlan


class CheckedProposals:
    """Plans and runs the checks of one project.

    Args:
        settings: When checks run, and for how long.
        workspace: Gives the open workspace.
        index: Gives the index of the project as it is.
        consent: The user's own settings that let checks run without a question.
    """

    def __init__(
        self,
        settings: CheckSettings,
        *,
        workspace: Callable[[], Workspace],
        index: Callable[[], CodeIndex],
        consent: frozenset[str],
    ) -> None:
        self._settings = settings
        self._workspace = workspace
        self._index = index
        self._always_agrees = "checks.before" in consent
        self._agrees_by_approve = "approve" in consent
        self._baselines = Baselines()
        self._running: CancelToken | None = None

    @property
    def hooks(self) -> ProposalChecks:
        """The part that the workspace needs."""
        return ProposalChecks(self._settings.before, commands=self._commands, run=self._run)

    def note_approval(self, before: Approve, now: Approve) -> None:
        """Note that the user sets ``approve`` now: "checked" is their consent to checks.

        Any other value takes it back.
        """
        self._agrees_by_approve = now == "checked" and (self._agrees_by_approve or before != now)

    def cancel(self) -> None:
        """Cancel the check that runs, from any thread; the question is asked again then."""
        running = self._running
        if running is not None:
            running.cancel()

    def _commands(self, changes: Sequence[Change]) -> tuple[str, ...]:
        workspace = self._workspace()
        with suppress(StorageError, ToolError):  # the question matters more
            return self._plan(workspace, changes).commands(workspace.root)
        return ()

    def _plan(self, workspace: Workspace, changes: Sequence[Change]) -> "CheckPlan":
        from ipuaro_jupyter.project.checks.check_plan import check_plan  # noqa: PLC0415 - not needed to open a project

        return check_plan(workspace, changes, self._index().imports.graph().dependents)

    def _run(self, changes: Sequence[Change], context: ExecutionContext) -> CheckReport:
        stop, token = watched(), CancelToken()
        self._running = token
        try:
            with stop.calling(token.cancel):
                return self._found(changes, self._context(context, changes), token)
        except (ProjectError, ToolError) as error:
            return CheckReport(verdict="unknown", lines=(f"Not checked: {error}",))
        except Cancelled:
            stop.check()
            told = "The check was cancelled."
            return CheckReport(verdict="unknown", lines=(told,), is_final=False)
        finally:
            self._running = None

    def _found(
        self, changes: Sequence[Change], context: ExecutionContext, cancel: CancelToken
    ) -> CheckReport:
        from ipuaro_jupyter.project.checks.check_run import (  # noqa: PLC0415 - it loads tree_sitter
            CheckConditions,
            run_check,
        )

        workspace = self._workspace()
        plan = self._plan(workspace, changes)
        if plan.is_empty:
            missing = tuple(
                f"{one.name} is configured, but not installed: {one.missing}"
                for one in plan.checkers
            )
            told = "Nothing is known: no type checker and no test looks at what is changed."
            return CheckReport(verdict="unknown", lines=(told, *missing))
        tests = plan.test_files
        conditions = CheckConditions(
            context=context,
            timeout_s=self._settings.timeout_s,
            cancel=cancel,
            baselines=self._baselines.at(state_of(workspace, cancel=cancel)),
        )
        uncovered = uncovered_callers(self._index(), changes, tests)
        return run_check(plan, changes, conditions, uncovered=uncovered)

    @property
    def _is_agreed(self) -> bool:
        is_checked = self._workspace().settings.approve == "checked"
        return self._always_agrees or (self._agrees_by_approve and is_checked)

    def _context(self, context: ExecutionContext, changes: Sequence[Change]) -> ExecutionContext:
        """The conditions of the commands: the proposed files count as written and unseen."""
        if self._is_agreed:
            return agreed(context)
        return replace(context, proposed=tuple(change.path for change in changes))
