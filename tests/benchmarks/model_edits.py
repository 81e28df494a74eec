"""A real model edits by lines and by name: how many edits replace what was asked for."""

import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from model_calls import SEED, WINDOW, projects

TOOLS = ("edit_lines", "replace_symbol")
_MOST_LINES = 20
_MOST_TEXT = 2000  # characters: a reply that runs on longer is no edit
_MOST_S = 90.0


class Wanted(NamedTuple):
    """A function to change: its file, name, and lines, 1-based and inclusive."""

    path: str
    name: str
    start: int
    end: int


class Edited(NamedTuple):
    """What came of asking for one edit.

    Attributes:
        is_proposed: The first call led to a proposal.
        is_in_place: All that the proposal changes is in the lines of the function.
        is_right: So it is, the function is still declared, and no syntax error is new.
        seconds: Until the proposal, or the end of the turn.
    """

    is_proposed: bool
    is_in_place: bool
    is_right: bool
    seconds: float


class Shares(NamedTuple):
    """How often edits were good in the median of the projects, and in the worst."""

    proposed: tuple[float, float]
    in_place: tuple[float, float]
    right: tuple[float, float]
    seconds: tuple[float, float]


def edit_shares(
    opened: Callable, *, questions: int, say: Callable, kept: Path | None = None
) -> dict[str, Shares]:
    """Return how good the edits are with each of `TOOLS` as the only tool, by a schema.

    Args:
        opened: Opens the model with the settings given.
        questions: How many functions are to be changed with each tool, in all projects together.
        say: Takes a line about each question.
        kept: Where each answer is kept, and not asked for again; None keeps nothing.
    """
    known = _known(kept)
    with projects() as roots:
        each = -(-questions // len(roots))
        found: dict[str, list[Sequence[Edited]]] = {tool: [] for tool in TOOLS}
        for name, root in roots.items():
            for tool in TOOLS:
                which = f"{name}, {tool}"
                rows = known.setdefault(which, [])
                for wanted, edited in _edited(root, opened, tool, done=len(rows), count=each):
                    say(f"  {edited.seconds:5.1f} s  {which}: {wanted.name} {edited}")
                    rows.append(edited)
                    _keep(kept, which, edited)
                found[tool].append(rows[:each])
    return {tool: Shares(*_spreads(groups)) for tool, groups in found.items()}


def _known(kept: Path | None) -> dict[str, list[Edited]]:
    known: dict[str, list[Edited]] = {}
    if kept is not None and kept.exists():
        for line in kept.read_text().splitlines():
            which, *values = json.loads(line)
            known.setdefault(which, []).append(Edited(*values))
    return known


def _keep(kept: Path | None, which: str, edited: Edited) -> None:
    if kept is not None:
        with kept.open("a") as written:
            written.write(json.dumps([which, *edited]) + "\n")


def _spreads(groups: Sequence[Sequence[Edited]]) -> Iterator[tuple[float, float]]:
    for key in ("is_proposed", "is_in_place", "is_right"):
        values = [statistics.fmean(getattr(one, key) for one in group) for group in groups]
        yield statistics.median(values), min(values)
    medians = [statistics.median(one.seconds for one in group) for group in groups]
    yield statistics.median(medians), max(medians)


def _edited(
    root: Path, opened: Callable, tool: str, *, done: int, count: int
) -> Iterator[tuple[Wanted, Edited]]:
    """Yield each function not yet asked about, and what came of it."""
    import ipuaro_jupyter
    from ipuaro_jupyter.fit.run_fit import settings_for
    from ipuaro_jupyter.records.fitted import Way
    from ipuaro_jupyter.settings.settings import Settings, load_settings

    if done >= count:
        return
    way = Way(by="call", form="constrained")
    flags = settings_for(way, load_settings(root, {}).settings)
    flags["tools"]["enabled"] = [tool]
    flags["context"] |= {"maxRepairs": 0, "maxRounds": 1, "turnTimeoutS": _MOST_S}
    flags["llm"] |= {"temperature": 0.0, "contextWindow": WINDOW}
    flags["tools"]["profile"] = "core"
    flags["approve"] = "ask"
    model = opened(Settings.model_validate(flags).llm)
    with ipuaro_jupyter.start(root, model=model, settings=flags, new=True) as assistant:
        for wanted in islice(_functions(assistant), done, count):
            yield wanted, _asked(assistant, root, wanted)


def _functions(assistant) -> Iterator[Wanted]:
    """Yield functions of a few lines, one of each file, in an order that the seed decides."""
    from ipuaro_jupyter.fit.tasks import tasks_of

    index = assistant.project().index
    for task in tasks_of(assistant.project(), count=10**6, seed=SEED):
        if task.kind == "edit":
            step = task.steps[0]
            functions = index.facts(step.path).functions
            one = next(one for one in functions if one.name == step.symbol)
            if 2 < one.line_end - one.line_start < _MOST_LINES:
                yield Wanted(step.path, step.symbol, one.line_start, one.line_end)


def _asked(assistant, root: Path, wanted: Wanted) -> Edited:
    """Ask for one edit, and judge the proposal of the first call, which is rejected."""
    import ipuaro_jupyter
    from ipuaro_jupyter.records.events import CallFinished, TextAdded

    proposals: list[ipuaro_jupyter.Proposal] = []

    def confirm(proposal: ipuaro_jupyter.Proposal) -> ipuaro_jupyter.Decision:
        proposals.append(proposal)
        return ipuaro_jupyter.Decision(action="reject")

    assistant.confirm = confirm
    began, said = time.monotonic(), 0
    with closing(assistant.stream(_question(root, wanted))) as events:
        for event in events:
            said += len(event.text) if isinstance(event, TextAdded) else 0
            if isinstance(event, CallFinished) or proposals or said > _MOST_TEXT:
                break
    seconds = time.monotonic() - began
    assistant.clear()
    if not proposals:
        return Edited(is_proposed=False, is_in_place=False, is_right=False, seconds=seconds)
    is_in_place, is_right = _judged(proposals[0], wanted)
    return Edited(is_proposed=True, is_in_place=is_in_place, is_right=is_right, seconds=seconds)


def _question(root: Path, wanted: Wanted) -> str:
    from ipuaro_jupyter.tools.source_lines import numbered

    lines = (root / wanted.path).read_text().splitlines()[wanted.start - 1 : wanted.end]
    return (
        f"Rewrite the function `{wanted.name}` of {wanted.path}, lines {wanted.start} to "
        f"{wanted.end}, so that it returns at once. It is now:\n\n{numbered(lines, wanted.start)}"
    )


def _judged(proposal, wanted: Wanted) -> tuple[bool, bool]:
    """Return whether only the function and its comments change, and whether it is right, too."""
    from ipuaro_jupyter.index.declared_lines import Declarations

    if proposal.path != wanted.path:
        return False, False
    (found,) = Declarations(wanted.path, proposal.old_text.encode()).named(wanted.name)
    before, after = proposal.old_text.splitlines(), proposal.new_text.splitlines()
    head, tail = found.comments - 1, len(before) - found.end
    is_in_place = (
        len(after) >= head + tail
        and after[:head] == before[:head]
        and after[len(after) - tail :] == before[len(before) - tail :]
    )
    left = Declarations(wanted.path, proposal.new_text.encode()).named(wanted.name)
    return is_in_place, is_in_place and len(left) == 1 and not proposal.problems
