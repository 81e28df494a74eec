"""The question to the user about a change of a file, and the change after the decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from uuid import uuid4

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, ChosenFile, Decision, Proposal, text_of
from ipuaro_jupyter.views.decided import chosen_text
from ipuaro_jupyter.views.hunks import chosen, hunks, lines
from ipuaro_jupyter.workspace.approval import path_pattern
from ipuaro_jupyter.workspace.changes.file_part import FilePart
from ipuaro_jupyter.workspace.files.text_file import TextFile


@dataclass(frozen=True)
class DecodedChange:
    """A change with both versions of its file, each of them decoded once.

    Attributes:
        change: The write or deletion.
        read: The version before, as the author of the change has read it.
        part: What of the file is shown; None: the whole.
    """

    change: Change
    read: TextFile | None = None
    part: FilePart | None = None

    @cached_property
    def before(self) -> TextFile | None:
        """The file as it is; None when there is none."""
        change = self.change
        if self.read is not None and self.read.data is change.before:
            return self.read
        return None if change.before is None else TextFile(change.path, change.before, 0)

    @cached_property
    def after(self) -> TextFile | None:
        """The file as it will be; None when there will be none."""
        change = self.change
        return None if change.after is None else TextFile(change.path, change.after, 0)

    @property
    def is_editable(self) -> bool:
        """Whether the user can edit the new version, because it is text."""
        if self.part is not None:
            return self.part.make is not None
        return self.after is not None and self.after.problem is None

    @property
    def texts(self) -> tuple[str | None, str | None]:
        """What a question shows of both versions."""
        if self.part is not None:
            return self.part.old, self.part.new
        return shown_text(self.before), shown_text(self.after)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """What speaks against the new text, a line each."""
        part = self.part
        if part is None:
            return text_problems(self.change)
        return part_problems(part.language, None if part.is_new else part.old, part.new)


def proposal(
    decoded: DecodedChange,
    *,
    tool: str,
    title: str,
    links: int = 1,
    reason: str = "",
    problems: Sequence[str] = (),
) -> Proposal:
    """The question whether a change may be made.

    Args:
        decoded: The write or deletion.
        tool: The tool's name.
        title: The text of the question.
        links: The number of names the file has now.
        reason: What the user should know of it.
        problems: What speaks against it, beside new syntax errors; see `Proposal`.
    """
    change = decoded.change
    pattern = path_pattern(change.path)
    reasons = [reason] if reason else []
    if pattern is None:
        reasons.append("It changes the settings of this assistant.")
    if why := link_reason(change, links):
        reasons.append(why)
    of_text = decoded.problems
    old_text, new_text = decoded.texts
    return Proposal(
        id=uuid4().hex,
        kind=change.kind,
        tool=tool,
        title=title,
        path=change.path,
        old_text=old_text,
        new_text=new_text,
        editable=decoded.is_editable,
        problems=(*problems, *of_text),
        text_problems=of_text,
        reason=" ".join(reasons),
        pattern=pattern,
        part="" if decoded.part is None else decoded.part.name,
        language="" if decoded.part is None else decoded.part.language,
    )


def text_problems(change: Change) -> tuple[str, ...]:
    """What speaks against the new text of a file, a line each.

    These are new syntax errors, names that are no longer imported, and comments in place of code.
    """
    from ipuaro_jupyter.languages import (  # noqa: PLC0415 - it loads tree_sitter
        placeholders,
        removed_names,
        syntax_errors,
    )

    texts = (change.path, change.before, change.after)
    return (
        *syntax_errors.syntax_problems(*texts),
        *removed_names.removed_name_problems(*texts),
        *placeholders.placeholder_problems(*texts),
    )


def part_problems(language: str, before: str | None, after: str | None) -> tuple[str, ...]:
    """What speaks against the new text of a cell, a line each; see `cell_problems`."""
    from ipuaro_jupyter.languages.cell_problems import (  # noqa: PLC0415 - it loads tree_sitter
        cell_problems,
    )

    return cell_problems(language, before, after)


def link_reason(change: Change, links: int) -> str:
    """A remark on a change of a file that has several names; "" for one name."""
    if links <= 1:
        return ""
    what = "This one alone goes." if change.after is None else "The others keep the old text."
    return f"The file has {links} names (hard links). {what}"


def unusable(question: Proposal, decision: Decision) -> str:
    """The reason why a decision to apply something else than was proposed is unusable; or ""."""
    if decision.chosen is not None and (why := _unusable_choice(question, decision.chosen)):
        return why
    if decision.text is not None and not question.editable:
        return "its text was changed, which is not possible here"
    if decision.hunks is None:
        return ""
    if question.kind != "edit" or not question.editable:
        return "only a part of it was chosen, which is not possible here"
    count = len(hunks(question.old_text, question.new_text))
    if any(not 1 <= number <= count for number in decision.hunks):
        return f"changes were chosen that there are not: {decision.hunks} of {count}"
    return ""


def _unusable_choice(question: Proposal, chosen: Sequence[ChosenFile]) -> str:
    """The reason why files of a change set cannot be chosen so; or ""."""
    if question.kind != "changes":
        return "files were chosen, which is not possible here"
    count = len(question.changed)
    numbers = [one.number for one in chosen]
    if len({*numbers}) < len(numbers) or not all(1 <= number <= count for number in numbers):
        return f"files were chosen that there are not: {numbers} of {count}"
    for one in chosen:
        file = question.changed[one.number - 1]
        if one.hunks is None:
            continue
        most = len(hunks(file.old_text, file.new_text)) if file.kind == "edit" else 0
        if not all(1 <= number <= most for number in one.hunks):
            return f"changes of {file.path} were chosen that there are not: {one.hunks} of {most}"
    return ""


def as_decided(decoded: DecodedChange, question: Proposal, decision: Decision) -> Change:
    """The remainder of a change, possibly with another text, after the user's decision.

    Raises:
        ToolError: "cancelled" when nothing remains; "validation" when the text is invalid.
    """
    change, proposed = decoded.change, decoded.after
    as_proposed = decision.hunks is None and decision.text is None
    if as_proposed or proposed is None or not decoded.is_editable:
        return change
    if decoded.part is not None:
        return _other_part(decoded, decoded.part, question, decision)
    if decision.hunks is not None:
        part = _partly(decoded, question, decision.hunks)
        proposed = TextFile(change.path, part, 0)
    after = proposed.data
    if decision.text is not None and decision.text != shown_text(proposed):
        after = proposed.rewritten(decision.text)
    if after == change.before:
        raise ToolError("cancelled", f"The user left {change.path} as it is.", rejected=True)
    return change.model_copy(update={"after": after})


def _other_part(
    decoded: DecodedChange, part: FilePart, question: Proposal, decision: Decision
) -> Change:
    """The change of a part with another text; see `as_decided`."""
    change, text = decoded.change, decision.text
    if text is None:
        text = chosen_text(question, decision.hunks)
    after = change.before if decision.hunks == () and decision.text is None else change.after
    if text != part.new and after != change.before:
        assert part.make is not None  # noqa: S101 - it is editable
        after = part.make(text)
    if after == change.before:
        raise ToolError("cancelled", f"The user left {change.path} as it is.", rejected=True)
    shown = None if change.part is None else change.part.model_copy(update={"new": text})
    return change.model_copy(update={"after": after, "part": shown})


def _partly(decoded: DecodedChange, question: Proposal, numbers: tuple[int, ...]) -> bytes:
    """The file's bytes with only some of the changes made.

    The question compares lines regardless of their ends; here each keeps its own.
    """
    found = hunks(question.old_text, question.new_text)
    nothing = TextFile(decoded.change.path, b"", 0)
    old, new = decoded.before or nothing, decoded.after or nothing
    if not numbers:
        return old.data
    if len({*numbers}) == len(found):
        return new.data
    made = chosen(lines(old.text), lines(new.text), found=found, numbers=numbers)
    return old.bom + "".join(made).encode()


def shown_text(file: TextFile | None) -> str | None:
    r"""The text of a file as a question shows it, with line ends as ``\n``; None for no file."""
    if file is None:
        return None
    if file.problem is not None:
        return f"({len(file.data)} bytes, {file.problem})\n"
    return file.text.replace("\r\n", "\n")


def changed_lines(change: Change) -> str:
    """The lines of the new version from the first to the last that differs; "" for a deletion."""
    old, new = (text_of(data or b"") or "" for data in (change.before, change.after))
    before, after = lines(old), lines(new)
    head = _equal(before, after)
    tail = _equal(before[head:][::-1], after[head:][::-1])
    return "".join(after[head : len(after) - tail])


def typed_lines(question: Proposal, decision: Decision) -> str | None:
    """The lines of the text that the user typed in place of the proposed one; None for no text."""
    if decision.text is None:
        return None
    old, new = ((text or "").encode() for text in (question.old_text, decision.text))
    return changed_lines(Change(path=question.path or "", before=old, after=new))


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal lines at the beginning."""
    pairs = zip(one, other, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
