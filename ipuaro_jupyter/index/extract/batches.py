"""The work of a parsing worker: files in, rows of the index out, ready to be stored.

The worker merges the rows that several files share, for all the files of one batch, so that the
process which owns the index has less to merge.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, repeat
from operator import lshift, or_, sub
from struct import Struct, iter_unpack, pack, unpack_from

import msgspec
from msgspec.structs import replace

from ipuaro_jupyter.index.extract import parse
from ipuaro_jupyter.index.extract.file_words import file_words, word_cells, words_by_row
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile, ReadRows
from ipuaro_jupyter.languages.bounded import dying_when_late

NumberedFile = tuple[str, int, bytes]
"""The path of a file, its number in the index, and its content."""

_LENGTH = Struct("<I")
_encode_lines = msgspec.json.Encoder().encode_lines


class ParsedBatch(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The index rows of a batch of files.

    Attributes:
        answers: The rows of each file alone, in the order of the files.
        tokens: Identifiers, each with what `stored` keeps of it for these files.
        symbols: Names, each with what `stored` keeps of it for these files.
        words: Rows of words, each with what `stored` keeps of it for these files.
    """

    answers: list[ParsedFile]
    tokens: dict[bytes, bytes]
    symbols: dict[str, bytes]
    words: dict[str, bytes]


encode_batch = msgspec.msgpack.Encoder().encode
decode_batch = msgspec.msgpack.Decoder(ParsedBatch).decode


def parse_batch(files: list[NumberedFile]) -> list[bytes]:
    """Return one `ParsedBatch` as MessagePack."""
    return [encode_batch(batch_of(files))]


def parse_batch_or_die(files: list[NumberedFile]) -> list[bytes]:
    """The same as `parse_batch`, sooner; the process dies when a file takes too long.

    For the main thread of a worker, whose caller then parses each file alone.
    """
    with dying_when_late():
        return parse_batch(files)


def batch_of(files: list[NumberedFile]) -> ParsedBatch:
    """Parse the files and merge the rows they share.

    Their words come last: in turn with parsing, each finds the processor's cache full of what the
    other needs.
    """
    parsed = [(path, number, *parse.parse_file(path, data)) for path, number, data in files]
    return merged(
        (number, replace(answer, words=file_words(path, text)), rows)
        for path, number, answer, rows, text in parsed
    )


def merged(files: Iterable[ReadRows]) -> ParsedBatch:
    """The rows of files that are read, those they share merged."""
    answers = []
    words = []
    tokens: defaultdict[bytes, bytes] = defaultdict(bytes)
    symbols: defaultdict[str, list[tuple[int, int, str, str]]] = defaultdict(list)
    for number, answer, rows in files:
        answers.append(answer)
        words.append(word_cells(number, answer.words))
        for token, cell in _cells(number, answer.postings):
            tokens[token] += cell
        for name, line, kind, qualified in rows:
            symbols[name].append((number, line, kind, qualified))
    return ParsedBatch(
        answers,
        tokens,
        {name: _encode_lines(entries) for name, entries in symbols.items()},
        words_by_row(words),
    )


def unparsed_batch(path: str, number: int, data: bytes, *, reason: str) -> bytes:
    """The result of `parse_batch` for a file that cannot be parsed; ``reason`` says why."""
    answer = parse.unparsed_file(path, data, reason=reason)
    return encode_batch(merged([(number, replace(answer, words=file_words(path, b"")), [])]))


def _cells(number: int, blob: bytes) -> Iterable[tuple[bytes, bytes]]:
    """The identifiers of a file, each with its cell: the count, packed above the file's number."""
    (length,) = _LENGTH.unpack_from(blob) if blob else (0,)
    if not length:
        return ()
    end = 4 + length
    names = blob[4:end].split(b"\0")
    ends = unpack_from(f"<{len(names)}I", blob, end)
    counts = map(sub, ends, (0, *ends))
    numbers = map(or_, map(lshift, counts, repeat(32)), repeat(number))
    cells = iter_unpack("8s", pack(f"<{len(names)}Q", *numbers))
    return zip(names, chain.from_iterable(cells), strict=True)
