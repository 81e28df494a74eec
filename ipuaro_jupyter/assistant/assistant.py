"""The assistant for one project: the one place where the rooms are joined. Start reading here."""

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Self

from ipuaro_jupyter import views
from ipuaro_jupyter.agent.questions.wish import REFUSED
from ipuaro_jupyter.assistant.asked_ways import WAYS, Asked, asked_way
from ipuaro_jupyter.assistant.controls import AssistantControls
from ipuaro_jupyter.assistant.kernel_consent import KernelConsent
from ipuaro_jupyter.assistant.slash_commands import COMMANDS, RESERVED, typed_command
from ipuaro_jupyter.assistant.templates.question_templates import (
    question_of,
    question_templates,
    typed_template,
)
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.events import Event, Noticed, TurnFinished
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.trouble import Remedy, Trouble, remedied
from ipuaro_jupyter.settings.own_settings import is_of_project
from ipuaro_jupyter.tools.notebook_kernel import Kernel, KernelAccess
from ipuaro_jupyter.tools.open_notebooks import OpenNotebooks
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn

if TYPE_CHECKING:
    from ipuaro_jupyter.agent.loop import Turn

views.install()

_LONGEST_TITLE = 200  # of a turn whose changes can be undone


class Assistant(AssistantControls):
    """An open project. Not thread-safe; close it when done.

    Attributes:
        confirm: Decides on proposals; None rejects those that need a decision.
        on_error: Chooses how a turn goes on after an error; None aborts it.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def ask(self, message: str, cancel: CancelToken | None = None) -> Answer:
        """Send a message and return the answer when the turn has ended.

        A message such as "/undo" is a command, which is run instead; one such as "/review src" may
        ask a question that is in a file.

        Raises:
            SettingsError: A command was typed wrongly, or the file is not trusted.
            ModelError: The model could not be reached or used; the session keeps the message.
            StorageError: Redis has gone.
            ToolError: A tool has failed because of a bug in it.
        """
        typed = typed_command(message, self.root)
        if typed is not None:
            return typed.answer(self, cancel or CancelToken())
        asked, message = asked_way(message, self._conversation.session)
        question, _ = self._question(message)
        list(self._servers.opened(cancel or CancelToken()))
        turn = self._turn(question, cancel, asked)
        *_, last = self._conversation.events(turn)
        if turn.error is not None:
            raise turn.error
        assert isinstance(last, TurnFinished)  # noqa: S101 - every turn ends with it
        return last.answer

    def found(self, message: str) -> IndexAnswer | None:
        """What the index says to a message before a model is asked; None where that is nothing.

        Raises:
            StorageError: Redis has gone.
            SettingsError: The message means an earlier question, and there is none.
        """
        asked, question = asked_way(message, self._conversation.session)
        return self._conversation.found(question, self.project(), asked)

    def stream(
        self, message: str, cancel: CancelToken | None = None, *, alone: str = ""
    ) -> Iterator[Event]:
        """Yield the events of a turn, or of a command; the last one is `TurnFinished`.

        Args:
            message: The user's.
            cancel: Stops it.
            alone: Why the index has to answer without a model; "" where a model is asked.

        Raises:
            SettingsError: At the first event: the file that the question is in is not trusted, or
                cannot be used.
        """
        typed = typed_command(message, self.root)
        if typed is not None:
            yield from typed.events(self, cancel or CancelToken())
            return
        asked, message = asked_way(message, self._conversation.session)
        question, place = self._question(message)
        if place:
            yield Noticed(text=f"The question is in {place}.")
        yield from self._servers.opened(cancel or CancelToken())
        turn = self._turn(question, cancel, asked, alone)
        yield from self._conversation.events(turn)

    def attach(
        self,
        kernel: Kernel,
        notebooks: OpenNotebooks | None = None,
        *,
        said: MutableMapping[str, Decision] | None = None,
    ) -> None:
        """Let the model see the kernel of the notebook that the user asks from, if the user agrees.

        Args:
            kernel: What the kernel tells.
            notebooks: Leads to those that are open in its front end.
            said: What the user has said to that so far, by session; kept by the caller, it holds
                also when the session is opened again.
        """
        consent = KernelConsent(
            self.settings.context,
            workspace=lambda: self._bench.workspace,
            session=lambda: self._conversation.session,
            decide=self._decide,
            is_approve_own=not is_of_project(self.setting_sources.get("approve", "")),
            said={} if said is None else said,
        )
        self._bench.kernel = KernelAccess(kernel, consent.allow)
        self._bench.notebooks = notebooks
        self._conversation.in_notebook = self.settings.context.notebook != "never"

    def hand_over(self) -> None:
        """Let others open the session until `take_back`, which has to come before a message.

        Raises:
            SettingsError: A message is being answered.
            StorageError: Redis has gone.
        """
        self._conversation.hand_over()

    def take_back(self, session_id: str) -> None:
        """Go on with a session that was handed over, or with another one.

        What was allowed without asking still is, unless others have used the session meanwhile.

        Raises:
            SettingsError: It is open elsewhere.
        """
        if not self._conversation.sessions.takes_back(session_id):
            self.load(session_id)

    @property
    def mentions(self) -> tuple[str, ...]:
        """What a question can mention besides paths and symbols, without the ``@``."""
        access = self._bench.kernel
        if access is None or not self._conversation.in_notebook:
            return ("diff",)
        cells = access.kernel.cells()
        failed = ("error",) if access.kernel.failed(None) is not None else ()
        return ("diff", *failed, *(f"cell:{one.number}" for one in cells))

    @property
    def typed_names(self) -> tuple[str, ...]:
        """What can be typed after a slash: commands, and questions in files."""
        return (*COMMANDS, *WAYS, *question_templates(self.root, RESERVED))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes of the latest turn so far, even if its events are not read to the end."""
        return tuple(self._conversation.journal.changes)

    def _question(self, message: str) -> tuple[str, str]:
        """The question that a message asks, and the file that it is in; "" for what was typed.

        Raises:
            SettingsError: The file cannot be used, or the user does not trust it.
            Cancelled: The user pressed stop instead.
        """
        typed = typed_template(message, self.root, RESERVED)
        if typed is None:
            return message, ""
        note = self._conversation.session.note_decision
        return question_of(typed, self.root, self._decide, note), typed.template.place

    def _turn(
        self, message: str, cancel: CancelToken | None, asked: Asked, alone: str = ""
    ) -> "Turn":
        turn = self._conversation.turn(
            message, self.project(cancel), self._remedy, asked=asked, alone=alone
        )
        title = " ".join(message.split())[:_LONGEST_TITLE]
        self._bench.workspace.turn = UndoTurn(title=title, refuses=REFUSED[turn.wish])
        return turn

    def _remedy(self, trouble: Trouble) -> Remedy:
        return remedied(self.on_error, trouble)
