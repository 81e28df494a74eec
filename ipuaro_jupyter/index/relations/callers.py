"""The callers of functions, and theirs."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.exact_uses import exact_uses
from ipuaro_jupyter.index.relations.implicit_calls import (
    constructed,
    has_made_constructor,
    inherits_constructor,
    is_accessor,
    super_calls_in,
    unnamed_calls,
)
from ipuaro_jupyter.index.relations.roles import Role
from ipuaro_jupyter.index.relations.source_places import TOP, SourcePlaces
from ipuaro_jupyter.index.relations.unnamed_constructions import UnnamedConstructions
from ipuaro_jupyter.index.resolve.candidates import declared_file
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.records.calls import CallKind, CallSite
from ipuaro_jupyter.records.code import Reference

_MOST_FOLLOWED = 300
_KINDS: dict[Role, CallKind] = {
    "call": "call",
    "new": "new",
    "element": "element",
    "decorator": "decorator",
    "value": "value",
}


@dataclass
class FoundCalls:
    """Calls, in the order in which they were found: by depth, path and line.

    Attributes:
        calls: Certain ones; of members that are overridden, those of the base, too.
        values: Places where a function is passed on.
        by_name: Calls of something with the same name.
        outside: The names of called functions that the project does not declare.
        notes: What could not be known.
    """

    calls: list[CallSite] = field(default_factory=list)
    values: list[CallSite] = field(default_factory=list)
    by_name: list[CallSite] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


class Callers:
    """Finds the callers of functions in one state of the index.

    Args:
        asked: That state.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked
        self._sources = SourcePlaces(asked)
        self._constructions = UnnamedConstructions(asked, self._sources)
        self._notes: list[str] = []

    def of(self, targets: Iterable[Declaration], *, depth: int) -> FoundCalls:
        """The calls of functions, of the functions with these calls, and so on.

        When time runs out, what has been found.

        Args:
            targets: The functions, methods or classes.
            depth: How far to go; 1 for direct calls.

        Raises:
            Cancelled: The user stopped it.
        """
        found = FoundCalls(notes=self._notes)
        level = _once(list(dict.fromkeys(targets)))
        chains = {target: frozenset({target}) for target in level}
        expanded: set[Declaration] = set()
        late: list[Declaration] = []
        for at in range(1, depth + 1):
            onward: dict[Declaration, frozenset[Declaration]] = {}
            for target in level:
                sites: list[CallSite] = []
                try:
                    checkpoint()
                    for site in self._sites(target, found if at == 1 else None):
                        sites.append(site)  # noqa: PERF402 - what was found counts when time is up
                    expanded.add(target)
                except TimeUp:
                    late.append(target)
                for site in sorted(sites, key=lambda one: (one.path, one.line, one.column)):
                    caller = (site.path, site.caller)
                    known = caller in chains or caller in onward
                    is_cycle = caller in chains.get(target, ())
                    marked = {"depth": at, "is_cycle": is_cycle}
                    marked["is_repeated"] = known and not is_cycle and at < depth
                    found.calls.append(site.model_copy(update=marked))
                    if site.caller != TOP and not known and site.kind != "unknown":
                        onward[caller] = chains[target] | {caller}
            chains.update(onward)
            level = list(onward)
            if len(expanded) + len(level) > _MOST_FOLLOWED and at < depth:
                left = len(level) - max(0, _MOST_FOLLOWED - len(expanded))
                level = level[: len(level) - left]
                found.notes.append(f"{left} callers at depth {at} were not followed")
        if late:
            names = sorted({qualified for _, qualified in late})
            named = ", ".join(names[:5])
            found.notes.append(f"the time was up: not looked for all callers of {named}")
        found.notes += self._asked.files.refusals
        return found

    def _sites(self, target: Declaration, others: FoundCalls | None) -> Iterator[CallSite]:
        """Yield the calls of a function.

        Args:
            target: The function.
            others: Gets the places that are no certain calls; None: they do not matter.
        """
        wanted = constructed(target)
        uses = exact_uses(self._asked, wanted, self._notes)
        reads = is_accessor(self._asked, target)
        line = self._sources.line_of(target)
        for use in uses.first:
            if use.is_definition or (use.declared_in, use.declared_as) != wanted:
                continue
            yield from self._judged(use, target, line, reads=reads, others=others)
        if others is not None:
            for use in uses.unresolved:
                others.by_name += self._by_name(use, target, line, reads=reads)
        yield from self._through_bases(target, line, reads=reads)
        yield from self._without_name(wanted, uses.first, target, line)
        if wanted != target:
            yield from self._super_calls(uses.first, target, line)
            yield from self._by_own_name(target, line)
            yield from self._through_heirs(uses.first, target, line, {wanted})
        elif others is not None and not reads and (told := unnamed_calls(target)):
            self._notes.append(told)

    def _judged(
        self,
        use: Reference,
        target: Declaration,
        line: int,
        *,
        reads: bool,
        others: FoundCalls | None,
    ) -> Iterator[CallSite]:
        kind, site = self._site(use, target, line, reads=reads)
        if site is None or kind is None:
            return
        if kind == "value":
            if others is not None:
                others.values.append(site)
            return
        yield site

    def _by_name(
        self, use: Reference, target: Declaration, line: int, *, reads: bool
    ) -> list[CallSite]:
        kind, site = self._site(use, target, line, reads=reads)
        return [] if site is None or kind is None else [site]

    def _site(
        self, use: Reference, target: Declaration, line: int, *, reads: bool, through: str = ""
    ) -> tuple[CallKind | None, CallSite | None]:
        """How a place uses a function, and the record of it; None when it does neither."""
        path = use.path
        sources = self._sources
        kind: CallKind | None = "unknown"
        offset, name, node = sources.used(use)
        if node is not None:
            kind = _kind(sources.role(path, node), reads=reads)
        elif name and sources.is_imported(path, offset, name):
            kind = None
        if kind is None:
            return None, None
        if node is None:
            caller = sources.around_line(path, use.line, offset)
        else:
            caller = sources.around(path, node)
        return kind, CallSite(
            caller=caller,
            path=path,
            line=use.line,
            column=use.column,
            caller_line=sources.line_of((path, caller)) if caller else use.line,
            callee=target[1],
            callee_path=target[0],
            callee_line=line,
            kind=kind,
            through=through or None,
        )

    def _through_bases(self, target: Declaration, line: int, *, reads: bool) -> Iterator[CallSite]:
        """Yield calls of the members that a member overrides: they may run it."""
        path, qualified = target
        owner, _, name = qualified.rpartition(".")
        if not owner or constructed(target) != target:
            return
        for base in sorted(self._asked.families.ancestors((path, owner))):
            checkpoint()
            member = (base[0], f"{base[1]}.{name}")
            if not self._asked.files.file(base[0]).declares(member[1]):
                continue
            uses = exact_uses(self._asked, member, self._notes)
            for use in uses.first:
                if use.is_definition or (use.declared_in, use.declared_as) != member:
                    continue
                kind, site = self._site(use, target, line, reads=reads, through=member[1])
                if site is not None and kind not in {None, "value"}:
                    yield site

    def _by_own_name(self, target: Declaration, line: int) -> Iterator[CallSite]:
        """Yield the calls of a Python constructor by its name, as in ``super().__init__()``."""
        if not self._sources.is_python(target[0]):
            return
        for use in exact_uses(self._asked, target, self._notes).first:
            if not use.is_definition and (use.declared_in, use.declared_as) == target:
                kind, site = self._site(use, target, line, reads=False)
                if site is not None and kind not in {None, "value"}:
                    yield site

    def _through_heirs(
        self, uses: Iterable[Reference], target: Declaration, line: int, seen: set[Declaration]
    ) -> Iterator[CallSite]:
        """Yield the calls of classes that inherit a constructor.

        Args:
            uses: The uses of the class that has it, or inherits it.
            target: The constructor.
            line: Its line.
            seen: The classes that were looked at; extended.
        """
        for heir in self._heirs(uses):
            checkpoint()
            if heir in seen or not self._inherits(heir, target):
                continue
            seen.add(heir)
            found = exact_uses(self._asked, heir, self._notes).first
            for use in found:
                if use.is_definition or (use.declared_in, use.declared_as) != heir:
                    continue
                kind, site = self._site(use, target, line, reads=False, through=heir[1])
                if site is not None and kind not in {None, "value"}:
                    yield site
            yield from self._super_calls(found, target, line)
            yield from self._without_name(heir, found, target, line)
            yield from self._through_heirs(found, target, line, seen)

    def _inherits(self, heir: Declaration, constructor: Declaration) -> bool:
        nodes = self._sources.nodes_of(heir)
        made = (has_made_constructor(n, self._sources.decorated(heir[0], n)) for n in nodes)
        return inherits_constructor(self._asked, heir, constructor) and not any(made)

    def _heirs(self, uses: Iterable[Reference]) -> Iterator[Declaration]:
        """Yield the classes among whose bases uses of a class are."""
        for use in uses:
            node = None if use.is_definition else self._sources.used(use).node
            class_ = None if node is None else self._sources.heritage(use.path, node)
            name = None if class_ is None else self._sources.named(use.path, class_)
            if name:
                yield use.path, name

    def _super_calls(
        self, uses: Iterable[Reference], target: Declaration, line: int
    ) -> Iterator[CallSite]:
        """Yield the ``super(…)`` of the classes that directly inherit from a class."""
        for use in uses:
            path = use.path
            if self._sources.is_python(path) or use.is_definition:
                continue
            node = self._sources.used(use).node
            class_ = None if node is None else self._sources.heritage(path, node)
            for call in super_calls_in(class_) if class_ is not None else ():
                yield self._site_of(path, call, target, line, kind="super")

    def _without_name(
        self, class_: Declaration, uses: Collection[Reference], target: Declaration, line: int
    ) -> Iterator[CallSite]:
        """Yield the calls of a class that do not name it.

        Args:
            class_: The class, whose objects the target makes; a function has no such calls.
            uses: Its uses by name.
            target: The class or its constructor.
            line: The line of the target.
        """
        kind: CallKind = "call" if self._sources.is_python(class_[0]) else "new"
        for path, callee in self._constructions.of(class_, uses):
            through = class_[1] if class_ != constructed(target) else None
            yield self._site_of(path, callee, target, line, kind=kind, through=through)

    def _site_of(
        self,
        path: str,
        callee: Node,
        target: Declaration,
        line: int,
        *,
        kind: CallKind,
        through: str | None = None,
    ) -> CallSite:
        """The record of a call of something else than the target's name."""
        caller = self._sources.around(path, callee)
        spot = self._sources.spot(path, callee.start_byte)
        return CallSite(
            caller=caller,
            path=path,
            line=spot.line,
            column=spot.column,
            caller_line=self._sources.line_of((path, caller)) if caller else spot.line,
            callee=target[1],
            callee_path=target[0],
            callee_line=line,
            kind=kind,
            through=through,
        )


def _once(targets: list[Declaration]) -> list[Declaration]:
    """Some declarations without those in declaration files beside them, which have their calls."""
    return [
        (path, qualified)
        for path, qualified in targets
        if declared_file(path, {other for other, name in targets if name == qualified}) is None
    ]


def _kind(role: Role, *, reads: bool) -> CallKind | None:
    """The kind of a use by its role; None for an import, a type, a base or an assignment."""
    if role in {"value", "read"} and reads:
        return "read"
    return _KINDS.get(role)
