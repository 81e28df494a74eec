"""The project's folder: the one object that reads, writes and runs commands in it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.approval import Approvals, Approve, Remembered, refusal
from ipuaro_jupyter.workspace.changes.change_proposal import as_decided, proposal, unusable
from ipuaro_jupyter.workspace.changes.undo_changes import Undoing, put
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoEntry, UndoStack, UndoTurn
from ipuaro_jupyter.workspace.execution_context import ExecutionContext
from ipuaro_jupyter.workspace.files import disk, folders
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.listing import Listing, list_files
from ipuaro_jupyter.workspace.files.paths import check_writable, entry_path, missing, relative_path
from ipuaro_jupyter.workspace.files.text_file import TextFile, content_hash
from ipuaro_jupyter.workspace.processes.jobs import Jobs

if TYPE_CHECKING:
    from ipuaro_jupyter.workspace.running import CommandOutcome

__all__ = ["Approve", "Workspace", "WorkspaceSettings"]


class WorkspaceSettings(Record):
    """How changes are approved, and how many can be taken back.

    ``approve``: "ask"; "edits" lets edits, creates and deletes through; "all" also commits and
    unknown commands; "never" rejects everything. ``pass_environment`` are names or patterns of
    variables that commands get though they look like secrets. ``ignore_patterns`` are lines of a
    ``.gitignore``: what they name is none of the project's files, also where git tracks it.
    """

    approve: Approve = "ask"
    undo_depth: int = Field(default=10, ge=1, le=1000)
    pass_environment: tuple[str, ...] = ()
    ignore_patterns: tuple[str, ...] = ()


class Workspace:
    """A project's folder. Paths are relative to it, POSIX, "" being the folder itself.

    Args:
        root: The folder.
        settings: May be replaced later by assigning to ``settings``.
        confirm: Asks the user about a proposal.
        undo: The session's undo stack.
        shown: What the session's model has seen.
        changed: Called after every write with what was done, before it returns.
        decided: Called with every decision, also those that a setting made.

    Attributes:
        turn: What the coming changes belong to, so that `undo_turn` takes them back together;
            None: each stands alone.
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
        decided: Callable[[Proposal, Decision], None] = lambda _proposal, _decision: None,
    ) -> None:
        self.root = root.resolve()
        self.settings = settings
        patterns = settings.ignore_patterns
        self._ignored = IgnoreFile("\n".join(patterns)) if patterns else None
        self._approvals = Approvals(confirm)
        self._undo = undo
        self._undoing = Undoing(self.root, undo, lambda path: self.relative(path, must_exist=False))
        self.turn: UndoTurn | None = None
        self._shown = shown
        self._changed = changed
        self._decided = decided
        self.jobs = Jobs()

    def close(self) -> None:
        """Stop what runs in the background; nothing can be started there any more."""
        self.jobs.close()

    def relative(self, path: str, *, must_exist: bool = True, kind: folders.Kind = "any") -> str:
        """Return where ``path`` really leads, after symlinks; see `paths.relative_path`."""
        return relative_path(self.root, path, must_exist=must_exist, kind=kind)

    def entry(self, path: str) -> str:
        """Return what ``path`` names when its last part may be a symlink; see `entry_path`."""
        return entry_path(self.root, path)

    def read(self, path: str) -> TextFile:
        """Return a text file as it is on disk now.

        Raises:
            ToolError: "file" when there is none, or it is no UTF-8 text.
        """
        path = self.relative(path, kind="file")
        return TextFile.of(path, *self.read_bytes(path))

    def read_bytes(self, path: str) -> tuple[bytes, int]:
        """Return the content and the permission bits of any file as it is on disk now.

        Raises:
            ToolError: "file" when there is none, or it cannot be read.
        """
        path = self.relative(path, must_exist=False)
        if not path:
            raise ToolError("file", "The project's root is a folder, not a file.")
        content = disk.read(self.root, path)
        if content is None:
            raise missing(self.root, path, kind="file")
        return content.data, content.mode

    def note_shown(self, path: str, hash_: str) -> None:
        """Remember that the model has seen lines of this version of a file."""
        self._shown.note(path, hash_)

    def note_all_shown(self, hashes: Mapping[str, str]) -> None:
        """Remember the same of several files, their hashes by path."""
        self._shown.note_all(hashes)

    def files(self, cancel: CancelToken | None = None) -> Listing:
        """Return the project's files without ignored ones, as they are on disk now.

        What a kernel that was killed while it wrote has left behind is removed.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        listing = list_files(self.root, ignored=self._ignored, cancel=cancel)
        disk.sweep(self.root, listing.temporary)
        return listing

    def written(self) -> list[str]:
        """Return the files that the session has changed, also before a restart; sorted.

        Those that it has deleted, taken back, or failed to write are among them.
        """
        return self._shown.written()

    @property
    def remembered(self) -> tuple[Remembered, ...]:
        """What the user has allowed without a further question."""
        return self._approvals.remembered

    def revoke(self, tool: str | None = None, pattern: str | None = None) -> int:
        """Ask again about a tool, a pattern or everything; returns how many were revoked."""
        return self._approvals.revoke(tool, pattern)

    def decide(self, proposal: Proposal) -> Decision:
        """Return the decision about a proposal: by a setting, by what was allowed, or the user's.

        Raises:
            Cancelled: The user pressed stop instead of deciding.
        """
        decision = self._approvals.decide(proposal, self.settings.approve)
        if decision.action == "apply" and (reason := unusable(proposal, decision)):
            decision = Decision(action="reject", reason=reason)
        self._decided(proposal, decision)
        return decision

    def note_verdict(self, proposal: Proposal, decision: Decision) -> None:
        """Tell of a decision that the policy made by itself."""
        self._decided(proposal, decision)

    @property
    def execution_context(self) -> ExecutionContext:
        """What commands in this folder run with, under the present settings."""
        return ExecutionContext(
            root=self.root,
            jobs=self.jobs,
            pass_environment=self.settings.pass_environment,
            decide=self.decide,
            note_verdict=self.note_verdict,
            written=self.written,
        )

    def apply(self, change: Change, *, tool: str, title: str) -> Change:
        """Write a change after asking, and return what was really written.

        The user may have edited the text or chosen a part of it, and a symlink has become the
        file it leads to.

        Args:
            change: Its ``before`` is what the tool has worked on.
            tool: The tool's name.
            title: What the user is asked.

        Raises:
            ToolError: "validation" and "file" when it cannot be written; "conflict" when the
                file is not what the tool or the model has seen; "cancelled" when it was
                rejected. The file is as it was then.
        """
        change, links = self._checked(change)
        question = proposal(change, tool=tool, title=title, links=links)
        decision = self.decide(question)
        if decision.action == "reject":
            raise refusal(question, decision)
        change = as_decided(change, question, decision)
        self.jobs.stop_relying_on(change.path)
        with folders.locked(self.root, change.path):
            current = self._expect(change.path, change.before, "while the user was deciding")
            self._shown.note_written(change.path)  # first: a kernel may be killed at any time
            self._push(change)
            try:
                put(self.root, change, current)
            except ToolError:
                self._undo.drop()
                raise
            with suppress(StorageError):  # it is written; the model has to read it once more
                self._note_known(change)
        self._changed(change)
        return change

    def undo(self) -> Change:
        """Take back the newest change of the session and return what that did.

        Raises:
            ToolError: "validation" when there is nothing to undo; "conflict" when the file has
                been changed since; "file" when it cannot be written. The entry stays then.
        """
        (back,) = self._undoing.newest()
        self._undone(back)
        return back

    def undo_turn(self) -> tuple[Change, ...]:
        """Take back all changes of the newest `turn` as one; returns what that did.

        Either all files are as they were before the turn, or none has been touched. A file that
        is as it was then anyway is not among them.

        Raises:
            ToolError: As for `undo`; also "validation" when not all its changes are kept.
        """
        backs = self._undoing.turn()
        for back in backs:
            self._undone(back)
        return backs

    def skip_undo(self) -> tuple[Change, str]:
        """Forget the newest change that cannot be taken back; return it and why it cannot.

        Raises:
            ToolError: "validation" when there is none.
        """
        return self._undoing.skip()

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
        """Run a command of the model's; see `running.run_command`."""
        from ipuaro_jupyter.workspace.running import (  # noqa: PLC0415 - it loads tree_sitter
            run_command,
        )

        context = self.execution_context
        return run_command(
            context, command, cwd=cwd, env=env, timeout_s=timeout_s, cancel=cancel, tool=tool
        )

    def _checked(self, change: Change) -> tuple[Change, int]:
        """Return ``change`` with the real path and mode, and how many names the file has.

        Raises:
            ToolError: It cannot be written as it is.
        """
        path = self.relative(change.path, must_exist=False)
        check_writable(self.root, path)
        if change.before == change.after:
            raise ToolError(
                "validation",
                f"The change of {path} would change nothing.",
                suggestion="The text is so already: go on, or change something else.",
            )
        if change.after is not None and len(change.after) > disk.LARGEST_BYTES:
            raise ToolError("validation", f"The new content of {path} is too large.")
        current = self._expect(path, change.before, "since it was read")
        if current is None:
            return change.model_copy(update={"path": path, "mode": None}), 1
        if not disk.is_writable(self.root, path):
            raise ToolError("file", f"{path} is write-protected; tell the user.")
        if not self._is_known(path, content_hash(current.data)):
            raise _conflict(f"{path} has been changed since you last saw it.")
        return change.model_copy(update={"path": path, "mode": current.mode}), current.links

    def _is_known(self, path: str, hash_: str) -> bool:
        """Whether whoever changes the file knows it so, or has never seen it.

        The user knows what an undo has restored; the model has to read that first.
        """
        if self._shown.get(path) in (None, hash_):
            return True
        by_user = self.turn is not None and self.turn.by_user
        return by_user and self._shown.restored(path) == hash_

    def _expect(self, path: str, before: bytes | None, when: str) -> disk.Content | None:
        """Return what is on disk, which has to be ``before``."""
        current = disk.read(self.root, path)
        if current is not None and before is None:
            raise ToolError(
                "file", f"{path} exists already.", suggestion="Change it with edit_lines instead."
            )
        if current is None and before is not None:
            raise _conflict(f"{path} has been deleted {when}.")
        if current is not None and current.data != before:
            raise _conflict(f"{path} has been changed {when}.")
        return current

    def _push(self, change: Change) -> None:
        new = folders.missing(self.root, change.path) if change.before is None else ()
        entry = UndoEntry(change=change, folders=new)
        if self.turn is not None:
            entry = entry.model_copy(update={"turn": self.turn.id, "position": self.turn.count})
            self.turn.count += 1
        self._undo.push(entry)

    def _undone(self, back: Change) -> None:
        if back.after is not None:
            with suppress(StorageError):  # it is written, which counts more
                self._shown.note_restored(back.path, content_hash(back.after))
        self._changed(back)

    def _note_known(self, change: Change) -> None:
        if change.after is None:
            self._shown.forget(change.path)
        else:
            self._shown.note(change.path, content_hash(change.after))


def _conflict(message: str) -> ToolError:
    return ToolError(
        "conflict", message, suggestion="Read the file again, then decide what to change."
    )
