"""The cached state for lookups of references, valid while the index is unchanged."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock

from ipuaro_jupyter.index.binding.alias_resolver import AliasResolver
from ipuaro_jupyter.index.binding.alias_resolver import Declaration as Declaration  # noqa: PLC0414
from ipuaro_jupyter.index.binding.enclosing import Enclosing
from ipuaro_jupyter.index.binding.kept_answers import KeptAnswers
from ipuaro_jupyter.index.binding.member_family import MemberFamilies
from ipuaro_jupyter.index.binding.opened_files import OpenedFiles
from ipuaro_jupyter.index.binding.references import ReferenceFinder
from ipuaro_jupyter.index.binding.renaming import Renamer
from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.binding.uses import Uses, UsesAnswer, UsesQuestion
from ipuaro_jupyter.index.extract.facts_format import LineRange, declared_range
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import StoredIndex

_MOST_BYTES = 32_000_000
_MOST_PARSED_BYTES = 1_000_000
_MOST_MEMBERS = 20  # whose bases are looked at


class LookupState:
    """The state shared by lookups in one state of the index.

    Attributes:
        generation: Identifies the state.
        files: The opened files.
        aliases: Follows names through imports.
        references: Finds the uses of symbols.
        renamer: Computes renames.
        families: Finds members that override or implement one another.
        stored: The index.
        paths: The files, by id.
        known: The entries of all files, by path.
    """

    def __init__(
        self,
        stored: StoredIndex,
        texts: TextCache,
        snapshot: Snapshot,
        aliases: AliasResolver,
        answers: KeptAnswers,
        *,
        most_bytes: int,
    ) -> None:
        known, paths = snapshot.files, snapshot.paths
        self._answers = answers
        self._answer: UsesAnswer | None = None
        self._snapshot, self.generation = snapshot, snapshot.generation
        self.files = OpenedFiles(stored, texts, known=known, most_bytes=most_bytes)
        self.stored, self.aliases, self.paths, self.known = stored, aliases, paths, known
        self.references = ReferenceFinder(stored, self.files, aliases, paths)
        self.renamer = Renamer(stored, self.files, aliases, self.references, paths)
        self._enclosing = Enclosing(stored)
        self.families = MemberFamilies(stored, self.files, self.references, paths)

    def begin(self) -> None:
        """Begin another lookup."""
        self._answer = None

    def uses(
        self, symbol: str, within: str | None, *, limit: int | None, declared_in: str = ""
    ) -> Uses:
        """The uses of a symbol, from the latest answers if it was asked before.

        See `ReferenceFinder.of`.
        """
        asked = UsesQuestion(symbol, within, limit, declared_in)
        self._answer = self._answers.get(self.generation, asked, lambda: self._made(asked))
        uses = self._answer.uses
        return uses._replace(first=[*uses.first])  # the list may be changed

    @property
    def used(self) -> Mapping[str, str]:
        """The files that the lookup has used, with the hashes they had when they were read."""
        if self._answer is not None:
            return self._answer.used
        return {path: file.hash for path, file in self.files.used.items()}

    @property
    def is_kept(self) -> bool:
        """Whether it has parsed everything it needed, and takes little memory."""
        is_small = self.files.size_bytes <= _MOST_BYTES
        is_small = is_small and self.files.parsed_bytes <= _MOST_PARSED_BYTES
        return is_small and not self.files.is_exhausted

    def stale(self, snapshot: Snapshot) -> list[str]:
        """The files of the last lookup that differed from the index when they were read."""
        return snapshot.differing(self.used)

    def _made(self, asked: UsesQuestion) -> UsesAnswer:
        with self.files.as_one():
            overridden = self._overridden(asked)  # first: the search may take all the time there is
            found = self.references.of(
                asked.symbol, asked.within, limit=asked.limit, declared_in=asked.declared_in
            )
        self.stored.must_be_whole()  # before the answer is kept
        used = {path: file.hash for path, file in self.files.used.items()}
        is_kept = not found.not_looked_at and not self._snapshot.differing(used)
        uses = found._replace(contexts={}, overridden=overridden)
        if asked.limit is not None and not found.not_looked_at:  # listed, and there is time
            around = self._enclosing.of((*found.first, *found.unresolved))
            uses = uses._replace(around=around, range=self._range(found.declared))
        return UsesAnswer(uses, used, is_kept=is_kept)

    def _range(self, declared: frozenset[Declaration]) -> LineRange | None:
        """The lines of the one declaration, if there is just one."""
        if len(declared) != 1:
            return None
        ((path, qualified),) = declared
        facts = self.stored.blob(path)
        return None if facts is None else declared_range(facts, qualified)

    def _overridden(self, asked: UsesQuestion) -> frozenset[Declaration] | None:
        """What the members of an exact query override; None when there are many of them."""
        if not asked.declared_in and "." not in asked.symbol:
            return frozenset()
        declared = self.references.declared(asked.symbol, asked.declared_in)
        members = [one for one in declared if "." in one[1]]
        if len(members) > _MOST_MEMBERS:
            return None
        return frozenset(self.families.overridden(members))


class ReferenceCache:
    """Lends out the cached state; thread-safe.

    Args:
        stored: The index.
        texts: Reads the files.
        most_bytes: The amount of source parsed at most for one lookup.
    """

    def __init__(self, stored: StoredIndex, texts: TextCache, *, most_bytes: int) -> None:
        self._stored = stored
        self._texts = texts
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._asked: LookupState | None = None
        self._aliases: tuple[bytes, AliasResolver] = (b"", AliasResolver(stored))
        self._answers = KeptAnswers()

    @contextmanager
    def at(self, snapshot: Snapshot) -> Iterator[LookupState]:
        """Provide the cached state for one state of the index, exclusively."""
        if not self._lock.acquire(blocking=False):  # another thread has it
            yield self._state(snapshot, AliasResolver(self._stored), KeptAnswers())
            return
        try:
            asked, self._asked = self._asked, None
            if asked is None or not asked.generation or asked.generation != snapshot.generation:
                asked = self._made(snapshot)
            asked.begin()
            yield asked
            if asked.is_kept:
                self._asked = asked
        finally:
            self._lock.release()

    def _made(self, snapshot: Snapshot) -> LookupState:
        if not snapshot.generation or self._aliases[0] != snapshot.generation:
            self._aliases = snapshot.generation, AliasResolver(self._stored)
        return self._state(snapshot, self._aliases[1], self._answers)

    def _state(
        self, snapshot: Snapshot, aliases: AliasResolver, answers: KeptAnswers
    ) -> LookupState:
        most = self._most_bytes
        return LookupState(self._stored, self._texts, snapshot, aliases, answers, most_bytes=most)
