"""What was changed lately of the code that an error may have come from."""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ipuaro_jupyter.cancellation import Deadline
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.notebook_code import shown_text
from ipuaro_jupyter.index.extract.parse import LARGEST
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.tools.source_lines import declared_around, is_notebook
from ipuaro_jupyter.tools.tool import Project
from ipuaro_jupyter.views.hunks import LINE_STEPS, lines
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, MatchingBlock, matches
from ipuaro_jupyter.workspace.git.late_changes import Commit, LateChange

_LONGEST_S, _COMPARING_S = 2.0, 0.2  # for git, most of it waiting; of processor time
_TELLS_NOTHING = re.compile(r"\s*(?:#(?:[\s!].*)?|//.*|/\*.*\*/)?\s*")
_DAY_S, _HOUR_S = 24 * 3600, 3600


class LateFunction(NamedTuple):
    """A function or class that was changed lately, or a file's own code.

    Attributes:
        path: Its file.
        declared: As `ErrorPlace` has it; "" for a file's own code.
        line: The first of the changed lines, 1-based.
        why: When that was, and how many lines, in words.
    """

    path: str
    declared: str
    line: int
    why: str

    @property
    def name(self) -> str:
        """The name by which other code uses it."""
        return self.declared.partition(",")[0].rpartition(".")[2]


def late_functions(project: Project) -> tuple[list[LateFunction], list[str]]:
    """What was changed since the last commit, or else by it, and what was not looked at.

    Raises:
        StorageError: Redis has gone.
    """
    deadline = Deadline(_LONGEST_S, project.cancel)
    with deadline.running():
        found = replace(project, cancel=deadline.token).repositories.late_changes(_is_called)
    new = [one for one in found.changes if one.commit is None]
    committed = (one for one in found.changes if one.commit)
    return [*_functions(project, new)] or [*_functions(project, committed)], found.notes


def _is_called(path: str) -> bool:
    """Whether a file holds code that a cell may call: notebooks hold the cells themselves."""
    return is_code(path) and not is_notebook(path)


def _functions(project: Project, changes: Iterable[LateChange]) -> Iterator[LateFunction]:
    """Yield what was changed, as far as comparing it does not take too long."""
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
        facts = project.index.facts(one.path)
        if text is None or len(text) > LARGEST or now.path != one.path:  # such as a link
            continue
        by_name: dict[str, list[int]] = {}
        for line in changed_lines(shown_text(one.path, one.before) or "", text):
            by_name.setdefault(declared_around(facts, line), []).append(line)
        for declared, some in by_name.items():
            why = f"changed {_when(one.commit)}, {counted(len(some), 'line')}"
            yield LateFunction(one.path, declared, max(1, some[0]), why)


def _when(commit: Commit | None) -> str:
    if commit is None:
        return "since the last commit"
    if not commit.seconds:
        return f"in {commit.hash[:7]}"
    age = max(0, int(time.time()) - commit.seconds)
    amount = counted(age // _DAY_S, "day") if age >= _DAY_S else counted(age // _HOUR_S, "hour")
    return f"in {commit.hash[:7]}, {amount} ago"


def changed_lines(before: str, after: str) -> Iterator[int]:
    """Yield the lines that were added, or after which some were removed, 1-based.

    0 stands for lines removed at the beginning. Blank lines and comments do not count.
    """
    old, new = (lines(text.replace("\r\n", "\n")) for text in (before, after))
    at_old = at_new = 0
    blocks = matches(old, new, ComparisonBudget(LINE_STEPS))
    for a, b, size in [*blocks, MatchingBlock(len(old), len(new), 0)]:
        come = [number + 1 for number in range(at_new, b) if _counts(new[number])]
        if come:
            yield from come
        elif any(map(_counts, old[at_old:a])):
            yield at_new
        at_old, at_new = a + size, b + size


def _counts(line: str) -> bool:
    return _TELLS_NOTHING.fullmatch(line) is None
