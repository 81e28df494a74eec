"""The edits that an answer holds as text, for the user to have them proposed."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.changing.placed_edits import PlacedEdits, placed_edits
from ipuaro_jupyter.agent.redaction import PLACEHOLDER
from ipuaro_jupyter.agent.written_edits import WrittenEdit, written_edits
from ipuaro_jupyter.errors import SettingsError, StorageError, ToolError
from ipuaro_jupyter.languages.bounded import ParsingTooSlow
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.receipt import OfferedEdit
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.views.prose import markdown

_MOST_BLOCKS = 30


class _BlockEdits(NamedTuple):
    """The edits of a code block with the 0-based line at which it begins; None outside of all."""

    at: int | None
    edits: tuple[WrittenEdit, ...]

    @property
    def id(self) -> str:
        """Tells it from others, by what it changes."""
        return hashlib.blake2b(f"{self.edits}".encode(), digest_size=4).hexdigest()


def offered_edits(project: Project, text: str) -> tuple[OfferedEdit, ...]:
    """The edits of an answer that would change the project, or that it could mean.

    Those of one code block are one; so are all outside of blocks, which come last. There are none
    when Redis has gone.
    """
    try:
        found = [(one, _told(project, one.edits)) for one in _blocks(text)]
    except StorageError:  # the answer matters more
        return ()
    return tuple(OfferedEdit(at=one.at, id=one.id, told=told) for one, told in found if told)


def proposing_call(project: Project, messages: Sequence[Message], which: Sequence[str]) -> ToolCall:
    """The call of a tool that proposes edits of answers as they are kept.

    Args:
        project: The project.
        messages: Those of the session.
        which: The edits' numbers in the latest answer, from 1, or the ids of edits of any answer;
            none for all of the latest.

    Raises:
        SettingsError: There is no such edit.
        ToolError: One has no place, or several, or cannot be parsed in time; all change nothing.
    """
    kept = _kept(messages, which)
    try:
        placed = [placed_edits(project, one.edits).lines for one in kept]
    except ParsingTooSlow as error:
        raise ToolError("parse", f"{error}.") from error
    lines = tuple(dict.fromkeys(one for made in placed for one in made))
    if not lines:
        raise ToolError("validation", "There is nothing to change: the files have it already.")
    call = PlacedEdits(lines, {}).call
    if len(lines) > 1:
        return call
    [change] = call.arguments["changes"]  # whose text can then be edited, too
    return ToolCall(name="edit_lines" if lines[0].start else "create_file", arguments=change)


def _kept(messages: Sequence[Message], which: Sequence[str]) -> list[_BlockEdits]:
    """The edits of answers that were offered below them; see `proposing_call`."""
    answers = [one for one in messages if one.role == "assistant" and not one.calls]
    offered = {edit.id: one for one in answers for edit in one.receipt.edits}
    latest = [edit.id for one in answers[-1:] for edit in one.receipt.edits]
    numbers = {f"{number}": id_ for number, id_ in enumerate(latest, 1)}
    ids = dict.fromkeys(numbers.get(one, one) for one in which) if which else latest
    unknown = [one for one in ids if one not in offered]
    if unknown or not ids:
        told = f"No answer of this session has the edit {named(unknown)}. " if unknown else ""
        raise SettingsError(f"{told}The last one has {counted(len(latest), 'edit')} to propose.")
    return [block for id_ in ids for block in _blocks(offered[id_].content) if block.id == id_]


def _told(project: Project, edits: Sequence[WrittenEdit]) -> str:
    """The places that edits change, or could; "" where they do not concern the project."""
    if any(PLACEHOLDER.search(line) for one in edits for line in one.new):
        return ""  # it would be written in place of what is hidden
    try:
        return placed_edits(project, edits).told
    except ParsingTooSlow:
        return ""
    except ToolError as error:
        paths = dict.fromkeys(one.path for one in edits if one.path and one.old is not None)
        known = project.index.paths()
        is_there = any(f"/{one}".endswith(f"/{path}") for path in paths for one in known)
        is_ambiguous = error.suggestion is not None and error.recoverable
        return (named([*paths]) or "several places") if is_ambiguous or is_there else ""


def _blocks(text: str) -> Iterator[_BlockEdits]:
    """Yield the code blocks that hold edits, then what stands outside of them."""
    known = written_edits(text)
    lines = text.split("\n")
    outside, done = list[WrittenEdit](), 0

    def until(line: int) -> int:
        """The number of edits before a line."""
        before = written_edits("\n".join(lines[:line]))
        return len(before) if before == known[: len(before)] else 0

    for begin, end in markdown.fences(text)[:_MOST_BLOCKS] if known else ():
        first, last = max(done, until(begin)), until(end)
        outside += known[done:first]
        if last > first:
            yield _BlockEdits(begin, tuple(known[first:last]))
        done = max(first, last)
    if outside := [*outside, *known[done:]]:
        yield _BlockEdits(None, tuple(outside))
