"""A change of several files as one question, and what is left of it after the decision."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision, Proposal, ProposedFile
from ipuaro_jupyter.views.change_sets.merged_lines import (
    LineEdit,
    edits_of,
    merged,
    over,
    overlapping,
)
from ipuaro_jupyter.views.hunks import Hunk, hunks, lines
from ipuaro_jupyter.workspace.approval import path_pattern
from ipuaro_jupyter.workspace.changes.change_proposal import (
    DecodedChange,
    link_reason,
    shown_text,
    text_problems,
)
from ipuaro_jupyter.workspace.files.text_file import TextFile

_NOTHING: tuple[int, ...] = ()


@dataclass(frozen=True)
class SetFile:
    """A file of a change set, or a part of one.

    Two of them may change one file, in different groups: then they change different lines of the
    same content, unless the later one includes the earlier one.

    Attributes:
        change: Its ``before`` is the content that the tool has worked on.
        read: The file that ``before`` was taken from, so that it need not be read again.
        is_chosen: Whether it is ticked when the question is shown.
        group: The heading under which it is listed; "" for the first one.
        note: A line about it.
        is_computed: Whether the change follows from the present content alone, whatever the model
            has seen of the file. It does not count as shown to the model.
        includes_earlier: Whether its version of a line that an earlier part replaces too has that
            replacement in it. Where both are chosen, the line is written as it is here.
    """

    change: Change
    read: TextFile | None = None
    is_chosen: bool = True
    group: str = ""
    note: str = ""
    is_computed: bool = False
    includes_earlier: bool = False


@dataclass(frozen=True)
class CheckedPart:
    """A file of a set that may be proposed.

    Attributes:
        decoded: The change, with the file's real path.
        links: The number of names the file has.
        file: As the tool gave it.
    """

    decoded: DecodedChange
    links: int
    file: SetFile

    @property
    def path(self) -> str:
        """The real path."""
        return self.decoded.change.path


def check_disjoint(files: Sequence[CheckedPart]) -> None:
    """Check that the files of a set do not get in each other's way.

    Raises:
        ToolError: "validation" when one is named twice in a group, when two parts of it overlap, or
            when a file would have to be a folder too.
    """
    paths = {file.path for file in files}
    for path in paths:
        above = next((p for p in paths if path.startswith(f"{p}/")), None)
        if above is not None:
            raise ToolError("validation", f"{above} cannot be a file and the folder of {path}.")
    for path, parts in _by_path(files):
        if len({part.file.group for part in parts}) < len(parts):
            raise ToolError(
                "validation",
                f"{path} is named twice.",
                suggestion="Put all changes of a file together.",
            )
        if len(parts) > 1:
            _merged(path, [(part, None) for part in parts])


def set_proposal(
    files: Sequence[CheckedPart],
    *,
    tool: str,
    title: str,
    reason: str = "",
    problems: Sequence[str] = (),
) -> Proposal:
    """The question whether these changes may be made.

    Args:
        files: The changes.
        tool: The tool's name.
        title: The text of the question.
        reason: What the user should know beside them.
        problems: What speaks against them, beside new syntax errors; see `Proposal`.
    """
    reasons = [reason] if reason else []
    told = {file.path: link_reason(file.decoded.change, file.links) for file in files}
    reasons += [f"{path}: {why}" for path, why in told.items() if why]
    of_texts = tuple(_text_problems(files))
    patterns = {path_pattern(path) for path in told}
    if None in patterns:
        reasons.append("It changes the settings of this assistant.")
    return Proposal(
        id=uuid4().hex,
        kind="changes",
        tool=tool,
        title=title,
        changed=tuple(_proposed(file) for file in files),
        problems=(*problems, *of_texts),
        text_problems=of_texts,
        reason=" ".join(reasons),
        pattern=patterns.pop() if len(patterns) == 1 else None,
    )


def set_as_decided(
    files: Sequence[CheckedPart], question: Proposal, decision: Decision
) -> tuple[Change, ...]:
    """The remaining changes after the user's decision, one per file, in the order of the set.

    Raises:
        ToolError: "cancelled" when nothing remains.
    """
    if decision.chosen is None:
        picked: dict[int, tuple[int, ...] | None] = {
            number: None for number, one in enumerate(question.changed, 1) if one.is_chosen
        }
    else:
        picked = {one.number: one.hunks for one in decision.chosen}
    numbers = {id(file): number for number, file in enumerate(files, 1)}
    changes = []
    for path, parts in _by_path(files):
        wanted = [
            (part, picked[numbers[id(part)]])
            for part in parts
            if picked.get(numbers[id(part)], _NOTHING) != _NOTHING
        ]
        change = _merged(path, wanted) if wanted else None
        if change is not None and change.before != change.after:
            changes.append(change)
    if not changes:
        raise ToolError("cancelled", "The user left all files as they are.", rejected=True)
    return tuple(changes)


def _by_path(files: Sequence[CheckedPart]) -> Iterator[tuple[str, list[CheckedPart]]]:
    found: dict[str, list[CheckedPart]] = {}
    for file in files:
        found.setdefault(file.path, []).append(file)
    yield from found.items()


def _text_problems(files: Sequence[CheckedPart]) -> Iterator[str]:
    for file in files:
        for problem in text_problems(file.decoded.change):
            yield f"{file.path}: {problem}"


def _proposed(file: CheckedPart) -> ProposedFile:
    return ProposedFile(
        path=file.path,
        kind=file.decoded.change.kind,
        old_text=shown_text(file.decoded.before),
        new_text=shown_text(file.decoded.after),
        is_chosen=file.file.is_chosen,
        group=file.file.group,
        note=file.file.note,
    )


def _merged(path: str, parts: Sequence[tuple[CheckedPart, Collection[int] | None]]) -> Change:
    """The change that makes the chosen hunks of all ``parts`` of a file; None is all of them.

    Raises:
        ToolError: "validation" when they overlap.
    """
    (first, numbers), *others = parts
    whole = first.decoded.change
    if not others and (numbers is None or len({*numbers}) == len(_hunks(first))):
        return whole
    if any(one.decoded.change.kind != "edit" or not one.decoded.is_editable for one, _ in parts):
        raise _overlap(path, "all of it")
    edits: list[LineEdit] = []
    for one, wanted in parts:
        own = list(_edits(one, wanted))
        edits = over(edits, own) if one.file.includes_earlier else [*edits, *own]
    if (line := overlapping(edits)) is not None:
        raise _overlap(path, f"line {line}")
    before = first.decoded.before
    assert before is not None  # noqa: S101 - it is an edit
    after = before.bom + "".join(merged(lines(before.text), edits)).encode()
    return whole.model_copy(update={"after": after})


def _edits(file: CheckedPart, numbers: Collection[int] | None) -> Iterator[LineEdit]:
    """The edits of some hunks, with the lines as they are in the new version."""
    after = file.decoded.after
    return edits_of(_hunks(file), [] if after is None else lines(after.text), numbers)


def _hunks(file: CheckedPart) -> list[Hunk]:
    return hunks(shown_text(file.decoded.before), shown_text(file.decoded.after))


def _overlap(path: str, where: str) -> ToolError:
    return ToolError(
        "validation",
        f"Two parts of the set change the same lines of {path}: {where}.",
        suggestion="Put changes of the same lines into one part.",
    )
