"""The project's folder, and who has been shown what of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.workspace.changes.file_part import PartMove
from ipuaro_jupyter.workspace.changes.reply_edits import Knowledge, ReplyEdits
from ipuaro_jupyter.workspace.changes.undo_stack import Refuses, ShownFiles, UndoTurn, parts_of
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.readable_folder import ReadableFolder


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


def _versions(noted: str | None) -> tuple[str, ...] | None:
    return None if noted is None else tuple(noted.split())
