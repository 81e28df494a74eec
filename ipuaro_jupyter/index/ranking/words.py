"""Which texts match some words."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log

from ipuaro_jupyter.index.extract.split_words import COMMON, words_in

_SATURATION = 1.2
_LENGTH = 0.75
_WORDS_OF_QUESTIONS = """
able about above add after again also always another answer any api app application apps around
ask async await back base because been before being best better between bit both break breaks bug
build builds call called caller callers calls case change changed changes check class classes
client code command common component components config const constant constants context core could
create created data day debug default delete demo describe design doc docs does done each edit
else end env error errors even ever every example examples explain export exports fail fails field
file files find first fix folder format from function functions general get give global good
handle handled handler handlers happen happens have help helper helpers here hook hooks how idea
import imports improve index info input inside interface into issue item items job just keep key
kind know last lead less let lib like line lines list load local log look looks lot main make
makes many map max mean means method methods min model models module modules more most move much
must name named names need needs never new next node none not note nothing now null object off old
one only open option options order other out output over own package page pages parameter part
parts path paths place please print problem process program project put read reads really refactor
remove rename replace request response result return returns review right root row rule rules run
runs same save say schema script search see server service services set setting settings setup
shared should show shows side simple since some something source start state step stop store
string style such sum sure system table take tell test tested tests text than that them then there
these they thing things this those time todo token tool tools top true try two type types under
undo unit until update url use used user users uses util utils value values variable version very
view views want way web well were what when where which while whole will with within without word
work worked working works would write wrong yes
"""
ORDINARY_WORDS = COMMON | frozenset(_WORDS_OF_QUESTIONS.split())
"""Words of questions about any code: they name nothing, whatever files and symbols are called."""


@lru_cache(maxsize=100_000)
def words_of_name(name: str) -> frozenset[str]:
    """The words of one name, also joined into one.

    "debounceTime" and "tab-bar" are also found by "debouncetime" and "tabbar".
    """
    joined = "".join(filter(str.isalnum, name)).lower()
    return frozenset((*words_in(name), *words_in(joined)))


class WordIndex:
    """Ranks texts by words, with BM25 (Robertson and Walker, SIGIR 1994).

    Args:
        texts: For each text the count of each word.
    """

    def __init__(self, texts: Iterable[Mapping[str, float]]) -> None:
        self._lengths = array("d")
        self._words: list[tuple[str, ...]] = []
        self._found: dict[str, tuple[array[int], array[float]]] = {}
        for number, counts in enumerate(texts):
            self._lengths.append(sum(counts.values()))
            self._words.append(tuple(counts))
            for word, times in counts.items():
                if word not in self._found:
                    self._found[word] = array("I"), array("d")
                numbers, known = self._found[word]
                numbers.append(number)
                known.append(times)

    def changed(self, texts: Mapping[int, Mapping[str, float]]) -> "WordIndex":
        """The same with other counts for some of the texts, by their numbers."""
        later = WordIndex(())
        later._lengths, later._words = self._lengths[:], list(self._words)
        found = later._found = dict(self._found)
        for number, counts in texts.items():
            later._lengths[number] = sum(counts.values())
            later._words[number] = tuple(counts)
            for word in {*self._words[number], *counts}:
                numbers, known = found.pop(word, (array("I"), array("d")))
                begin, end = bisect_left(numbers, number), bisect_right(numbers, number)
                times = [counts[word]] if word in counts else []
                numbers = numbers[:begin] + array("I", [number] * len(times)) + numbers[end:]
                if numbers:
                    found[word] = numbers, known[:begin] + array("d", times) + known[end:]
        return later

    def about(self, words: Iterable[str]) -> dict[int, float]:
        """The texts that have some of the words, each with its score."""
        scores: dict[int, float] = {}
        lengths = self._lengths
        usual = (sum(lengths) / len(lengths) if lengths else 1.0) or 1.0
        for word, many in sorted(Counter(words).items()):
            if word not in self._found:
                continue
            numbers, known = self._found[word]
            rarity = log(1 + (len(lengths) - len(numbers) + 0.5) / (len(numbers) + 0.5))
            for number, times in zip(numbers, known, strict=True):
                relative = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[number] / usual)
                weight = times * (_SATURATION + 1) / (times + relative)
                scores[number] = scores.get(number, 0.0) + min(many, 2) * rarity * weight
        return scores
