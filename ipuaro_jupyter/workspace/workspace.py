"""The project's folder: the one object that reads, writes and runs commands in it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.workspace.approval import Approvals, Approve, Remembered, unasked_change
from ipuaro_jupyter.workspace.changes.change_proposal import (
    as_decided,
    changed_lines,
    proposal,
)
from ipuaro_jupyter.workspace.changes.change_set import (
    SetFile,
    set_as_decided,
    set_proposal,
)
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove, WrittenChanges
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.changes.project_changes import Listeners, ProjectChanges
from ipuaro_jupyter.workspace.changes.reply_edits import Knowledge, ReplyEdits, following
from ipuaro_jupyter.workspace.changes.undo_changes import Undoable, Undone
from ipuaro_jupyter.workspace.changes.undo_stack import (
    Refuses,
    ShownFiles,
    UndoEntry,
    UndoStack,
    UndoTurn,
    parts_of,
)
from ipuaro_jupyter.workspace.checked_decisions import CheckedDecisions, Made, ProposalChecks
from ipuaro_jupyter.workspace.execution_context import ExecutionContext
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.processes.jobs import Jobs
from ipuaro_jupyter.workspace.readable_folder import ReadableFolder
from ipuaro_jupyter.workspace.sandbox.sandbox import Sandbox, SandboxFolder, SandboxState
from ipuaro_jupyter.workspace.unseen_files import UnseenFiles
from ipuaro_jupyter.workspace.workspace_settings import WorkspaceSettings

if TYPE_CHECKING:
    from ipuaro_jupyter.workspace.running import CommandOutcome

__all__ = ["Approve", "SetFile", "Workspace", "WorkspaceSettings"]


class ShownParts(NamedTuple):
    """The versions of a file's parts that were shown, each None when none were.

    ``before`` is what the author knew before the present reply, ``now`` what it knows by now, and
    ``by_user`` what only the user has seen.
    """

    before: tuple[str, ...] | None
    now: tuple[str, ...] | None
    by_user: tuple[str, ...] | None

    @property
    def latest(self) -> tuple[str, ...] | None:
        """What was shown last to who calls the tools."""
        return self.now if self.by_user is None else self.by_user


def _refuse(proposal: Proposal) -> Decision:
    raise unasked_change(proposal.command or proposal.title)


class Workspace(ReadableFolder):
    """A project's folder. Paths are relative to it, POSIX, "" being the folder itself.

    Args:
        root: The folder.
        settings: May be replaced later by assigning to ``settings``.
        confirm: Asks the user about a proposal.
        undo: The session's undo stack.
        shown: The file versions that the session's model has seen.
        changed: Called after every write with the change, before the write returns.
        settled: Called after that with all changes that were written together.
        undone: Called with every undo and redo, after that.
        recovered: Called with a sentence about a change that was interrupted by a kernel's end.
        decided: Called with every decision, including those made by a setting.
        checks: How proposed edits are checked; None: not at all.

    Attributes:
        turn: The turn that coming changes belong to, so that `undo_turn` undoes them together;
            None: each stands alone.
        reply: The model's reply that coming calls belong to; None for calls of a person.
    """

    def __init__(
        self,
        root: Path,
        settings: WorkspaceSettings,
        *,
        confirm: Callable[[Proposal], Decision],
        undo: UndoStack,
        shown: ShownFiles,
        changed: Callable[[Change], None],
        settled: Callable[[Sequence[Change]], None] = lambda _changes: None,
        undone: Callable[[Undone], None] = lambda _undone: None,
        recovered: Callable[[str], None] = lambda _told: None,
        decided: Callable[[Proposal, Decision], None] = lambda _proposal, _decision: None,
        checks: ProposalChecks | None = None,
    ) -> None:
        super().__init__(root, settings.ignore_patterns)
        self.turn: UndoTurn | None = None
        self.reply: ReplyEdits | None = None
        self._shown = shown
        self.settings = settings
        self._approvals = Approvals(confirm)
        self._decisions = CheckedDecisions(
            self._approvals, checks, lambda: self.execution_context, decided
        )
        self._changes = ProjectChanges(
            self.root,
            undo,
            shown,
            relative=lambda path: self.relative(path, must_exist=False),
            listeners=Listeners(changed, settled, undone, recovered),
        )
        self._decided = decided
        self._unseen = UnseenFiles(self.root, shown)
        self.jobs = Jobs()
        self._sandbox_folder = SandboxFolder()

    def close(self) -> None:
        """Stop the background jobs; no more can be started."""
        self.jobs.close()
        with suppress(StorageError):  # else what they have written counts at the next start
            self._unseen.note_running()
        self._sandbox_folder.close()

    def note_shown(self, path: str, hash_: str) -> None:
        """Record that the model has seen lines of this version of a file, or the user by a tool."""
        self.note_all_shown({path: hash_})

    def note_all_shown(self, hashes: Mapping[str, str]) -> None:
        """Record the same for several files, their hashes by path."""
        if self._is_person:
            self._shown.note_for_user(hashes)
            return
        if self.reply is not None:
            self.reply.note_shown(hashes)
        self._shown.note_all(hashes)

    def note_parts_shown(self, path: str, versions: Sequence[str]) -> None:
        """Record what its author has seen of the parts of a file, such as cells, in their order."""
        self.note_all_shown({parts_of(path): " ".join(versions)})

    def note_parts_moved(self, path: str, moves: Sequence[PartMove]) -> None:
        """Follow a change of a file's parts that was made past the workspace."""
        if self.reply is not None:
            self.reply.note_part_moves(path, moves)

    def parts_shown(self, path: str) -> "ShownParts":
        """What was shown of the parts of a file; the user knows what the model was shown, too."""
        key = parts_of(path)
        now = _versions(self._shown.get(key))
        if self._is_person:
            return ShownParts(now, now, _versions(self._shown.known_to_user(key)))
        before = now if self.reply is None else _versions(self.reply.known_before(key))
        return ShownParts(before, now, None)

    def known(self, file: TextFile) -> Knowledge:
        """Whether the author of a change knows this very version of a file."""
        if self.reply is not None:
            return self.reply.known(file)
        known = {self._shown.get(file.path)}
        if self._is_person:
            known.add(self._shown.known_to_user(file.path))
        if known == {None}:
            return "never seen"
        return "seen" if file.hash in known else "changed"

    def forget_shown(self) -> None:
        """Forget what the model has seen of the files."""
        self._shown.forget_all()

    @contextmanager
    def one_reply(self, turn: UndoTurn | None = None) -> Iterator[None]:
        """Take the calls in the block as those of one reply of the model, in this or that turn.

        In a turn by the user, they are no reply.
        """
        outer = self.turn, self.reply
        by_user = turn is not None and turn.by_user
        self.turn, self.reply = turn or self.turn, None if by_user else ReplyEdits(self._shown)
        try:
            yield
        finally:
            self.turn, self.reply = outer

    def written(self) -> list[str]:
        """The files that the session has changed, including before a restart; sorted.

        Deleted and restored files, and failed writes, are among them.
        """
        return self._shown.written()

    @property
    def is_by_user(self) -> bool:
        """Whether a person, not the model, calls the tools now."""
        return self.turn is not None and self.turn.by_user

    @property
    def refuses(self) -> Refuses:
        """What the model may not do now because the user does not ask for it."""
        return "nothing" if self.turn is None or self.turn.by_user else self.turn.refuses

    @property
    def _is_person(self) -> bool:
        """Whether a person calls the tools, whose results the model does not see."""
        return self.reply is None and self.is_by_user

    @property
    def remembered(self) -> tuple[Remembered, ...]:
        """The permissions remembered for this session."""
        return self._approvals.remembered

    def revoke(self, tool: str | None = None, pattern: str | None = None) -> int:
        """Revoke permissions for a tool, a pattern or everything; return how many."""
        return self._approvals.revoke(tool, pattern)

    def decide(self, proposal: Proposal) -> Decision:
        """The decision on a proposal: by a setting, by a remembered permission, or by the user.

        Raises:
            Cancelled: The user pressed stop instead of deciding, or before the decision to apply
                it arrived.
        """
        approve, by_user = self.settings.approve, self.is_by_user
        return self._decisions.decide(proposal, approve, by_user=by_user)[1]

    def is_unseen(self, proposal: Proposal) -> bool:
        """Whether a proposal of the model would be applied without anybody looking at it."""
        if self.turn is not None and (self.turn.by_user or self.turn.is_unseen):
            return not self.turn.by_user
        decision = self._approvals.unasked(proposal, self.settings.approve)
        return decision is not None and decision.action == "apply"

    def note_verdict(self, proposal: Proposal, decision: Decision) -> None:
        """Report a decision that the policy made by itself."""
        self._decided(proposal, decision)

    @property
    def execution_context(self) -> ExecutionContext:
        """The conditions of commands in this folder, under the present settings."""
        return ExecutionContext(
            root=self.root,
            jobs=self.jobs,
            pass_environment=self.settings.pass_environment,
            decide=self.decide,
            note_verdict=self.note_verdict,
            written=self.written,
            unseen=self._unseen,
            sandbox=self._sandbox,
            ask_person=self._ask_person,
        )

    @property
    def sandbox(self) -> SandboxState:
        """What confines commands, under the present settings."""
        return self._sandbox.state

    @property
    def _sandbox(self) -> Sandbox:
        return Sandbox(self.settings.sandbox, self.root, self._sandbox_folder)

    def _ask_person(self, proposal: Proposal) -> Decision:
        return self._decisions.ask_person(proposal, self.settings.approve)

    def apply(
        self,
        change: Change,
        *,
        tool: str,
        title: str,
        read: TextFile | None = None,
        reason: str = "",
        problems: Sequence[str] = (),
        unseen: str = "",
        lines: LineSpan | None = None,
        part: FilePart | None = None,
    ) -> Change:
        """Write a change after asking, and return the change that was really made.

        The user may have edited the text or chosen a part of it, and a symlink is replaced by its
        target.

        Args:
            change: Its ``before`` is the content that the tool has worked on.
            tool: The tool's name.
            title: The text of the question.
            read: The file that ``before`` was taken from, so that it need not be read and decoded
                again.
            reason: What the user should know of it, shown with the question.
            problems: What speaks against it, beside new syntax errors; see `Proposal`.
            unseen: Why a change of the model is refused where nobody looks at it: where a setting
                or a remembered permission would apply it. "" when it is not.
            lines: The lines that it replaces, as the model numbered them; None when it was not
                given in lines.
            part: What of the file is shown in place of the whole; the caller has checked that its
                author has seen it.

        Raises:
            ToolError: "validation" and "file" when it cannot be written; "conflict" when the file
                differs from the version that the tool or the model has seen; "cancelled" when it
                was rejected. The file is unchanged then.
        """
        told = self._changes.recover()
        checked = self._changes.checked(change, read, self.turn, part=part)
        question = proposal(
            checked.decoded,
            tool=tool,
            title=title,
            links=checked.links,
            reason=_sentences(*told, reason),
            problems=problems,
        )
        proposed = change.after
        (change,), decision = self._decided_changes(
            question, lambda decision: (as_decided(checked.decoded, question, decision),), unseen
        )
        made = WrittenChanges(proposed, lines, part, () if part is None else (change.path,))
        self._write([change], decision, question, made)
        return change

    def apply_set(
        self,
        files: Sequence[SetFile],
        *,
        tool: str,
        title: str,
        reason: str = "",
        problems: Sequence[str] = (),
        unseen: str = "",
    ) -> tuple[Change, ...]:
        """Write changes of several files after one question: all that are chosen, or none.

        They are undone together. Two parts of one file, in different groups, are merged.

        Args:
            files: The changes; the question numbers them in this order.
            tool: The tool's name.
            title: The text of the question.
            reason: What the user should know beside the changes.
            problems: What speaks against them, beside new syntax errors; see `Proposal`.
            unseen: As for `apply`.

        Returns:
            The changes that were really made, one per file, in the order of ``files``.

        Raises:
            ToolError: As for `apply`; also "validation" when parts of a file overlap. All files are
                unchanged then.
        """
        if not files:
            raise ToolError("validation", "A change of no files was asked for.")
        told = self._changes.recover()
        checked = self._changes.checked_set(files, self.turn)
        question = set_proposal(
            checked,
            tool=tool,
            title=title,
            reason=_sentences(*told, reason),
            problems=problems,
        )
        changes, decision = self._decided_changes(
            question, lambda decision: set_as_decided(checked, question, decision), unseen
        )
        computed = {part.path for part in checked if part.file.is_computed}
        self._write(changes, decision, question, WrittenChanges(computed=computed))
        return changes

    def note_coming(self, changes: Sequence[Change], decision: Decision) -> None:
        """Note changes that are made next: a kernel may be killed at any time."""
        is_seen = decision.by == "user"
        self._unseen.note(changes, seen=is_seen)
        for change in changes:
            self.jobs.stop_relying_on(change.path, seen=is_seen or self.settings.approve == "all")

    def note_made(self, change: Change, decision: Decision) -> None:
        """Note a change that was made where its file is open, after `note_coming`."""
        with suppress(StorageError):  # it is made, which matters more
            self._unseen.note([change], seen=decision.by == "user")
        self._changes.note_made(change)

    def undo(self) -> tuple[Change, ...]:
        """Undo the newest decision of the session and return the reverse changes, one per file.

        Raises:
            ToolError: "validation" when there is nothing to undo; "conflict" when a file has been
                changed since; "file" when one cannot be written. The entry stays then.
        """
        return self._changes.undo(turn=False)

    def undo_turn(self) -> tuple[Change, ...]:
        """Undo all changes of the newest `turn` as one; return the reverse changes.

        Either all files are as they were before the turn, or none has been touched. Files that
        already are as they were before are not among them.

        Raises:
            ToolError: As for `undo`; also "validation" when not all its changes are kept.
        """
        return self._changes.undo(turn=True)

    def redo(self) -> tuple[Change, ...]:
        """Make again what the latest undo took back, as one, and return the changes.

        That is possible until something else is changed in the session.

        Raises:
            ToolError: "validation" when there is nothing to redo; "conflict" when a file has been
                changed since; "file" when one cannot be written. It can be tried again then.
        """
        return self._changes.redo()

    def undoable(self) -> list[Undoable]:
        """What can be undone, newest first, with what prevents it."""
        return self._changes.undoable()

    def redoable(self) -> list[Undoable]:
        """What the next redo makes again, newest first."""
        return self._changes.redoable()

    def recover(self) -> None:
        """Put right what killed kernels have left: changes of which only a part is written.

        Raises:
            ToolError: "file" when that is not possible.
        """
        self._changes.recover()

    def skip_undo(self) -> tuple[UndoEntry, str]:
        """Drop the newest entry that cannot be undone; return it and the reason.

        Raises:
            ToolError: "validation" when there is none.
        """
        return self._changes.skip()

    def run(
        self,
        command: str,
        *,
        tool: str,
        timeout_s: float,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        cancel: CancelToken | None = None,
    ) -> "CommandOutcome":
        """Run a command of the model; see `running.run_command`.

        Beside a question of the user, one that would be asked about is refused instead.
        """
        from ipuaro_jupyter.workspace.running import (  # noqa: PLC0415 - it loads tree_sitter
            run_command,
        )

        context = self.execution_context
        if self.refuses == "edits and commands":
            context = replace(context, decide=_refuse, ask_person=None)
        return run_command(
            context, command, cwd=cwd, env=env, timeout_s=timeout_s, cancel=cancel, tool=tool
        )

    def _decided_changes(
        self, question: Proposal, made: Made, unseen: str
    ) -> tuple[tuple[Change, ...], Decision]:
        """What is to be written after the decision on ``question``; see `apply` for the errors."""
        if unseen and self.is_unseen(question):
            raise ToolError("validation", unseen)
        approve, by_user = self.settings.approve, self.is_by_user
        return self._decisions.changes(
            question, approve, by_user=by_user, made=made, passes=by_user or not unseen
        )

    def _write(
        self,
        changes: Sequence[Change],
        decision: Decision,
        question: Proposal,
        made: WrittenChanges,
    ) -> None:
        self.note_coming(changes, decision)
        try:
            with following(
                self.reply, changes, proposed=made.proposed, lines=made.lines, part=made.part
            ):
                self._changes.write(changes, self.turn, made.computed, by_person=self._is_person)
        except StorageError as error:
            error.unwritten = question.id
            raise
        except ToolError as error:
            error.unwritten = question.id
            if made.proposed is not None and changes[0].after != made.proposed:
                is_part = made.part is not None
                error.typed = decision.text or "" if is_part else changed_lines(changes[0])
            if error.type == "conflict" and self.is_by_user:
                error.suggestion = "Run it again: it then asks about the file as it is now."
            raise


def _versions(noted: str | None) -> tuple[str, ...] | None:
    return None if noted is None else tuple(noted.split())


def _sentences(*told: str) -> str:
    return " ".join(filter(None, told))
