"""The conversation of an assistant: its session, its model, and the running turn.

The modules for a turn are imported by the first one: opening a project needs none of them.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from inspect import GEN_RUNNING, getgeneratorstate
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.agent.context.calibration import Calibration
from ipuaro_jupyter.agent.journal import Journal
from ipuaro_jupyter.agent.redaction import Redaction, redaction_key
from ipuaro_jupyter.assistant.asked_ways import Asked
from ipuaro_jupyter.assistant.model_in_use import ModelInUse
from ipuaro_jupyter.assistant.reading_ahead import ReadingAhead
from ipuaro_jupyter.assistant.session_in_use import SessionInUse
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import SettingsError, StorageError
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.llm.no_model import ALONE, NoModel
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.chat import Answer, Message, Usage
from ipuaro_jupyter.records.evaluation import Evaluation
from ipuaro_jupyter.records.events import Event, Noticed, TurnFinished, UsageReported
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.records.trouble import OnError
from ipuaro_jupyter.sessions.session import Session
from ipuaro_jupyter.sessions.session_counts import usage_counts
from ipuaro_jupyter.sessions.token_quota import TokenQuota
from ipuaro_jupyter.sessions.whole import whole
from ipuaro_jupyter.settings.settings import Settings
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Project

if TYPE_CHECKING:
    from ipuaro_jupyter.agent.answering.index_first import IndexFirst
    from ipuaro_jupyter.agent.answering.reading_speed import ReadingSpeed
    from ipuaro_jupyter.agent.context.context_window import ContextWindow
    from ipuaro_jupyter.agent.context.tool_profile import ToolOffer
    from ipuaro_jupyter.agent.loop import Turn
    from ipuaro_jupyter.agent.questions.wish import Wish
    from ipuaro_jupyter.records.evidence import Evidence


class Conversation:
    """The open session of a project and the model that answers in it.

    Attributes:
        sessions: The open one, and the others of the project.
        quota: What the user's questions may take a day.
        journal: The changes and decisions of the running turn or tool call.
        context_percent: How full (0-100) the model's window was at the latest request, 0 before the
            first one.
        in_notebook: Whether the tools that read a notebook's kernel are offered.
    """

    def __init__(
        self,
        store: Store,
        root: Path,
        *,
        settings: Settings,
        tools: Tools,
        session: str | None,
        new: bool,
        decided: Sequence[tuple[Proposal, Decision]],
        quota: TokenQuota,
        notebook: str = "",
    ) -> None:
        self._settings = settings
        self.quota = quota
        self._tools = tools
        self.journal, self._is_apart = Journal(), False
        self._in_use = ModelInUse(settings.llm, self._window_of)
        self.reading_ahead: ReadingAhead | None = None
        self.context_percent, self.in_notebook = 0.0, False
        self._given: tuple[str, ...] = ()  # to the model beside the question, in words
        self._running: Turn | None = None
        self._place: Callable[[Answer], Answer] = lambda answer: answer
        self._events: Generator[Event, None, None] | None = None
        self._redaction = Redaction(redaction_key(home()), enabled=settings.context.redact)
        most = settings.sessions.max_kept
        self.sessions = SessionInUse(
            store, root, part=session, new=new, most=most, decided=decided, notebook=notebook
        )

    def settle(self) -> None:
        """End a turn whose events were not read to the end; its session is whole afterwards.

        Raises:
            SettingsError: It is running: this is called from within it, or by another thread.
        """
        self._stop_reading()
        if self._events is None:
            return
        if getgeneratorstate(self._events) == GEN_RUNNING:
            raise SettingsError(
                "A message is being answered. Wait until it has ended, or stop it, and try again."
            )
        self._events.close()
        self._events = self._running = None

    @property
    def session(self) -> Session:
        """The open session."""
        return self.sessions.session

    @property
    def model(self) -> Model:
        """The model that answers; there is one from the first `use` on."""
        return self._in_use.model

    @property
    def speed(self) -> "ReadingSpeed":
        """How fast the model reads, which decides how much evidence it gets."""
        return self._in_use.speed

    def use(self, model: str | Model | None) -> None:
        """Use this model from now on; None is the settings' model.

        Raises:
            SettingsError: The name is not valid.
        """
        self._in_use.use(model)

    def _window_of(self, model: Model, calibration: Calibration) -> "ContextWindow":
        from ipuaro_jupyter.agent.context.context_window import ContextWindow  # noqa: PLC0415 - slow to import

        return ContextWindow(
            model,
            self._settings.context,
            calibration=calibration,
            remember=self._remember,
            spend=self.quota.spend,
            left_out=lambda: self.session.left_out,
            note_left_out=lambda told: self.session.note_left_out(told),  # noqa: PLW0108 - sessions change
        )

    def switch(self, name: str) -> None:
        """Use another model from now on.

        Raises:
            ModelError: It cannot be used; the previous one stays.
            SettingsError: A turn is running.
        """
        self.settle()
        self._in_use.switch(name)

    def read_ahead(
        self, project: Callable[[CancelToken], Project], *, wait: Callable[[CancelToken], None]
    ) -> ReadingAhead | None:
        """A request for the model to read the head of the prompt, once ``wait`` returns.

        None where `ModelInUse.reads_ahead` says no.
        """
        if not self._in_use.reads_ahead:
            return None

        def head(cancel: CancelToken) -> Head:
            wait(cancel)
            cancel.check()
            self.model.prepare(cancel)
            if (first := self._index_first(project(cancel), "question")) and first.by_evidence:
                return Head(made_of="", system=first.rules.content)
            return self.head(project(cancel))

        self._stop_reading()
        self.reading_ahead = ReadingAhead(self.model, head)
        return self.reading_ahead

    def _stop_reading(self) -> None:
        if self.reading_ahead is not None:
            self.reading_ahead.stop()

    def evaluated(self, project: Project, *, review: bool) -> Evaluation:
        """The evaluation of the latest answer; see `Assistant.evaluate`."""
        from ipuaro_jupyter.assistant.latest_answer import evaluate_latest  # noqa: PLC0415 - slow to import

        if review:
            self.quota.check()
        found = evaluate_latest(
            self.session,
            project,
            reviewer=self.model if review else None,
            ignored=[tool.name for tool in self._tools],
            hidden=self._redaction.text,
            spend=self.quota.spend,
        )
        if found.usage is not None:
            with suppress(StorageError):  # the findings matter more than their statistics
                self.session.count(usage_counts(found.usage))
        return found

    def transcript(self, *, turns: int) -> Transcript:
        """The latest turns of the session, for display."""
        from ipuaro_jupyter.sessions.recording import answer_of, turns_of  # noqa: PLC0415 - rare

        told = list(turns_of(self.session.messages))
        info = self.session.info
        return Transcript(
            title=f"Session {info.id}: {info.title or 'no messages yet'}",
            turns=tuple(answer_of(turn) for turn in told[-turns:]),
            earlier=max(0, len(told) - turns),
        )

    def turn(
        self,
        message: str,
        project: Project,
        on_error: OnError,
        *,
        asked: Asked = "question",
        alone: str = "",
    ) -> "Turn":
        """The turn that answers ``message``; its events have yet to be read.

        Args:
            message: The user's.
            project: The project.
            on_error: Asks the user how to go on after an error.
            asked: "explain" has a model word even what the index answers by itself; with "dig" it
                calls tools, and the index says nothing first.
            alone: Why no model is to be asked; "" where one is.

        Raises:
            SettingsError: Another turn is running, or the day's tokens are used up and the index
                cannot answer either.
        """
        if told := self.quota.reached():
            found = self.found(message, project, asked)
            if found is None or not found.text:
                raise SettingsError(told)
            alone = told
        from ipuaro_jupyter.agent.answer_places import with_places  # noqa: PLC0415 - slow to import
        from ipuaro_jupyter.agent.loop import Turn  # noqa: PLC0415 - the same

        self.settle()
        self.journal = Journal()
        self._place = partial(with_places, project=project)
        wish = self._wish(message)
        return Turn(
            message,
            model=self.model,
            tools=self._tools.only(self._settings.tools.enabled),
            project=project,
            session=self.session,
            journal=self.journal,
            settings=self._settings.context,
            context=self._in_use.window,
            redaction=self._redaction,
            system=partial(self._system, project, is_question=wish in ("question", "run")),
            on_error=on_error,
            constrain=self._settings.llm.constrain_calls,
            shown=lambda: self.offer.shown,
            notes=self._take_notes,
            quota=self.quota,
            first=None if asked == "dig" else self._index_first(project, asked, alone),
            wish=wish,
            is_anew=asked == "dig",
        )

    def found(self, message: str, project: Project, asked: Asked) -> IndexAnswer | None:
        """What the index says to a message first; None where that is nothing."""
        if asked == "dig" or self._wish(message) == "change":
            return None
        first = self._index_first(project, asked)
        return None if first is None else first.found(message, self.session.messages)

    def _wish(self, message: str) -> "Wish":
        """What a message wants, after the last answer."""
        from ipuaro_jupyter.agent.questions.wish import wish_of  # noqa: PLC0415 - the same

        said = (one.content for one in reversed(self.session.messages) if one.role == "assistant")
        return wish_of(message, next(said, ""))

    def _index_first(self, project: Project, asked: Asked, alone: str = "") -> "IndexFirst | None":
        """What lets the index speak first; None where the model runs the loop alone."""
        way = self._in_use.way
        if way is None:
            return None
        from ipuaro_jupyter.agent.answering.index_first import IndexFirst  # noqa: PLC0415 - slow to import
        from ipuaro_jupyter.agent.attaching import Attaching  # noqa: PLC0415 - the same
        from ipuaro_jupyter.agent.context.relevance import beside  # noqa: PLC0415 - the same

        redaction, attach = self._redaction, Attaching(project, self._redaction).attached

        def hidden(text: str, path: str) -> str:
            return redaction.text(text, path, redaction.known({"path": path}, text, project))

        return IndexFirst(
            project,
            evidence=partial(self.evidence, project),
            call=lambda name, arguments: self._tools.call(name, arguments, project),
            beside=partial(
                beside, project, window=self._in_use.window, hidden=redaction.text, attach=attach
            ),
            hidden=hidden,
            speed=self._in_use.speed,
            first_word_s=self._settings.llm.first_word_s,
            samples=self._settings.llm.samples,
            by_evidence=way == "evidence",
            is_explaining=asked == "explain",
            alone=ALONE if isinstance(self.model, NoModel) else alone,
        )

    def head(self, project: Project) -> Head:
        """The head of the session's requests: the system prompt, and the tools passed beside it.

        It stays the same through the session, also after it is opened again, unless the model or a
        setting that it depends on changes. The model has to be prepared.

        Raises:
            StorageError: Redis has gone.
        """
        from ipuaro_jupyter.agent.context.head import steady_head  # noqa: PLC0415 - slow to import

        settings = self._settings
        servers = (name for name, one in settings.mcp_servers.items() if not one.disabled)
        return steady_head(
            self.session,
            project,
            self.offer,
            self._in_use.window,
            settings=settings.context,
            given=[*sorted(servers), repr(settings.tools.enabled)],
            hidden=self._redaction.text,
        )

    @property
    def offer(self) -> "ToolOffer":
        """The tools that the model may call, and those of them that it is shown."""
        from ipuaro_jupyter.agent.context.tool_profile import tool_offer  # noqa: PLC0415 - the same

        chosen = self._settings.tools
        return tool_offer(
            self._tools,
            self.model,
            enabled=chosen.enabled,
            profile=chosen.profile,
            in_notebook=self.in_notebook,
        )

    @property
    def shown_tools(self) -> frozenset[str]:
        """The names of the tools that the model is shown; it may call others too."""
        from ipuaro_jupyter.agent.context.tool_profile import shown_names  # noqa: PLC0415 - the same

        return shown_names(self.offer, self.session.head)

    def _system(self, project: Project, evidence: str, *, is_question: bool) -> str:
        """The system prompt of a turn; what it lacks goes beside the user's message."""
        from ipuaro_jupyter.agent.attaching import Attaching  # noqa: PLC0415 - the same
        from ipuaro_jupyter.agent.context.relevance import add_relevant  # noqa: PLC0415 - the same

        head, offer, window = self.head(project), self.offer, self._in_use.window
        window.offer(head.tools, repeatable=offer.repeatable)
        hidden, attach = self._redaction.text, Attaching(project, self._redaction).attached
        self._given = add_relevant(
            self.session,
            project,
            offer,
            window,
            head=head,
            hidden=hidden,
            attach=attach,
            evidence=evidence,
            is_question=is_question,
        )
        return head.system

    def evidence(self, project: Project, question: str, tokens: int) -> "Evidence":
        """What a question is about, found by the index, without secrets."""
        from ipuaro_jupyter.agent.redacted_evidence import redacted_evidence  # noqa: PLC0415 - slow to import

        return redacted_evidence(project, question, tokens, self._redaction)

    def _take_notes(self) -> tuple[str, ...]:
        given, self._given = self._given, ()
        return given

    def _remember(self, summary: Message) -> None:
        self.session.append(summary, usage_counts(summary.usage or Usage()))

    def events(self, turn: "Turn") -> Iterator[Event]:
        """Yield the events of a turn."""
        if told := self.sessions.trim():
            yield Noticed(text=told)
        events = self._events = turn.events()
        self._running = turn
        try:
            for event in events:
                if isinstance(event, UsageReported):
                    self.context_percent = event.context_percent
                if isinstance(event, TurnFinished):
                    yield TurnFinished(answer=self._place(event.answer))
                else:
                    yield event
        finally:
            events.close()
            if self._events is events:
                self._events = self._running = None

    def waiting(self) -> AbstractContextManager[None]:
        """Exclude the block from the running turn's time, if there is a turn."""
        return nullcontext() if self._running is None else self._running.waiting()

    @contextmanager
    def apart(self) -> Iterator[Journal]:
        """Use a separate journal for the block, beside that of a turn."""
        outer, self.journal = self.journal, Journal()
        was_apart, self._is_apart = self._is_apart, True
        try:
            yield self.journal
        finally:
            self.journal, self._is_apart = outer, was_apart

    def note_decision(self, proposal: Proposal, decision: Decision) -> None:
        """Log a question and its decision; unless the policy decided, the turn records it too."""
        self.session.note_decision(proposal, decision, within_turn=not self._is_apart)
        if decision.by != "policy":
            self.journal.note_decision(proposal, decision)

    def note_change(self, change: Change) -> None:
        """Record a change, for the turn and for a replay of it."""
        self.journal.changes.append(change)
        with suppress(StorageError):  # the file is written, which matters more
            self.session.note_change(change, within_turn=not self._is_apart)

    def load(self, session_id: str) -> None:
        """Resume another session; a part of its id that no other has is enough.

        Raises:
            SettingsError: There is no such session, another kernel has it open, or a turn is
                running.
        """
        self.settle()
        self.sessions.load(session_id)
        self.journal = Journal()
        self.context_percent = 0.0

    def hand_over(self) -> None:
        """Let others open the session until it is taken back; one without a message stays ours."""
        self.settle()
        self.sessions.hand_over()

    def export(self, path: str | Path, root: Path, *, force: bool) -> Path:
        """Write the session as a notebook and return its path; see `write_notebook`."""
        from ipuaro_jupyter.sessions.ipynb import write_notebook  # noqa: PLC0415 - slow to import
        from ipuaro_jupyter.sessions.recording import record  # noqa: PLC0415 - goes with it

        messages = whole(self.session.messages)  # a turn may still be running
        recorded = record(self.session.info, messages, root, actions=self.session.actions)
        return write_notebook(recorded, Path(path).expanduser(), force=force)

    def clear(self) -> None:
        """Delete the session's messages.

        Raises:
            SettingsError: A turn is running.
        """
        self.settle()
        self.session.clear()
        self.context_percent = 0.0

    def close(self) -> None:
        """Release the model and the session, which other kernels may then open."""
        with suppress(SettingsError):  # a running turn ends when it finds the store closed
            self.settle()
        self._in_use.close()
        self.sessions.close()
