"""The decision on a proposal: by a setting, by a remembered permission, or by the user now."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.stopwatch import thinking
from ipuaro_jupyter.views.markup import ends

Approve = Literal["ask", "checked", "edits", "all", "never"]

EDITS = ("edit", "create", "delete", "changes")
_SETTINGS_FILE = ".ipuaro.json"
_ROOT = "the project's root folder"
_ALLOWED_BEFORE = "allowed before"
_MOST_TYPED = 4000  # characters
_UNASKED = "The message asks for no change, so nothing is changed: "


Confirm = Callable[[Proposal], Decision | bool]


def decided(confirm: Confirm | None, proposal: Proposal) -> Decision:
    """Ask the user if possible; nobody means no, and only True and a `Decision` apply anything.

    Args:
        confirm: Asks the user; None when there is nobody.
        proposal: The question.
    """
    if confirm is None:
        return Decision(action="reject", by="nobody")
    answer = confirm(proposal)
    if isinstance(answer, Decision):
        return answer
    if answer is True:
        return Decision(action="apply")
    told = "" if answer is False else f"confirm returned {answer!r}, which is not a decision"
    return Decision(action="reject", reason=told)


class RecordedConfirm:
    """Asks like ``confirm``, and keeps the decisions for logging."""

    def __init__(self, confirm: Confirm | None) -> None:
        self._confirm = confirm
        self.answers: list[tuple[Proposal, Decision]] = []

    def __call__(self, proposal: Proposal) -> Decision:
        """Ask."""
        decision = decided(self._confirm, proposal)
        self.answers.append((proposal, decision))
        return decision


class Remembered(NamedTuple):
    """A remembered permission: proposals of a tool with this pattern need no question."""

    tool: str
    pattern: str


class Approvals:
    """Decides on proposals.

    Permissions "for the rest of the session" live as long as this object: a new kernel asks again.

    Args:
        confirm: Asks the user.
    """

    def __init__(self, confirm: Callable[[Proposal], Decision]) -> None:
        self._confirm = confirm
        self._remembered: dict[Remembered, None] = {}

    @property
    def remembered(self) -> tuple[Remembered, ...]:
        """The remembered permissions, in the order in which they were given."""
        return tuple(self._remembered)

    def revoke(self, tool: str | None = None, pattern: str | None = None) -> int:
        """Revoke permissions for a tool, a pattern or, with None, all of them.

        Returns:
            The number of revoked permissions.
        """
        gone = [
            known
            for known in self._remembered
            if tool in (None, known.tool) and pattern in (None, known.pattern)
        ]
        for known in gone:
            del self._remembered[known]
        return len(gone)

    def ask(self, proposal: Proposal) -> Decision:
        """The user's decision on ``proposal``, which may be to check it first.

        Raises:
            Cancelled: The user pressed stop before the decision to apply it arrived.
        """
        with thinking():
            decision = self._confirm(proposal)
        if decision.action == "apply":
            checkpoint()
            known = _known(proposal)
            if known and decision.remember:
                self._remembered[known] = None
        return decision

    def unasked(
        self, proposal: Proposal, approve: Approve, *, by_user: bool = False
    ) -> Decision | None:
        """The decision of a setting or a remembered permission; None when the user is asked.

        Args:
            proposal: The question. One with problems is asked; so is a command of which it is not
                certain what it starts, unless a person is its author.
            approve: The setting.
            by_user: Whether a person, not the model, is the author of what is proposed.
        """
        if approve == "never":
            reason = 'the setting "approve" is "never"'
            return Decision(action="reject", by="setting", reason=reason)
        if always_asks(proposal) or proposal.problems:
            return None
        is_certain = by_user or not proposal.doubt
        if (approve == "all" and is_certain) or (approve == "edits" and proposal.kind in EDITS):
            return Decision(action="apply", by="setting")
        if _known(proposal) in self._remembered:
            return Decision(action="apply", by="setting", reason=_ALLOWED_BEFORE)
        return None


def is_by_person(decision: Decision) -> bool:
    """Whether a person has decided so, now or before "and don't ask again"."""
    return decision.by == "user" or decision.reason == _ALLOWED_BEFORE


def path_pattern(path: str) -> str | None:
    """What edits of ``path`` share, in words: all files in its folder, not below.

    None for the assistant's own settings, which are never edited without a question.
    """
    folder, _, name = path.rpartition("/")
    if name.casefold() == _SETTINGS_FILE:
        return None
    return f"on files directly in {f'{folder}/' if folder else _ROOT}"


def refusal(proposal: Proposal, decision: Decision, *, typed: str | None = None) -> ToolError:
    """The error for the model about a proposal that was not applied.

    Args:
        proposal: The question.
        decision: The rejection.
        typed: What the user had typed in place of the model's text before that, which may be what
            was wanted; None for nothing. Only the model is told: the user sees it in the record.
    """
    error = _with_check(_refusal(proposal, decision), proposal, decision)
    if typed is None:
        return error
    told = "Before that, the user had taken out all of your text."
    if typed.strip():
        told = "Before that, the user had changed your text to this, which was not written either:"
        told += "\n" + ends(typed.removesuffix("\n"), _MOST_TYPED)
    error.suggestion = " ".join(filter(None, (error.suggestion, told)))
    return error


def unasked_change(what: str) -> ToolError:
    """The error for the model about a change that it tries when the user only asks something."""
    return ToolError(
        "cancelled",
        f"{_UNASKED}{what} was not run.",
        suggestion="Answer in words. The user gets the change by asking for it, as in /edit and "
        "what is to be changed.",
    )


def is_unasked(message: str) -> bool:
    """Whether that is the error of a call."""
    return message.startswith(_UNASKED)


def _with_check(error: ToolError, proposal: Proposal, decision: Decision) -> ToolError:
    """The error with what a check has found."""
    checked = proposal.checked
    if checked is None or checked.verdict != "failed":
        return error
    found = "\n".join(["A check has found:", *checked.lines])
    message = f"{error}\n{found}"
    if decision.by == "nobody":
        done, _, why = error.message.partition(f"{_what(proposal)}. ")
        message = f"{done}{_what(proposal)}. {found}\n{why}"
    return ToolError(error.type, message, suggestion=error.suggestion, rejected=error.rejected)


def _refusal(proposal: Proposal, decision: Decision) -> ToolError:
    what = _what(proposal)
    problems = "; ".join(problem.removesuffix(".") for problem in proposal.problems)
    if decision.by == "nobody" and problems:
        return ToolError(
            "cancelled",
            f"Not done: {what}. There is nobody to ask, and this speaks against it: {problems}.",
            suggestion="Correct that, and pass the whole corrected text.",
        )
    if decision.by == "nobody" and proposal.doubt:
        return ToolError(
            "cancelled",
            f"Not done: {what}. It needs the user's approval, there is nobody to ask, and no "
            f"setting allows it, because it is not certain what it starts: {proposal.doubt}.",
            suggestion="Name each program and its arguments in plain words, one command at a time.",
        )
    if decision.by == "nobody":
        why = f" ({decision.reason})" if decision.reason else ""
        allows = '"approve": "all" in the settings allows it'
        if proposal.kind in EDITS:
            allows = '%ipuaro auto-apply on, or "approve": "edits" in the settings, allows edits'
        if decision.allowed_by:
            allows = f"{decision.allowed_by} allows it"
        return ToolError(
            "cancelled",
            f"Not done: {what}. It needs the user's approval, and there is nobody to ask{why}.",
            suggestion=f"Only the user can turn on that it is done without a question: {allows}.",
        )
    if decision.by == "setting":
        return ToolError("cancelled", f"Not done: {what}. Rejected, because {decision.reason}.")
    because = f": {decision.reason}" if decision.reason else "."
    known = f"\nThe question named problems: {problems}." if problems else ""
    return ToolError(
        "cancelled",
        f"Not done: {what}. The user rejected it{because}{known}",
        suggestion="Do not repeat it unchanged: do what the user said, or ask.",
        rejected=True,
    )


def _what(proposal: Proposal) -> str:
    return proposal.title or proposal.kind


def always_asks(proposal: Proposal) -> bool:
    """Whether no setting and no permission applies: edits of the settings themselves."""
    if proposal.kind not in EDITS:
        return False
    paths = [one.path for one in proposal.changed]
    if proposal.path is not None:
        paths.append(proposal.path)
    return any(path.rpartition("/")[2].casefold() == _SETTINGS_FILE for path in paths)


def _known(proposal: Proposal) -> Remembered | None:
    """The permission that a remembered decision gives; None when none can be given."""
    if always_asks(proposal) or proposal.pattern is None:
        return None
    return Remembered(proposal.tool, proposal.pattern)
