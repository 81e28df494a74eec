"""Replace a piece of text in a file."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search.nearest_lines import nearest_lines
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.counted import line_range
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.content import Around, MeantText, indented, unwrapped
from ipuaro_jupyter.tools.edit_lines import confirmation
from ipuaro_jupyter.tools.known_lines import UnreadFile, unread
from ipuaro_jupyter.tools.source_lines import by_cells, numbered
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.paths import missing
from ipuaro_jupyter.workspace.files.text_file import TextFile, encoded
from ipuaro_jupyter.workspace.workspace import Workspace

_LINE_END = re.compile(r"\r?\n")
_NUMBERED = re.compile(r"[ ]*\d+\t")  # as get_lines numbers lines
_BEGINNING = 10  # lines
_MOST_SHOWN, _WIDTH = 30, 300
_MOST_NAMED = 50


@tool(
    asks_first=True,
    foreign=(
        *("search_replace", "search_and_replace", "replace_in_file", "str_replace_editor"),
        *("replace", "replace_text", "update"),
    ),
    names={"path": "file"},
)
def update_file(project: Project, path: str, target: str, patch: str) -> TextOutput:
    """Replace the first occurrence of a text in a file. The user is asked first.

    Args:
        path: File, relative to the project's root.
        target: The text to replace, exactly as in the file, with its indentation.
        patch: The text to put in its place; empty deletes it.
    """
    workspace = project.workspace
    path = _existing(workspace, path)
    file = workspace.read(path)
    target, patch = _plain(target), _plain(patch)
    text = _plain(file.text)
    _check(path, target, patch)
    target = _known_target(file, target)
    at = text.find(target)
    if at < 0:
        workspace.note_shown(path, file.hash)
        raise _not_found(file, target)
    given = _meant(file, at, target, patch)
    after = _replaced(file, at, target, given.text)
    wanted = Change(path=path, before=file.data, after=after, mode=file.mode)
    places = _lines_of(text, target)
    lines = LineSpan(places[0], text.count("\n", 0, at + len(target)) + 1)
    question = _question(path, places, unread(workspace, file, lines))
    written = workspace.apply(
        wanted,
        tool="update_file",
        title=question.title,
        read=file,
        reason=f"{given.note} {question.reason}".strip(),
        unseen=question.unseen,
    )
    told = confirmation(file, wanted, written, note=given.note)
    if others := _others(places):
        more = (
            f"The target occurs {len(places)} times; only the first one, in line {lines.start}, "
            f"was replaced. The others were in {others}."
        )
        told = told.model_copy(update={"content": f"{told.content}\n{more}"})
    return told


class _PlacesTold(NamedTuple):
    """What is told of the places before the user decides; see `Workspace.apply`."""

    title: str
    reason: str
    unseen: str


def _question(path: str, places: Sequence[int], known: UnreadFile) -> _PlacesTold:
    """The question about the first of the places, which names the others."""
    title = f"Replace text in line {places[0]} of {path}"
    others = _others(places)
    if not others:
        return _PlacesTold(title, known.reason, known.unseen)
    return _PlacesTold(
        f"{title}, the first of {len(places)} places",
        f"The text also stands in {others}, which stay as they are. {known.reason}",
        known.unseen
        or (
            f"{path} was not changed: the target stands in {len(places)} places, in line "
            f"{places[0]} and in {others}, and nobody looks at your changes before they are "
            "made. Give a longer target, which is there once, or use edit_lines."
        ),
    )


def _lines_of(text: str, target: str) -> list[int]:
    """The line in which each occurrence begins; none overlaps the one before."""
    found, at, line = [], text.find(target), 1
    end = 0
    while at >= 0:
        line += text.count("\n", end, at)
        found.append(line)
        end, at = at, text.find(target, at + len(target))
    return found


def _others(places: Sequence[int]) -> str:
    """The lines of all places but the first, for a sentence; "" when there is none."""
    lines = [*dict.fromkeys(str(line) for line in places[1:])]
    if not lines:
        return ""
    left = len(lines) - _MOST_NAMED
    if left > 1:
        return f"lines {', '.join(lines[:_MOST_NAMED])} and {left} more"
    head = ", ".join(lines[:-1])
    return f"lines {head} and {lines[-1]}" if head else f"line {lines[-1]}"


def _existing(workspace: Workspace, given: str) -> str:
    path = workspace.relative(given, must_exist=False)
    if path and not (workspace.root / path).exists():
        error = missing(workspace.root, path, kind="file")
        raise ToolError(
            "file", error.message, suggestion=f"{error.suggestion} write_file makes a new file."
        )
    return path


def _check(path: str, target: str, patch: str) -> None:
    encoded(patch)
    if path.endswith(".ipynb"):
        raise by_cells(path, not_by="as text")
    if not target:
        raise ToolError(
            "validation",
            "The target is empty.",
            suggestion="Give the text to replace, or insert lines with edit_lines.",
        )
    if target == patch:
        raise ToolError("validation", f"Target and patch are the same, {path} would not change.")


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _known_target(file: TextFile, target: str) -> str:
    """The target without a fence and line numbers, if only so it is in the file."""
    text = _plain(file.text)
    if target in text:
        return target
    bare = unwrapped(file.path, None, target, Around(), lines=range(len(file.lines) + 1)).text
    found = next((one for one in (bare, bare.rstrip("\n")) if one and one in text), None)
    if found is None:
        return target
    line = text.count("\n", 0, text.find(found)) + 1
    near = Around.of(text.split("\n"), line, line).lines(is_new=False)
    is_there = unwrapped(file.path, None, target, Around(), lines=near).text == bare
    return found if is_there else target


def _meant(file: TextFile, at: int, target: str, patch: str) -> MeantText:
    r"""The patch of a target at ``at`` with line ends as \n; see `content.meant`."""
    text = _plain(file.text)
    lead = text[text.rfind("\n", 0, at) + 1 : at]
    lead = "" if lead.strip() else lead
    start = text.count("\n", 0, at) + 1
    end = start + target.rstrip("\n").count("\n")
    around = Around.of(text.split("\n"), start, end)
    replaced = (lead + target).rstrip("\n").split("\n")
    place = len(file.bom) + len(file.text[: _in_file(file, at)].encode())
    around = around._replace(replaced=replaced, at=place)
    found = unwrapped(file.path, file.data, patch, around)
    bare = found.text
    if found.notes:
        bare = bare.rstrip("\n") + ("\n" if target.endswith("\n") else "")

    def make(moved: str) -> bytes:
        kept = moved if moved == bare else moved.removeprefix(lead)
        return _replaced(file, at, target, kept)

    moved = indented(file.path, file.data, bare, around=around, make=make)
    if moved is None:
        return MeantText(bare, found.notes)
    return MeantText(moved.text.removeprefix(lead), (*found.notes, *moved.notes))


def _replaced(file: TextFile, at: int, target: str, patch: str) -> bytes:
    r"""The file's bytes with the target replaced, which is at ``at`` with line ends as \n.

    The common beginning and end of target and patch stay unchanged, line ends included.
    """
    head = _common(target, patch)
    tail = _common(target[head:][::-1], patch[head:][::-1])
    first, last = at + head, at + len(target) - tail
    text = file.text
    middle = patch[head : len(patch) - tail].replace("\n", file.newline)
    made = text[: _in_file(file, first)] + middle + text[_in_file(file, last) :]
    return file.bom + made.encode()


def _in_file(file: TextFile, at: int) -> int:
    r"""The place in the file's text of a place in the same text with line ends as \n."""
    ends = [len(end) - 1 for end in _LINE_END.findall(file.text)]
    return at + sum(ends[: _plain(file.text).count("\n", 0, at)])


def _common(one: str, other: str) -> int:
    """The number of equal characters at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _not_found(file: TextFile, target: str) -> ToolError:
    """The error that shows the lines most like the target."""
    wanted = target.split("\n")
    hint = "Copy the target from the file exactly."
    if all(_NUMBERED.match(line) for line in wanted if line.strip()):
        hint = "Leave out the line numbers, and copy the rest exactly."
        wanted = [_NUMBERED.sub("", line, count=1) for line in wanted]
    place = nearest_lines(file.lines, wanted)
    if place is None:
        first, last, told = 1, _BEGINNING, "Nothing in it is like the target. It begins with"
    else:
        first, last = max(1, place.start - 1), place.end + 1
        last = min(last, first + _MOST_SHOWN)
        one = place.start == place.end
        which = line_range(place.start, place.end)
        nearest = "which comes nearest" if one else "which come nearest"
        told = f"See {which}, {'where only blanks differ' if place.but_for_blanks else nearest}"
    shown = numbered(_cut(file.lines[first - 1 : last]), first)
    return ToolError(
        "validation",
        f"The target is not in {file.path}.",
        suggestion=f"{hint} {told}:\n{shown}" if shown else f"{file.path} is empty.",
    )


def _cut(lines: Sequence[str]) -> list[str]:
    return [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in lines]
