"""What was changed lately of the code that an error leads to."""

import builtins
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.cancellation import Deadline
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.notebook_code import shown_text
from ipuaro_jupyter.index.extract.parse import LARGEST
from ipuaro_jupyter.index.relations.changed_lines import changed_lines
from ipuaro_jupyter.index.relations.changes_reached import (
    ChangedFunction,
    ChangesReached,
    TouchedFile,
)
from ipuaro_jupyter.index.relations.failed_frames import FailedFrame
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.tools.source_lines import is_notebook
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.workspace.git.late_changes import (
    Commit,
    LateChange,
    late_changes,
)

_LONGEST_S, _COMPARING_S = 2.0, 0.2  # for git, most of it waiting; of processor time
_FEW, _MOST = 3, 5
_NEW = "since the last commit"
_NAMED = re.compile(
    r"['\"`](?P<quoted>[^\W\d]\w*)['\"`]|\b(?P<bare>[^\W\d]\w*) is not (?:a |defined)"
)
_TYPES = frozenset({"NoneType", *dir(builtins)})
_DAY_S, _HOUR_S = 24 * 3600, 3600


class LateFunction(NamedTuple):
    """A function that was changed lately.

    Attributes:
        changed: What was changed of it.
        why: When, and how much, in words.
        is_strong: Whether it is not committed, and the error names it, or leads there directly.
    """

    changed: ChangedFunction
    why: str
    is_strong: bool


def late_functions(
    project: Project, frames: Sequence[FailedFrame], told: str
) -> tuple[list[LateFunction], list[str]]:
    """What was changed lately, the likeliest to have led to an error first; what was left out.

    Args:
        project: The project.
        frames: The frames of the error, the innermost first.
        told: The error.

    Raises:
        StorageError: Redis has gone.
    """
    deadline = Deadline(_LONGEST_S, project.cancel)
    with deadline.running():
        found = late_changes(project.workspace.root, _is_called, cancel=deadline.token)
    files = list(_files(project, found.changes))
    if not files:
        return [], found.notes
    reached = project.index.ask(lambda asked: ChangesReached(asked).of(frames, files))
    return _ranked(reached, told), found.notes


def _is_called(path: str) -> bool:
    """Whether a file holds code that a cell may call: notebooks hold the cells themselves."""
    return is_code(path) and not is_notebook(path)


def _files(project: Project, changes: Iterable[LateChange]) -> Iterator[TouchedFile]:
    """Yield the changed files, as far as comparing them does not take too long."""
    until = time.thread_time() + _COMPARING_S
    for one in changes:
        project.cancel.check()
        if time.thread_time() > until:
            return
        try:
            now = project.workspace.read(one.path)
        except ToolError:
            continue
        text = shown_text(one.path, now.data)
        after = shown_text(one.path, one.after) if one.commit else text
        is_analysed = now.path == one.path and len(text or "") <= LARGEST  # unlike a link
        if after is not None and text is not None and is_analysed:
            lines = changed_lines(shown_text(one.path, one.before), after, text)
            yield TouchedFile(one.path, lines, _when(one.commit))


def _when(commit: Commit | None) -> str:
    if commit is None:
        return _NEW
    if not commit.seconds:
        return f"in {commit.hash[:7]}"
    age = max(0, int(time.time()) - commit.seconds)
    amount = counted(age // _DAY_S, "day") if age >= _DAY_S else counted(age // _HOUR_S, "hour")
    return f"in {commit.hash[:7]}, {amount} ago"


def _ranked(reached: Sequence[ChangedFunction], told: str) -> list[LateFunction]:
    """The functions with what they have to do with the error, the likeliest first."""
    names = {one["quoted"] or one["bare"] for one in _NAMED.finditer(told)} - _TYPES
    new = sum(one.when == _NEW for one in reached)
    found: list[tuple[tuple[bool, bool], LateFunction]] = []
    for one in reached:
        is_new, is_named = one.when == _NEW, bool(names & one.words)
        is_near = (is_new and new <= _FEW) or (one.distance is not None and one.distance <= 1)
        why = f"changed {one.when}, {counted(one.size, 'line')}"
        late = LateFunction(one, why, is_new and (is_named or is_near))
        if is_named or is_near or one.distance is not None:
            found.append(((not is_new, not is_named), late))
    return [late for _, late in sorted(found, key=lambda one: one[0])][:_MOST]
