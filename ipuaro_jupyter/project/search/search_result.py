"""What is searched, and what is found: lines that match, with the lines around them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ipuaro_jupyter.project.search.line_finders import FileLines, Spans
from ipuaro_jupyter.project.search.line_search import split_lines
from ipuaro_jupyter.workspace.files.text_file import content_hash

Strategy = Literal["smart", "ripgrep", "python", "hybrid"]

_WIDTH, _BEFORE = 300, 100  # characters of a line that are shown, of them before the match


@dataclass(frozen=True)
class Query:
    """What is searched.

    Attributes:
        pattern: A text, or a regular expression of Python. Matches are within a line.
        use_regex: Whether it is a regular expression.
        case_sensitive: Whether A is not a.
        max_results: So many lines are returned at most.
        context_lines: So many lines come with each, before and after.
        strategy: How the files are found; the answer is the same.
        first_match_s: Seconds after which a search that has found nothing is an error.
        total_s: Seconds after which the rest is not searched any more.
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
    """A line that matches; long lines are cut to what is around the match.

    Attributes:
        path: The file, relative to the project.
        line: 1-based.
        text: The line.
        spans: Where it matches, in characters of ``text``.
        before: The lines before, the nearest last.
        after: The lines after.
        hash: The version of the file.
        rank: The smaller, the better.
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
    """What a search has found.

    Attributes:
        matches: The best ones, by path and line.
        total: How many lines match, as far as was looked.
        is_total: Whether there are no others.
        strategy: How the files were found.
        notes: What was left out, and why.
    """

    matches: tuple[Match, ...]
    total: int
    is_total: bool
    strategy: str
    notes: tuple[str, ...]


def matches_in(path: str, data: bytes, found: FileLines, query: Query) -> Iterator[Match]:
    """Yield the lines that were found in a file, whose content is ``data``."""
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
    """Return 0 for a whole word in the case as written, 3 for neither."""
    whole = any(_is_whole(line, start, end) for start, end in spans)
    exact = query.use_regex or any(line[start:end] == query.pattern for start, end in spans)
    return 2 * (not whole) + (not exact)


def _is_whole(line: str, start: int, end: int) -> bool:
    before, after = line[start - 1 : start] if start else "", line[end : end + 1]
    return not any(sign.isalnum() or sign == "_" for sign in before + after)


def _clipped(line: str, spans: Spans) -> tuple[str, Spans]:
    """Return what is shown of a line, and where it matches there; nothing for empty matches."""
    wide = [(start, end) for start, end in spans if end > start]
    if len(line) <= _WIDTH:
        return line, tuple(wide)
    first = max(0, (wide or [(0, 0)])[0][0] - _BEFORE)
    cut = line[first : first + _WIDTH]
    mark = "…" if first else ""
    moved = len(mark) - first
    shown = [
        (start + moved, min(end, first + _WIDTH) + moved)
        for start, end in wide
        if start < first + _WIDTH
    ]
    return f"{mark}{cut}{'…' if first + _WIDTH < len(line) else ''}", tuple(shown)


def _head(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"
