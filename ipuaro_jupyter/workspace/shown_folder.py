"""The project's folder, and who has been shown what of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ipuaro_jupyter.workspace.changes.reply_edits import ReplyEdits
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoTurn
from ipuaro_jupyter.workspace.readable_folder import ReadableFolder


class ShownFolder(ReadableFolder):
    """A project's folder, with the file versions that the model and the user have seen.

    Args:
        root: The folder.
        ignored: As for `ReadableFolder`.
        shown: The file versions.

    Attributes:
        turn: The turn that coming changes belong to, so that `undo_turn` undoes them together;
            None: each stands alone.
        reply: The model's reply that coming calls belong to; None for calls of a person.
    """

    def __init__(self, root: Path, ignored: Sequence[str], *, shown: ShownFiles) -> None:
        super().__init__(root, ignored)
        self.turn: UndoTurn | None = None
        self.reply: ReplyEdits | None = None
        self._shown = shown

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
    def _is_person(self) -> bool:
        """Whether a person calls the tools, whose results the model does not see."""
        return self.reply is None and self.is_by_user
