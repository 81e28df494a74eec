"""The output of undo and redo, and the list of what can be undone."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.outputs import Diff, Table, TextOutput, ToolResult
from ipuaro_jupyter.records.undoing import UndoableChange, UndoableFile, UndoAction
from ipuaro_jupyter.views.hunks import differing, hunks
from ipuaro_jupyter.views.markup import counted
from ipuaro_jupyter.workspace.changes.undo_changes import NOTHING, Undoable, Undone
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant.assistant import Assistant

_UNDONE = {"create": "restored", "edit": "changed back", "delete": "removed"}
_REDONE = {"create": "created again", "edit": "changed again", "delete": "deleted again"}
_LONGEST_TITLE = 60
_MOST_NAMED = 3


def undone_output(undone: Sequence[Change]) -> TextOutput:
    """The output of an undo: one change as a diff, several as a list.

    With no changes at all, the undone ones had cancelled each other out.
    """
    return _output("Undone", undone, _UNDONE)


def redone_output(redone: Sequence[Change]) -> TextOutput:
    """The output of a redo, in the same form."""
    return _output("Redone", redone, _REDONE)


def _output(word: str, changes: Sequence[Change], done: Mapping[str, str]) -> TextOutput:
    if not changes:
        return TextOutput(
            content=f"{word}: the changes had come to nothing, so no file is different."
        )
    if len(changes) == 1:
        (change,) = changes
        title = f"{word}: {change.path}"
        old, new = text_of(change.before), text_of(change.after)
        return TextOutput(
            content=f"{title} was {done[change.kind]}.",
            shown=Diff(title=title, path=change.path, old=old, new=new),
        )
    title = f"{word}: {len(changes):,} files"
    rows = tuple((change.path, done[change.kind]) for change in changes)
    lines = [f"{title}:", *(f"  - {path} was {what}" for path, what in rows)]
    return TextOutput(
        content="\n".join(lines), shown=Table(title=title, columns=("file", "what"), rows=rows)
    )


def skipped_output(entry: UndoEntry, reason: str) -> TextOutput:
    """The output for an entry dropped from the undo stack, and why it cannot be undone."""
    kinds = {change.kind for change in entry.changes}
    what = f"the {kinds.pop()} of {entry.change.path}"
    if entry.others:
        what = f"the change of {len(entry.changes):,} files"
    return TextOutput(
        content=f"Forgotten: {what}, which cannot be taken back: "
        f"{reason} Files are as they were; undo takes back the change before."
    )


def undo_action(done: Undone, messages: Sequence[Message], told: str) -> UndoAction | None:
    """What a session keeps of an undo or redo; None for one of the user's own changes.

    Args:
        done: What was done.
        messages: The messages of the session so far.
        told: What was said of it.
    """
    if all(entry.by_user for entry in done.entries):
        return None
    return UndoAction(
        act=done.act,
        turns=sum(message.role == "user" for message in messages),
        files=tuple(sorted({one.path for entry in done.entries for one in entry.changes})),
        told=told,
        at=time.time(),
    )


def undoable_change(number: int, undoable: Undoable) -> UndoableChange:
    """An entry of the undo stack as a record."""
    entry = undoable.entry
    return UndoableChange(
        number=number,
        files=tuple(_undoable_file(change) for change in entry.changes),
        title=entry.title,
        by_user=entry.by_user,
        problem=undoable.problem,
        at=entry.at,
    )


def _undoable_file(change: Change) -> UndoableFile:
    added, removed = differing(hunks(text_of(change.before), text_of(change.after)))
    return UndoableFile(path=change.path, kind=change.kind, added=added, removed=removed)


def undo_list_of(assistant: "Assistant") -> ToolResult:
    """What can be undone in the session of an assistant; see `undo_list`.

    Raises:
        ToolError: An interrupted change cannot be put right.
        StorageError: Redis has gone.
    """
    most = assistant.settings.undo.stack_size
    return undo_list(assistant.undoable(), assistant.undoable(redo=True), most=most)


def undo_list(
    changes: Sequence[UndoableChange],
    again: Sequence[UndoableChange] = (),
    *,
    most: int | None = None,
) -> ToolResult:
    """What can be undone as a list and a table, newest first.

    Args:
        changes: What can be undone.
        again: What a redo would make again.
        most: How many changes are kept, which is told once there are so many; None tells nothing.
    """
    notes = [*_kept(len(changes), most), *_redo(again)]
    if not changes:
        told = "\n".join([NOTHING, *notes])
        return ToolResult(tool="undo", output=TextOutput(content=told))
    rows = tuple(
        (one.number, _when(one), _what(one), _lines(one), _made_for(one), _verdict(one, changes))
        for one in changes
    )
    title = f"{counted(len(changes), 'change')} to undo, the newest first"
    lines = [
        f"- {number}: {what} ({', '.join(filter(None, about))}); {verdict}"
        for number, when, what, size, made_for, verdict in rows
        for about in ((when, size, f"for {made_for}" if made_for else ""),)
    ]
    columns = ("number", "made", "what", "lines", "made for", "undo")
    return ToolResult(
        tool="undo",
        output=TextOutput(
            content="\n".join([f"{title}:", *lines, *notes]),
            shown=Table(title="\n".join([title, *notes]), columns=columns, rows=rows),
        ),
    )


def _kept(count: int, most: int | None) -> list[str]:
    """That older changes are not kept, in a line; none as long as there are few."""
    if most is None or count < most:
        return []
    return [f"Only the newest {most:,} are kept: `undo.stackSize` in the settings says how many."]


def _redo(again: Sequence[UndoableChange]) -> list[str]:
    """What a redo would make again, in a line; none when there is nothing."""
    named = "; ".join(map(_what, again[:_MOST_NAMED]))
    more = f"; {len(again) - _MOST_NAMED:,} more" if len(again) > _MOST_NAMED else ""
    return [f"Redo makes again what was undone last: {named}{more}."] if again else []


def _when(change: UndoableChange) -> str:
    """The local time, with the day unless that is today."""
    if not change.at:
        return ""
    made, now = time.localtime(change.at), time.localtime()
    is_today = made[:3] == now[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", made)


def _what(change: UndoableChange) -> str:
    named = [f"{file.kind} {file.path}" for file in change.files[:_MOST_NAMED]]
    more = len(change.files) - len(named)
    return ", ".join([*named, *([f"{more:,} more"] if more else [])])


def _lines(change: UndoableChange) -> str:
    added = sum(file.added for file in change.files)
    return f"+{added:,} -{sum(file.removed for file in change.files):,}"


def _made_for(change: UndoableChange) -> str:
    title = " ".join(change.title.split())
    if len(title) > _LONGEST_TITLE:
        title = title[: _LONGEST_TITLE - 1].rstrip() + "\u2026"
    return f"your call of {title}" if change.by_user and title else title


def _verdict(change: UndoableChange, changes: Sequence[UndoableChange]) -> str:
    if change.problem:
        return f"cannot be undone: {change.problem}"
    if change.number == 1:
        return "can be undone"
    blocked = next((one for one in changes[: change.number - 1] if one.problem), None)
    if blocked is not None:
        return f"cannot be undone before {blocked.number}, which stands in the way"
    return "can be undone after those before it"
