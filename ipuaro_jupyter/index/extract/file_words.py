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
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from math import log2

from ipuaro_jupyter.index.extract.split_words import parts_of, words_in

WORD_BITS = 23
COUNT_BITS = 4
BUCKET_BITS = 11
"""So many of the highest bits of a word's number are the row of the index that it is in."""

_ROW_SHIFT = 32 + COUNT_BITS + WORD_BITS - BUCKET_BITS
_OF_PATH = 3
_LONGEST_NAME = 60
_LONGEST_WORD = 30
_MOST_COUNTED = 2**COUNT_BITS - 1
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
abstract args async await bool boolean break case catch class cls const continue def default elif
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


def file_words(path: str, text: bytes | None) -> bytes:
    """The words of a file: u32 each, sorted, native; the lowest bits hold the count (`counted`).

    Args:
        path: Project-relative.
        text: Its text; None when only its name counts.
    """
    counts: dict[int, int] = {}
    get = counts.get
    start = 0 if text is None else _end_of_licence(text)
    raw_words = [] if text is None else text[start:].translate(BLANKS).split()
    for raw, count in Counter(raw_words).items():
        for number in _numbers[raw]:
            counts[number] = get(number, 0) + count
    for word in words_in(path.rpartition(".")[0]):
        number = number_of(word)
        counts[number] = get(number, 0) + _OF_PATH
    for word in name_words(path):
        counts[number_of(word)] = 1
    cells = sorted(number << COUNT_BITS | _rounded[count] for number, count in counts.items())
    return array("I", cells).tobytes()


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


class _Rounded(dict[int, int]):
    """The form in which counts are kept: twice their logarithm."""

    def __missing__(self, count: int) -> int:
        found: int = min(round(2 * log2(count)), _MOST_COUNTED)
        self[count] = found
        return found


class _Numbers(dict[bytes, tuple[int, ...]]):
    """The numbers of the words of a name, by the name; those of keywords are left out."""

    def __missing__(self, raw: bytes) -> tuple[int, ...]:
        if len(self) > _MOST_NAMES:
            self.clear()
        parts = parts_of(raw.decode(errors="replace")) if len(raw) <= _LONGEST_NAME else ()
        self[raw] = found = tuple([number for part in parts if (number := _part_numbers[part])])
        return found


class _PartNumbers(dict[str, int]):
    """The number of the only word of a part of a name; 0 for one that says nothing."""

    def __missing__(self, part: str) -> int:
        if len(self) > _MOST_NAMES:
            self.clear()
        number = next((number_of(word) for word in words_in(part) if is_told(word)), 0)
        self[part] = number
        return number


_MOST_NAMES = 200_000
_rounded = _Rounded()
_numbers = _Numbers()
_part_numbers = _PartNumbers()


def word_cells(number: int, words: bytes) -> list[int]:
    """The words of a file above its number in the index, 64 bits each, as rows hold them.

    Args:
        number: The file's number in the index, of 32 bits.
        words: See `file_words`.
    """
    return [cell << 32 | number for cell in array("I", words)]


def words_by_row(cells: Iterable[Iterable[int]]) -> dict[str, bytes]:
    """Words of files, by the rows of the index that they are in."""
    listed = array("Q", sorted(chain.from_iterable(cells)))
    rows = {}
    start = 0
    while start < len(listed):
        row = listed[start] >> _ROW_SHIFT
        end = bisect_left(listed, (row + 1) << _ROW_SHIFT, start)
        rows[str(row)] = listed[start:end].tobytes()
        start = end
    return rows


def row_of(word: int) -> str:
    """The row of the index that a word is in, by its number."""
    return str(word >> (WORD_BITS - BUCKET_BITS))


def cells_of(word: int, row: bytes) -> list[int]:
    """The cells of a word in its row, as `word_cells` makes them."""
    first = word << (32 + COUNT_BITS)
    last = first + (1 << (32 + COUNT_BITS))
    return [cell for cell in array("Q", row) if first <= cell < last]


def numbers_in(raw: bytes) -> tuple[int, ...]:
    """The numbers of the words of a name, as `BLANKS` leaves it."""
    return _numbers[raw]
