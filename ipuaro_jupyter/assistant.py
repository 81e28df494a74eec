"""The assistant for one project: the one place where the rooms are joined.

Start reading here. Data goes one way: files → workspace → index → tools → loop → events. Three
callables come back: the user's decision, the stop button, and the news of a change.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ipuaro_jupyter import views
from ipuaro_jupyter.agent.loop import Journal, Turn
from ipuaro_jupyter.agent.prompt import system_prompt
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, StorageError, ToolError
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.llm.text_calls import parse_reply as _parse_reply
from ipuaro_jupyter.records.change import Change, Decision, LoggedDecision, Proposal
from ipuaro_jupyter.records.chat import Answer, ParsedReply
from ipuaro_jupyter.records.events import Event, IndexProgress, TurnFinished, UsageReported
from ipuaro_jupyter.records.index_report import IndexReport
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.records.undone import undone_output
from ipuaro_jupyter.sessions.session import Session, SessionInfo, Sessions
from ipuaro_jupyter.settings import Settings, load_settings
from ipuaro_jupyter.status import Status
from ipuaro_jupyter.store.connection import Store, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.store.projects import forget_unused, note_opened
from ipuaro_jupyter.tools import load_tools
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.approval import Asked, Confirm, Remembered, decided
from ipuaro_jupyter.workspace.paths import project_folder
from ipuaro_jupyter.workspace.undo import ShownFiles, UndoStack, UndoTurn
from ipuaro_jupyter.workspace.workspace import Workspace

views.install()

Progress = Callable[[IndexProgress], None]


def start(
    root: str | Path = ".",
    *,
    model: str | Model | None = None,
    confirm: Confirm | None = None,
    auto_apply: bool = False,
    settings: Mapping[str, Any] | None = None,
    session: str | None = None,
    new: bool = False,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
) -> "Assistant":
    """Return an assistant for the project at ``root``, with its index up to date.

    Args:
        root: The project's folder.
        model: A model's name, "recorded:FILE", or a model; None takes the settings' model.
        confirm: Called with each `Proposal`, in the thread that runs the tool; answers with a
            `Decision` or a bool. None rejects what needs an answer.
        auto_apply: Apply edits, creates and deletes without a question.
        settings: Settings over those of the files, with the keys of ``.ipuaro.json``.
        session: Prefix of the id of the session to resume; None resumes the latest.
        new: Begin a new session instead.
        progress: Told now and then how far the index is.
        cancel: Breaks the indexing off.

    Raises:
        ProjectError: ``root`` is no folder, or cannot be read.
        SettingsError: A settings file or key is wrong, or there is no such session.
        StorageError: Redis cannot be reached.
    """
    folder = project_folder(root)
    told = Asked(confirm)
    loaded = load_settings(folder, settings or {}, auto_apply=auto_apply, confirm=told)
    store = connect(loaded.settings.redis)
    try:
        return Assistant(
            folder,
            store=store,
            settings=loaded.settings,
            model=model,
            confirm=confirm,
            session=session,
            new=new,
            decided=told.answers,
            notices=loaded.notices,
            progress=progress,
            cancel=cancel,
        )
    except BaseException:
        store.close()
        raise


def parse_reply(text: str) -> ParsedReply:
    """Take a model's text apart into text, tool calls and what could not be read."""
    tools = load_tools()
    return _parse_reply(text, tuple(t.schema for t in tools), aliases=tools.aliases)


class Assistant:
    """An open project. Not for several threads at once; close it when done."""

    def __init__(
        self,
        root: Path,
        *,
        store: Store,
        settings: Settings,
        model: str | Model | None,
        confirm: Confirm | None,
        session: str | None,
        new: bool,
        decided: Sequence[tuple[Proposal, Decision]],
        notices: tuple[str, ...],
        progress: Progress | None,
        cancel: CancelToken | None,
    ) -> None:
        self.root = root
        self.settings = settings
        self.confirm = confirm
        self.notices = notices
        self._store = store
        note_opened(store, root)
        if settings.redis.url is None:
            forget_unused(store, days=settings.redis.unused_days)
        self._keys = Keys(project_id(root))
        self._sessions = Sessions(store, self._keys)
        self._session = self._choose_session(session, new=new)
        for proposal, decision in decided:
            self._session.note_decision(proposal, decision)
        self._journal = Journal()
        self._workspace = self._open_workspace()
        self._index = CodeIndex(self._workspace, store, settings.project)
        self._tools = load_tools()
        self._context_percent = 0.0
        self.model = self._open_model(model)
        try:
            self._index_seconds = self._index.refresh(progress=progress, cancel=cancel).seconds
            self._index.watch(settings.watchdog)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop background jobs, let go of session, model and store; again does nothing."""
        if self._store.closed:
            return
        try:
            self._workspace.close()
            self._index.close()
            self.model.close()
            with suppress(StorageError):  # it frees itself when this process has ended
                self._sessions.release(self._session)
        finally:
            self._store.close()

    @property
    def session(self) -> SessionInfo:
        """The open session as it is stored now."""
        return self._session.info

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools, sorted."""
        return tuple(tool.name for tool in self._tools)

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        cancel: CancelToken | None = None,
    ) -> ToolResult:
        """Run one tool; a failing tool is a result too, never an exception.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        if self._store.closed:
            closed = StorageError("The assistant is closed; start it anew.")
            return ToolResult(tool=tool, error=ToolFailure.of(closed))
        outer, self._journal = self._journal, Journal()
        outer_turn, self._workspace.turn = self._workspace.turn, UndoTurn()
        try:
            result = self._tools.call(tool, arguments or {}, self._project(cancel))
            _, counts = self._journal.take()
        finally:
            self._journal = outer
            self._workspace.turn = outer_turn
        with suppress(StorageError):  # what the tool did counts more than its statistics
            self._session.count(counts)
        return result

    def ask(self, message: str, cancel: CancelToken | None = None) -> Answer:
        """Send a message and return the answer when the turn has ended.

        Raises:
            ModelError: The model could not be reached or used; the session keeps the message.
            StorageError: Redis has gone.
        """
        turn = self._turn(message, cancel)
        *_, last = self._events(turn)
        if turn.error is not None:
            raise turn.error
        assert isinstance(last, TurnFinished)  # noqa: S101 - every turn ends with it
        return last.answer

    def stream(self, message: str, cancel: CancelToken | None = None) -> Iterator[Event]:
        """Yield the events of a turn; the last one is `TurnFinished`."""
        yield from self._events(self._turn(message, cancel))

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the latest turn has changed so far; whole also when nobody reads its events on."""
        return tuple(self._journal.changes)

    def _turn(self, message: str, cancel: CancelToken | None) -> Turn:
        project = self._project(cancel)
        self._journal = Journal()
        self._workspace.turn = UndoTurn()
        return Turn(
            message,
            model=self.model,
            tools=self._tools,
            project=project,
            session=self._session,
            journal=self._journal,
            settings=self.settings.context,
            system=lambda: system_prompt(
                project,
                [tool.schema for tool in self._tools],
                native_tools=self.model.native_tools,
            ),
        )

    def _events(self, turn: Turn) -> Iterator[Event]:
        for event in turn.events():
            if isinstance(event, UsageReported):
                self._context_percent = event.context_percent
            yield event

    def undo(self, *, turn: bool = False) -> ToolResult:
        """Take back the newest edit, create or delete of the session.

        Args:
            turn: Take back all of the newest message's, or tool call's; all or none of them.
        """
        try:
            undone = self._workspace.undo_turn() if turn else (self._workspace.undo(),)
        except (ToolError, StorageError) as error:
            return ToolResult(tool="undo", error=ToolFailure.of(error))
        with suppress(StorageError):  # what was done counts more than its statistics
            self._session.count({"edits_undone": len(undone)})
        return ToolResult(tool="undo", output=undone_output(undone))

    def reindex(
        self, progress: Progress | None = None, cancel: CancelToken | None = None
    ) -> IndexReport:
        """Parse every file again.

        Raises:
            Cancelled: ``cancel`` was set; the index is as it was.
        """
        report = self._index.refresh(full=True, progress=progress, cancel=cancel)
        self._index_seconds = report.seconds
        return report

    def index_report(self) -> IndexReport:
        """Return what the index holds now, and what it lacks."""
        return self._index.summary()

    def dump(self) -> Iterator[dict[str, Any]]:
        """Yield what the index knows of each file, by path, as plain data."""
        return self._index.dump()

    def sessions(self) -> tuple[SessionInfo, ...]:
        """Return the project's sessions, the latest used first."""
        return self._sessions.all()

    def load(self, session_id: str) -> SessionInfo:
        """Resume another session; a prefix of its id is enough.

        Raises:
            SettingsError: There is no such session, or another kernel has it open.
        """
        opened = self._sessions.open(session_id)
        if opened.id != self._session.id:
            self._sessions.release(self._session)
        self._session = opened
        self._workspace.close()
        self._workspace = self._open_workspace()
        return opened.info

    def decisions(self) -> tuple[LoggedDecision, ...]:
        """Return what was asked, shown and answered in the session, oldest first."""
        return self._session.decisions

    @property
    def remembered(self) -> tuple[Remembered, ...]:
        """What is applied without a question in this session, in the order it was allowed."""
        return self._workspace.remembered

    def revoke(self, allowed: Remembered) -> None:
        """Ask again about what the user has allowed."""
        self._workspace.revoke(allowed.tool, allowed.pattern)

    def export(self, path: str | Path) -> Path:
        """Write the session as a notebook and return its path.

        Raises:
            SettingsError: ``path`` does not end in ``.ipynb`` or cannot be written.
        """
        from ipuaro_jupyter.sessions.ipynb import write_notebook  # noqa: PLC0415 - slow to import

        return write_notebook(self._session.messages, Path(path), title=self._session.info.title)

    def status(self) -> Status:
        """Return what the assistant works with, and what is wrong with the model, if anything."""
        report = self._index.summary()
        return Status(
            project=self.root.name,
            root=str(self.root),
            model=self.model.name,
            model_problem=self.model_problem(),
            files=report.files,
            symbols=report.symbols,
            edges=report.edges,
            skipped=len(report.skipped),
            index_seconds=self._index_seconds,
            session=self._session.info,
            context_percent=self._context_percent,
            approve=self._workspace.settings.approve,
            store=self._store.url,
            notices=(*self.notices, *report.remarks()),
        )

    def model_problem(self) -> str | None:
        """Return what is wrong with the model and the remedy, None when it is ready."""
        try:
            self.model.check()
        except ModelError as error:
            return str(error)
        return None

    def _project(self, cancel: CancelToken | None) -> Project:
        project = Project(workspace=self._workspace, index=self._index)
        return project if cancel is None else replace(project, cancel=cancel)

    def _choose_session(self, prefix: str | None, *, new: bool) -> Session:
        if prefix is not None:
            return self._sessions.open(prefix)
        latest = None if new else self._sessions.latest()
        return latest or self._sessions.create()

    def _open_workspace(self) -> Workspace:
        settings = self.settings.workspace()
        session_id = self._session.id
        return Workspace(
            self.root,
            settings,
            confirm=lambda proposal: decided(self.confirm, proposal),
            undo=UndoStack(self._store, self._keys, session_id, depth=settings.undo_depth),
            shown=ShownFiles(self._store, self._keys, session_id),
            changed=self._changed,
            decided=self._note_decision,
        )

    def _open_model(self, model: str | Model | None) -> Model:
        if model is None or isinstance(model, str):
            return open_model(model or self.settings.llm.model, self.settings.llm, Path.cwd())
        return model

    def _note_decision(self, proposal: Proposal, decision: Decision) -> None:
        self._session.note_decision(proposal, decision)
        if decision.by != "policy":
            self._journal.note_decision(proposal, decision)

    def _changed(self, change: Change) -> None:
        """Bring the index up to date with a write, before the tool's result is returned."""
        self._journal.changes.append(change)
        with suppress(StorageError):  # the file is written; the index compares it when asked
            self._index.touch([change.path])
