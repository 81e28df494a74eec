"""The output of an undo."""

from collections.abc import Sequence

from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.records.outputs import Diff, Table, TextOutput
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry

_DONE = {"create": "restored", "edit": "changed back", "delete": "removed"}


def undone_output(undone: Sequence[Change]) -> TextOutput:
    """The output of an undo: one change as a diff, several as a list.

    With no changes at all, the undone ones had cancelled each other out.
    """
    if not undone:
        return TextOutput(
            content="Undone: the changes had come to nothing, so no file is different."
        )
    if len(undone) == 1:
        (change,) = undone
        title = f"Undone: {change.path}"
        old, new = text_of(change.before), text_of(change.after)
        return TextOutput(
            content=f"{title} was {_DONE[change.kind]}.",
            shown=Diff(title=title, path=change.path, old=old, new=new),
        )
    title = f"Undone: {len(undone):,} files"
    rows = tuple((change.path, _DONE[change.kind]) for change in undone)
    lines = [f"{title}:", *(f"  - {path} was {done}" for path, done in rows)]
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
