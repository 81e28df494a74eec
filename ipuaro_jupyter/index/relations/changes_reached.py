"""Which changed functions the frames of an error lead to."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations import expression_parts as parts
from ipuaro_jupyter.index.relations.changed_lines import ChangedLine
from ipuaro_jupyter.index.relations.failed_frames import FailedFrame
from ipuaro_jupyter.index.relations.meant_declarations import MeantDeclarations
from ipuaro_jupyter.index.relations.source_places import TOP, SourcePlaces
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.calls import CONSTRUCTORS

_DEPTH, _MOST_FOLLOWED = 3, 100
_LONGEST_S = 0.15  # of processor time


class TouchedFile(NamedTuple):
    """What one change has touched of a file.

    Attributes:
        path: The file.
        lines: Its changed lines.
        when: When it was, in words.
    """

    path: str
    lines: Sequence[ChangedLine]
    when: str


class ChangedFunction(NamedTuple):
    """A function that was changed, or a variable or class.

    Attributes:
        path: Its file.
        qualified: Its qualified name; "" for a file's own code.
        line: The first of the changed lines, 1-based.
        size: How many lines are changed.
        when: When that was, in words.
        words: The words of these lines, before and after.
        distance: How many calls lead there from the frames; None where it is not known.
    """

    path: str
    qualified: str
    line: int
    size: int
    when: str
    words: frozenset[str]
    distance: int | None = None


class ChangesReached:
    """Follows calls from the frames of an error to what was changed.

    Args:
        asked: The state of the index.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked
        self._sources = SourcePlaces(asked)
        self._meant = MeantDeclarations(asked, self._sources)
        self._distances: dict[Declaration, int] = {}
        self._named: dict[str, list[tuple[Declaration, int]]] = {}
        self._until = time.thread_time() + _LONGEST_S

    def of(
        self, frames: Sequence[FailedFrame], changed: Iterable[TouchedFile]
    ) -> list[ChangedFunction]:
        """What was changed, the nearest first. When time runs out, as far as it was followed.

        Args:
            frames: The frames of the error, the innermost first.
            changed: The changes, the latest first; of a function, the first of these counts.
        """
        found: dict[Declaration, ChangedFunction] = {}
        with suppress(TimeUp):
            for file in changed:
                self._check()
                for one in self._functions(file):
                    found.setdefault(one[:2], one)
            for key in found:
                for name, more in _names_of(key):
                    self._named.setdefault(name, []).append((key, more))
            self._follow(frames, found)
        reached = [one._replace(distance=self._distances.get(key)) for key, one in found.items()]
        far = _DEPTH + 1
        return sorted(reached, key=lambda one: far if one.distance is None else one.distance)

    def _functions(self, file: TouchedFile) -> Iterator[ChangedFunction]:
        """Yield what was changed in a file, the innermost declarations."""
        by_name: dict[str, list[ChangedLine]] = {}
        for line in file.lines:
            by_name.setdefault(self._around(file.path, line.line), []).append(line)
        for qualified, some in by_name.items():
            words = frozenset[str]().union(*(one.words for one in some))
            first = max(1, some[0].line)
            yield ChangedFunction(file.path, qualified, first, len(some), file.when, words)

    def _around(self, path: str, line: int) -> str:
        """The innermost function, class or variable around a line."""
        file = self._asked.files.file(path)
        known = list(file.ranges)
        around = [(last - first, name) for name, first, last in known if first <= line <= last]
        if not around:
            around = [
                (one["line_end"] - one["line_start"], name)
                for name, some in file.declared.items()
                for one in some
                if one["line_start"] <= line <= one["line_end"]
            ]
        return min(around, default=(0, TOP))[1]

    def _follow(
        self, frames: Sequence[FailedFrame], changed: dict[Declaration, ChangedFunction]
    ) -> None:
        """Walk from the frames to what they call, and so on."""
        level: dict[Declaration, int] = {}
        seen: set[Declaration] = set()
        for at, frame in enumerate(frames[:_DEPTH]):
            self._check()
            around = (frame.path, self._around(frame.path, frame.line)) if frame.path else ("", "")
            self._run(around, at + (at > 0), changed, before=frame.line)
            seen.add(around)
            for node in self._run_before(frame, around):
                for one in self._leads_to(frame.path, node, at + 1, before=frame.line):
                    level.setdefault(one, at + 1)
        while level := {one: at for one, at in level.items() if one not in seen and at <= _DEPTH}:
            onward: dict[Declaration, int] = {}
            for one, at in list(level.items())[: max(0, _MOST_FOLLOWED - len(seen))]:
                self._run(one, at, changed)
                for node in self._sources.nodes_of(one):
                    for called in self._leads_to(one[0], node, at + 1):
                        onward.setdefault(called, at + 1)
            seen |= level.keys()
            level = onward

    def _run(
        self,
        function: Declaration,
        depth: int,
        changed: Mapping[Declaration, ChangedFunction],
        before: int | None = None,
    ) -> None:
        """Note what was changed of a function that has run, and of those in it."""
        for key, one in changed.items():
            is_in = function[1] and key[1].startswith(f"{function[1]}.")
            if key[0] == function[0] and (key[1] == function[1] or is_in):
                self._reach(key, depth + int(before is not None and one.line > before))

    def _run_before(self, frame: FailedFrame, around: Declaration) -> list[Node]:
        """The code of a frame."""
        nodes = list(self._sources.nodes_of(around)) if around[1] else []
        nodes = [one for one in nodes if one.start_point[0] < frame.line <= one.end_point[0] + 1]
        root = self._sources.root(frame.path) if frame.path else frame.root
        return nodes or ([] if root is None else [root])

    def _leads_to(
        self, path: str, function: Node, depth: int, before: int | None = None
    ) -> Iterator[Declaration]:
        """Yield what a function calls; note what was changed of all that it names.

        Args:
            path: Its file.
            function: Its node.
            depth: How far it is from a frame, plus one.
            before: The line on which it failed: later statements have not run; None for all.
        """
        waiting = [function]
        while waiting:
            node = waiting.pop()
            is_later = before is not None and node.start_point[0] >= before
            if is_later and node.parent is not None and _is_body(node.parent):
                continue
            if node.type in parts.NAMES:
                self._note(path, node, depth)
            called = parts.called_name(node) if parts.is_call(node) else None
            if called is not None:
                self._check()
                yield from self._meant.of(path, called)
            waiting += reversed(node.named_children)

    def _note(self, path: str, name: Node, depth: int) -> None:
        """Note a changed function that a name may mean."""
        for one, more in self._named.get(parts.text_of(name), ()):
            if self._distances.get(one, _DEPTH + 1) <= depth:
                continue
            known = self._meant.known(path, name)
            owner = (one[0], one[1].rpartition(".")[0])
            if one in known or owner in known:
                self._reach(one, depth + more)
            elif not known and (parts.is_member_name(name) or not path):
                self._reach(one, depth + more + 1)

    def _check(self) -> None:
        """Raise TimeUp when the time is up, also that of the walk itself."""
        checkpoint()
        if time.thread_time() > self._until:
            raise TimeUp

    def _reach(self, one: Declaration, distance: int) -> None:
        self._distances[one] = min(distance, self._distances.get(one, distance))


def _is_body(node: Node) -> bool:
    return node.type in ("block", "statement_block", "module", "program")


def _names_of(declared: Declaration) -> Iterator[tuple[str, int]]:
    """Yield the names that a declaration is used by, and how much farther that leads."""
    owner, _, name = declared[1].rpartition(".")
    cls = owner.rpartition(".")[2]
    if name in CONSTRUCTORS:
        yield cls, 0
    elif cls and name.startswith("__") and name.endswith("__"):
        yield cls, 1
        yield name, 0
    elif name:
        yield name, 0
