"""Where the values of a line that failed come from: what it calls, reads and was given."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.extract.postings import ROLE_BITS
from ipuaro_jupyter.index.relations import bound_values
from ipuaro_jupyter.index.relations import expression_parts as parts
from ipuaro_jupyter.index.relations.error_messages import Said, is_about_nothing
from ipuaro_jupyter.index.relations.failed_frames import FailedFrame, ValueSource
from ipuaro_jupyter.index.relations.implicit_calls import constructed, constructor_of
from ipuaro_jupyter.index.relations.meant_declarations import MOST_BY_NAME, MeantDeclarations
from ipuaro_jupyter.index.relations.source_places import TOP, SourcePlaces
from ipuaro_jupyter.index.relations.word_sources import WordSources
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.registry import is_code

_MOST_STEPS, _MOST_COST = 60, 5
_LONGEST_S = 0.4  # of processor time
_MOST_ASSIGNING, _MOST_FILES, _MOST_USES = 4, 6, 12


class _FollowedValue(NamedTuple):
    """An expression to look at, with the number of the frame whose values it is about, or -1."""

    node: Node
    path: str
    frame: int
    why: str

    def told(self, node: Node) -> str:
        """Where a part of the expression is, or what it is there for."""
        return self.why or f"on line {node.end_point[0] + 1}"


class ValueSources:
    """Follows the values of a line that failed back to the functions that made them.

    Args:
        asked: The state of the index.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked
        self._sources = SourcePlaces(asked)
        self._meant = MeantDeclarations(asked, self._sources)
        self._queue: list[tuple[int, int, _FollowedValue]] = []
        self._order = count()
        self._frames: Sequence[FailedFrame] = ()
        self._empty: set[Declaration] = set()

    def of(self, frames: Sequence[FailedFrame], message: str) -> list[ValueSource | int]:
        """What made the values, the nearest first.

        A number is that of a frame that has passed the value on. Where there was no value at all,
        functions that may return none come first. When time runs out, what has been found.

        Args:
            frames: The frames of the error, the innermost first.
            message: What the error says.
        """
        found: dict[ValueSource | int, None] = {}
        self._frames, self._queue = frames, []
        with suppress(TimeUp):
            for source in self._begin(frames[0], message):
                found.setdefault(source)
            until = time.thread_time() + _LONGEST_S
            for _ in range(_MOST_STEPS):
                if not self._queue or time.thread_time() > until:
                    break
                checkpoint()
                cost, _, step = heappop(self._queue)
                for one in self._followed(cost, step):
                    found.setdefault(one)
        if is_about_nothing(message):
            return sorted(found, key=lambda one: isinstance(one, int) or one[:2] not in self._empty)
        made = [one for one in found if not isinstance(one, int)]
        with suppress(TimeUp):
            return [*WordSources(self._asked).of(frames, message, made), *found]
        return [*found]

    def _push(self, cost: int, nodes: Iterable[Node], step: _FollowedValue) -> None:
        for node in nodes:
            if cost <= _MOST_COST:
                heappush(self._queue, (cost, next(self._order), step._replace(node=node)))

    def _begin(self, frame: FailedFrame, message: str) -> Iterator[ValueSource]:
        """Put the expressions that failed into the queue."""
        root = self._root(frame)
        if root is None:
            return
        row = frame.line - 1
        step = _FollowedValue(root, frame.path, 0, "")
        said = Said.of(message)
        mine = [
            one
            for one in parts.members_on(root, row)
            if parts.text_of(parts.member_name(one)) == said.member
        ]
        if said.owner:
            is_own = any(parts.is_own(parts.held(one)) for one in mine)
            makers = list(self._makers(frame, said.owner, said.member))
            if is_own or not self._is_method(said.member):
                yield from makers
        if said.member and not said.is_called:
            self._push(0, (held for one in mine if (held := parts.held(one)) is not None), step)
        elif mine:
            self._push(0, mine, step)
        elif said.member:
            yield from self._assigning(said.member, frame.path, "")
        if mine and said.member:
            return
        if said.maker:
            yield from self._implied(said.maker)
        if said.key:
            yield from self._writing(said.key)
        wrong = parts.subscripts_on(root, row) if said.is_key else parts.guarding(root, row)
        self._push(0, wrong, step)
        self._push(1 if wrong else 0, parts.expressions_on(root, row), step)

    def _is_method(self, name: str) -> bool:
        """Whether a class of the project declares a method of that name."""
        entries = self._asked.stored.called([name]).get(name, ())
        return any("." in one.qualified and one.kind == "function" for one in entries)

    def _makers(self, frame: FailedFrame, kind: str, name: str) -> Iterator[ValueSource]:
        """Yield what should have given an object of a class its attribute."""
        entries = self._asked.stored.called([bare := kind.rpartition(".")[2]]).get(bare, ())
        owners = [
            (path, entry.qualified)
            for entry in entries
            if is_code(path := self._asked.paths.get(entry.number, "")) and entry.kind == "class"
        ]
        if not owners:
            return
        near = [one for one in owners if one[0] == frame.path] or owners
        for owner in near[:MOST_BY_NAME]:
            lineage = [owner, *sorted(self._asked.families.ancestors(owner))]
            yield from self._misspelt(name, lineage)
            reading = self._class_at(frame)
            lineage.sort(key=lambda one: one != (frame.path, reading))  # its own, most likely
            made = ((one, constructor_of(self._asked, one)) for one in lineage)
            maker = next((maker for one, maker in made if maker != one), None)
            if maker is not None:
                yield self._source(maker, f"makes the {bare}, which has no {name}")
            yield from self._assigning(name, *owner)

    def _class_at(self, frame: FailedFrame) -> str:
        """The qualified name of the innermost class around a line of a file; "" without one."""
        if not frame.path:
            return ""
        around = [
            (first, qualified)
            for qualified, first, last in self._asked.files.file(frame.path).ranges
            if first <= frame.line <= last and self._meant.is_class((frame.path, qualified))
        ]
        return max(around, default=(0, ""))[1]

    def _misspelt(self, name: str, lineage: Sequence[Declaration]) -> Iterator[ValueSource]:
        """Yield what sets an attribute of almost that name, where nothing sets one of the name."""
        own = {
            parts.text_of(parts.member_name(node)): (path, node)
            for path, qualified in lineage
            for class_ in self._sources.nodes_of((path, qualified))
            for node in parts.own_set_in(class_)
        }
        for close in get_close_matches(name, own, n=1) if name not in own else ():
            path, node = own[close]
            around, line = self._sources.around(path, node), node.start_point[0] + 1
            yield ValueSource(path, around, line, f"sets .{close}, not .{name}")

    def _implied(self, name: str) -> Iterator[ValueSource]:
        """Yield the methods of a name that the language itself calls, the outermost first."""
        paths = {one.path for one in self._frames if one.path}
        declared = self._meant.called(name, paths)
        if len(declared) <= _MOST_ASSIGNING:
            for one in sorted(declared, key=lambda one: (one[1].count("."), one)):
                yield self._source(one, "may have been called")
                self._push_returned(1, one)

    def _writing(self, key: str) -> Iterator[ValueSource]:
        """Yield what writes a key in the files of the frames, or one of almost that text."""
        written: dict[str, list[ValueSource]] = {}
        paths = dict.fromkeys(one.path for one in self._frames if one.path)
        for path in list(paths)[:_MOST_FILES]:
            checkpoint()
            root = self._sources.root(path)
            for text, node in parts.written_keys(root) if root is not None else ():
                around, line = self._sources.around(path, node), node.start_point[0] + 1
                why = f"writes the key {text!r}" + ("" if text == key else f", not {key!r}")
                written.setdefault(text, []).append(ValueSource(path, around, line, why))
        for near in [key] if key in written else get_close_matches(key, written, n=1, cutoff=0.7):
            if len({one[:2] for one in written[near]}) <= _MOST_ASSIGNING:
                yield from written[near]

    def _followed(self, cost: int, step: _FollowedValue) -> Iterator[ValueSource | int]:
        node = parts.unwrapped(step.node)
        if parts.is_call(node):
            yield from self._called(cost, node, step)
        elif parts.is_member(node):
            yield from self._read(cost, node, step)
        elif node.type == "identifier":
            yield from self._bound(cost, node, step)
        elif not parts.is_function(node):
            more = int(parts.is_subscript(node))
            self._push(cost + more, node.named_children, step)

    def _called(self, cost: int, node: Node, step: _FollowedValue) -> Iterator[ValueSource]:
        name = parts.called_name(node)
        declared = [] if name is None else self._meant.of(step.path, name)
        for one in declared:
            if self._meant.is_declared(one):
                yield self._source(one, f"called {step.told(node)}")
            self._push_returned(cost + 1, one)
        held = parts.held_of_call(node)
        given = parts.arguments(node)
        self._push(cost + (2 if declared else 1), [*held, *given], step)

    def _read(self, cost: int, node: Node, step: _FollowedValue) -> Iterator[ValueSource]:
        name = parts.member_name(node)
        text = parts.text_of(name)
        declared = [one for one in self._meant.of(step.path, name) if self._meant.is_function(one)]
        for one in declared:
            yield self._source(one, f"read {step.told(node)}")
            self._push_returned(cost + 1, one)
        held = parts.held(node)
        if not declared:
            is_own = bool(step.path) and parts.is_own(held)
            around = self._sources.around(step.path, node) if is_own else ""
            found = list(self._assigning(text, step.path, around.rpartition(".")[0], cost))
            yield from found
            if not found and held is not None:
                yield from self._constructing(step.path, held)
        if held is not None:
            self._push(cost + 2, [held], step)

    def _constructing(self, path: str, held: Node) -> Iterator[ValueSource]:
        """Yield the functions that construct the class that a parameter is annotated with."""
        kind = bound_values.annotated(held) if path else None
        for owner in self._meant.of(path, kind) if kind is not None else ():
            cls = constructed(owner)
            uses = self._asked.references.of(cls[1], None, limit=_MOST_USES, declared_in=cls[0])
            for use in uses.first:
                at = self._sources.used(use)
                if at.node is not None and parts.is_constructed(at.node):
                    around = self._sources.around(use.path, at.node)
                    if around != TOP:
                        yield ValueSource(use.path, around, use.line, f"makes a {cls[1]}")

    def _bound(self, cost: int, node: Node, step: _FollowedValue) -> Iterator[ValueSource | int]:
        """Follow a name to what it was assigned, or to who passed it on."""
        values, place = bound_values.binding(node)
        self._push(cost, values, step)
        if place is None or step.frame < 0:
            return
        caller = self._caller(step, place.lines)
        if caller >= len(self._frames):
            return
        frame = self._frames[caller]
        root = self._root(frame)
        if root is None:
            return
        given = bound_values.passed(root, frame.line - 1, place)
        if given is None:
            return
        if not given or not all(bound_values.is_passed_on(one, place.name) for one in given):
            yield caller
        onward = _FollowedValue(root, frame.path, caller, "")
        self._push(cost + 1, given, onward)

    def _caller(self, step: _FollowedValue, lines: range | None) -> int:
        """The number of the frame that has called the function of a parameter.

        Args:
            step: Where the parameter is read.
            lines: Those of its function, where that is around the one of the frame.
        """
        at = step.frame
        while lines is not None and at < len(self._frames):
            at += 1
            frame = self._frames[at] if at < len(self._frames) else None
            if frame is not None and frame.path == step.path and frame.line in lines:
                break
        return at + 1

    def _push_returned(self, cost: int, declared: Declaration) -> None:
        """Follow what a function returns."""
        nodes = list(self._sources.nodes_of(declared))
        value = None if nodes else self._sources.value_of(declared)
        if value is not None:
            step = _FollowedValue(value, declared[0], -1, f"in {declared[1]}")
            self._push(cost, [value], step)
        for node in nodes:
            step = _FollowedValue(node, declared[0], -1, f"in what {declared[1]} returns")
            returned = list(parts.returned(node))
            if any(map(parts.is_nothing, returned)):
                self._empty.add(declared)
            self._push(cost, returned, step)

    def _assigning(self, name: str, near: str, owner: str, cost: int = 0) -> Iterator[ValueSource]:
        """Yield the functions that assign an attribute.

        Args:
            name: The attribute.
            near: The file to look in first.
            owner: The class whose attribute it is; "" where that is not known.
            cost: That of what is assigned.
        """
        numbers = self._asked.stored.tokens([name]).get(name, ())
        paths = sorted(
            (path for number in numbers if is_code(path := self._asked.paths.get(number, ""))),
            key=lambda path: (path != near, path.rpartition("/")[0] != near.rpartition("/")[0]),
        )
        found: dict[ValueSource, tuple[list[Node], str]] = {}
        for path in paths[:_MOST_FILES]:
            for offset in self._asked.files.file(path).places(name):
                node = self._sources.node(path, offset >> ROLE_BITS, name)
                value = None if node is None else parts.assigned_to(node)
                added = [] if node is None or value is not None else parts.added_to(node)
                if node is None or not (value or added) or not parts.is_in_function(node):
                    continue
                why = f"adds to .{name}" if value is None else f"sets .{name}"
                around, line = self._sources.around(path, node), node.start_point[0] + 1
                values = added if value is None else [value]
                found.setdefault(ValueSource(path, around, line, why), (values, path))
        mine = [one for one in found if owner and one.qualified.startswith(f"{owner}.")]
        mine = mine or [one for one in found if one.path == near] or list(found)
        adding = [one for one in found if one.why.startswith("adds ")]
        mine = list(dict.fromkeys([*adding, *mine]))
        functions = {one[:2] for one in mine}
        if len(functions) > _MOST_ASSIGNING:
            return
        for one in mine:
            yield one
            values, path = found[one]
            for value in values:
                step = _FollowedValue(value, path, -1, f"at {path}:{one.line}")
                self._push(cost + 1, [value], step)

    def _source(self, declared: Declaration, why: str) -> ValueSource:
        path, qualified = declared
        offsets = self._asked.files.file(path).definitions.get(qualified, ())
        line = self._sources.spot(path, max(offsets)).line if offsets else 1
        return ValueSource(path, qualified, line, why)

    def _root(self, frame: FailedFrame) -> Node | None:
        return self._sources.root(frame.path) if frame.path else frame.root
