"""The files and declarations that a question is about, ranked."""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from math import log, log1p
from threading import Lock
from typing import NamedTuple

from ipuaro_jupyter.index.binding.text_cache import TextCache
from ipuaro_jupyter.index.extract.file_words import number_of
from ipuaro_jupyter.index.extract.split_words import words_in
from ipuaro_jupyter.index.retrieval.asked import Asked
from ipuaro_jupyter.index.retrieval.declarations import Declaration, FileDeclarations
from ipuaro_jupyter.index.retrieval.file_scores import FileScores, FileSearch
from ipuaro_jupyter.index.storage.fresh_reads import FreshReads
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync

_READ = 40
_MOST_BYTES = 2_500_000
_KEPT = 300
_SATURATION, _LENGTH = 1.2, 0.6
_IN_NAME, _IN_OWNER = 3.0, 1.0
_NAMED, _NAMED_WHOLE, _FAILED = 1.4, 2.0, 1.3
_WHOLE = 0.6
_BEST_DECLARED, _BEST_TITLE = 0.4, 0.3
_IMPORTERS, _IMPORTED, _IMPORTING = 0.05, 0.15, 8
_OF_FILE = 0.5


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
        known: The share of the question's words that the project has.
    """

    files: tuple[RankedFile, ...]
    symbols: tuple[RankedSymbol, ...]
    declarations: Mapping[str, FileDeclarations]
    known: float


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

    def ranked(self, asked: Asked) -> Ranking:
        """The files and declarations that a question is about."""
        self._sync.catch_up()
        return self._fresh.checked(
            lambda: self._ranked(asked), lambda found: found.declarations.keys()
        )

    def _ranked(self, asked: Asked) -> Ranking:
        snapshot = self._sync.snapshot
        found = FileSearch(self._stored, snapshot, asked).run()
        order = sorted(found.scores, key=lambda path: (-found.scores[path], path))
        read = self._declarations(order[:_READ])
        words = _Words(asked, found, read)
        scores = self._with_declarations(found, read, words)
        best = max(scores.values(), default=0.0) or 1.0
        symbols = [
            RankedSymbol(
                path, one, words.score(path, one) * (_OF_FILE + scores[path] / best), words.why(path, one)
            )
            for path in read
            for one in read[path].declared
        ]
        symbols.sort(key=lambda one: (-one.score, one.path, one.declared.line))
        files = tuple(
            RankedFile(path, scores[path], tuple(found.why.get(path, ())))
            for path in sorted(scores, key=lambda path: (-scores[path], path))
        )
        told = [word for word in asked.words if word in found.rarity]
        known = len(told) / len(asked.words) if asked.words else 0.0
        return Ranking(files, tuple(one for one in symbols if one.score), read, known)

    def _declarations(self, paths: Sequence[str]) -> dict[str, FileDeclarations]:
        """The declarations of files, of very large ones not of all."""
        blobs = self._stored.blobs(paths)
        left = _MOST_BYTES
        found = {}
        for path in paths:
            left -= self._sync.snapshot.files[path].size
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
        scores = dict(found.scores)
        best = {path: words.best(path) for path in read}
        for place, weight in enumerate((_BEST_DECLARED, _BEST_TITLE)):
            most = max((pair[place] for pair in best.values()), default=0.0)
            for path, pair in best.items():
                scores[path] += weight * pair[place] / most if most else 0.0
        first = sorted(read, key=lambda path: (-scores[path], path))[:_IMPORTING]
        whole = sum(scores[path] for path in first)
        for path, links in self._stored.links(first).items():
            for target in {target for link in links for target in link.targets} & read.keys():
                scores[target] += _IMPORTED * scores[path] / whole
        for path, importers in self._stored.dependents([*read]).items():
            scores[path] += _IMPORTERS * log1p(len(importers))
        return scores


class _Words:
    """Scores declarations by the words of a question.

    Args:
        asked: The question.
        found: The files, and what words tell.
        read: The declarations of the first of them.
    """

    def __init__(
        self, asked: Asked, found: FileScores, read: Mapping[str, FileDeclarations]
    ) -> None:
        self._asked = asked
        self._found = found
        self._read = read
        self._numbers = {word: number_of(word) for word in asked.words if word in found.rarity}
        self._title = asked.zones[0].words if asked.zones else {}
        self._failed = {(frame.path.rpartition("/")[2], frame.name) for frame in asked.frames}
        self._scores: dict[tuple[str, Declaration], tuple[float, float]] = {}
        self._why: dict[tuple[str, Declaration], tuple[str, ...]] = {}
        self._score_all()

    def score(self, path: str, one: Declaration) -> float:
        """The score of a declaration."""
        return self._scores[path, one][0]

    def why(self, path: str, one: Declaration) -> tuple[str, ...]:
        """The words of the question that tell most of a declaration."""
        return self._why.get((path, one), ())

    def best(self, path: str) -> tuple[float, float]:
        """The best score of a file's declarations, for all words and for those of the first line."""
        scores = [self._scores[path, one] for one in self._read[path].declared]
        return max((s for s, _ in scores), default=0.0), max((t for _, t in scores), default=0.0)

    def _score_all(self) -> None:
        counts: dict[tuple[str, Declaration], dict[str, float]] = {}
        having: Counter[str] = Counter()
        whole = 0
        for path, file in self._read.items():
            there = {word: n for word, n in self._numbers.items() if n in file.lines_of}
            for one in file.declared:
                said = self._counts(file, one, there)
                counts[path, one] = said
                having.update(said.keys())
                whole += file.length(one.line, one.end)
        usual = whole / len(counts) if counts else 1.0
        rarity = {
            word: log(1 + (len(counts) - many + 0.5) / (many + 0.5)) for word, many in having.items()
        }
        for (path, one), said in counts.items():
            length = self._read[path].length(one.line, one.end)
            room = _SATURATION * (1 - _LENGTH + _LENGTH * length / usual)
            told = {
                word: rarity[word] * count * (_SATURATION + 1) / (count + room)
                for word, count in said.items()
            }
            boost = self._boost(path, one)
            score = boost * sum(self._asked.words[word] * weight for word, weight in told.items())
            title = boost * sum(
                self._title[word] * weight for word, weight in told.items() if word in self._title
            )
            self._scores[path, one] = score, title
            best = sorted(told, key=lambda word: -told[word] * self._asked.words[word])[:4]
            self._why[path, one] = tuple(best)

    def _counts(
        self, file: FileDeclarations, one: Declaration, there: Mapping[str, int]
    ) -> dict[str, float]:
        """How often the words of the question occur in a declaration, more for those of its name."""
        said: defaultdict[str, float] = defaultdict(float)
        for word, number in there.items():
            if count := file.count(number, one.line, one.end):
                said[word] = count
        for word in _words_of(one.name):
            if word in self._numbers:
                said[word] += _IN_NAME
        for word in _words_of(one.qualified.rpartition(".")[0]):
            if word in self._numbers:
                said[word] += _IN_OWNER
        return said

    def _boost(self, path: str, one: Declaration) -> float:
        named = self._found.meant.get(path, {}).get(one.qualified)
        boost = 1.0 if named is None else _NAMED_WHOLE if named else _NAMED
        if (path.rpartition("/")[2], one.name) in self._failed:
            boost *= _FAILED
        return boost * (_WHOLE if one.is_whole else 1.0)


def _words_of(name: str) -> frozenset[str]:
    return frozenset(words_in(name))
