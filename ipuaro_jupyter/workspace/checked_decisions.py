"""Decisions on proposals of edits that can be checked first."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from ipuaro_jupyter.cancellation import deciding
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.workspace.approval import (
    EDITS,
    Approvals,
    Approve,
    always_asks,
    refusal,
)
from ipuaro_jupyter.workspace.changes.change_proposal import typed_lines, unusable
from ipuaro_jupyter.workspace.execution_context import ExecutionContext

_MOST_CHECKS = 10  # of one proposal, so that a program that answers cannot go on for ever
_APPLY = Decision(action="apply")
_OTHER_COMMANDS = (
    "Nothing has run yet: this choice or text needs other commands than were shown. Check it again "
    "to run these:"
)

Made = Callable[[Decision], Sequence[Change]]
"""The changes that a decision on a proposal would make."""


@dataclass(frozen=True)
class ProposalChecks:
    """How proposals are checked.

    Attributes:
        before: When: "ask" when the user wants it, "always" before every question, or "never".
        commands: The commands that a check of changes would run; cheap.
        run: Checks changes in a copy; the context decides on the commands.
    """

    before: Literal["ask", "always", "never"]
    commands: Callable[[Sequence[Change]], tuple[str, ...]]
    run: Callable[[Sequence[Change], ExecutionContext], CheckReport]


def agreed(context: ExecutionContext) -> ExecutionContext:
    """The same where the user has agreed to what would be asked; denied commands stay denied."""
    return replace(context, decide=_agree, note_verdict=_leave_out, ask_person=None)


@dataclass(frozen=True)
class CheckedDecisions:
    """Decides on proposals, with a check where one is wanted.

    Attributes:
        approvals: The settings, the remembered permissions and the user.
        checks: How edits are checked; None: not at all.
        context: The conditions of the commands of a check.
        decided: Called with every decision.
    """

    approvals: Approvals
    checks: ProposalChecks | None
    context: Callable[[], ExecutionContext]
    decided: Callable[[Proposal, Decision], None]

    def decide(
        self,
        proposal: Proposal,
        approve: Approve,
        *,
        by_user: bool,
        made: Made | None = None,
        passes: bool = True,
    ) -> tuple[Proposal, Decision]:
        """The decision, and the proposal with what a check has found.

        Args:
            proposal: The question.
            approve: The setting. "checked" applies an edit whose check passes.
            by_user: Whether a person, not the model, is the author of what is proposed.
            made: The changes that a decision would make; None for what cannot be checked.
            passes: Whether "checked" may apply it at all.

        Raises:
            Cancelled: The user pressed stop.
        """
        with deciding():
            decision = self.approvals.unasked(proposal, approve, by_user=by_user)
            if decision is None and made is not None and self._can_be_checked(proposal):
                passes = passes and approve == "checked" and not proposal.problems
                proposal, decision = self._with_checks(proposal, made, passes=passes)
            elif decision is None:
                decision = self._asked(proposal)
        if decision.action == "apply" and (reason := unusable(proposal, decision)):
            decision = _rejected(reason)
        self.decided(proposal, decision)
        return proposal, decision

    def ask_person(self, proposal: Proposal, approve: Approve) -> Decision:
        """The user's own decision: no setting and no remembered permission applies the proposal.

        Raises:
            Cancelled: The user pressed stop.
        """
        decision = self.approvals.unasked(proposal, approve) if approve == "never" else None
        if decision is None:
            with deciding():
                decision = self.approvals.ask(proposal)
        self.decided(proposal, decision)
        return decision

    def changes(
        self, question: Proposal, approve: Approve, *, by_user: bool, made: Made, passes: bool
    ) -> tuple[tuple[Change, ...], Decision]:
        """The changes to write after the decision on a question, and that; see `decide`.

        Raises:
            ToolError: "cancelled" when it was rejected.
            Cancelled: The user pressed stop.
        """
        decided, decision = self.decide(
            question, approve, by_user=by_user, made=made, passes=passes
        )
        if decision.action == "reject":
            raise refusal(decided, decision, typed=typed_lines(decided, decision))
        return tuple(made(decision)), decision

    def _with_checks(
        self, proposal: Proposal, made: Made, *, passes: bool
    ) -> tuple[Proposal, Decision]:
        """The decision after as many checks as are wanted; ``passes``: a check may apply it."""
        checks = self.checks
        assert checks is not None  # noqa: S101 - it can be checked
        if passes or checks.before == "always":
            proposal = self._checked(proposal, _APPLY, made, is_agreed=False)
            report = proposal.checked
            if passes and report is not None and report.verdict == "passed":
                reason = f"checked: {report.lines[0]}"
                return proposal, Decision(action="apply", by="setting", reason=reason)
        with suppress(ToolError):  # no file of the set is ticked
            proposal = proposal.model_copy(update={"check": checks.commands(made(_APPLY))})
        for _ in range(_MOST_CHECKS):
            decision = self.approvals.ask(proposal)
            if decision.action != "check":
                return proposal, decision
            proposal = self._wanted(proposal, decision, made)
        return proposal, _rejected(f"it was checked {_MOST_CHECKS} times and not decided")

    def _wanted(self, proposal: Proposal, decision: Decision, made: Made) -> Proposal:
        """The proposal with the result of a check that the user wants.

        Nothing runs that was not shown: another choice or text may need other commands, which are
        shown with the next question.
        """
        assert self.checks is not None  # noqa: S101 - only then can one be wanted
        commands: tuple[str, ...] = ()
        if not unusable(proposal, decision):
            with suppress(ToolError):  # the check says why there is nothing to check
                commands = self.checks.commands(made(decision))
        if set(commands) <= set(proposal.check):
            checked = self._checked(proposal, decision, made, is_agreed=True)
            # A check that was cancelled leaves the verdict of the one before.
            is_cancelled = checked.checked is not None and not checked.checked.is_final
            return proposal if is_cancelled and proposal.checked is not None else checked
        told = (_OTHER_COMMANDS, *(f"$ {command}" for command in commands))
        report = CheckReport(verdict="unknown", lines=told, is_final=False)
        found = {"check": commands, "checked": report, "checked_as": decision}
        return proposal.model_copy(update=found)

    def _can_be_checked(self, proposal: Proposal) -> bool:
        wanted = self.checks is not None and self.checks.before != "never"
        return wanted and proposal.kind in EDITS and not always_asks(proposal)

    def _asked(self, proposal: Proposal) -> Decision:
        decision = self.approvals.ask(proposal)
        if decision.action != "check":
            return decision
        return _rejected("confirm asked for a check, and there is no check of this")

    def _checked(
        self, proposal: Proposal, decision: Decision, made: Made, *, is_agreed: bool
    ) -> Proposal:
        """The proposal with the result of a check of what a decision would make of it."""
        assert self.checks is not None  # noqa: S101 - only then is it called
        context = self.context()
        if is_agreed:
            context = agreed(context)
        reason = unusable(proposal, decision)
        if not reason:
            try:
                report = self.checks.run(made(decision), context)
            except ToolError as error:
                reason = str(error)
        if reason:
            report = CheckReport(verdict="unknown", lines=(f"Not checked: {reason}",))
        return proposal.model_copy(update={"checked": report, "checked_as": decision})


def _agree(_proposal: Proposal) -> Decision:
    return _APPLY


def _leave_out(_proposal: Proposal, _decision: Decision) -> None:
    """Report nothing: the result of the check says what has run."""


def _rejected(reason: str) -> Decision:
    return Decision(action="reject", reason=reason)
