"""The question to the user as a widget: the proposed changes, a selection, and the buttons."""

from collections.abc import Callable
from typing import Any, Literal

import traitlets

from ipuaro_jupyter.notebook.widgets.question import NOWHERE, AskingCell, QuestionWidget
from ipuaro_jupyter.notebook.widgets.region import EditedRegion
from ipuaro_jupyter.records.change import ChosenFile, Decision, Proposal
from ipuaro_jupyter.records.record import MimeBundle
from ipuaro_jupyter.views import check
from ipuaro_jupyter.views import proposal as view
from ipuaro_jupyter.views.change_sets import set_choice
from ipuaro_jupyter.views.decided import choices, chosen_text
from ipuaro_jupyter.views.diffs import problems
from ipuaro_jupyter.views.markup import block, visible
from ipuaro_jupyter.workspace.changes.decided_problems import decided_problems

_APPLY_WORDS = {
    "command": "Run",
    "commit": "Commit",
    "settings": "Trust",
    "mcp": "Call",
    "notebook": "Allow",
    "start": "Open",
}
_WRITING = "fit"  # the command that proposes settings to write, not to trust
_LONGEST_PATTERN = 300
_CHOICE = ("hunks", "files", "text")  # what a page says of what is to be applied


class ProposalWidget(QuestionWidget):
    """Draws a proposal; calls ``on_ready`` once drawn, and ``on_decision`` once decided.

    Both are called where the kernel handles messages, once each: they may only set flags.
    """

    _view_name = traitlets.Unicode("ProposalView").tag(sync=True)

    apply_word = traitlets.Unicode().tag(sync=True)
    reject_word = traitlets.Unicode().tag(sync=True)
    is_reason_asked = traitlets.Bool(default_value=True).tag(sync=True)
    """Whether there is a field for the reason of a rejection, which the model is told."""
    pattern = traitlets.Unicode().tag(sync=True)
    choices = traitlets.Int().tag(sync=True)
    files: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """For each file of a change set the number of its path and of its changes."""
    editable = traitlets.Bool().tag(sync=True)
    edit_name = traitlets.Unicode().tag(sync=True)
    edit_text = traitlets.Unicode().tag(sync=True)
    edit_note = traitlets.Unicode().tag(sync=True)
    edit_line = traitlets.Int(1).tag(sync=True)
    """The line of ``edit_text`` with the first change, 1-based."""
    check = traitlets.Unicode().tag(sync=True)
    """The commands that a check would run, as HTML; "" when none is offered."""
    checking = traitlets.Bool(default_value=False).tag(sync=True)
    checked = traitlets.Unicode().tag(sync=True)
    """The result of a check, as HTML; "" without one."""
    checked_as = traitlets.Any(None).tag(sync=True)
    """What the result is of, as ``hunks``, ``files`` and ``text``; None without one."""
    edit_first = traitlets.Int(1).tag(sync=True)
    """The number in the file of the first line of ``edit_text``."""
    edit_path = traitlets.Unicode().tag(sync=True)
    """The path of the file, for its language; "" when it is no file."""
    drafts: "traitlets.Dict[str, str]" = traitlets.Dict().tag(sync=True)
    """What was typed, by the page's name for the choice of changes."""
    reason = traitlets.Unicode().tag(sync=True)
    """The reason for rejecting, as far as it was typed."""
    edit_of = traitlets.Any(None).tag(sync=True)
    """The changes that ``edit_text`` holds, 1-based; None is all of them."""
    opened: traitlets.List[list[str | int]] = traitlets.List().tag(sync=True)
    """What was shown of long diffs on request: ``data-page`` and number of the file, in order."""

    def __init__(
        self,
        proposal: Proposal,
        *,
        on_ready: Callable[[], None],
        on_decision: Callable[[Decision], None],
        on_cancel: Callable[[], None] = lambda: None,
        place: AskingCell = NOWHERE,
    ) -> None:
        self._proposal = proposal
        self._region = EditedRegion.of(proposal)
        self._on_ready = on_ready
        self._on_decision = on_decision
        self._on_cancel = on_cancel
        self._decided = False
        self._typed_texts: dict[str, str] = {}
        super().__init__(
            place,
            title=visible(proposal.title),
            detail=block(_unchecked(proposal), *view.QUESTION_STYLES, is_growing=True),
            check=check.commands_html(proposal),
            checked=check.html(proposal),
            checked_as=_checked_as(proposal),
            apply_word=_apply_word(proposal),
            reject_word="Not now" if proposal.kind == "start" else "Reject",
            is_reason_asked=proposal.kind != "start",
            pattern=_pattern(proposal),
            choices=choices(proposal),
            files=_files(proposal),
            editable=proposal.editable and self._region.can_be_typed,
            edit_name="Commit message" if proposal.kind == "commit" else "Proposed text",
            edit_text=self._region.text,
            edit_note=self._region.note,
            edit_line=self._region.changed,
            edit_first=self._region.first,
            edit_path="" if proposal.kind == "commit" else proposal.text_path,
        )
        self.on_msg(self._receive)

    def settle(self, record: MimeBundle) -> None:
        """Record the decision, and release the texts, which may be whole files.

        A decision that could not be written is recorded once more.
        """
        if self._decided and self.record is not None:
            super().settle(record)
            return
        self._decided = True
        del self._proposal, self._region
        with self.hold_sync():
            self.edit_text = self.edit_note = self.pattern = self.reason = ""
            self.drafts, self.checked_as = {}, None
            self._typed_texts = {}
            super().settle(record)

    def ask_again(self, proposal: Proposal, on_decision: Callable[[Decision], None]) -> None:
        """Ask about the same proposal again, now that it has been checked."""
        self._on_decision = on_decision
        with self.hold_sync():
            self.check = check.commands_html(proposal)
            self.checked = check.html(proposal)
            self.checked_as = _checked_as(proposal)
            self.checking = False

    def unfinished(self, decision: Decision) -> Decision:
        """A rejection that the user did not make, with what the user had typed until then."""
        reason = decision.reason
        if typed := self.reason.strip():
            reason = f"{reason}; typed until then: {typed}"
        return decision.model_copy(update={"reason": reason, "text": self._last_typed()})

    def _last_typed(self) -> str | None:
        """The text, of what was typed and not discarded, that was typed last; None for none."""
        return next(reversed(self._typed_texts.values()), None)

    def _receive(self, _widget: object, content: dict[str, Any], _buffers: object) -> None:
        if content.get("type") == "ready":
            self._on_ready()
        elif content.get("type") == "edit" and not self._decided:
            self._edit(self._hunks(content))
        elif content.get("type") == "page" and not self._decided:
            self._page(content)
        elif content.get("type") == "typed" and not self._decided:
            self._typed(content)
        elif content.get("type") == "chosen" and not self._decided:
            self._chosen(content)
        elif content.get("type") == "reason" and not self._decided:
            self.reason = str(content.get("text"))
        elif content.get("type") == "discard" and not self._decided:
            self._keep(str(content.get("key")), None)
        elif content.get("type") == "cancel check" and self.checking:
            self._on_cancel()
        elif content.get("type") == "decision" and not self._decided and not self.checking:
            self._decide(content)

    def _decide(self, content: dict[str, Any]) -> None:
        if content.get("action") == "check":
            with self.hold_sync():
                self.checking = True
                self.checked_as = {name: content.get(name) for name in _CHOICE}
        self._decided = not self.checking
        self._on_decision(self._read(content))

    def _page(self, content: dict[str, Any]) -> None:
        """Send more of a long diff."""
        key, file = str(content.get("key")), content.get("file")
        if not isinstance(file, int):
            return
        html = view.page_html(self._proposal, key, file)
        if html is None:
            return
        if [key, file] not in self.opened:
            self.opened = [*self.opened, [key, file]]
        self.send({"type": "page", "key": key, "file": file, "html": html})

    def _typed(self, content: dict[str, Any]) -> None:
        """Keep what is typed, and send the diff that it makes, and the problems."""
        text, hunks = str(content.get("text")), self._hunks(content)
        region = self._region_of(hunks)
        whole = region.with_text(text)
        self._keep(str(content.get("key")), None if whole is None else text, whole)
        made = region.shown(self._proposal, text)
        decision = Decision(action="apply", text=whole, hunks=hunks)
        told = {"number": content.get("number"), "problems": self._problems(decision)}
        self.send({"type": "typed", **told, **made._asdict()})

    def _chosen(self, content: dict[str, Any]) -> None:
        """Send the problems of what Apply would write now, and its numbers of lines."""
        decision = self._read({**content, "action": "apply"})
        lines = view.chosen_lines(self._proposal, decision)
        told = {"html": self._problems(decision), "lines": lines.told, "files": lines.files}
        self.send({"type": "problems", "number": content.get("number"), **told})

    def _problems(self, decision: Decision) -> str:
        return problems.html(decided_problems(self._proposal, decision))

    def _keep(self, key: str, text: str | None, whole: str | None = None) -> None:
        """Keep what is typed, and the text that it makes; None for nothing."""
        others = {name: typed for name, typed in self.drafts.items() if name != key}
        self.drafts = others if text is None else {**others, key: text}
        self._typed_texts.pop(key, None)
        if whole is not None:
            self._typed_texts[key] = whole

    def _edit(self, hunks: tuple[int, ...] | None) -> None:
        """Provide the text that the chosen changes make, for editing."""
        self._region = self._region_of(hunks)
        with self.hold_sync():
            self.editable = self._region.can_be_typed
            self.edit_text = self._region.text
            self.edit_note = self._region.note
            self.edit_line = self._region.changed
            self.edit_first = self._region.first
            self.edit_of = None if hunks is None else list(hunks)

    def _region_of(self, hunks: tuple[int, ...] | None) -> EditedRegion:
        """The text to edit of a choice, which a second view of the question may have changed."""
        if (None if hunks is None else list(hunks)) == self.edit_of:
            return self._region
        made = chosen_text(self._proposal, hunks)
        return EditedRegion.of(self._proposal.model_copy(update={"new_text": made}))

    def _read(self, content: dict[str, Any]) -> Decision:
        action: Literal["apply", "check"] = "apply"
        if content.get("action") == "check":
            action = "check"
        elif content.get("action") != "apply":
            reason = str(content.get("reason") or "").strip()
            return Decision(action="reject", reason=reason, text=self._rejected_text(content))
        remember, text = bool(content.get("remember")), content.get("text")
        if self._proposal.kind == "changes":
            chosen = _chosen(self._proposal, content.get("files"))
            return Decision(action=action, chosen=chosen, remember=remember)
        hunks = self._hunks(content)
        edited = None if text is None else self._region_of(hunks).with_text(str(text))
        return Decision(action=action, text=edited, hunks=hunks, remember=remember)

    def _rejected_text(self, content: dict[str, Any]) -> str | None:
        """What the user had typed before a rejection: what stands in the editor, or a draft."""
        text = content.get("text")
        if text is None or not self._proposal.editable:
            return self._last_typed()
        whole = self._region_of(self._hunks(content)).with_text(str(text))
        return self._last_typed() if whole is None else whole

    def _hunks(self, content: dict[str, Any]) -> tuple[int, ...] | None:
        """The numbers of the chosen changes; None for all, or when there is no choice."""
        said = content.get("hunks")
        if said is None or self.choices < 2:  # noqa: PLR2004 - one is no choice
            return None
        numbers = {number for number in said if number in range(1, self.choices + 1)}
        return None if len(numbers) == self.choices else tuple(sorted(numbers))


def _checked_as(proposal: Proposal) -> dict[str, Any] | None:
    """The value of `ProposalWidget.checked_as` where the check is older than the page."""
    checked = proposal.checked_as
    if checked is None:
        return None
    files = None
    if proposal.kind == "changes":
        files = [one.model_dump() for one in set_choice.chosen_of(proposal, checked)]
    return {"hunks": checked.hunks, "files": files, "text": checked.text}


def _files(proposal: Proposal) -> list[tuple[int, int]]:
    """The value of `ProposalWidget.files`."""
    paths: dict[str, int] = {}
    return [
        (paths.setdefault(one.file.path, len(paths)), one.choices)
        for one in set_choice.listed(proposal)
    ]


def _chosen(proposal: Proposal, said: Any) -> tuple[ChosenFile, ...] | None:
    """The chosen files of a change set; None for those that were ticked at first."""
    if not isinstance(said, list):
        return None
    every = {one.number: one.choices for one in set_choice.listed(proposal)}
    picked: dict[int, ChosenFile] = {}
    for one in said:
        number = one.get("number") if isinstance(one, dict) else None
        if not isinstance(number, int) or number not in every:
            continue
        some = range(1, every[number] + 1)
        said_hunks = some if one.get("hunks") is None else one["hunks"]
        if not isinstance(said_hunks, list | range):
            continue
        numbers = [hunk for hunk in some if hunk in said_hunks]
        if numbers:
            whole = len(numbers) == every[number]
            picked[number] = ChosenFile(number=number, hunks=None if whole else tuple(numbers))
    chosen = tuple(picked[number] for number in sorted(picked))
    return None if chosen == set_choice.ticked(proposal) else chosen


def _unchecked(proposal: Proposal) -> str:
    """The subject without the result of a check, which has a place of its own."""
    return view.question_html(proposal.model_copy(update={"checked": None}))


def _apply_word(proposal: Proposal) -> str:
    """The text of the button that applies the proposal."""
    if proposal.tool == _WRITING:
        return "Write"
    return _APPLY_WORDS.get(proposal.kind, "Apply")


def _pattern(proposal: Proposal) -> str:
    """What would no longer be asked, in words; "" when there is always a question."""
    if not proposal.pattern:
        return ""
    if len(proposal.pattern) > _LONGEST_PATTERN:
        return visible(f"{proposal.tool} with exactly this text")
    return visible(f"{proposal.tool} {proposal.pattern}")
