"""A running turn in a terminal: text as it comes, a line for each call, questions by `input`."""

import re
import sys
import termios
import time
from contextlib import suppress
from typing import TextIO

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import Answer, CalledTool
from ipuaro_jupyter.records.events import (
    CallFinished,
    IndexAnswered,
    IndexProgress,
    Noticed,
    PromptSent,
    ProposalDecided,
    PullProgress,
    Report,
    TextAdded,
    TroubleDecided,
    TurnFinished,
)
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.trouble import Action, Remedy, Trouble
from ipuaro_jupyter.views import answer as answer_view
from ipuaro_jupyter.views import call, check, index_answer, progress, proposal, trouble
from ipuaro_jupyter.views.change_sets.set_choice import in_words, is_choice, ticked, typed_choice
from ipuaro_jupyter.views.decided import choices, is_as_checked
from ipuaro_jupyter.views.diffs.unseen import unseen_note
from ipuaro_jupyter.views.markup import visible
from ipuaro_jupyter.views.receipts import receipt
from ipuaro_jupyter.workspace.changes.decided_problems import as_decided_on

# How often a terminal that cannot redraw lines gets the progress of indexing.
_PROGRESS_S = 2.0


class TerminalView:
    """Prints the events of a turn.

    Args:
        notes: Receives everything except the model's text; None: standard output too.
    """

    def __init__(self, *, notes: TextIO | None = None) -> None:
        self._notes = notes
        self._started_s = time.monotonic()
        self._in_line = False
        self._found = ""
        self._told: list[Noticed | TroubleDecided] = []
        self._next_s = _PROGRESS_S

    @property
    def elapsed_s(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._started_s

    def show(self, event: Report) -> None:
        """Print an event."""
        if isinstance(event, TextAdded):
            print(visible(event.text), end="", flush=True)  # noqa: T201 - it is a terminal
            self._in_line = not event.text.endswith("\n")
        elif isinstance(event, PromptSent):
            self._line(f"{progress.reading_words(event, 0.0)} \u2026")
        elif isinstance(event, IndexAnswered):
            self._index_answered(event.answer)
        elif isinstance(event, ProposalDecided):
            if event.decision.by == "setting" and event.decision.action == "apply":
                self._line(proposal.text(event.proposal, event.decision))
        elif isinstance(event, CallFinished):
            self._line(call.text(CalledTool(call=event.call, result=event.result)))
        elif isinstance(event, Noticed | TroubleDecided):
            self._noticed(event)
        elif isinstance(event, TurnFinished):
            self._finished(event.answer)
        elif isinstance(event, IndexProgress | PullProgress) and self.elapsed_s >= self._next_s:
            self._next_s = self.elapsed_s + _PROGRESS_S
            self._line(progress.progress_text(event))

    def _noticed(self, event: Noticed | TroubleDecided) -> None:
        """Print a notice, unless the turn, or a question about a failure, has said it."""
        if isinstance(event, Noticed) and not trouble.is_told(event, self._told):
            self._line(progress.notice_text(event))
        self._told.append(event)

    def _finished(self, answer: Answer) -> None:
        """Print what the text does not say: that it is not sure, or rests on nothing; its marks."""
        if answer.text and not answer.is_sure:
            self._line(answer_view.UNSURE)
        if answer.index_answer is None:
            self._line(answer_view.rests_on(answer))
        if answer.receipt:
            self._line(receipt.text(answer.receipt))

    def _index_answered(self, found: IndexAnswer) -> None:
        """Print an exact answer as the model's text is, else the line beside it; each once."""
        if found.text == self._found:
            return
        self._found = found.text
        if found.is_answer:
            print(index_answer.text(found), flush=True)  # noqa: T201 - it is a terminal
        else:
            self._line(index_answer.text(found))

    def tick(self) -> None:
        """Do nothing: a terminal has no place for a clock."""

    def finish(self, *, silent: bool, ending: str = "", shown: str = "") -> None:
        """Complete the line that was begun."""
        del silent, shown
        self._line(ending)

    def _line(self, text: str) -> None:
        if self._in_line:
            print(flush=True)  # noqa: T201 - it is a terminal
            self._in_line = False
        if text:
            print(text, file=self._notes, flush=True)


def decide_in_terminal(asked: Proposal | Trouble) -> Decision | Remedy:
    """Ask on the terminal. End of input means no, or to abort."""
    return remedy(asked) if isinstance(asked, Trouble) else decision(asked)


def remedy(asked: Trouble) -> Remedy:
    """Ask on the terminal how to go on. End of input means to abort."""
    forget_typed()
    print(trouble.detail_text(asked))  # noqa: T201 - it is a terminal
    letters: dict[str, Action] = {option[0]: option for option in asked.options}
    offered = {str(number): one for number, one in enumerate(asked.offers, 1)}
    words = ", ".join(
        [
            *(f"{number} to {trouble.offer_words(one)}" for number, one in offered.items()),
            *(f"{key} to {option}" for key, option in letters.items() if key != "a"),
        ]
    )
    try:
        said = _typed(f"{words or 'Enter'}; anything else aborts: ").lower()
    except EOFError:
        return Remedy(action="abort", by="nobody", reason="the terminal is closed")
    if (taken := offered.get(said)) is not None:
        return Remedy(action="retry", model=taken.name)
    chosen = letters.get(said[:1], "abort")
    return Remedy(action=chosen if chosen.startswith(said) else "abort")


def decision(asked: Proposal) -> Decision:
    """Ask on the terminal. End of input means no."""
    forget_typed()
    print(proposal.detail_text(asked))  # noqa: T201 - it is a terminal
    said = _set_decision(asked) if asked.kind == "changes" else _file_decision(asked)
    if said.action == "apply" and not is_as_checked(asked, said):
        print(check.OF_ANOTHER)  # noqa: T201 - it is a terminal
    return _despite_problems(asked, said)


def _despite_problems(asked: Proposal, said: Decision) -> Decision:
    """Ask again when a choice of changes has problems that the whole does not have."""
    written = as_decided_on(asked, said)
    others = [one for one in written.problems if one not in asked.problems]
    if not others:
        return said
    told = (f"! {visible(problem)}" for problem in written.problems)
    print("\n".join(["Of your choice:", *told]))  # noqa: T201 - it is a terminal
    try:
        again = _typed("y to apply it all the same; anything else rejects, as the reason: ")
    except EOFError:
        return Decision(action="reject", by="nobody", reason="the terminal is closed")
    if again.lower() in {"y", "yes"}:
        return said
    return Decision(action="reject", reason="" if again.lower() in {"n", "no"} else again)


def _file_decision(asked: Proposal) -> Decision:
    """Ask about a single proposal, and which of its changes are to be applied."""
    count = choices(asked)
    some = ', numbers such as "1 3" to apply only these changes' if count > 1 else ""
    others = f"{some}{_further(asked)}"
    try:
        said = _seen(asked, others)
        while some and re.fullmatch(r"[\d ,]*\d[\d ,]*", said, re.ASCII):
            numbers = {word.lstrip("0") for word in re.findall(r"\d+", said, re.ASCII)}
            hunks = tuple(number for number in range(1, count + 1) if str(number) in numbers)
            if len(hunks) == len(numbers):
                return Decision(action="apply", hunks=hunks)
            said = _typed(f"The changes are 1 to {count}. Which of them, y or a reason: ")
    except EOFError:
        return Decision(action="reject", by="nobody", reason="the terminal is closed")
    return _said(asked, said)


def _further(asked: Proposal) -> str:
    """What else can be typed."""
    always = ""
    if asked.pattern:
        always = f", a to apply and not ask again for {visible(f'{asked.tool} {asked.pattern}')}"
    first = ", c to check it first" if asked.check else ""
    return f"{always}{first}; anything else rejects, as the reason: "


def _said(asked: Proposal, said: str) -> Decision:
    """The decision in a word; any other text is the reason for rejecting."""
    if said.lower() in {"y", "yes"}:
        return Decision(action="apply")
    if said.lower() in {"c", "check"} and asked.check:
        print("Checking in a copy of the project \u2026", flush=True)  # noqa: T201 - it is a terminal
        return Decision(action="check")
    if said.lower() in {"a", "always"} and asked.pattern:
        return Decision(action="apply", remember=True)
    return Decision(action="reject", reason="" if said.lower() in {"n", "no"} else said)


def _seen(asked: Proposal, others: str, *, what: str = "") -> str:
    """Show more of a long diff as often as that is asked for; return what is typed then."""
    left, apply = proposal.unseen_in(asked), f"y to apply {what}".rstrip()
    while left.lines:
        said = _typed(f"{apply} ({unseen_note(left.lines)}), m to see more{others}")
        if said.lower() not in {"m", "more"}:
            return said
        print(left.page())  # noqa: T201 - it is a terminal
    return _typed(f"{apply}{others}")


def _set_decision(asked: Proposal) -> Decision:
    """Ask which files of a change set, and which changes of them, are to be applied."""
    count = len(asked.changed)
    every = in_words(asked, ticked(asked))
    some = f', numbers such as "1 {max(count, 2)}.2" for only these files, or change 2 of a file'
    try:
        said = _seen(asked, f"{some}{_further(asked)}", what=every)
        while is_choice(said):
            if picked := typed_choice(asked, said):
                return Decision(action="apply", chosen=picked)
            said = _typed(f"The files are 1 to {count}. Which of them, y or a reason: ")
    except EOFError:
        return Decision(action="reject", by="nobody", reason="the terminal is closed")
    return _said(asked, said)


def forget_typed() -> None:
    """Discard the input typed so far: it cannot be meant for a question not yet shown."""
    with suppress(OSError, ValueError, termios.error):  # not a terminal, or closed
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _typed(prompt: str) -> str:
    """Prompt where the question is shown: `input` may write its prompt to standard error."""
    print(prompt, end="", flush=True)  # noqa: T201 - it is a terminal
    return input().strip()
