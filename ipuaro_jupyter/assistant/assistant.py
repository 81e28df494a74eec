"""The assistant for one project: the one place where the rooms are joined. Start reading here."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ipuaro_jupyter import views
from ipuaro_jupyter.agent.mcp.mcp_client import McpServers
from ipuaro_jupyter.agent.questions.wish import REFUSED
from ipuaro_jupyter.assistant.asked_ways import WAYS, Asked, asked_way
from ipuaro_jupyter.assistant.conversation import Conversation
from ipuaro_jupyter.assistant.kernel_consent import KernelConsent
from ipuaro_jupyter.assistant.reading_ahead import ReadingAhead
from ipuaro_jupyter.assistant.slash_commands import COMMANDS, RESERVED, typed_command
from ipuaro_jupyter.assistant.templates.question_templates import (
    question_of,
    question_templates,
    typed_template,
)
from ipuaro_jupyter.assistant.workbench import Workbench
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, StorageError, ToolError
from ipuaro_jupyter.index.import_graph import import_graph
from ipuaro_jupyter.index.storage.indexing_progress import OnProgress
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.llm.hosts import remote_host
from ipuaro_jupyter.records.change import Change, Decision, LoggedDecision, Proposal
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.evaluation import Evaluation
from ipuaro_jupyter.records.events import Event, Noticed, TurnFinished
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.records.graph import Direction, Graph
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.index_report import IndexReport
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.records.trouble import OnError, Remedy, Trouble, remedied
from ipuaro_jupyter.records.undoing import UndoableChange
from ipuaro_jupyter.sessions.session import SessionInfo
from ipuaro_jupyter.sessions.token_quota import TokenQuota
from ipuaro_jupyter.sessions.unused_projects import forget_unused
from ipuaro_jupyter.settings.own_settings import is_of_project
from ipuaro_jupyter.settings.settings import Settings, system_settings
from ipuaro_jupyter.settings.system_settings import check_approve
from ipuaro_jupyter.status import Status, leaving
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.store.projects import sizes
from ipuaro_jupyter.tools import Tools, load_tools
from ipuaro_jupyter.tools.notebook_kernel import Kernel, KernelAccess
from ipuaro_jupyter.tools.open_notebooks import OpenNotebooks
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.approval import Approve, Confirm, Remembered, decided
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn
from ipuaro_jupyter.workspace.processes.environment import withhold

if TYPE_CHECKING:
    from ipuaro_jupyter.agent.answering.reading_speed import ReadingSpeed
    from ipuaro_jupyter.agent.loop import Turn

views.install()

_LONGEST_TITLE = 200  # of a turn whose changes can be undone


class Assistant:
    """An open project. Not thread-safe; close it when done.

    Attributes:
        confirm: Decides on proposals; None rejects those that need a decision.
        on_error: Chooses how a turn goes on after an error; None aborts it.
    """

    def __init__(
        self,
        root: Path,
        *,
        store: Store,
        settings: Settings,
        model: str | Model | None,
        confirm: Confirm | None,
        on_error: OnError | None,
        session: str | None,
        new: bool,
        decided: Sequence[tuple[Proposal, Decision]],
        notices: tuple[str, ...],
        sources: Mapping[str, str],
        checks_agreed: frozenset[str],
        notebook: str,
        progress: OnProgress | None,
        cancel: CancelToken | None,
    ) -> None:
        self.root = root
        self.settings = settings
        self.confirm = confirm
        self.on_error = on_error
        self._notices = notices
        self.setting_sources = sources
        if settings.llm.api_key_env:
            withhold(settings.llm.api_key_env)
        self._store = store
        keys = Keys(project_id(root))
        self._tools = load_tools()
        self._servers = McpServers(
            settings.mcp_servers,
            root=root,
            tools=self._tools,
            pass_environment=settings.commands.pass_environment,
        )
        self._conversation = Conversation(
            store,
            root,
            settings=settings,
            tools=self._tools,
            session=session,
            new=new,
            notebook=notebook,
            decided=decided,
            quota=TokenQuota(
                store,
                settings.llm.max_tokens_per_day,
                sources.get("llm.maxTokensPerDay", "the settings"),
            ),
        )
        self._ending = ExitStack()  # in reverse order, even when one of them fails
        for one in (store, self._conversation, self._servers):
            self._ending.callback(one.close)
        try:
            if settings.redis.url is None:
                forget_unused(store, days=settings.redis.unused_days)
            self._bench = Workbench(
                root,
                store,
                keys,
                settings=settings,
                conversation=self._conversation,
                decide=self._decide,
                checks_agreed=checks_agreed,
            )
            self._ending.callback(self._bench.close)
            self._index = self._bench.index
            self._conversation.use(model)
            self._bench.recover()
            self._refreshed = self._index.refresh(progress=progress, cancel=cancel)
            self._index.watch(settings.watchdog)
        except BaseException:
            self.close()
            raise

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

    def close(self) -> None:
        """Stop background jobs and release session, model and store; a second call does nothing.

        Nor does one in a fork: all of it belongs to the process that opened the project.
        """
        if not self._store.is_forked:
            self._ending.close()

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self._conversation.model

    @property
    def speed(self) -> "ReadingSpeed":
        """How fast the model reads, which decides how much evidence it gets."""
        return self._conversation.speed

    def use_model(self, name: str) -> None:
        """Use another model from now on: its name as in the settings.

        Raises:
            ModelError: It cannot be used; the previous one stays.
            SettingsError: A message is being answered, or the system has another model.
        """
        self._conversation.switch(name)

    @property
    def tools(self) -> Tools:
        """The tools, with those of the MCP servers that are open so far."""
        return self._tools

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools, sorted."""
        return tuple(tool.name for tool in self._tools)

    @property
    def shown_tools(self) -> frozenset[str]:
        """The names of the tools that the model is shown, by the settings and its size."""
        return self._conversation.shown_tools

    def connect(self, *, tool: str = "", cancel: CancelToken | None = None) -> None:
        """Begin to open the MCP servers in the background, rather than at the first message.

        With a ``tool`` of one of them, wait until that one is open, has failed, or ``cancel`` is
        set.
        """
        self._servers.open()
        self._servers.wait_for(tool, cancel or CancelToken())

    def read_ahead(self) -> ReadingAhead | None:
        """A request that has the model read the start of the prompt before the first question.

        It has yet to be started, and the first question stops it. None with ``llm.warm`` off, for a
        model that was passed as an object, and for one that does not say that it runs on this
        machine.
        """
        return self._conversation.read_ahead(self.project, wait=self._servers.settled)

    def known_paths(self, prefix: str, *, limit: int) -> list[str]:
        """The first indexed paths, sorted, with this prefix; at once, perhaps a moment old."""
        return self._index.known_paths(prefix, limit=limit)

    def known_symbols(self, prefix: str, *, limit: int) -> list[str]:
        """The first symbols, bare and qualified, sorted, with this prefix; at once, too."""
        return self._index.known_symbols(prefix, limit=limit)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        cancel: CancelToken | None = None,
        *,
        by_user: bool = True,
    ) -> ToolResult:
        """Run one tool; a failing tool is a result too, never an exception.

        Args:
            tool: Its name.
            arguments: Its arguments.
            cancel: Stops it.
            by_user: Whether a person calls it; False for a model, which must have read what it
                changes.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        if self._store.closed:
            closed = StorageError("The assistant is closed; start it again.")
            return ToolResult(tool=tool, error=ToolFailure.of(closed))
        try:
            self._store.check_process()
        except StorageError as error:
            return ToolResult(tool=tool, error=ToolFailure.of(error))
        self._servers.wait_for(tool, cancel or CancelToken())
        return self._bench.call(self._tools, tool, arguments or {}, cancel, by_user=by_user)

    def evaluate(self, cancel: CancelToken | None = None, *, review: bool = True) -> Evaluation:
        """Check the latest answer: its names against the code, the rest by the model.

        Args:
            cancel: Stops it.
            review: Ask the model for a review; when it cannot be asked, the evaluation says why.

        Raises:
            SettingsError: There is no answer in the session.
            Cancelled: ``cancel`` was set.
        """
        return self._conversation.evaluated(self.project(cancel), review=review)

    def _decide(self, proposal: Proposal) -> Decision:
        with self._conversation.waiting():
            return decided(self.confirm, proposal)

    def cancel_check(self) -> None:
        """Cancel the check of a proposal that runs, from any thread; it is asked about again."""
        self._bench.checks.cancel()

    def apply(self, *which: str, cancel: CancelToken | None = None) -> ToolResult:
        """Propose edits that an answer holds as text, as `Receipt.edits` lists them.

        Args:
            which: Their numbers in the latest answer, from 1, or their ids; none for all of these.
            cancel: Stops it.

        Raises:
            SettingsError: There is no such edit in an answer of the session.
            Cancelled: ``cancel`` was set.
        """
        from ipuaro_jupyter.agent.changing.offered_edits import proposing_call  # noqa: PLC0415 - slow to import

        messages = self._conversation.session.messages
        try:
            call = proposing_call(self.project(cancel), messages, which)
        except (ToolError, StorageError) as error:
            return ToolResult(tool="apply", error=ToolFailure.of(error))
        return self.call(call.name, call.arguments, cancel)

    def undo(self, *, turn: bool = False, skip: bool = False) -> ToolResult:
        """Undo the newest edit, create or delete of the session.

        Args:
            turn: Undo all changes of the newest turn, or tool call; all or none of them.
            skip: Undo nothing, but drop the newest change, which cannot be undone because its file
                was changed since. Files stay as they are.
        """
        return self._bench.undo(turn=turn, skip=skip)

    def redo(self) -> ToolResult:
        """Make again what the latest undo took back, until something else is changed."""
        return self._bench.redo()

    def undoable(self, *, redo: bool = False) -> tuple[UndoableChange, ...]:
        """What can be undone, or with ``redo`` made again by the next one, the newest first.

        Raises:
            ToolError: An interrupted change cannot be put right.
            StorageError: Redis has gone.
        """
        return self._bench.redoable() if redo else self._bench.undoable()

    def reindex(
        self, progress: OnProgress | None = None, cancel: CancelToken | None = None
    ) -> IndexReport:
        """Parse every file again.

        Raises:
            Cancelled: ``cancel`` was set; the index is as it was.
        """
        self._refreshed = self._index.refresh(full=True, progress=progress, cancel=cancel)
        return self._refreshed

    def index_report(self) -> IndexReport:
        """A summary of the index and of what it lacks."""
        done = self._refreshed
        latest = {"parsed": done.parsed, "known": done.known, "seconds": done.seconds}
        return self._index.summary().model_copy(update=latest)

    def graph(self, path: str = "", *, depth: int = 1, direction: Direction = "both") -> Graph:
        """The graph of imports, of the project or around a path; see `import_graph`."""
        place = self._bench.workspace
        return import_graph(place, self._index, path=path, depth=depth, direction=direction)

    def evidence(self, question: str, *, tokens: int = 1500) -> Evidence:
        """What a question in words is about: files, declarations with source, and facts.

        The index finds it, and no model is asked.

        Args:
            question: The question.
            tokens: The maximum size of its text, as estimated.

        Raises:
            StorageError: Redis has gone.
        """
        return self._conversation.evidence(self.project(), question, tokens)

    def dump(self) -> Iterator[dict[str, Any]]:
        """Yield the index's data about each file, by path, as plain data."""
        return self._index.dump()

    @property
    def approve(self) -> Approve:
        """What is applied without a question; may be set to what the system's settings allow."""
        return self._bench.workspace.settings.approve

    @approve.setter
    def approve(self, approve: Approve) -> None:
        check_approve(approve, system_settings())
        self._bench.checks.note_approval(self.approve, approve)
        self.settings = self.settings.model_copy(update={"approve": approve})
        self._bench.workspace.settings = self.settings.workspace()

    @property
    def remembered(self) -> tuple[Remembered, ...]:
        """The permissions remembered in this session, in the order in which they were given."""
        return self._bench.workspace.remembered

    def revoke(self, allowed: Remembered) -> None:
        """Revoke a remembered permission."""
        self._bench.workspace.revoke(allowed.tool, allowed.pattern)

    @property
    def notices(self) -> tuple[str, ...]:
        """Remarks on settings, interrupted changes, sessions, and on a model that is elsewhere."""
        leaves = leaving(remote_host(self.model))
        told = [f"The model is {self.model.name}{leaves}."] if leaves else []
        return (*self._remarks, *told)

    @property
    def _remarks(self) -> tuple[str, ...]:
        sessions = self._conversation.sessions
        return (*self._notices, *self._bench.recovered, *sessions.notices, *sessions.losses)

    def status(self, *, stored: bool = False) -> Status:
        """The state of the assistant; with ``stored``, including the size of each project."""
        report = self.index_report()
        return Status(
            project=self.root.name,
            root=str(self.root),
            model=self.model.name,
            model_problem=self.model_problem(),
            model_host=remote_host(self.model),
            files=report.files,
            symbols=report.symbols,
            edges=report.edges,
            skipped=len(report.skipped),
            index_seconds=report.seconds,
            parsed=report.parsed,
            known=report.known,
            session=self.session,
            context_percent=self._conversation.context_percent,
            approve=self.approve,
            sandbox=str(self._bench.workspace.sandbox),
            tokens=self._conversation.quota.status(),
            store=self._store.url,
            stored=sizes(self._store) if stored else (),
            notices=(
                *(*self._remarks, *report.remarks(), *self._servers.remarks),
                *map(str, filter(None, [self._conversation.reading_ahead])),
            ),
        )

    def model_problem(self) -> str | None:
        """What is wrong with the model and the remedy; None when it is ready."""
        try:
            self.model.check()
        except ModelError as error:
            return str(error)
        return None

    def project(self, cancel: CancelToken | None = None) -> Project:
        """The context for a tool, with ``cancel`` as its stop button."""
        self._store.check_process()
        return self._bench.project(cancel)

    @property
    def session(self) -> SessionInfo:
        """The open session as stored now."""
        return self._conversation.session.info

    def sessions(self) -> tuple[SessionInfo, ...]:
        """The project's sessions, the latest used first."""
        return self._conversation.sessions.all()

    def load(self, session_id: str) -> SessionInfo:
        """Resume another session; a part of its id that no other has is enough.

        Raises:
            SettingsError: There is none, it is open elsewhere, or a message is being answered.
        """
        self._conversation.load(session_id)
        self._bench.change_session()
        return self.session

    def transcript(self, *, turns: int = 20) -> Transcript:
        """The latest turns of the session, for display."""
        return self._conversation.transcript(turns=turns)

    def delete_session(self, session_id: str) -> str:
        """Delete a session, by a part of its id, with its undo stack; return the full id.

        Raises:
            SettingsError: There is no such session, or it is open, here or in another kernel.
        """
        return self._conversation.sessions.delete(session_id)

    def clear(self) -> None:
        """Delete the session's messages; its changes can still be undone.

        Raises:
            SettingsError: A message is being answered.
        """
        self._bench.clear()

    def inputs(self) -> tuple[str, ...]:
        """The user's messages in this project, oldest first; the latest few hundred."""
        return self._conversation.sessions.inputs()

    def decisions(self) -> tuple[LoggedDecision, ...]:
        """The decisions of the session with their questions, oldest first."""
        return self._conversation.session.decisions

    def export(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the session as a notebook, over an older export of it; return the path.

        Args:
            path: Ends in ``.ipynb``.
            force: Replace any file that is there, even one that cells were added to.

        Raises:
            SettingsError: ``path`` does not end in ``.ipynb``, cannot be written, or must not be
                overwritten.
        """
        return self._conversation.export(path, self.root, force=force)

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
