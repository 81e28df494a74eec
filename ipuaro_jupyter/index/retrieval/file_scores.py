"""How well the files of a project match a question, by their words and by what it names."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import islice
from math import log
from typing import NamedTuple

from ipuaro_jupyter.index.extract.file_words import cells_of, counted, number_of, row_of
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion, WrittenFrame
from ipuaro_jupyter.index.retrieval.demoted import standing
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import FileEntry, StoredIndex, SymbolEntry

_SATURATION = 1.2
_LENGTH = 0.75
_USUAL_BYTES = 10_000
_LONGEST = 12.0
"""BM25 (Robertson and Walker, SIGIR 1994); a file counts as at most so many usual ones."""
_NAMES = (0.9, 0.4, 0.2)
_TOP_NAMES = (0.2, 0.1, 0.0)
_FILE_NAMES = (0.15, 0.08, 0.0)
"""What a name in the first line, in other sentences and in code counts."""
_MOST_SCORED = 1000
_MOST_DECLARING = 5
_MOST_CALLED = 3
_PATH, _FILE_NAME = 0.6, 0.3
_FRAME = 0.3
_MOST_PLAIN = 400


class FileScores(NamedTuple):
    """The files that match a question.

    Attributes:
        scores: By path.
        why: What of the question they match, by path, the most telling first.
        rarity: How much each word tells, also those that no file has; without those left out.
        meant: The declarations that the question names: by path, their qualified names, each with
            whether it is named in full.
        only: Those of them that few others are called like, for a question of one line: path and
            qualified name, with how sure it is that the word is a name.
        named: The files that it names by their paths.
        known: The words that some file has.
    """

    scores: Mapping[str, float]
    why: Mapping[str, Sequence[str]]
    rarity: Mapping[str, float]
    meant: Mapping[str, Mapping[str, bool]]
    only: Mapping[tuple[str, str], float]
    named: AbstractSet[str]
    known: AbstractSet[str]


class FileSearch:
    """Scores the files of a project for one question.

    Args:
        stored: The index.
        snapshot: Its state.
        asked: The question.
    """

    def __init__(self, stored: StoredIndex, snapshot: Snapshot, asked: AskedQuestion) -> None:
        self._stored = stored
        self._files = snapshot.files
        self._paths = snapshot.paths
        self._asked = asked
        self._scores: defaultdict[str, float] = defaultdict(float)
        self._why: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._meant: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        self._rarity: dict[str, float] = {}
        self._known: dict[str, dict[str, float]] = {}
        self._only: dict[tuple[str, str], float] = {}
        self._named: set[str] = set()
        self._wanted: set[str] = set()

    def run(self) -> FileScores:
        """The files that match, those of all words and names that it has."""
        self._add_symbols()
        self._add_words()
        self._add_files()
        for path in self._scores.keys() - self._wanted:
            self._scores[path] *= standing(path, self._asked)
        why = {path: sorted(said, key=lambda one: -said[one]) for path, said in self._why.items()}
        return FileScores(
            scores=self._scores,
            why=why,
            rarity=self._rarity,
            known=self._known.keys(),
            meant=self._meant,
            only=self._only,
            named=self._named,
        )

    def named(self) -> list[str]:
        """The files that the question names, by path, by symbol or by name, the surest first."""
        self._add_symbols()
        self._add_files()
        return sorted(self._scores, key=lambda path: (-self._scores[path], path))

    def _add(self, path: str, score: float, why: str) -> None:
        self._scores[path] += score
        self._why[path][why] = max(score, self._why[path].get(why, 0.0))

    def _add_words(self) -> None:
        """Add what the words count, each zone by its best file."""
        zones = self._asked.zones
        found: list[defaultdict[str, float]] = [defaultdict(float) for _ in zones]
        rooms = _Rooms(self._files)
        left_out = self._asked.structural if self._meant else frozenset()
        words = self._asked.words.keys() - left_out
        self._known = self._cells(words)
        for word in words:
            cells = self._known.get(word, {})
            rarity = self._rarity[word] = log(
                1 + (len(self._paths) - len(cells) + 0.5) / (len(cells) + 0.5)
            )
            said = [
                (place, zone.words[word]) for place, zone in enumerate(zones) if word in zone.words
            ]
            for path, count in cells.items():
                weight = rarity * count * (_SATURATION + 1) / (count + rooms[path])
                for place, times in said:
                    found[place][path] += times * weight
        for zone, scores in zip(zones, found, strict=True):
            most = nlargest(_MOST_SCORED, scores, key=scores.__getitem__)
            best = max((scores[path] * standing(path, self._asked) for path in most), default=0.0)
            for path in most:
                self._scores[path] += zone.weight * scores[path] / best

    def _cells(self, words: Iterable[str]) -> dict[str, dict[str, float]]:
        """The files that have words, each with about how often."""
        numbers = {word: number_of(word) for word in words}
        rows = self._stored.words([*dict.fromkeys(map(row_of, numbers.values()))])
        found = {}
        for word, number in numbers.items():
            cells = cells_of(number, rows.get(row_of(number), b""))
            counts = {
                path: counted(cell >> 32)
                for cell in cells
                if (path := self._paths.get(cell & 0xFFFFFFFF)) is not None
            }
            if counts:
                found[word] = counts
        return found

    def _add_symbols(self) -> None:
        """Add what the declared names in the question count."""
        names = self._asked.names
        plain = [word for zone in self._asked.zones[:2] for word in zone.plain if word not in names]
        declared = self._stored.symbols([*names, *islice(dict.fromkeys(plain), _MOST_PLAIN)])
        shares = zip(self._asked.zones, _NAMES, _TOP_NAMES, strict=False)
        for zone, of_name, of_top in shares:
            for name, sure in zone.names.items():
                entries = self._entries(declared.get(name, ()), is_sure=sure == 1)
                self._share(entries, of_name * sure, name, _MOST_DECLARING)
                for path, entry in entries:
                    known = self._meant[path].get(entry.qualified, False)
                    self._meant[path][entry.qualified] = known or "." in name
                places = {(path, entry.qualified) for path, entry in entries}
                if len(places) <= _MOST_CALLED and len(self._asked.zones) == 1:
                    for place in places:
                        self._only[place] = max(sure, self._only.get(place, 0.0))
            for name in zone.plain - zone.names.keys():
                entries = self._entries(declared.get(name, ()))
                top = [(path, entry) for path, entry in entries if "." not in entry.qualified]
                self._share(top, of_top, name, _MOST_CALLED)

    def _entries(
        self, entries: Iterable[SymbolEntry], *, is_sure: bool = False
    ) -> list[tuple[str, SymbolEntry]]:
        """Declarations with their files, without those in tests, unless these are asked for.

        They are where a name that is written as code is declared nowhere else.
        """
        known = [(self._paths[one.number], one) for one in entries if one.number in self._paths]
        usual = [(path, one) for path, one in known if standing(path, self._asked) == 1.0]
        if usual or not is_sure or len(known) > _MOST_CALLED:
            return usual
        self._wanted |= {path for path, _ in known}
        return known

    def _share(
        self, entries: Sequence[tuple[str, SymbolEntry]], score: float, name: str, most: int
    ) -> None:
        """Divide a score among the files that declare a name, if they are few."""
        paths = {path for path, _ in entries}
        if score and len(paths) <= most:
            for path in paths:
                self._add(path, score / len(paths), f"declares {name}")

    def _add_files(self) -> None:
        """Add what the files that the question names count: by path, module, frame or name."""
        asked = self._asked
        written = {path: _stem(path) for path in asked.paths}
        frames = {frame: _stem(frame.path) for frame in reversed(asked.frames)}
        modules = {part for one in asked.modules for part in one.lower().split(".")}
        stems = {*written.values(), *frames.values(), *modules}
        plain = {word.lower() for zone in asked.zones[:2] for word in zone.plain}
        named = self._cells(f"/{stem}" for stem in [*stems, *islice(plain - stems, _MOST_PLAIN)])
        files = {word[1:]: [*counts] for word, counts in named.items()}
        for path, stem in written.items():
            found = [file for file in files.get(stem, ()) if _is_end(file, path)]
            self._add_named(found, _PATH if "/" in path else _FILE_NAME, f"{path} is named")
        for module in asked.modules:
            self._add_named(_modules(module, files), _PATH, f"{module} is named")
        for depth, (frame, stem) in enumerate(frames.items()):
            found = [file for file in files.get(stem, ()) if _is_of(file, frame)]
            self._add_named(found, _FRAME / (1 + depth), f"line {frame.line} of it failed")
        for zone, score in zip(asked.zones, _FILE_NAMES, strict=False):
            for word in zone.plain if score else ():
                meant = [f for f in files.get(word.lower(), ()) if standing(f, asked) == 1.0]
                for file in meant if len(meant) <= _MOST_CALLED else ():
                    self._add(file, score / len(meant), f"is called {word}")

    def _add_named(self, files: Iterable[str], score: float, why: str) -> None:
        """Add a score to files that are named, to each of them once."""
        for file in files:
            if file not in self._named:
                self._named.add(file)
                self._add(file, score, why)


def _stem(path: str) -> str:
    """The name of a file without its extension, in lower case."""
    return path.rpartition("/")[2].partition(".")[0].lower()


def _is_of(path: str, frame: WrittenFrame) -> bool:
    """Whether a file of the project is the one of a frame, wherever that was run."""
    return _is_end(path, frame.path) or _is_end(frame.path, path)


class _Rooms(dict[str, float]):
    """How much the length of each file weakens what words count in it."""

    def __init__(self, files: Mapping[str, FileEntry]) -> None:
        super().__init__()
        self._files = files

    def __missing__(self, path: str) -> float:
        relative = min(_LONGEST, self._files[path].size / _USUAL_BYTES)
        self[path] = found = _SATURATION * (1 - _LENGTH + _LENGTH * relative)
        return found


def _is_end(path: str, end: str) -> bool:
    return f"/{path.lower()}".endswith(f"/{end.lower()}")


def _modules(name: str, files: Mapping[str, Sequence[str]]) -> list[str]:
    """The files of the longest beginning of a chain of names that is a module."""
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        folder = "/".join(parts[:count]).lower()
        found = [
            file
            for file in files.get(parts[count - 1].lower(), ())
            if (bare := file.rpartition(".")[0].lower()).endswith(folder)
            or bare.rpartition("/")[0].endswith(folder)
        ]
        if found:
            return found
    return []
