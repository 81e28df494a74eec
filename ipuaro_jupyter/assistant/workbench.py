"""The workspace of the tools, and the user's own actions there: calls, undo."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ipuaro_jupyter.assistant.conversation import Conversation
from ipuaro_jupyter.assistant.proposal_checks import CheckedProposals
from ipuaro_jupyter.assistant.undone import (
    redone_output,
    skipped_output,
    undo_action,
    undoable_change,
    undone_output,
)
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.outputs import TextOutput, ToolFailure, ToolResult
from ipuaro_jupyter.records.undoing import UndoableChange
from ipuaro_jupyter.settings.settings import Settings
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.notebook_kernel import KernelAccess
from ipuaro_jupyter.tools.open_notebooks import OpenNotebooks
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.changes.undo_changes import Undone
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoStack, UndoTurn
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings

_UNRECORDED = "It could not be recorded: a replay of this session will not repeat it."


class Workbench:
    """The project's folder, in the open session, and its index.

    Attributes:
        workspace: The folder; another object for each session.
        index: The index of the code; the same for all sessions.
        recovered: Sentences about changes that were interrupted by the end of a kernel.
        checks: The checks of proposals.
        kernel: Leads to the kernel of the notebook that the user asks from; None elsewhere.
    """

    def __init__(
        self,
        root: Path,
        store: Store,
        keys: Keys,
        *,
        settings: Settings,
        conversation: Conversation,
        decide: Callable[[Proposal], Decision],
        checks_agreed: frozenset[str],
    ) -> None:
        self._root = root
        self._store = store
        self._keys = keys
        self._conversation = conversation
        self._decide = decide
        self._timeout_s = settings.tools.timeout_s
        self._done: Undone | None = None
        self.recovered: list[str] = []
        self.kernel: KernelAccess | None = None
        self.notebooks: OpenNotebooks | None = None
        self.checks = CheckedProposals(
            settings.checks,
            workspace=lambda: self.workspace,
            index=lambda: self.index,
            consent=checks_agreed,
        )
        self.workspace = self._for_session(settings.workspace())
        self.index = CodeIndex(self.workspace, store, settings.project)

    def change_session(self) -> None:
        """Switch to the session that is open now: its undo stack, and the files shown in it."""
        before, self.workspace = self.workspace, self._for_session(self.workspace.settings)
        before.close()

    def clear(self) -> None:
        """Delete the session's messages; with them goes what its model has seen of files."""
        self._conversation.clear()
        self.workspace.forget_shown()

    def close(self) -> None:
        """Stop background jobs and the watching of files."""
        try:
            self.workspace.close()
        finally:
            self.index.close()

    def project(self, cancel: CancelToken | None = None) -> Project:
        """The context for a tool, with ``cancel`` as its stop button."""
        return Project(
            workspace=self.workspace,
            index=self.index,
            cancel=cancel or CancelToken(),
            timeout_s=self._timeout_s,
            kernel=self.kernel,
            notebooks=self.notebooks,
        )

    def call(
        self,
        tools: Tools,
        tool: str,
        arguments: Mapping[str, Any],
        cancel: CancelToken | None,
        *,
        by_user: bool,
    ) -> ToolResult:
        """Run one tool of ``tools``, independently of a turn; see `Assistant.call`."""
        alone = self.workspace.one_reply(UndoTurn(by_user=by_user, title=tool))
        with alone, self._conversation.apart() as journal:
            result = tools.call(tool, arguments, self.project(cancel))
            counts = journal.take().counts
        with suppress(StorageError):  # the tool's effect matters more than its statistics
            self._conversation.session.count(counts)
        return result

    def recover(self) -> None:
        """Put right what killed kernels have left; what cannot be is a remark in `recovered`."""
        try:
            self.workspace.recover()
        except ToolError as error:
            self.recovered.append(error.message)

    def undo(self, *, turn: bool, skip: bool) -> ToolResult:
        """Undo the newest change of the session, or of the turn; see `Assistant.undo`."""
        if turn and skip:
            both = ToolError("validation", "Undo takes --turn or --skip, not both.")
            return ToolResult(tool="undo", error=ToolFailure.of(both))
        if skip:
            return self._taken("undo", lambda: skipped_output(*self.workspace.skip_undo()))
        act = self.workspace.undo_turn if turn else self.workspace.undo
        return self._taken("undo", lambda: undone_output(act()))

    def redo(self) -> ToolResult:
        """Make again what the latest undo took back; see `Assistant.redo`."""
        return self._taken("redo", lambda: redone_output(self.workspace.redo()))

    def undoable(self) -> tuple[UndoableChange, ...]:
        """What can be undone; see `Assistant.undoable`."""
        return tuple(
            undoable_change(number, one) for number, one in enumerate(self.workspace.undoable(), 1)
        )

    def redoable(self) -> tuple[UndoableChange, ...]:
        """What the next redo makes again; see `Assistant.undoable`."""
        return tuple(
            undoable_change(number, one) for number, one in enumerate(self.workspace.redoable(), 1)
        )

    def _taken(self, tool: str, act: Callable[[], TextOutput]) -> ToolResult:
        """The result of an undo or redo, which is recorded."""
        self._done, known = None, len(self.recovered)
        try:
            with self._conversation.apart():
                output = act()
        except (ToolError, StorageError) as error:
            result = ToolResult(tool=tool, error=ToolFailure.of(error))
            if self._done is not None:  # the stack has changed all the same
                with suppress(StorageError):
                    self._record(self._done, result.text())
            return result
        if self._done is not None:
            try:
                self._record(self._done, output.content)
            except StorageError:  # the effect matters more
                unrecorded = f"{output.content} {_UNRECORDED}"
                output = output.model_copy(update={"content": unrecorded})
        if told := self.recovered[known:]:  # changes of a killed kernel, put right on the way
            output = output.model_copy(update={"content": " ".join([*told, output.content])})
        return ToolResult(tool=tool, output=output)

    def _record(self, done: Undone, told: str) -> None:
        session = self._conversation.session
        count = -len(done.changes) if done.act == "redo" else len(done.changes)
        session.note_undone(undo_action(done, session.messages, told), {"edits_undone": count})

    def _note_undone(self, done: Undone) -> None:
        self._done = done

    def _for_session(self, settings: WorkspaceSettings) -> Workspace:
        session_id = self._conversation.session.id
        return Workspace(
            self._root,
            settings,
            confirm=self._decide,
            undo=UndoStack(self._store, self._keys, session_id, depth=settings.undo_depth),
            shown=ShownFiles(self._store, self._keys, session_id),
            changed=self._conversation.note_change,
            settled=self._settled,
            undone=self._note_undone,
            recovered=self.recovered.append,
            decided=self._conversation.note_decision,
            checks=self.checks.hooks,
        )

    def _settled(self, changes: Sequence[Change]) -> None:
        """Bring the index up to date with writes, before the tool's result is returned."""
        with suppress(StorageError):  # the files are written; the index compares them when read
            written = {one.path: one.after for one in changes if one.after is not None}
            self.index.touch([change.path for change in changes], written=written)
