"""The files and declarations that a question is about, ranked."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nsmallest
from itertools import islice
from math import log, log1p
from threading import Lock
from typing import NamedTuple

from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.extract.file_words import number_of
from ipuaro_jupyter.index.resolve.candidates import declared_file
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion
from ipuaro_jupyter.index.retrieval.demoted import standing
from ipuaro_jupyter.index.retrieval.file_declarations import Declaration, FileDeclarations
from ipuaro_jupyter.index.retrieval.file_scores import FileScores, FileSearch
from ipuaro_jupyter.index.storage.fresh_reads import FreshReads
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.languages.registry import is_code

_READ = 40
_MOST_BYTES = 2_500_000
_KEPT = 300
_SATURATION, _LENGTH = 1.2, 0.6
_DECLARING = 0.6
_NAMED, _NAMED_WHOLE, _FAILED = 1.4, 2.0, 1.3
_HOLDING, _VALUE = 0.6, 0.8
_LEAST, _MOST_NAMED = 10, 5
_MOST_WHY = 4
_MOST_SYMBOLS = 200
_BEST_DECLARED, _BEST_TITLE = 0.2, 0.5
_IMPORTERS, _IMPORTED, _IMPORTING = 0.05, 0.15, 8
_OF_FILE = 0.5
_SURE = 0.5
_KNOWN, _TOLD = 0.6, 0.2
_CALLING, _CALLED = 6, 0.08
_SHORTEST_CALLED, _MOST_CALLED = 4, 3


class RankedFile(NamedTuple):
    """A file with its score, and what of the question it matches."""

    path: str
    score: float
    why: tuple[str, ...]


class RankedSymbol(NamedTuple):
    """A declaration with its score, and what of the question it matches."""

    path: str
    declared: Declaration
    score: float
    why: tuple[str, ...]


class Ranking(NamedTuple):
    """What a question is about, the best first.

    Attributes:
        files: The files that match.
        symbols: The declarations in the first of them.
        declarations: Those of each file that was read, by path.
        named: The files that the question names by their paths.
        weights: The words of the question that the project has, with how much each tells.
        is_sure: Whether enough of what the question's words tell is in the project, and in the best
            declarations, or it names a declaration.
    """

    files: tuple[RankedFile, ...]
    symbols: tuple[RankedSymbol, ...]
    declarations: Mapping[str, FileDeclarations]
    named: AbstractSet[str]
    weights: Mapping[str, float]
    is_sure: bool


class RankedSearch:
    """Ranks the files and declarations of a project by questions. Thread-safe.

    Args:
        stored: The index.
        sync: Brings it up to date.
        fresh: Reads it, checked against the disk.
        texts: The texts of the files.
    """

    def __init__(
        self, stored: StoredIndex, sync: IndexSync, fresh: FreshReads, texts: TextCache
    ) -> None:
        self._stored = stored
        self._sync = sync
        self._fresh = fresh
        self._texts = texts
        self._kept: OrderedDict[tuple[str, str], FileDeclarations] = OrderedDict()
        self._lock = Lock()

    def ranked(self, asked: AskedQuestion) -> Ranking:
        """The files and declarations that a question is about."""
        self._sync.catch_up()
        return self._fresh.checked(
            lambda: self._ranked(asked), lambda found: found.declarations.keys()
        )

    def named(self, asked: AskedQuestion) -> list[str]:
        """The files that a question names, by path, by symbol or by name, the surest first."""
        self._sync.catch_up()
        return FileSearch(self._stored, self._sync.snapshot, asked).named()[:_MOST_NAMED]

    def _ranked(self, asked: AskedQuestion) -> Ranking:
        snapshot = self._sync.snapshot
        found = FileSearch(self._stored, snapshot, asked).run()
        first = sorted(found.scores, key=lambda path: (-found.scores[path], path))
        if len(first) < _LEAST and (asked.words or asked.names):
            first += self._most_imported(snapshot, found.scores)
        read = self._declarations(first[:_READ], snapshot)
        words = _Words(asked, found, read, snapshot.files)
        scores = self._with_declarations(found, read, words)
        best = max(scores.values(), default=0.0) or 1.0
        scored = {
            (path, one): score * (_OF_FILE + scores[path] / best)
            for (path, one), score in words.scores.items()
        }
        _add_called(scored, read)
        only = {at for at in scored if found.only.get((at[0], at[1].qualified), 0) >= _SURE}
        named = found.named if len(asked.zones) == 1 else set()
        for path in {path for path, _ in only} | (named & scores.keys()):
            scores[path] += best
        order = sorted(scored, key=lambda at: (at not in only, -scored[at], at[0], at[1].line))
        del order[_MOST_SYMBOLS:]
        if len(order) < _LEAST:
            others = ((path, one) for path, file in read.items() for one in file.declared)
            order += islice((at for at in others if at not in scored), _LEAST)
        symbols = tuple(
            RankedSymbol(path, one, scored.get((path, one), 0.0), words.why(path, one))
            for path, one in order
        )
        files = tuple(
            RankedFile(path, scores[path], tuple(found.why.get(path, ())))
            for path in sorted(scores, key=lambda path: (-scores[path], path))
        )
        is_sure = bool(found.only) or words.are_known(order[:_LEAST])
        weights = {word: found.rarity[word] for word in found.known & found.rarity.keys()}
        return Ranking(files, symbols, read, found.named, weights, is_sure)

    def _most_imported(self, snapshot: Snapshot, known: Container[str]) -> list[str]:
        """The files that most others import, for a question of which the project has few words."""
        importers = {path: len(listed) for path, listed in self._stored.each_dependents()}
        rest = [path for path in snapshot.paths.values() if path not in known and is_code(path)]
        return nsmallest(_LEAST, rest, key=lambda path: (-importers.get(path, 0), path))

    def _declarations(
        self, paths: Sequence[str], snapshot: Snapshot
    ) -> dict[str, FileDeclarations]:
        """The declarations of files, of very large ones not of all."""
        blobs = self._stored.blobs(paths)
        left = _MOST_BYTES
        found: dict[str, FileDeclarations] = {}
        for path in paths:
            left -= snapshot.files[path].size
            if path in blobs and (left > 0 or not found):
                text = self._texts.of([path]).get(path)
                if text is not None:
                    found[path] = self._file(path, blobs[path], *text)
        return found

    def _file(self, path: str, blob: bytes, text: bytes, hash_: str) -> FileDeclarations:
        with self._lock:
            known = self._kept.pop((path, hash_), None) or FileDeclarations(blob, text)
            self._kept[path, hash_] = known
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return known

    def _with_declarations(
        self, found: FileScores, read: Mapping[str, FileDeclarations], words: "_Words"
    ) -> dict[str, float]:
        """The scores of the files, with what their best declarations and imports count."""
        scores = dict.fromkeys(read, 0.0) | dict(found.scores)
        best = {path: words.best(path) for path in read}
        for place, weight in enumerate((_BEST_DECLARED, _BEST_TITLE)):
            most = max((pair[place] for pair in best.values()), default=0.0)
            for path, pair in best.items():
                scores[path] += weight * pair[place] / most if most else 0.0
        first = sorted(read, key=lambda path: (-scores[path], path))[:_IMPORTING]
        whole = sum(scores[path] for path in first) or 1.0
        for path, links in self._stored.links(first).items():
            for target in {target for link in links for target in link.targets} & read.keys():
                scores[target] += _IMPORTED * scores[path] / whole
        for path, importers in self._stored.dependents([*read]).items():
            scores[path] += _IMPORTERS * log1p(len(importers))
        return scores


def _add_called(
    scored: dict[tuple[str, Declaration], float], read: Mapping[str, FileDeclarations]
) -> None:
    """Add what the first declarations count for those that they call: one hop along the calls."""
    first = sorted(scored, key=lambda at: (-scored[at], at[0], at[1].line))[:_CALLING]
    named: defaultdict[str, list[tuple[str, Declaration]]] = defaultdict(list)
    for path, file in read.items():
        for one in file.declared:
            named[one.name].append((path, one))
    added: defaultdict[tuple[str, Declaration], float] = defaultdict(float)
    for path, one in first:
        if one.is_holding:
            continue
        for name in read[path].names_in(one) & named.keys():
            called = [at for at in named[name] if at != (path, one)]
            if len(name) >= _SHORTEST_CALLED and len(called) <= _MOST_CALLED:
                for at in called:
                    added[at] += _CALLED * scored[path, one] / len(called)
    for at, score in added.items():
        scored[at] = scored.get(at, 0.0) + score


class _Words:
    """Scores declarations by the words of a question.

    Args:
        asked: The question.
        found: The files, and what words tell.
        read: The declarations of the first of them.
        files: All paths of the project.
    """

    def __init__(
        self,
        asked: AskedQuestion,
        found: FileScores,
        read: Mapping[str, FileDeclarations],
        files: Container[str],
    ) -> None:
        self._asked = asked
        self._describing = {path for path in read if declared_file(path, files)}
        self._found = found
        self._read = read
        self._numbers = {word: number_of(word) for word in asked.words if word in found.rarity}
        self._title = asked.zones[0].words if asked.zones else {}
        self._failed = {(frame.path.rpartition("/")[2], frame.name) for frame in asked.frames}
        self.scores: dict[tuple[str, Declaration], float] = {}
        self._best: dict[str, tuple[float, float]] = {}
        self._told: dict[tuple[str, Declaration], dict[str, float]] = {}
        self._score_all()

    def why(self, path: str, one: Declaration) -> tuple[str, ...]:
        """The words of the question that tell most of a declaration."""
        told = self._told.get((path, one), {})
        best = sorted(told, key=lambda word: -told[word])[:_MOST_WHY]
        return tuple(self._asked.written.get(word, word) for word in best)

    def best(self, path: str) -> tuple[float, float]:
        """The best score of a file's declarations: for all words, and for the first line's."""
        return self._best.get(path, (0.0, 0.0))

    def are_known(self, declared: Iterable[tuple[str, Declaration]]) -> bool:
        """Whether the project and the best declarations have enough of what the words tell."""
        rarity = self._found.rarity
        said = rarity.keys() & self._asked.written.keys()
        told = {word for at in declared for word in self._told.get(at, ())}
        whole = sum(map(rarity.__getitem__, said))
        return all(
            sum(map(rarity.__getitem__, said & words)) >= share * whole > 0
            for words, share in ((self._found.known, _KNOWN), (told, _TOLD))
        )

    def _score_all(self) -> None:
        words = {number: word for word, number in self._numbers.items()}
        counts = {path: file.counts(words) for path, file in self._read.items()}
        lengths = {path: file.lengths() for path, file in self._read.items()}
        many = sum(map(len, lengths.values()))
        usual = sum(map(sum, lengths.values())) / many if many else 1.0
        having = Counter(
            number for said in counts.values() for one in said.values() for number in one
        )
        rarity = {number: log(1 + (many - n + 0.5) / (n + 0.5)) for number, n in having.items()}
        for path, of_file in counts.items():
            declared, length = self._read[path].declared, lengths[path]
            for place, said in of_file.items():
                room = _SATURATION * (1 - _LENGTH + _LENGTH * length[place] / usual)
                told = {
                    words[number]: rarity[number] * count * (_SATURATION + 1) / (count + room)
                    for number, count in said.items()
                }
                self._add(path, declared[place], told)

    def _add(self, path: str, one: Declaration, told: Mapping[str, float]) -> None:
        """Score a declaration by what each of its words tells."""
        boost = self._boost(path, one)
        weighted = {word: boost * self._asked.words[word] * tells for word, tells in told.items()}
        title = sum(self._title[word] * told[word] for word in told.keys() & self._title.keys())
        score = sum(weighted.values())
        self.scores[path, one] = score
        best, best_title = self._best.get(path, (0.0, 0.0))
        self._best[path] = max(best, score), max(best_title, boost * title)
        self._told[path, one] = weighted

    def _boost(self, path: str, one: Declaration) -> float:
        named = self._found.meant.get(path, {}).get(one.qualified)
        boost = standing(path, self._asked)
        boost *= _DECLARING if path in self._describing else 1.0
        boost *= 1.0 if named is None else _NAMED_WHOLE if named else _NAMED
        if (path.rpartition("/")[2], one.name) in self._failed:
            boost *= _FAILED
        return boost * (_HOLDING if one.is_holding else _VALUE if one.is_value else 1.0)
