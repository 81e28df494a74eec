"""What a question says: its words with their weights, and what it names exactly."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise
from typing import NamedTuple

from ipuaro_jupyter.index.extract.file_words import is_told
from ipuaro_jupyter.index.extract.split_words import parts_of, words_in
from ipuaro_jupyter.index.ranking.words import ORDINARY_WORDS

_LONGEST = 30_000
_SHORTEST_JOINED = 3
_MOST_NAMES = 300
_MOST_PATHS = 60
_FENCE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|^(?: {4}|\t|>>>|\.\.\. |In \[|Out\[).*$",
    re.DOTALL | re.MULTILINE,
)
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)
_RAW = re.compile(r"[^\W\d]\w*")
_SENTENCE_END = re.compile(
    r"[.?!;\u3002\uff1f\uff01]\s*(?=\s|\Z|[^\x00-\x7f])|,\s+(?=and |but |what |how |which |why )"
)
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*")
_PATH = re.compile(
    r"[\w.@~\\/-]*[\w)\]]\.(?:[cm]?[jt]sx?|pyi?|vue|svelte|astro|ipynb|go|rs|java)\b"
)
_FRAME = re.compile(
    r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w.<>]+))?'
    r"|\bat (?:(?:async |new )?(?P<call>[\w.$<>]+) )?"
    r"\(?(?P<script>[^\s():]+\.[cm]?[jt]sx?):(?P<at>\d+)"
    r"|(?P<place>[\w./\\-]+\.py):(?P<row>\d+)"
)
_STRUCTURE = {
    "calls": r"\b(?:call(?:s|ed|ers?|ing)?|invok\w*|r[uü]f(?:t|en)|aufgerufen|aufruf\w*|appel\w*"
    r"|llam\w*)\b|вызыва\w*|вызов\w*|调用",
    "uses": r"\b(?:us(?:e|es|ed|ages?|ers?|ing)|refer(?:s|ences?|red)?|break(?:s|ing)?"
    r"|depend(?:s|ents?)?|affect(?:s|ed)?|impact\w*|renam(?:e|ed|ing)|chang(?:e|es|ed|ing)|verwend\w*|benutz\w*|genutzt"
    r"|brich\w*|kaputt|utilis\w*|usa\w*|rompe)\b|использу\w*|сломает\w*|使用|引用|用到",
    "imports": r"\b(?:import(?:s|ed|ers?|ing)?|importier\w*|importent|depend(?:s|ents?)?)\b"
    r"|импорт\w*|导入|引入",
    "heirs": r"\b(?:extend(?:s|ed|ing)?|implement(?:s|ed|ers?|ing|ations?)?|inherit\w*|subclass\w*"
    r"|overrid\w*|deriv(?:e|es|ed|ing)|erb(?:t|en)|implementier\w*|hérit\w*|étend\w*|implément\w*"
    r"|hereda\w*|extiend\w*|implementa\w*)\b|наследу\w*|реализу\w*|继承|实现|扩展",
}
"""What a question may ask about the code's structure, by the words that say so."""
_ASKS = {asks: re.compile(words, re.IGNORECASE) for asks, words in _STRUCTURE.items()}
_TEST = re.compile(r"(?i:(?<![a-z])tests?(?![a-z]))|Test(?=[A-Z])|(?<=[a-z])Tests?\b")


class WrittenFrame(NamedTuple):
    """A line of a traceback: the path as it is written, the line, and the function or ""."""

    path: str
    line: int
    name: str


class Zone(NamedTuple):
    """A part of a question.

    Attributes:
        weight: How much it counts.
        words: Its words as stems, with how often each counts.
        names: What is written as code is, with how sure that is: at most 1.
        plain: Its words as they are written.
    """

    weight: float
    words: Mapping[str, float]
    names: Mapping[str, float]
    plain: frozenset[str]


class AskedQuestion(NamedTuple):
    """What a question says.

    Attributes:
        zones: Its first line, its other sentences and its code, those that there are.
        words: The words of all of them, weighted.
        written: Each word as the question first writes it.
        paths: Paths and file names as they are written, the last parts of modules excluded.
        modules: Names with dots, which may be modules.
        frames: The lines of tracebacks, the innermost last.
        wants_tests: Whether it is about tests.
        asks: What its first line may ask about the structure: "calls", "uses", "imports", "heirs".
        structural: The words that say so, which tell nothing beside the name of a symbol.
    """

    zones: tuple[Zone, ...]
    words: Mapping[str, float]
    written: Mapping[str, str]
    paths: tuple[str, ...]
    modules: tuple[str, ...]
    frames: tuple[WrittenFrame, ...]
    wants_tests: bool
    asks: frozenset[str]
    structural: frozenset[str]

    @property
    def names(self) -> dict[str, float]:
        """What is written as code is, with the highest weight that it has anywhere."""
        found: dict[str, float] = {}
        for zone in self.zones:
            for name, sure in zone.names.items():
                found[name] = max(found.get(name, 0.0), sure)
        return found


_PART, _CAPITAL, _PLAIN = 0.5, 0.5, 0.2
"""How sure a part of a chain, a word with a capital and any other word are names."""
_TITLE, _PROSE, _CODE = 0.3, 0.9, 0.4
_ALL = _TITLE + _PROSE + _CODE


def asked(question: str) -> AskedQuestion:
    """What a question says; of a very long one, its beginning."""
    text = _HIDDEN.sub(" ", question[:_LONGEST]).strip()
    title, _, body = text.partition("\n")
    code = "\n".join(_FENCE.findall(body))
    prose = _FENCE.sub(" ", body)
    parts = [(_TITLE, title, 2), (_PROSE, prose, 3), (_CODE, code, 2)]
    there = [(weight, part, most) for weight, part, most in parts if part.strip()]
    whole = sum(weight for weight, *_ in there)
    zones = tuple(
        Zone(
            weight * _ALL / whole,
            {word: min(count, most) for word, count in _words(part).items()},
            (_plain_names(part) if len(there) == 1 else {}) | _names(part),
            frozenset(_RAW.findall(part)),
        )
        for weight, part, most in there
    )
    structure = {asks: [found[0] for found in of.finditer(title)] for asks, of in _ASKS.items()}
    return AskedQuestion(
        zones=zones,
        words=_weighted(title, text),
        written=_written(text),
        paths=tuple(dict.fromkeys(_written_paths(text)))[:_MOST_PATHS],
        modules=tuple(dict.fromkeys(match[0] for match in _NAME.finditer(text) if "." in match[0]))[
            :_MOST_NAMES
        ],
        frames=tuple(map(_frame, _FRAME.finditer(text))),
        wants_tests=_TEST.search(title) is not None,
        asks=frozenset(asks for asks, words in structure.items() if words),
        structural=frozenset(
            stem for words in structure.values() for word in words for stem in words_in(word)
        ),
    )


def share_told(question: str, weights: Mapping[str, float], texts: Iterable[str]) -> float:
    """The share of what the words of a sentence tell that some text has: the best sentence's.

    Args:
        question: One or more sentences, whose clauses count as such.
        weights: How much each of their words tells, by its stem.
        texts: The texts.

    Returns:
        At most 1, also where no word tells anything.
    """
    told = {word for text in texts for word in words_in(text)}
    shares = []
    for sentence in _SENTENCE_END.split(question):
        words = weights.keys() & set(words_in(sentence))
        if whole := sum(weights[word] for word in words):
            shares.append(sum(weights[word] for word in words & told) / whole)
    return max(shares, default=1.0)


def _words(text: str) -> Counter[str]:
    """The words of a text with their counts, and neighbours as one word: "fall back" fallback."""
    words = [word for word in words_in(text) if is_told(word)]
    found = Counter(words)
    joined = {one + other for one, other in pairwise(words) if len(one) >= _SHORTEST_JOINED}
    found.update(joined - found.keys())
    return found


def _written(text: str) -> dict[str, str]:
    """Each word of a text as it is first written there, by its stem."""
    found: dict[str, str] = {}
    for part in parts_of(text):
        for word in words_in(part):
            found.setdefault(word, part)
    return found


def _weighted(title: str, text: str) -> dict[str, float]:
    """The words of a question; those of its first line count for more."""
    words = {word: float(min(count, 2)) for word, count in _words(text).items()}
    for word, count in _words(title).items():
        words[word] += 2 * count
    return words


def _names(text: str) -> dict[str, float]:
    """What is written as code is: with an underscore or a capital inside, called, or quoted.

    Of a chain with dots, the whole and its parts.
    """
    found: dict[str, float] = {}
    for match in _NAME.finditer(text):
        if len(found) >= _MOST_NAMES:
            break
        name = re.sub(r"::|#", ".", match[0])
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        *owners, last = name.split(".")
        for part in dict.fromkeys((name, *owners, last)):
            is_code = (
                looks_like_code(part)
                or "`" in (before, after)
                or (after == "(" and part in (name, last))
            )
            if is_code or owners:
                found[part] = max(found.get(part, 0.0), 1.0 if is_code else _PART)
    return found


def _plain_names(text: str) -> dict[str, float]:
    """The other words of a question of one line that may be names, as "Response" and "retry" are.

    Surer are those with a capital that no sentence begins with.
    """
    found = {}
    for match in islice(_RAW.finditer(text), _MOST_NAMES):
        name, before = match[0], text[: match.start()].rstrip(" \t(\"'*-")
        if name.lower() not in ORDINARY_WORDS and not any(
            words.fullmatch(name) for words in _ASKS.values()
        ):
            is_sure = name[0].isupper() and before[-1:] not in {"", ".", "?", "!", ":"}
            found[name] = _CAPITAL if is_sure else _PLAIN
    return found


def looks_like_code(name: str) -> bool:
    """Whether a name has an underscore or a capital inside: no plain word is written so."""
    bare = name.strip("_$")
    has_capital = not bare[1:].islower() and bare[1:] != "" and not bare.isupper()
    return "_" in bare or (name != bare and len(bare) > 1) or (has_capital and bare.isalnum())


def _written_paths(text: str) -> Iterable[str]:
    for match in _PATH.finditer(text):
        yield match[0].replace("\\", "/").lstrip("./~")


def _frame(match: re.Match[str]) -> WrittenFrame:
    path = match["file"] or match["script"] or match["place"]
    line = match["line"] or match["at"] or match["row"]
    name = match["name"] or match["call"] or ""
    return WrittenFrame(path.replace("\\", "/").lstrip("./"), int(line), name.rpartition(".")[2])
