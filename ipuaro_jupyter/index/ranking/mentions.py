"""The files of a project that a conversation is about, judged by its words."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import sqrt
from typing import NamedTuple

from ipuaro_jupyter.index.extract.split_words import words_in
from ipuaro_jupyter.index.ranking.survey import Survey

_PATHS = (  # a path may contain brackets, and may be enclosed in some
    re.compile(r"[^\s`'\"<>|,;:*?!]+"),
    re.compile(r"[^\s`'\"<>|,;:*?!()\[\]#]+"),
)
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*")
_LONGEST_TEXT = 20_000
_MOST_TEXTS = 12
_MOST_NAMES = 300
_MOST_WORDS = 3000
_MOST_MEANT = 30
_MOST_ABOUT = 30
_FADING = 0.5
_FAINTEST = 1 / 16

_CHANGED = 0.5
_WRITTEN = 0.25


class Mentions(NamedTuple):
    """The files and names that a conversation is about.

    Attributes:
        files: Files by number, each with its weight.
        names: The identifiers in the texts, with each part of the qualified ones.
    """

    files: Mapping[int, float]
    names: frozenset[str]


def mentions_in(survey: Survey, texts: Sequence[str], *, changed: Iterable[str]) -> Mentions:
    """The files that texts refer to: by path or name, by a symbol, or by words.

    Words are matched with those in the names of files and of their declarations. Recently changed
    files get a little weight too: the given ones, and those written well after all others.

    Args:
        survey: The project.
        texts: The messages, the latest last; each earlier one has half the weight, and very old
            ones have none.
        changed: Paths of files that the conversation has changed.
    """
    files: defaultdict[int, float] = defaultdict(float)
    names: set[str] = set()
    latest_first = [text[:_LONGEST_TEXT] for text in reversed(texts[-_MOST_TEXTS:])]
    said = [_names(text) for text in latest_first]
    every = [name for found in said for name in found][:_MOST_NAMES]
    declared = survey.declared(list(dict.fromkeys(every)))
    for place, (text, found) in enumerate(zip(latest_first, said, strict=True)):
        weight = max(_FAINTEST, _FADING**place)
        named = (survey.named.get(name.lower(), ()) for name in found)
        symbols = (declared.get(name, ()) for name in found)
        for meant in (*_paths(survey, text), *named, *symbols):
            _distribute(files, meant, weight)
        _share_words(files, survey, text, weight)
        names |= found.keys()
    known = survey.numbers.keys() & set(changed)
    _distribute(files, sorted(survey.numbers[path] for path in known), _CHANGED)
    _distribute(files, survey.written_lately, _WRITTEN)
    return Mentions(files, frozenset(part for name in names for part in {name, *name.split(".")}))


def paths_named(survey: Survey, text: str) -> list[int]:
    """The files, by number, that a text names by path, or by a name that only a few have."""
    found = _paths(survey, text[:_LONGEST_TEXT])
    return list(dict.fromkeys(n for meant in found if len(meant) <= _MOST_MEANT for n in meant))


def identifiers(text: str) -> list[str]:
    """The words of a text that could be names of symbols, each once, plain words last."""
    found = (match[0].replace("::", ".").replace("#", ".") for match in _NAME.finditer(text))
    return sorted(dict.fromkeys(islice(found, _MOST_WORDS)), key=_is_word)


def _is_word(name: str) -> bool:
    return name.isalpha() and name[1:].islower()


def _paths(survey: Survey, text: str) -> list[Sequence[int]]:
    """The files of each path in a text: given in full, by its end, or without an extension."""
    found: list[Sequence[int]] = []
    for written in sorted({one for words in _PATHS for one in words.findall(text.lower())}):
        path = written.strip("./()[]{}#") if "/" in written or "." in written else ""
        meant = [
            number
            for number in survey.named.get(path.rpartition("/")[2], ())
            if _ends_with(survey.paths[number].lower(), path)
        ]
        if meant:
            found.append(meant)
    return found


def _ends_with(path: str, end: str) -> bool:
    """Whether a path ends with these parts; its extension may be missing."""
    folder, _, name = path.rpartition("/")
    names = {name, name.partition(".")[0], name.rpartition(".")[0]}
    return any(f"/{folder}/{known}".endswith(f"/{end}") for known in names)


def _names(text: str) -> dict[str, None]:
    """The words of a text that may be names of symbols, in order, each once.

    Of a qualified name, the whole and its parts. A plain lower-case word counts only where it is
    written as code: quoted with backticks, or called.
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = re.sub(r"::|#", ".", match[0])
        is_code = text[match.end() : match.end() + 1] == "(" or _is_quoted(text, match)
        for known in (name, *name.split(".")):
            if is_code or not known.islower() or "_" in known or len(words_in(known)) > 1:
                found[known] = None
    return found


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1 : match.start()] == "`" or (
        text[match.end() : match.end() + 1] == "`"
    )


def _distribute(files: defaultdict[int, float], meant: Sequence[int], weight: float) -> None:
    """Divide a weight among files; too many get none."""
    if 0 < len(meant) <= _MOST_MEANT:
        for number in meant:
            files[number] += weight / len(meant)


def _share_words(files: defaultdict[int, float], survey: Survey, text: str, weight: float) -> None:
    """Divide a weight among the files that match the words, by the square of their scores."""
    fits = survey.words.about(words_in(text))
    scores = {number: fit * sqrt(survey.start[number]) for number, fit in fits.items()}
    best = sorted(scores, key=lambda number: (-scores[number], number))[:_MOST_ABOUT]
    whole = sum(scores[number] ** 2 for number in best)
    for number in best:
        files[number] += weight * scores[number] ** 2 / whole
