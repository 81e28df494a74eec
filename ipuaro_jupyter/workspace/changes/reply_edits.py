"""The files that one reply of the model edits: as the model saw them, and as they are now.

The model writes all calls of a reply before it sees a result. So its line numbers mean the text as
it was before the reply, whatever earlier calls of that reply have changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove, moved
from ipuaro_jupyter.workspace.changes.line_moves import LineMoves, LineSpan
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles
from ipuaro_jupyter.workspace.files.text_file import TextFile, check_range, content_hash

Sight = Literal["seen", "read in this reply", "never seen"]
"""What the model knew of a file when it wrote the reply."""

Knowledge = Literal[Sight, "changed"]
"""The same of a version: "changed" when what it knew of the file was another one."""

_READ_AGAIN = "Read the file again, then decide what to change."


@dataclass(frozen=True)
class _Edited:
    """A file that the reply has changed.

    ``first`` and ``now`` are the versions before and after that, ``first`` being None for a file
    that the reply has made.
    """

    first: str | None
    now: str
    moves: LineMoves


class ReplyEdits:
    """The edits of one reply so far.

    Args:
        shown: The file versions that the session's model has seen.
    """

    def __init__(self, shown: ShownFiles) -> None:
        self._shown = shown
        self._before: dict[str, str | None] = {}
        self._edited: dict[str, _Edited] = {}
        self._parts: dict[str, LineMoves] = {}

    def note_shown(self, paths: Iterable[str]) -> None:
        """Remember what the model had seen of files that it is about to be shown."""
        new = [path for path in paths if path not in self._before]
        for path, hash_ in zip(new, self._shown.get_all(new), strict=True):
            self._before.setdefault(path, hash_)

    def known_before(self, path: str) -> str | None:
        """The version that the model had seen when it wrote the reply; None when it had not."""
        self.note_shown([path])
        return self._before[path]

    def known(self, file: TextFile) -> Knowledge:
        """Whether the model knew this very version of a file when it wrote the reply.

        Its own changes of this reply count as known.
        """
        edited = self._edited.get(file.path)
        is_own = edited is not None and edited.now == file.hash
        version = edited.first if edited is not None and is_own else file.hash
        before, now = self.known_before(file.path), self._shown.get(file.path)
        if before is None and now is None:
            return "never seen"
        if version in (None, before):
            return "seen"
        return "read in this reply" if now == file.hash else "changed"

    def has_changed(self, path: str, part: int) -> bool:
        """Whether the reply has changed a part of a file, numbered as before the reply."""
        moves = self._parts.get(path, LineMoves())
        return moves.overlapped(LineSpan(part, part)) is not None

    def place_part(self, path: str, parts: LineSpan) -> LineSpan:
        """The present numbers of parts of a file as they were numbered before the reply.

        Raises:
            ToolError: "conflict" when the reply has changed some of them.
        """
        moves = self._parts.get(path, LineMoves())
        taken = moves.overlapped(parts)
        if taken is not None:
            raise ToolError(
                "conflict",
                f"An earlier call of this reply has changed cell {taken.start} of {path}, as it "
                "was numbered before the reply.",
                suggestion="Its result shows the cell as it is now: go on from that.",
            )
        return moves.place(parts)

    def sight(self, file: TextFile) -> Sight:
        """What the model knew of a file when it wrote the reply."""
        edited = self._edited.get(file.path)
        version = file.hash if edited is None else edited.first
        self.note_shown([file.path])
        before = self._before[file.path]
        if version in (None, before):
            return "seen"
        if edited is None and self._shown.get(file.path) == version:
            return "read in this reply"
        return "seen" if before is not None else "never seen"

    def place(self, file: TextFile, lines: LineSpan) -> LineSpan:
        """The present numbers of lines as they were numbered before the reply.

        Raises:
            ToolError: "validation" for lines that were not there; "conflict" when the reply has
                changed some of them, or something else has changed the file meanwhile.
        """
        edited = self._edited.get(file.path)
        moves = LineMoves() if edited is None else edited.moves
        had = "has" if edited is None else "had, before this reply,"
        check_range(file.path, len(file.lines) - moves.added, lines.start, lines.end, had=had)
        if edited is not None and edited.now != file.hash:
            raise ToolError(
                "conflict",
                f"{file.path} has been changed by something else since your last edit of it.",
                suggestion=_READ_AGAIN,
            )
        taken = moves.overlapped(lines)
        if taken is not None:
            raise ToolError(
                "conflict",
                f"The edit of {lines} of {file.path} overlaps an earlier change of this reply, of "
                f"{taken}, both as they were numbered before the reply. The earlier one was made.",
                suggestion="Its result shows the lines as they are now: edit those next.",
            )
        return moves.place(lines)

    def note_part(self, change: Change, moves: Sequence[PartMove]) -> None:
        """Follow a change of a part of a file that was made, and the numbers of its parts."""
        path = change.path
        self.note_part_moves(path, moves)
        now, before = content_hash(change.after or b""), content_hash(change.before or b"")
        edited = self._edited.get(path, _Edited(before, before, LineMoves()))
        if edited.now == before:
            self._edited[path] = _Edited(edited.first, now, LineMoves())

    def note_part_moves(self, path: str, moves: Sequence[PartMove]) -> None:
        """Follow the numbers of a file's parts alone."""
        self._parts[path] = moved(self._parts.get(path, LineMoves()), moves)

    def note_change(
        self, change: Change, *, proposed: bytes | None = None, lines: LineSpan | None = None
    ) -> None:
        """Follow a change that was made.

        Args:
            change: As it was written.
            proposed: The model's own text of a new file.
            lines: The lines that it was to replace, as they were numbered before the reply; None
                when it was not given in lines.
        """
        if change.after is None:
            self._edited.pop(change.path, None)
            return
        edited, now = self._edited.get(change.path), content_hash(change.after)
        after = _lines(change.after)
        if change.before is None:
            moves = LineMoves.between(_lines(proposed or change.after), after)
            self._edited[change.path] = _Edited(None, now, moves)
            return
        version = content_hash(change.before)
        if edited is None:
            edited = _Edited(version, version, LineMoves())
        elif edited.now != version:  # something else has changed it: no line can be placed
            return
        moves = _moved(edited.moves, _lines(change.before), after, lines)
        self._edited[change.path] = _Edited(edited.first, now, moves)


@contextmanager
def following(
    reply: ReplyEdits | None,
    changes: Sequence[Change],
    *,
    proposed: bytes | None = None,
    lines: LineSpan | None = None,
    part: FilePart | None = None,
) -> Iterator[None]:
    """Have a reply, if there is one, follow the changes that are written in the block.

    Args:
        reply: The reply.
        changes: As they are written.
        proposed: As for `ReplyEdits.note_change`.
        lines: The same.
        part: What of a file is changed, where that is not counted in lines.
    """
    if reply is not None:
        reply.note_shown([change.path for change in changes])
    yield
    if reply is not None and part is not None:
        reply.note_part(changes[0], part.moves)
    elif reply is not None:
        for change in changes:
            reply.note_change(change, proposed=proposed, lines=lines)


def _moved(
    moves: LineMoves, before: tuple[str, ...], after: tuple[str, ...], lines: LineSpan | None
) -> LineMoves:
    """The moves after a change, which the user may have edited anywhere."""
    if lines is not None:
        place = moves.place(lines)
        rest = len(before) - place.end
        count = len(after) - (place.start - 1) - rest
        head = after[: place.start - 1] == before[: place.start - 1]
        if count >= 0 and head and after[len(after) - rest :] == before[place.end :]:
            return moves.replaced(lines, count)
    return moves.rewritten(before, after)


def _lines(data: bytes) -> tuple[str, ...]:
    """The lines of a text; a file that is not text, which no tool edits by lines, has none."""
    file = TextFile("", data, 0)
    return () if file.problem else file.lines
