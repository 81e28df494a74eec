"""A query, and its result: matching lines with the lines around them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.project.search.line_finders import FileLines, Spans
from ipuaro_jupyter.project.search.line_search import split_lines
from ipuaro_jupyter.records.word_edges import word_begin, word_end
from ipuaro_jupyter.workspace.files.text_file import content_hash

Strategy = Literal["smart", "ripgrep", "python", "hybrid"]

_WIDTH, _BEFORE = 300, 100  # characters of a line that are shown, and of these before the match


@dataclass(frozen=True)
class Query:
    """A search query.

    Attributes:
        pattern: A text, or a Python regular expression. Matches are within a line.
        use_regex: Whether it is a regular expression.
        case_sensitive: Whether upper and lower case differ.
        max_results: The number of lines returned at most.
        context_lines: The number of lines before and after each match.
        strategy: How the files are found; the result is the same.
        first_match_s: Seconds after which a search without any match fails.
        total_s: Seconds after which the rest is no longer searched.
    """

    pattern: str
    use_regex: bool = False
    case_sensitive: bool = False
    max_results: int = 50
    context_lines: int = 2
    strategy: Strategy = "smart"
    first_match_s: float = 3.0
    total_s: float = 10.0


@dataclass(frozen=True)
class Match:
    """A matching line; a long one is cut around the match.

    Attributes:
        path: The file, relative to the project.
        line: 1-based.
        text: The line.
        spans: The matched ranges, in characters of ``text``.
        before: The lines before, the nearest last.
        after: The lines after.
        hash: The version of the file.
        rank: Lower is better.
    """

    path: str
    line: int
    text: str
    spans: Spans
    before: tuple[str, ...]
    after: tuple[str, ...]
    hash: str
    rank: int


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        matches: The best ones, by path and line.
        total: The number of matching lines, as far as the search went.
        is_total: Whether there are no others.
        strategy: How the files were found.
        notes: The parts left out, and why.
    """

    matches: tuple[Match, ...]
    total: int
    is_total: bool
    strategy: str
    notes: tuple[str, ...]


def matches_in(path: str, data: bytes, found: FileLines, query: Query) -> Iterator[Match]:
    """Yield the matches found in a file, whose content is ``data``."""
    if not found.lines:
        return
    lines = split_lines(data.decode())
    hash_ = content_hash(data)
    context = query.context_lines
    for number, spans in found.lines:
        line = lines[number - 1]
        text, shown = _clipped(line, spans)
        yield Match(
            path=path,
            line=number,
            text=text,
            spans=shown,
            before=tuple(map(_head, lines[max(0, number - 1 - context) : number - 1])),
            after=tuple(map(_head, lines[number : number + context])),
            hash=hash_,
            rank=_rank(line, spans, query),
        )


def _rank(line: str, spans: Spans, query: Query) -> int:
    """The rank: 0 for a whole word in the case as written, up to 3 for neither."""
    whole = any(_is_whole(line, start, end) for start, end in spans)
    exact = query.use_regex or any(line[start:end] == query.pattern for start, end in spans)
    return 2 * (not whole) + (not exact)


def _is_whole(line: str, start: int, end: int) -> bool:
    before, after = line[start - 1 : start] if start else "", line[end : end + 1]
    return not any(sign.isalnum() or sign == "_" for sign in before + after)


def _clipped(line: str, spans: Spans) -> tuple[str, Spans]:
    """The part of a line that is shown, and the matches in it; empty matches are dropped."""
    wide = [(start, end) for start, end in spans if end > start]
    if len(line) <= _WIDTH:
        return line, tuple(wide)
    first = max(0, (wide or [(0, 0)])[0][0] - _BEFORE)
    last = min(first + _WIDTH, len(line))
    first, last = word_begin(line, first), word_end(line, last)
    cut = line[first:last]
    mark = "…" if first else ""
    moved = len(mark) - first
    shown = [(start + moved, min(end, last) + moved) for start, end in wide if start < last]
    return f"{mark}{cut}{'…' if last < len(line) else ''}", tuple(shown)


def _head(line: str) -> str:
    end = word_end(line, _WIDTH)
    return line if len(line) <= end else f"{line[:end]}…"
