"""The lines of a file that an edit means, though it may quote them loosely."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.written_edits import WrittenEdit
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.languages.indentation import indentation
from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, ends, matches
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

_MOST_DROPPED = 3
"""Lines around a change that may be quoted wrongly, at each end."""
_COMPARED = 200_000
_LIKENESSES: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip)


class NewLines(NamedTuple):
    """New lines in the place of those of a file.

    Attributes:
        path: The file.
        start: The first line to replace, 1-based; 0 where there is no such file yet.
        end: The last one, included; start - 1 where nothing is replaced.
        content: The new lines, each with its end; "" for none.
    """

    path: str
    start: int
    end: int
    content: str

    @property
    def told(self) -> str:
        """The place."""
        return f"{self.path}:{self.start}" if self.start else self.path


class _Quoted(NamedTuple):
    """Lines as an edit quotes them, and what it puts in their place."""

    old: Sequence[str]
    new: Sequence[str]


def placed_lines(file: TextFile, edit: WrittenEdit, near: Sequence[LineSpan]) -> NewLines | None:
    """The edit in its place; None where the file has no such lines.

    They are looked for as they are, then without the blanks at their ends, then with any
    indentation; then, in the declarations that are meant, without the outermost lines that the edit
    leaves as they are. What it leaves keeps the text of the file.

    Args:
        file: The file.
        edit: Says what it replaces.
        near: The declarations that are meant, which decide between several places; none for all.

    Raises:
        ToolError: "validation" where several places are left; it says which.
    """
    for dropped, quoted in enumerate(_looser(edit)):
        for alike in _LIKENESSES:
            starts = _starts(file.lines, quoted.old, alike)
            if dropped or len(starts) > 1:
                inside = [at for at in starts if any(one.start <= at <= one.end for one in near)]
                starts = inside if dropped else inside or starts
            if len(starts) > 1:
                places = named([f"{file.path}:{at}" for at in starts])
                told = f"The old lines stand at several places: {places}."
                hint = "Write more of the lines around them, so that only one place is left."
                raise ToolError("validation", told, suggestion=hint)
            if starts:
                made = _made(file, starts[0], quoted)
                if made is not None:
                    return made
    return None


def _looser(edit: WrittenEdit) -> Iterator[_Quoted]:
    """Yield the lines of an edit, then fewer of those around its change."""
    old, new = list(edit.old or ()), list(edit.new)
    while old and not old[0].strip() and new[:1] == old[:1]:
        del old[0], new[0]
    while old and not old[-1].strip() and new[-1:] == old[-1:]:
        del old[-1], new[-1]
    same, behind = ends(old, new)
    last = None
    for dropped in range(_MOST_DROPPED + 1):
        begin, end = min(dropped, same), min(dropped, behind)
        quoted = _Quoted(old[begin : len(old) - end], new[begin : len(new) - end])
        if quoted != last and any(line.strip() for line in quoted.old):
            yield quoted
        last = quoted


def _starts(lines: Sequence[str], old: Sequence[str], alike: Callable[[str], str]) -> list[int]:
    """The lines, 1-based, at which all of some others stand."""
    wanted = [alike(line) for line in old]
    own = [alike(line) for line in lines]
    count = len(wanted)
    rare = max(range(count), key=lambda at: len(wanted[at]))  # hardly any other line is like it
    places = (at - rare for at, line in enumerate(own) if line == wanted[rare])
    return [at + 1 for at in places if at >= 0 and own[at : at + count] == wanted]


def _made(file: TextFile, start: int, quoted: _Quoted) -> NewLines | None:
    """The new lines with the indentation of the file; None where that cannot be known."""
    there = file.lines[start - 1 : start - 1 + len(quoted.old)]
    pairs = zip(quoted.old, there, strict=True)
    blanks = {(indentation(line), indentation(own)) for line, own in pairs if line.strip()}
    indents = dict(blanks)
    if len(indents) < len(blanks):  # quoted with one indentation, they have several
        return None
    is_moved = any(one != other for one, other in indents.items())
    made: list[str] = []
    at_new = 0
    blocks = matches(quoted.old, quoted.new, ComparisonBudget(_COMPARED))
    for block in [*blocks, (len(quoted.old), len(quoted.new), 0)]:
        for line in quoted.new[at_new : block[1]]:
            moved = _moved(line, indents) if is_moved else line
            if moved is None:
                return None
            made.append(moved)
        made += there[block[0] : block[0] + block[2]]
        at_new = block[1] + block[2]
    return trimmed(file, LineSpan(start, start - 1 + len(there)), made)


def _moved(line: str, indents: dict[str, str]) -> str | None:
    """A line with the indentation of the file, by that of the lines around; None if unknown."""
    own = indentation(line)
    known = [one for one in indents if own.startswith(one)]
    if not line.strip():
        return line
    if known:
        longest = max(known, key=len)
        return indents[longest] + line.removeprefix(longest)
    longest = min(indents, key=len)
    taken = longest.removeprefix(indents[longest])
    is_less = longest.startswith(indents[longest]) and own.startswith(taken)
    return line.removeprefix(taken) if is_less and taken else None


def trimmed(file: TextFile, lines: LineSpan, new: Sequence[str]) -> NewLines:
    """New lines of a file without those at both ends that are there already."""
    start, end = lines
    first, last = 0, len(new)
    while first < last and start <= end and new[first] == file.lines[start - 1]:
        first, start = first + 1, start + 1
    while first < last and start <= end and new[last - 1] == file.lines[end - 1]:
        last, end = last - 1, end - 1
    content = "".join(f"{line}\n" for line in new[first:last])
    return NewLines(file.path, start, end, content)
