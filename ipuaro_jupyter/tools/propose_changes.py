"""Propose changes of several files as one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import ConfigDict, Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.outputs import Table, TextOutput
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.content import (
    Around,
    GivenText,
    added_problems,
    indented_together,
    told_problems,
    unwrapped,
)
from ipuaro_jupyter.tools.create_file import check_new, creation
from ipuaro_jupyter.tools.delete_file import deletable
from ipuaro_jupyter.tools.edit_lines import confirmation, edited_by_lines
from ipuaro_jupyter.tools.known_lines import placed, unread
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.views.hunks import differing, hunks
from ipuaro_jupyter.workspace.changes.change_set import SetFile
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.workspace import Workspace

_SHOWN_BYTES = 16_000
_NAMED = 2


class FileChange(Record):
    """A change of some lines of a file, or of a whole file."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    path: str
    start: Annotated[
        int | None, Field(strict=True, description="First line to replace, 1-based.")
    ] = None
    end: Annotated[
        int | None, Field(strict=True, description="Last line, included; start - 1 inserts.")
    ] = None
    content: Annotated[str | None, Field(description="The new lines, or the new file.")] = None
    delete: Annotated[bool, Field(description="Delete the file.")] = False


@tool(
    asks_first=True,
    foreign=("multi_edit", "multiedit", "edit_files", "apply_changes", "batch_edit", "multi_patch"),
)
def propose_changes(project: Project, changes: list[FileChange]) -> TextOutput:
    """Change several files at once. The user is asked once and may leave parts out.

    Args:
        changes: Each replaces lines start to end of a file that you have read. All line numbers
            are those before this reply. Without start and end, content is a new file.
    """
    workspace = project.workspace
    if not changes:
        raise ToolError("validation", "There are no changes.")
    parts = [_part(workspace, given) for given in _by_path(workspace, changes)]
    unread_paths = [part.wanted.path for part in parts if part.unseen]
    written = workspace.apply_set(
        [SetFile(part.wanted, read=part.read, note=part.note) for part in parts],
        tool="propose_changes",
        title=f"Change {_named([part.wanted.path for part in parts])}",
        reason=f"The model had not read {_named(unread_paths)}." if unread_paths else "",
        unseen=next((part.unseen for part in parts if part.unseen), ""),
    )
    return _told(parts, written)


@dataclass(frozen=True)
class _ChangesOfFile:
    """What is to become of a file."""

    path: str
    changes: Sequence[FileChange]


@dataclass(frozen=True)
class _WantedFile:
    """The change of a file.

    Attributes:
        wanted: The change.
        read: The file as it was read; None for a new one.
        note: What was put right in the given texts; see `content.meant`.
        unseen: Why it is refused where nobody looks; see `Workspace.apply`.
    """

    wanted: Change
    read: TextFile | None = None
    note: str = ""
    unseen: str = ""


def _by_path(workspace: Workspace, changes: Iterable[FileChange]) -> list[_ChangesOfFile]:
    """The changes by their files' real paths, each in the order of the call."""
    found: dict[str, list[FileChange]] = {}
    for change in changes:
        is_new = _is_whole(change) and not change.delete
        meant = workspace.meant(change.path, kind="file", changes=True, exact=is_new)
        path = workspace.relative(meant.path, must_exist=False)
        found.setdefault(path, []).append(change)
    return [_ChangesOfFile(path, given) for path, given in found.items()]


def _is_whole(change: FileChange) -> bool:
    return change.start is None and change.end is None


def _part(workspace: Workspace, given: _ChangesOfFile) -> _WantedFile:
    whole = [change for change in given.changes if change.delete or _is_whole(change)]
    if whole and len(given.changes) > 1:
        raise ToolError("validation", f"{given.path} is created or deleted, and changed again.")
    if whole and whole[0].delete:
        return _deleted(workspace, given.path, whole[0])
    return _created(workspace, given.path, whole[0]) if whole else _edited(workspace, given)


def _deleted(workspace: Workspace, path: str, change: FileChange) -> _WantedFile:
    if change.content or not _is_whole(change):
        raise ToolError(
            "validation",
            f"delete is for the whole of {path}, without start, end and content.",
            suggestion='To delete lines, give start, end and the content "".',
        )
    named = workspace.entry(change.path)
    file = deletable(workspace, workspace.relative(path, kind="file"), named=named)
    gone = Change(path=file.path, before=file.data, after=None, mode=file.mode)
    return _WantedFile(gone, file, unseen=unread(workspace, file, None).unseen)


def _created(workspace: Workspace, path: str, change: FileChange) -> _WantedFile:
    check_new(workspace, path, instead="Give the start and end of its lines.")
    if change.content is None:
        raise ToolError("validation", f"The content of the new file {path} is missing.")
    new, note = creation(path, change.content)
    return _WantedFile(new, note=note)


def _edited(workspace: Workspace, given: _ChangesOfFile) -> _WantedFile:
    file = edited_by_lines(workspace, given.path)
    ranges = sorted(_ranges(file.path, given.changes))
    _check_apart(file.path, ranges)
    places = [placed(workspace, file, start, end) for start, end, *_ in ranges]
    reached = LineSpan(places[0].start, max(lines.end for lines in places))
    unseen = unread(workspace, file, reached).unseen
    edits = [
        _PlacedText(lines, content) for lines, (*_, content) in zip(places, ranges, strict=True)
    ]
    edits, note = _meant(file, edits)
    after = _made(file, edits)
    change = Change(path=file.path, before=file.data, after=after, mode=file.mode)
    return _WantedFile(change, file, note=note, unseen=unseen)


class _PlacedText(NamedTuple):
    """Lines of a file as they are numbered now, and the text in their place."""

    lines: LineSpan
    text: str


def _made(file: TextFile, edits: Sequence[_PlacedText]) -> bytes:
    """The file's bytes with all edits, which come in the order of their lines."""
    made = file
    for edit in reversed(edits):  # so that the lines above keep their numbers
        made = TextFile(file.path, made.replaced(*edit.lines, edit.text), file.mode)
    return made.data


def _meant(file: TextFile, edits: Sequence[_PlacedText]) -> tuple[list[_PlacedText], str]:
    """The edits with their texts as they were meant, and what was put right."""
    found, notes = list(edits), dict[str, None]()
    arounds = [Around.of(file.lines, *edit.lines) for edit in edits]
    for number, around in enumerate(arounds):
        given = unwrapped(file.path, file.data, found[number].text, around)
        found[number] = found[number]._replace(text=given.text)
        notes |= dict.fromkeys(given.notes)

    def make(texts: Sequence[str]) -> bytes:
        placed_texts = zip(edits, texts, strict=True)
        return _made(file, [edit._replace(text=text) for edit, text in placed_texts])

    parts = [GivenText(edit.text, one) for edit, one in zip(found, arounds, strict=True)]
    moved = indented_together(file.path, file.data, parts, make=make)
    notes |= dict.fromkeys(note for one in moved for note in one.notes)
    texts = zip(found, moved, strict=True)
    return [edit._replace(text=one.text) for edit, one in texts], " ".join(notes)


def _ranges(path: str, changes: Iterable[FileChange]) -> Iterable[tuple[int, int, int, str]]:
    """The lines to replace: start, end, the number of the change, and the content."""
    for number, change in enumerate(changes):
        if change.start is None or change.end is None:
            raise ToolError("validation", f"A change of {path} has no start or no end.")
        if change.content is None:
            raise ToolError(
                "validation",
                f"The content for lines {change.start}-{change.end} of {path} is missing.",
                suggestion='Give the new lines; "" deletes them.',
            )
        yield change.start, change.end, number, change.content


def _check_apart(path: str, ranges: Sequence[tuple[int, int, int, str]]) -> None:
    """Raise ToolError for two changes of the same lines.

    Insertions at the ends of replaced lines are apart from these.
    """
    reached = ranges[0]
    for this in ranges[1:]:
        if this[0] - 1 < reached[1] and reached[0] - 1 < this[1]:
            raise ToolError(
                "validation",
                f"Lines {reached[0]}-{reached[1]} and {this[0]}-{this[1]} of {path} overlap.",
                suggestion="Give each line once: put both changes into one.",
            )
        reached = max(reached, this, key=lambda one: one[1])


def _named(paths: Sequence[str]) -> str:
    """The files in a title: "a.ts", "a.ts and b.ts", "a.ts, b.ts and 2 more files"."""
    if len(paths) <= _NAMED:
        return " and ".join(paths)
    more = len(paths) - _NAMED
    return f"{', '.join(paths[:_NAMED])} and {more} more file{'' if more == 1 else 's'}"


def _told(parts: Sequence[_WantedFile], written: Sequence[Change]) -> TextOutput:
    """The result: what was written of each file, and what the user left out."""
    done = {change.path: change for change in written}
    told = [_one(part, done[part.wanted.path]) for part in parts if part.wanted.path in done]
    left = [part.wanted.path for part in parts if part.wanted.path not in done]
    count = f"Changed {len(done)} of {len(parts)} files." if left else ""
    out = [f"The user left out: {', '.join(left)}."] if left else []
    title = f"Changed {counted(len(written), 'file')}"
    content = shortened("\n".join([*([count] if count else []), *out, *told]), _SHOWN_BYTES)
    columns = ("file", "what", "added", "removed")
    return TextOutput(
        content=content,
        shown=Table(title=title, columns=columns, rows=tuple(map(_row, written))),
        problems=tuple(f"{one.path}: {told}" for one in written for told in added_problems(one)),
    )


def _one(part: _WantedFile, written: Change) -> str:
    if part.read is not None and written.after is not None:
        return confirmation(part.read, part.wanted, written, note=part.note).content
    if written.after is None:
        return f"Deleted {written.path}."
    count = len(TextFile(written.path, written.after, 0).lines)
    told = [f"Created {written.path} ({count} line{'' if count == 1 else 's'})."]
    problems = told_problems(added_problems(written))
    return "\n".join([*told, *([part.note] if part.note else []), *problems])


def _row(change: Change) -> tuple[str, str, int, int]:
    word = {"create": "created", "edit": "edited", "delete": "deleted"}[change.kind]
    counts = differing(hunks(text_of(change.before), text_of(change.after)))
    return (change.path, word, *counts)
