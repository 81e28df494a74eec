"""The declarations that have to keep one name: members that override or implement one another."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.index.binding.members import Found
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.extract.ecmascript.scopes import is_understood
from ipuaro_jupyter.index.resolve.candidates import files_beside
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.languages.registry import is_code


class MemberFamilies:
    """Finds members of classes and interfaces that override or implement one another.

    Args:
        stored: The index.
        files: The opened files.
        finder: Resolves names, in the same state.
        paths: The files, by id.
    """

    def __init__(
        self,
        stored: StoredIndex,
        files: OpenedFiles,
        finder: ReferenceFinder,
        paths: Mapping[int, str],
    ) -> None:
        self._stored = stored
        self._files = files
        self._finder = finder
        self._paths = paths

    def of(self, declared: Declaration) -> frozenset[Declaration]:
        """A declaration with those that override, implement or are overridden by it.

        And with those that are one with it, as those of an interface that a module adds to, and
        that in the declaration file beside its own.
        """
        _, qualified = declared
        holder, _, name = qualified.rpartition(".")
        edges = self._edges(name) if holder else {}
        members = self._finder.names.members
        family, waiting = {declared}, [declared]
        while waiting:
            checkpoint()
            one = waiting.pop()
            others = edges.get(one, set()) | members.merged(one).declared
            for other in {*others, *self._declared_beside(one)}:
                if other not in family:
                    family.add(other)
                    waiting.append(other)
        return frozenset(family)

    def overridden(self, members: Iterable[Declaration]) -> Found:
        """The declarations that members override or implement, without themselves."""
        given = set(members)
        found: Found = set()
        for path, qualified in given:
            owner, _, name = qualified.rpartition(".")
            if owner:
                found |= set(self._declaring(self.ancestors((path, owner)), name))
        return found - given

    def named(self, owners: Iterable[Declaration], name: str) -> Found:
        """The members of a name that owners have, inherit or that their subclasses declare."""
        given = set(owners)
        found: Found = set()
        for owner in given:
            found |= set(self._declaring(self.ancestors(owner) | {owner}, name))
        for path, qualified in self._called(name):
            owner = (path, qualified.rpartition(".")[0])
            if not given.isdisjoint(self.ancestors(owner)):
                found.add((path, qualified))
        return found

    def outer_bases(self, members: Iterable[Declaration]) -> set[str]:
        """The bases of the owners of members that no file of the project declares, as written."""
        found: set[str] = set()
        for path, qualified in members:
            owner = qualified.rpartition(".")[0]
            if not owner:
                continue
            for holder in {(path, owner), *self.ancestors((path, owner))}:
                found |= self._finder.names.members.outer_bases(holder)
        return found

    def ancestors(self, owner: Declaration) -> Found:
        """The classes and interfaces that a class or interface inherits from, among the files."""
        found: Found = set()
        waiting = [owner]
        while waiting:
            checkpoint()
            new = self._bases(waiting.pop()) - found
            found |= new
            waiting += new
        return found - {owner}

    def _bases(self, owner: Declaration) -> Found:
        if is_understood(owner[0]) is not None:
            members = self._finder.names.members
            return members.bases(owner) | members.added_bases(owner)
        return self._finder.python.bases(owner)

    def _edges(self, name: str) -> dict[Declaration, Found]:
        """The pairs of members called ``name`` of which one overrides the other, both ways."""
        edges: dict[Declaration, Found] = {}
        called = list(self._called(name))
        members = self._finder.names.members
        members.load_merged((path, qualified.rpartition(".")[0]) for path, qualified in called)
        for path, qualified in called:
            owner = (path, qualified.rpartition(".")[0])
            for other in self._declaring(self.ancestors(owner), name):
                edges.setdefault((path, qualified), set()).add(other)
                edges.setdefault(other, set()).add((path, qualified))
        return edges

    def _declaring(self, owners: Iterable[Declaration], name: str) -> Iterator[Declaration]:
        for path, qualified in owners:
            if self._files.file(path).declares(f"{qualified}.{name}"):
                yield path, f"{qualified}.{name}"

    def _declared_beside(self, declared: Declaration) -> Iterator[Declaration]:
        """Yield the declaration that describes one, or that it describes."""
        path, qualified = declared
        for other in files_beside(path, self._all_paths):
            if self._files.file(other).declares(qualified):
                yield other, qualified

    @cached_property
    def _all_paths(self) -> frozenset[str]:
        return frozenset(self._paths.values())

    def _called(self, name: str) -> Iterator[Declaration]:
        """Yield the members called ``name``."""
        for entry in self._stored.called([name]).get(name, ()):
            path = self._paths.get(entry.number, "")
            if "." in entry.qualified and is_code(path):
                yield path, entry.qualified
