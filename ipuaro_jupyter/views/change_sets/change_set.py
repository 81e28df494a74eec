"""The files of a change set: as a question in which each file and change is ticked, or as a list.

The question lists the files under the headings of their groups, each with a diff that folds. What
is ticked stays in sight: its path and its numbers of lines do, whatever is folded or cut.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ipuaro_jupyter.records.change import ChosenFile, Proposal
from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import changes, diff
from ipuaro_jupyter.views.change_sets.set_choice import (
    ListedFile,
    grouped,
    listed,
    picked_files,
    ticked,
    written,
)
from ipuaro_jupyter.views.diffs.diff_cut import DiffLimit
from ipuaro_jupyter.views.hunks import differing
from ipuaro_jupyter.views.markup import (
    checkbox,
    counted,
    element,
    escape,
    folded,
    scrolling,
    visible,
)

MAX_FILES = 300
"""Files beyond this number are listed without their diffs."""
MAX_PATHS = 3000
"""Paths beyond this number are only counted."""
QUESTION = DiffLimit(3000, 300_000, 100)
RECORD = DiffLimit(1500, 150_000, 100)
LEAST = 3
OPEN_ROWS = 400
COLOURED_LINES = 10_000
"""Highlighting reads a file up to its last change: about a tenth of a second for 2,000 lines."""
LISTED_PATHS = 20
_WORDS = {"edit": "edited", "create": "new", "delete": "deleted"}


def text(proposal: Proposal, *, limit: DiffLimit) -> str:
    """The files, ticked ones with ``[x]``, and the diffs, whose changes are numbered.

    Args:
        proposal: The change set.
        limit: The size of all diffs together.
    """
    parts: list[str] = []
    for heading, group in grouped(listed(proposal)).items():
        parts += [f"{visible(heading)}:"] if heading else []
        parts += [_line(one) for one in group[:MAX_PATHS]]
        parts += _left(len(group) - MAX_PATHS)
    files = _in_order(proposal)
    for one, room in zip(files, _rooms(files, limit).values(), strict=False):
        parts += ["", _diff_text(one, room.limit)]
    return "\n".join([*parts, *_left(len(files) - MAX_FILES, "diff")])


def text_limits(proposal: Proposal, limit: DiffLimit) -> list[DiffLimit | None]:
    """The limit of each file's diff in `text`, in the order of the set; None for no diff."""
    rooms = _rooms(_in_order(proposal), limit)
    found = (rooms.get(one.number) for one in listed(proposal))
    return [None if room is None else room.limit for room in found]


def question_html(proposal: Proposal) -> str:
    """The files with checkboxes for files and changes.

    Each file is an element of the class ``ipuaro-file``, whose ``data-file`` is its number in the
    set. So is the value of its checkbox: "301,303-400" for one that stands for files whose diffs
    are not shown; ``data-lines`` is the number of their lines. A diff that folds has its number of
    changed lines as ``data-changed``. Changes are as in `changes.html`. What `chosen_lines` tells
    is in the class ``ipuaro-lines``, for all of the set and for each file.
    """
    rooms = _rooms(_in_order(proposal), QUESTION)
    told = chosen_lines(proposal, ticked(proposal)).told
    parts = [element("div", escape(told), class_="ipuaro-note ipuaro-lines")]
    for heading, group in grouped(listed(proposal)).items():
        rows = [_section(one, rooms[one.number]) for one in group if one.number in rooms]
        rest = [one for one in group if one.number not in rooms]
        parts.append(_group_html(heading, [*rows, *_unshown(rest)], len(group)))
    return "".join(parts)


class ChosenLines(NamedTuple):
    """What a choice would write: in words, and files' numbers of lines as HTML, by their number.

    Only files whose diffs are shown, and of which a part can be chosen, have any.
    """

    told: str
    files: dict[int, str]


def chosen_lines(proposal: Proposal, picked: Sequence[ChosenFile]) -> ChosenLines:
    """The numbers of files and lines that a choice of a set would write.

    Those of a file that is left out altogether are those that are proposed: it is crossed out.
    """
    parts = picked_files(proposal, picked)
    every = [(one, None) for one in listed(proposal)]
    proposed = _in_sum(written(every))
    is_all = [(one.number, numbers) for one, numbers in parts] == [
        (one.number, None) for one, _ in every
    ]
    told = f"Proposed: {proposed}"
    if not is_all:
        told = f"Chosen: {_in_sum(written(parts))}, of {proposed}"
    chosen = {one.number: numbers for one, numbers in parts}
    shown = (one for one in _in_order(proposal)[:MAX_FILES] if one.choices > 1)
    return ChosenLines(told, {one.number: _remarks(one, chosen.get(one.number)) for one in shown})


def _in_sum(files: Sequence[ListedFile]) -> str:
    count = counted(len({one.file.path for one in files}), "file")
    added, removed = sum(one.added for one in files), sum(one.removed for one in files)
    return f"{count}, +{added:,} \u2212{removed:,}"


def html(proposal: Proposal) -> str:
    """The proposed files under the headings of their groups, each opening to its diff."""
    picked = {one.number for one in ticked(proposal)}
    parts: list[str] = []
    for heading, group in grouped(listed(proposal)).items():
        parts += [element("p", element("strong", escape(heading)))] if heading else []
        parts.append(_folded_files([(one, one.number in picked) for one in group]))
    return "".join(parts)


def decided_html(proposal: Proposal, picked: Sequence[ChosenFile]) -> str:
    """The chosen files, each opening to what was written, and the others by name."""
    parts = picked_files(proposal, picked)
    taken = {one.number for one, _ in parts}
    left = [one for one in listed(proposal) if one.number not in taken]
    whole = _folded_files([(one, True) for one in written(parts)], tick=False)
    return whole + _names_html("Not applied", left)


def _in_order(proposal: Proposal) -> list[ListedFile]:
    """The files as they are shown."""
    return [one for group in grouped(listed(proposal)).values() for one in group]


class _DiffRoom(NamedTuple):
    """What a file's diff may take: its size, colours, and whether it is open at first."""

    limit: DiffLimit
    is_coloured: bool
    is_open: bool


def _rooms(files: Sequence[ListedFile], limit: DiffLimit) -> dict[int, _DiffRoom]:
    """The room for the diffs of the files that have one, by number, in this order.

    Small diffs are shown whole, the others share the rest.
    """
    drawn = files[:MAX_FILES]
    least = max(LEAST, min(limit.least, limit.rows // (6 * max(1, len(drawn)))))
    characters = limit.characters // max(1, len(drawn))
    rows, lines, rooms = OPEN_ROWS, COLOURED_LINES, dict[int, _DiffRoom]()
    for one, most in zip(drawn, _shares([one.rows for one in drawn], limit.rows), strict=True):
        last = one.hunks[-1].rows[-1] if one.hunks else None
        lines -= 0 if last is None else (last.old or 0) + (last.new or 0)
        is_open = one.file.is_chosen and most <= rows
        rows -= most if is_open else 0
        own = DiffLimit(most, characters, least)
        rooms[one.number] = _DiffRoom(own, is_coloured=lines >= 0, is_open=is_open)
    return rooms


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """The rows that each of several diffs may show of ``most``: small ones are shown whole."""
    room, allowed = most, dict.fromkeys(range(len(sizes)), 0)
    for place, number in enumerate(sorted(allowed, key=sizes.__getitem__)):
        allowed[number] = min(sizes[number], room // (len(sizes) - place))
        room -= allowed[number]
    return list(allowed.values())


def _as_diff(one: ListedFile, title: str = "") -> Diff:
    file = one.file
    return Diff(title=title or file.path, path=file.path, old=file.old_text, new=file.new_text)


def _diff_text(one: ListedFile, limit: DiffLimit) -> str:
    title = f"{one.number}. {one.file.path}"
    return diff.text(_as_diff(one, title), numbered=one.file.kind == "edit", limit=limit)


def _line(one: ListedFile) -> str:
    """A file in a terminal's list: "[x] 3 src/a.ts (edited, +2 -1): note"."""
    box = "[x]" if one.file.is_chosen else "[ ]"
    note = f": {visible(one.file.note)}" if one.file.note else ""
    told = f"{_WORDS[one.file.kind]}, {_lines(one)}"
    return f"  {box} {one.number} {visible(one.file.path)} ({told}){note}"


def _lines(one: ListedFile) -> str:
    return f"+{one.added:,} \u2212{one.removed:,}"


def _left(count: int, noun: str = "file") -> list[str]:
    return [f"\u2026 {counted(count, f'more {noun}')} not shown"] if count > 0 else []


def _group_html(heading: str, rows: Sequence[str], count: int) -> str:
    if not heading:
        return element("div", *rows, class_="ipuaro-group")
    name = f"{element('strong', escape(heading))} ({counted(count, 'file')})"
    head = checkbox("", name, is_ticked=False, class_="ipuaro-all-of-group")
    attributes = {"role": "group", "aria-label": heading}
    return element("div", head, *rows, class_="ipuaro-group", **attributes)


def _section(one: ListedFile, room: _DiffRoom) -> str:
    """A file with its checkbox, the kind of change, its numbers of lines, and its diff."""
    name = element("code", escape(one.file.path))
    box = checkbox(str(one.number), name, is_ticked=one.file.is_chosen, class_="ipuaro-file-name")
    counts = element("span", _remarks(one), class_="ipuaro-lines")
    head = element("div", box, counts, class_="ipuaro-file-head")
    note = diff.note_html(one.file.note)
    if one.hunks:
        what = counted(one.choices, "change") if one.file.kind == "edit" else "Content"
        changed = str(one.added + one.removed)
        drawn = folded(what, _changes_html(one, room), is_open=room.is_open, data_changed=changed)
    else:
        drawn = diff.lines_html(_as_diff(one))
    return element("div", head, note, drawn, class_="ipuaro-file", data_file=str(one.number))


def _changes_html(one: ListedFile, room: _DiffRoom) -> str:
    shown = _as_diff(one)
    return changes.html(shown, limit=room.limit, is_coloured=room.is_coloured)


def _remarks(one: ListedFile, numbers: Sequence[int] | None = None) -> str:
    """The kind of change, and the numbers of lines that the chosen changes add and remove."""
    chosen = [hunk for number, hunk in enumerate(one.hunks, 1) if numbers and number in numbers]
    added, removed = differing(chosen) if numbers else (one.added, one.removed)
    parts = [
        element("span", _WORDS[one.file.kind], class_="ipuaro-note"),
        element("span", f"+{added:,}", class_="ipuaro-good"),
        element("span", f"\u2212{removed:,}", class_="ipuaro-bad"),
    ]
    if numbers:
        parts.append(element("span", f"of {_lines(one)}", class_="ipuaro-note"))
    return " ".join(parts)


def _unshown(rest: Sequence[ListedFile]) -> list[str]:
    """The files whose diffs are not shown: a checkbox for the ticked ones, one for the others."""
    parts: list[str] = []
    for is_ticked in (True, False):
        some = [one for one in rest if one.file.is_chosen is is_ticked]
        if not some:
            continue
        name = f"{counted(len(some), 'more file')} whose changes are not shown"
        value = _ranges([one.number for one in some])
        box = checkbox(value, name, is_ticked=is_ticked, class_="ipuaro-file-name")
        names = _names_html("Which they are", some)
        lines = str(sum(one.added + one.removed for one in some))
        classes = "ipuaro-file ipuaro-gap"
        parts.append(element("div", box, names, class_=classes, data_lines=lines))
    return parts


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as ranges: "1,3-5"."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


def _names_html(summary: str, files: Sequence[ListedFile]) -> str:
    """The paths of files in a folded list; "" for none."""
    if not files:
        return ""
    items = "".join(
        element("li", element("code", escape(one.file.path)), " ", _remarks(one), _group(one))
        for one in files[:MAX_PATHS]
    )
    more = "".join(_left(len(files) - MAX_PATHS))
    names = element("ul", items, class_="ipuaro-files")
    if len(files) > LISTED_PATHS:
        names = scrolling(names, label=summary)
    return folded(f"{summary}: {counted(len(files), 'file')}", names + diff.note_html(more))


def _group(one: ListedFile) -> str:
    said = ", ".join(filter(None, (one.file.group, one.file.note)))
    return element("span", f" {escape(said)}", class_="ipuaro-note") if said else ""


def _folded_files(files: Sequence[tuple[ListedFile, bool]], *, tick: bool = True) -> str:
    """A line for each file, which opens to its diff; ``tick`` says which are ticked."""
    rooms = _rooms([one for one, _ in files], RECORD)
    parts: list[str] = []
    for one, is_ticked in files[:MAX_FILES]:
        room = rooms[one.number]
        sign = f"{'[x]' if is_ticked else '[ ]'} {one.number} " if tick else ""
        note = element("span", f" {escape(one.file.note)}", class_="ipuaro-note")
        name = f"{sign}{element('code', escape(one.file.path))} {_remarks(one)}"
        said = name + (note if one.file.note else "")
        lines = diff.lines_html(_as_diff(one), limit=room.limit, is_coloured=room.is_coloured)
        parts.append(folded(said, lines))
    rest = [one for one, _ in files[MAX_FILES:]]
    return "".join([*parts, _names_html("Without their changes", rest)])
