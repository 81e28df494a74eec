"""The words of a file, as the index keeps them: a number for each, with how often it occurs.

Words of names, comments and strings are the same: a text is cut at everything that is no letter and
no digit, then names are split, see `split_words`. A number (`WORD_BITS` wide) is a hash, so that a
word takes four bytes whatever its length; two words of a project hardly ever share one, and then a
file ranks a little too high. The words of the path count for more, and so that files are found by
their names, the name without its extension, and that of the folder of an index file, are further
words, written with a slash before.
"""

import re
from array import array
from binascii import crc32
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain, groupby
from math import log2

from ipuaro_jupyter.index.extract.split_words import parts_of, word_of, words_in

WORD_BITS = 23
COUNT_BITS = 4
BUCKET_BITS = 11
"""So many of the highest bits of a word's number are the row of the index that it is in."""

_ROW_SHIFT = 32 + COUNT_BITS + WORD_BITS - BUCKET_BITS
_OF_PATH = 3
_LONGEST_NAME = 60
_LONGEST_WORD = 30
_MOST_COUNTED = 2**COUNT_BITS - 1
_MOST_NAMES = 200_000
_LICENCE_BYTES = 400
_LICENCE = re.compile(rb"[Ll]icen[sc]e|[Cc]opyright")
_HEAD = re.compile(rb"\s*(?:/\*.*?\*/|(?:(?://|#)[^\n]*\n)+)", re.DOTALL)
_FIRST_FILES = frozenset({"__init__", "index", "mod", "main", "__main__"})
BLANKS = bytes(
    code if chr(code).isalnum() or code >= 0x80 else 0x20  # noqa: PLR2004 - UTF-8 beyond ASCII
    for code in range(256)
)
"""Leaves letters and digits of a text, and blanks for all else."""
_KEYWORDS = """
abstract args async await bool boolean break case catch class cls const continue def elif
else enum export extends false final finally fn for func function go impl implements import int
interface kwargs let mut namespace new nil none null number object package private protected pub
public raise readonly return self static str string struct super switch this throw throws true try
type typeof undefined var void yield
"""
_UNSAID = frozenset(words_in(_KEYWORDS))


def number_of(word: str) -> int:
    """The number of a word, which is a stem, or the name of a file with a slash before."""
    return crc32(word.encode()) >> (32 - WORD_BITS)


def name_words(path: str) -> tuple[str, ...]:
    """The further words by which a file is found by its name: "/session"."""
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0] or name
    return tuple(f"/{one}" for one in (stem, *folders[-1:] * (stem in _FIRST_FILES)))


def file_words(path: str, text: bytes) -> bytes:
    """The words of a file: u32 each, sorted, native; the lowest bits hold the count (`counted`).

    Args:
        path: Project-relative.
        text: Its text; empty when only its name counts.
    """
    counts: dict[int, int] = {}
    get = counts.get
    raw_counts = Counter(text[_end_of_licence(text) :].translate(BLANKS).split())
    for numbers, count in zip(map(numbers_of, raw_counts), raw_counts.values(), strict=True):
        for number in numbers:
            counts[number] = get(number, 0) + count
    for word in words_in(path.rpartition(".")[0]):
        number = number_of(word)
        counts[number] = get(number, 0) + _OF_PATH
    for word in name_words(path):
        counts[number_of(word)] = 1
    cells = [number << COUNT_BITS | _rounded(count) for number, count in counts.items()]
    return array("I", sorted(cells)).tobytes()


def counted(cell: int) -> float:
    """About how often a word occurs, from the low bits of its cell."""
    return float(2 ** ((cell & _MOST_COUNTED) / 2))


def is_told(word: str) -> bool:
    """Whether a word says something about a text: it is no keyword and no number."""
    return word not in _UNSAID and len(word) <= _LONGEST_WORD and not word.isdecimal()


def _end_of_licence(text: bytes) -> int:
    """Where the text after a licence begins, which every file of a project may begin with."""
    head = _HEAD.match(text) if _LICENCE.search(text, 0, _LICENCE_BYTES) else None
    return 0 if head is None else head.end()


@cache
def _rounded(count: int) -> int:
    """A count as it is kept: twice its logarithm."""
    found: int = min(round(2 * log2(count)), _MOST_COUNTED)
    return found


class _Numbers(dict[bytes, tuple[int, ...]]):
    """The numbers of the words of a name, by the name; those of keywords are left out."""

    def __missing__(self, raw: bytes) -> tuple[int, ...]:
        if len(self) > _MOST_NAMES:
            self.clear()
        name = raw.decode(errors="replace") if len(raw) <= _LONGEST_NAME else ""
        parts = [name] if raw[1:].islower() and raw.isalpha() else parts_of(name)
        self[raw] = found = tuple(filter(None, map(_number_of_part, parts)))
        return found


@lru_cache(maxsize=_MOST_NAMES)
def _number_of_part(part: str) -> int:
    """The number of the only word of a part of a name; 0 for one that says nothing."""
    word = word_of(part)
    return number_of(word) if word and is_told(word) else 0


_numbers = _Numbers()
numbers_of = _numbers.__getitem__
"""The numbers of the words of a name, as `BLANKS` leaves it."""


def word_cells(number: int, words: bytes) -> list[int]:
    """The words of a file above its number in the index, 64 bits each, as rows hold them.

    Args:
        number: The file's number in the index, of 32 bits.
        words: See `file_words`.
    """
    return [cell << 32 | number for cell in array("I", words)]


def words_by_row(cells: Iterable[Iterable[int]]) -> dict[str, bytes]:
    """Words of files, by the rows of the index that they are in."""
    rows = groupby(sorted(chain.from_iterable(cells)), lambda cell: cell >> _ROW_SHIFT)
    return {str(row): array("Q", some).tobytes() for row, some in rows}


def row_of(word: int) -> str:
    """The row of the index that a word is in, by its number."""
    return str(word >> (WORD_BITS - BUCKET_BITS))


def cells_of(word: int, row: bytes) -> list[int]:
    """The cells of a word in its row, as `word_cells` makes them."""
    first = word << (32 + COUNT_BITS)
    last = first + (1 << (32 + COUNT_BITS))
    return [cell for cell in array("Q", row) if first <= cell < last]
