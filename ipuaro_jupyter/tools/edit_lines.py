"""Replace lines of a file."""

from ipuaro_jupyter.languages.data_errors import conflict_line
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.outputs import Diff, TextOutput
from ipuaro_jupyter.tools.content import Around, added_problems, meant, told_problems
from ipuaro_jupyter.tools.known_lines import placed, unread
from ipuaro_jupyter.tools.source_lines import by_cells, numbered
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.workspace import Workspace

_SHOWN_BYTES = 16_000


@tool(
    asks_first=True,
    foreign=("edit_file", "replace_lines", "modify_file", "str_replace", "apply_patch", "edit"),
    names={"path": "file"},
)
def edit_lines(project: Project, path: str, start: int, end: int, content: str) -> TextOutput:
    """Replace lines of a file that you have read. The user is asked first.

    Args:
        path: Project-relative path.
        start: First line to replace, 1-based, as numbered before this reply.
        end: Last line to replace, included; start - 1 inserts before start.
        content: The new lines with their indentation; empty deletes.
    """
    workspace = project.workspace
    file = edited_by_lines(workspace, path)
    path = file.path
    lines = placed(workspace, file, start, end)
    given = meant(
        path,
        file.data,
        content,
        around=Around.of(file.lines, *lines),
        make=lambda text: file.replaced(*lines, text),
    )
    after = file.replaced(*lines, given.text)
    unseen, reason = unread(workspace, file, lines)
    wanted = Change(path=path, before=file.data, after=after, mode=file.mode)
    title = f"Insert before line {lines.start}" if end < start else f"Edit {lines}"
    written = workspace.apply(
        wanted,
        tool="edit_lines",
        title=f"{title} of {path}",
        read=file,
        reason=f"{given.note} {reason}".strip(),
        unseen=unseen,
        lines=LineSpan(start, end),
    )
    told = confirmation(file, wanted, written, note=given.note)
    if lines.start == start:
        return told
    moved = f"What was {LineSpan(start, end)} before this reply is {lines} by now."
    return told.model_copy(update={"content": f"{told.content}\n{moved}"})


def edited_by_lines(workspace: Workspace, path: str) -> TextFile:
    """A file whose lines may be replaced, as it is now.

    Raises:
        ToolError: "file" when it is not a text file; "validation" for a notebook.
    """
    path = workspace.relative(path, kind="file")
    file = workspace.read(path)
    if path.endswith(".ipynb") and conflict_line(file.data) is None:
        raise by_cells(path, not_by="by lines")
    return file


def confirmation(old: TextFile, wanted: Change, written: Change, *, note: str = "") -> TextOutput:
    """The result of an edit: the changed lines as they were written, with two lines around.

    Of a large change both ends are shown.

    Args:
        old: The file before.
        wanted: The proposed change.
        written: The change as the user edited it, or the part the user chose.
        note: What was put right in the given text; see `content.meant`.
    """
    new = TextFile(written.path, written.after or b"", old.mode)
    head = _same(old.lines, new.lines)
    tail = _same(old.lines[head:][::-1], new.lines[head:][::-1])
    removed, added = len(old.lines) - head - tail, len(new.lines) - head - tail
    first, last = max(0, head - 2), head + added + 2
    told = [
        f"Edited {new.path}: {removed} line(s) removed, {added} added.",
        *([note] if note else []),
    ]
    if written.after != wanted.after:
        told.append(
            "The user changed your text, or left out a part of it; this is what was written:"
        )
    told.append(shortened(numbered(new.lines[first:last], first + 1), _SHOWN_BYTES))
    problems = added_problems(written)
    told += told_problems(problems)
    shown = Diff(title=f"Edited {new.path}", path=new.path, old=old.text, new=new.text)
    return TextOutput(content="\n".join(told), shown=shown, problems=problems)


def _same(old: tuple[str, ...], new: tuple[str, ...]) -> int:
    """The number of equal lines at the beginning."""
    count = 0
    for before, after in zip(old, new, strict=False):
        if before != after:
            break
        count += 1
    return count
