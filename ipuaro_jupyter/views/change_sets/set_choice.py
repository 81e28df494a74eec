"""The files of a change set: what each changes, which are chosen, and that in words."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from ipuaro_jupyter.records.change import ChosenFile, Decision, Proposal, ProposedFile
from ipuaro_jupyter.views.change_sets.merged_lines import (
    LineEdit,
    edits_of,
    merged,
    over,
    overlapping,
)
from ipuaro_jupyter.views.hunks import Hunk, chosen, differing, hunks, lines
from ipuaro_jupyter.views.markup import counted

_WORD = re.compile(r"0*(\d{1,9})(?:\.0*(\d{1,9}))?", re.ASCII)
_TYPED = re.compile(r"[\d ,.]*\d[\d ,.]*", re.ASCII)


class ListedFile(NamedTuple):
    """A file of a change set with its changes; ``number`` is its place in the set, 1-based."""

    number: int
    file: ProposedFile
    hunks: tuple[Hunk, ...]
    added: int
    removed: int

    @property
    def choices(self) -> int:
        """The number of changes that can be chosen separately: one where it is all or nothing."""
        return max(1, len(self.hunks)) if self.file.kind == "edit" else 1

    @property
    def rows(self) -> int:
        """The number of lines of its diff."""
        return sum(len(hunk.rows) for hunk in self.hunks)


def listed(proposal: Proposal) -> tuple[ListedFile, ...]:
    """The files of a change set, in its order; () for other proposals."""
    return _listed(proposal.changed)


@lru_cache(maxsize=4)
def _listed(changed: tuple[ProposedFile, ...]) -> tuple[ListedFile, ...]:
    return tuple(_one(number, file) for number, file in enumerate(changed, 1))


def _one(number: int, file: ProposedFile) -> ListedFile:
    found = hunks(file.old_text, file.new_text)
    return ListedFile(number, file, tuple(found), *differing(found))


def grouped(files: Iterable[ListedFile]) -> dict[str, list[ListedFile]]:
    """The files under the headings of their groups; the group without a heading comes first."""
    groups: dict[str, list[ListedFile]] = {"": []}
    for one in files:
        groups.setdefault(one.file.group, []).append(one)
    return {heading: group for heading, group in groups.items() if group}


def ticked(proposal: Proposal) -> tuple[ChosenFile, ...]:
    """The files that are ticked when the question is shown."""
    return tuple(
        ChosenFile(number=number)
        for number, file in enumerate(proposal.changed, 1)
        if file.is_chosen
    )


def chosen_of(proposal: Proposal, decision: Decision) -> tuple[ChosenFile, ...]:
    """The files of a change set that a decision to apply changes."""
    return ticked(proposal) if decision.chosen is None else decision.chosen


def in_words(proposal: Proposal, picked: Sequence[ChosenFile]) -> str:
    """The chosen part of a set: "4 files", "3 of 4 files", "5 of 9 changes in 3 of 4 files".

    Files count once, even where they are listed in several groups. Changes are counted where a
    file is changed in part.
    """
    every: dict[str, int] = {}
    for one in listed(proposal):
        every[one.file.path] = every.get(one.file.path, 0) + one.choices
    taken = dict.fromkeys(every, 0)
    for one, numbers in picked_files(proposal, picked):
        taken[one.file.path] += one.choices if numbers is None else len(numbers)
    paths = [path for path, count in taken.items() if count]
    all_files = len(paths) == len(every)
    files = counted(len(every), "file")
    if any(taken[path] != every[path] for path in paths):
        changes = f"{sum(taken.values()):,} of {counted(sum(every.values()), 'change')}"
        return f"{changes} in {files if all_files else f'{len(paths):,} of {files}'}"
    return files if all_files else f"{len(paths):,} of {files}"


def picked_files(
    proposal: Proposal, picked: Sequence[ChosenFile]
) -> list[tuple[ListedFile, tuple[int, ...] | None]]:
    """The chosen files of a set with the numbers of their chosen changes; None for all."""
    every = listed(proposal)
    return [
        (every[one.number - 1], None if _is_whole(one, every[one.number - 1]) else one.hunks)
        for one in picked
        if 1 <= one.number <= len(every) and one.hunks != ()
    ]


def made(one: ListedFile, numbers: tuple[int, ...] | None) -> ListedFile:
    """The file with only some of its changes; None leaves all of them."""
    if numbers is None:
        return one
    old, new = lines(one.file.old_text), lines(one.file.new_text)
    text = "".join(chosen(old, new, found=one.hunks, numbers=numbers))
    return _one(one.number, one.file.model_copy(update={"new_text": text}))


def written(
    parts: Iterable[tuple[ListedFile, tuple[int, ...] | None]],
) -> list[ListedFile]:
    """What is written: one file for each path, with the chosen changes of all its parts.

    Args:
        parts: What `picked_files` returns.
    """
    by_path: dict[str, list[tuple[ListedFile, tuple[int, ...] | None]]] = {}
    for one, numbers in parts:
        by_path.setdefault(one.file.path, []).append((one, numbers))
    return [file for some in by_path.values() for file in _joined(some)]


def _joined(parts: Sequence[tuple[ListedFile, tuple[int, ...] | None]]) -> list[ListedFile]:
    """The parts of a file as one; as they are where that cannot be."""
    (first, _), *others = parts
    edits: list[LineEdit] = []
    for one, numbers in parts:
        edits = over(edits, edits_of(one.hunks, lines(one.file.new_text), numbers))
    if not others or overlapping(edits) is not None:
        return [made(one, numbers) for one, numbers in parts]
    text = "".join(merged(lines(first.file.old_text), edits))
    return [_one(first.number, first.file.model_copy(update={"new_text": text}))]


def is_choice(said: str) -> bool:
    """Whether a typed text chooses files and changes by number, rightly or wrongly."""
    return _TYPED.fullmatch(said) is not None


def typed_choice(proposal: Proposal, said: str) -> tuple[ChosenFile, ...] | None:
    """The files chosen by a text such as "1 3 4.2": file 1, file 3, and change 2 of file 4.

    None when it is no choice, or there are no such files and changes.
    """
    every = listed(proposal)
    picked: dict[int, set[int] | None] = {}
    for word in re.split(r"[\s,]+", said.strip(" \t,")):
        match = _WORD.fullmatch(word)
        if match is None or not 1 <= int(match[1]) <= len(every):
            return None
        one = every[int(match[1]) - 1]
        if match[2] is None:
            picked[one.number] = None
        elif not 1 <= int(match[2]) <= one.choices:
            return None
        elif (known := picked.setdefault(one.number, set())) is not None:
            known.add(int(match[2]))
    return tuple(
        ChosenFile(number=number, hunks=_some(every[number - 1], numbers))
        for number, numbers in sorted(picked.items())
    )


def _some(one: ListedFile, numbers: set[int] | None) -> tuple[int, ...] | None:
    return None if numbers is None or len(numbers) == one.choices else tuple(sorted(numbers))


def _is_whole(picked: ChosenFile, one: ListedFile) -> bool:
    return picked.hunks is None or len(set(picked.hunks)) == one.choices
