"""The functions and classes that use declarations in any way, and their users."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.exact_uses import exact_uses, note_late
from ipuaro_jupyter.index.relations.implicit_calls import constructed
from ipuaro_jupyter.index.relations.lost_exports import LostExports
from ipuaro_jupyter.index.relations.source_places import TOP, SourcePlaces
from ipuaro_jupyter.records.code import Reference
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.records.impact import LostExport, ReachedSymbol, Touch

_MOST_FOLLOWED = 300
_MOST_UNCERTAIN = 100  # that are listed
_Place = tuple[str, int, int]


class FoundUsers(NamedTuple):
    """Users, each once, by depth; and what could not be known.

    ``fates`` says what becomes of lost exports, by path and name: None where nothing does.
    """

    listed: list[ReachedSymbol]
    notes: list[str]
    fates: dict[tuple[str, str], Touch | None]


class UserSearch:
    """Finds users in one state of the index.

    Args:
        asked: That state.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked
        self._sources = SourcePlaces(asked)
        self._notes: list[str] = []
        self._fates: dict[tuple[str, str], Touch | None] = {}
        self._open: dict[_Place, tuple[Reference, str, int]] = {}  # unresolved: of what, its depth

    def of(
        self,
        targets: Iterable[Declaration],
        removed: Iterable[str],
        lost: Iterable[LostExport] = (),
        *,
        given: Mapping[str, frozenset[str]],
        depth: int,
    ) -> FoundUsers:
        """The users of declarations, and their users.

        Uses of a base's member are those of the members that override it, too. When time runs out,
        what has been found.

        Args:
            targets: The declarations; those that are not indexed have no users.
            removed: Names that are no longer declared: uses are found by the name alone.
            lost: Names that files export no longer: uses are found by the imports of them.
            given: The names that changed files give by name after the change, by path.
            depth: How far to go; 1 for direct users.

        Raises:
            Cancelled: The user stopped it.
        """
        notes = self._notes
        listed: list[ReachedSymbol] = []
        level = list(dict.fromkeys(constructed(target) for target in targets))
        seen = set(level)
        followed = late = 0
        for at in range(1, depth + 1):
            onward: list[Declaration] = []
            for target in level:
                if followed >= _MOST_FOLLOWED:
                    notes.append(f"the users of {len(level)} declarations were not all followed")
                    break
                try:
                    checkpoint()
                    users = list(self._users(target, at))
                except TimeUp:
                    late += 1
                    continue
                followed += 1
                for user in users:
                    one = constructed((user.path, user.name))
                    if one in seen:
                        continue
                    seen.add(one)
                    listed.append(user)
                    onward += [one] if user.name != TOP else []
            level = onward
        listed += self._of_exports(LostExports(self._asked, self._sources, given), lost, seen)
        for name in removed:
            listed += self._by_name(name, seen)
        listed += self._unresolved(seen)
        if late:
            notes.append(f"the time was up: {late} declarations were not looked for")
        notes += self._asked.files.refusals
        return FoundUsers(listed, list(dict.fromkeys(notes)), self._fates)

    def _users(self, target: Declaration, depth: int) -> Iterator[ReachedSymbol]:
        for one in (target, *self._overridden(target)):
            path, qualified = one
            if not self._asked.files.file(path).declares(qualified):
                continue
            uses = exact_uses(self._asked, one, self._notes)
            for use in uses.unresolved:
                if not use.is_definition:
                    place = use.path, use.line, use.column
                    self._open.setdefault(place, (use, target[1], depth))
            for use in uses.first:
                if not use.is_definition and (use.declared_in, use.declared_as) == one:
                    yield from self._user(use, target[1], depth)

    def _overridden(self, target: Declaration) -> list[Declaration]:
        path, qualified = target
        owner, _, name = qualified.rpartition(".")
        if not owner:
            return []
        bases = self._asked.families.ancestors((path, owner))
        return sorted((base[0], f"{base[1]}.{name}") for base in bases)

    def _user(self, use: Reference, of: str, depth: int) -> Iterator[ReachedSymbol]:
        """Yield what is around a use; nothing for an import."""
        path = use.path
        around = TOP
        node = self._sources.used(use).node
        if node is not None:
            if self._sources.role(path, node) == "import":
                return
            heir = self._sources.heritage(path, node)
            around = self._sources.around(path, node)
            if heir is not None:
                around = self._sources.named(path, heir) or around
        yield ReachedSymbol(name=around, path=path, line=use.line, depth=depth, of=of)

    def _by_name(self, name: str, seen: set[Declaration]) -> Iterator[ReachedSymbol]:
        """Yield the uses of a name that nothing declares any more."""
        bare = name.rpartition(".")[2]
        try:
            uses = self._asked.references.of(bare, None, limit=None)
        except TimeUp:
            self._notes.append(f"the time was up: uses of {name} were not looked for")
            return
        note_late(uses, name, self._notes)
        for use in uses.first:
            if use.resolved or use.is_definition:
                continue
            for user in self._user(use, name, 1):
                if (user.path, user.name) not in seen:
                    seen.add((user.path, user.name))
                    yield user.model_copy(update={"certain": False})

    def _of_exports(
        self, exports: LostExports, lost: Iterable[LostExport], seen: set[Declaration]
    ) -> Iterator[ReachedSymbol]:
        """Yield the uses of names that files export no longer, by the imports of them."""
        late: list[str] = []
        for export in lost:
            try:
                yield from self._of_export(exports, export, seen)
            except TimeUp:
                late.append(export.name)
        if late:
            told = named(late, 5)
            self._notes.append(f"the time was up: uses of {told} were not all looked for")

    def _of_export(
        self, exports: LostExports, export: LostExport, seen: set[Declaration]
    ) -> Iterator[ReachedSymbol]:
        """Yield the uses of a name that a file exports no longer."""
        fate = exports.fate(export)
        key = export.path, export.shown
        self._fates[key] = fate.how if export.is_public else None
        for place in exports.places(export) if fate.how is not None else ():
            checkpoint()
            self._fates[key] = fate.how
            use = Reference(
                path=place.path,
                line=place.line,
                column=place.column,
                is_definition=False,
                resolved=False,
            )
            for user in self._user(use, place.name, 1):
                if (user.path, user.name) not in seen:
                    seen.add((user.path, user.name))
                    is_certain = place.is_certain and not fate.unknown
                    yield user.model_copy(update={"certain": is_certain})
        if fate.unknown and self._fates[key] is not None:
            self._notes.append(fate.unknown)

    def _unresolved(self, seen: set[Declaration]) -> Iterator[ReachedSymbol]:
        """Yield what has places that may be direct uses; note how many such places there are."""
        if not self._open:
            return
        names = sorted({of.rpartition(".")[2] for _, of, _ in self._open.values()})
        places = counted(len(self._open), "place")
        self._notes.append(
            f"{places} named {named(names, 5)} could not be resolved and may be uses; "
            "they are not followed"
        )
        direct = [(use, of) for use, of, depth in self._open.values() if depth == 1]
        try:
            for use, of in direct[:_MOST_UNCERTAIN]:
                checkpoint()
                for user in self._user(use, of, 1):
                    if (user.path, user.name) not in seen:
                        seen.add((user.path, user.name))
                        yield user.model_copy(update={"certain": False})
        except TimeUp:
            self._notes.append("the time was up: not all of these places are listed")
