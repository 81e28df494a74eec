"""Search the lines of many files, with ripgrep's help where that pays."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search import ripgrep
from ipuaro_jupyter.project.search.line_finders import Clock, Finder, LiteralFinder, RegexFinder
from ipuaro_jupyter.project.search.search_result import (
    Match,
    Query,
    SearchResult,
    Strategy,
    matches_in,
)
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.listing import FileStat
from ipuaro_jupyter.workspace.files.text_file import sniff

if TYPE_CHECKING:
    from pathlib import Path

    from ipuaro_jupyter.workspace.workspace import Workspace

MOST_FILES = 5000
"""The files that are searched without ripgrep."""
LARGEST_BYTES = 10_000_000
"""The largest file that is searched."""

_FEW_FILES, _MANY_FILES = 50, 1000
_NAMED = 3  # files or lines in a note
_MOST_LINES = 1000  # that are examined for the best ones
_BATCH_BYTES, _BATCH_FILES = 8_000_000, 500
ReadAs = Callable[[str], Callable[[bytes], bytes] | None]
_POSIX_CLASS = re.compile(r"\[:\^?\w+:\]")
_OTHER, _NO_MORE = "other", "no more"
_SIGNS = {
    **dict.fromkeys("^$.+}", _OTHER),
    **dict.fromkeys("*?", _NO_MORE),  # the preceding item is optional
    **dict.fromkeys("|)"),
}
_COUNT = re.compile(r"\{\d*,?\d*\}")
_CLASSES = frozenset("dwsDWSbBAZ")
_WITHOUT_FLAGS = re.compile(r"\((?!\?)|\(\?(?:[:=!>(]|<[=!]|P[<=])")


def search(
    workspace: "Workspace",
    files: Mapping[str, FileStat],
    query: Query,
    cancel: CancelToken,
    *,
    read_as: ReadAs = lambda _: None,
) -> SearchResult:
    """The lines of ``files`` that match.

    When there are more than wanted, whole words and the case as written come first.

    Args:
        workspace: The project.
        files: By path relative to it; those that are not too large are searched, without ripgrep
            the first 5000 of them.
        query: The pattern and the options.
        cancel: Ends the search when the user stops it.
        read_as: Returns, for a path, the function that turns the content into the searched text;
            None where it is the text.

    Raises:
        ToolError: "validation" for an invalid pattern; "timeout" when nothing is found in time.
        Cancelled: The user asked to stop.
    """
    _check(query)
    paths = [path for path, stat in files.items() if stat.size <= LARGEST_BYTES]
    large = [path for path, stat in files.items() if stat.size > LARGEST_BYTES]
    work = _GrepSearch(workspace.root, query, cancel, read_as, len(paths))
    notes = []
    if (strategy := work.strategy) == "python" and len(paths) > MOST_FILES:
        notes.append(f"only the first {MOST_FILES} of {len(paths)} files were searched")
        paths = paths[:MOST_FILES]
    for portion, is_preselected in _portions(paths, strategy):
        if not work.go_on:
            break
        work.add(portion, preselect=is_preselected)
    if large:
        limit = f"{LARGEST_BYTES // 1_000_000} MB"
        notes.append(f"not searched because of more than {limit}: {_some(large)}")
    return work.found(notes)


class _GrepSearch:
    def __init__(
        self,
        root: "Path",
        query: Query,
        cancel: CancelToken,
        read_as: ReadAs,
        count: int,
    ) -> None:
        self._root = root
        self._read_as = read_as
        self._query = query
        self._cancel = cancel
        self._clock = Clock(query.first_match_s, query.total_s)
        self._finder = _finder(query, self._clock, cancel)
        self._required = _required(query)
        self._expression = _expression(query, self._required)
        self._most = max(_MOST_LINES, query.max_results)
        self._matches: list[Match] = []
        self._notes: list[str] = []
        self._slow: list[str] = []
        self._unread: list[str] = []
        self._count, self._searched = count, 0
        self._is_late = False
        self.strategy = self._strategy(count)

    @property
    def go_on(self) -> bool:
        return not self._is_late and len(self._matches) < self._most

    def _strategy(self, count: int) -> Strategy:
        """The strategy for this number of files; "python" when there is no ripgrep."""
        wanted = _by_count(count) if self._query.strategy == "smart" else self._query.strategy
        if wanted == "python":
            return wanted
        if self._expression is None:
            self._notes.append("ripgrep does not know such a pattern")
        elif ripgrep.is_there():
            return wanted
        elif self._query.strategy != "smart" or count > MOST_FILES:
            self._notes.append("ripgrep is not installed")
        return "python"

    def add(self, files: Sequence[str], *, preselect: bool) -> None:
        """Search some files."""
        count = len(files)
        if preselect:
            files = self._preselected(files)
        for batch in self._batches(files):
            found = self._finder.find([data for _, data in batch], most=self._left)
            for (path, data), lines in zip(batch, found, strict=False):
                self._matches += matches_in(path, data, lines, self._query)
                self._slow += [f"{path}:{number}" for number in lines.slow]
            if len(found) < len(batch) and self._left > 0:
                self._stop()
            if not self.go_on:
                return
        self._searched += count

    @property
    def _left(self) -> int:
        return self._most - len(self._matches)

    def _preselected(self, files: Sequence[str]) -> Sequence[str]:
        assert self._expression is not None  # noqa: S101 - see strategy
        as_they_are = [path for path in files if self._read_as(path) is None]
        try:
            found = ripgrep.may_match(
                self._root,
                as_they_are,
                self._expression,
                timeout_s=max(0.01, self._clock.left_s),
                cancel=self._cancel,
            )
        except ToolError:
            self._stop()
            return ()
        if found is None:
            return files
        impossible = set(as_they_are).difference(found)
        return [path for path in files if path not in impossible]

    def _batches(self, files: Sequence[str]) -> Iterator[list[tuple[str, bytes]]]:
        """Yield files with their content, as many as can be held in memory at a time.

        There is at least one batch: a regular expression is checked even with nothing to search.
        """
        batch: list[tuple[str, bytes]] = []
        size = 0
        for path in files:
            self._cancel.check()
            data = self._text(path)
            if data is None:
                continue
            if batch and (size + len(data) > _BATCH_BYTES or len(batch) == _BATCH_FILES):
                yield batch
                batch, size = [], 0
            batch.append((path, data))
            size += len(data)
        yield batch

    def _text(self, path: str) -> bytes | None:
        """A file's content; None when it cannot be read, is not text or cannot match."""
        try:
            content = disk.read(self._root, path)
        except ToolError:
            self._unread.append(path)
            return None
        if content is None:
            return None
        read = self._read_as(path)
        data = content.data if read is None else read(content.data)
        return data if self._may_match(data) and not sniff(data, path) else None

    def _may_match(self, data: bytes) -> bool:
        if self._query.case_sensitive or not self._required:
            return self._required in data
        return not data.isascii() or self._required in data.lower()

    def _stop(self) -> None:
        """Stop searching because the time is up.

        Raises:
            ToolError: "timeout" when there is no match to return.
        """
        some = f"the first {self._searched} of {self._count} files" if self._searched else ""
        if not self._clock.found:
            raise _too_broad(self._query, f" in {some}" if some else "")
        self._is_late = True
        after = f" and {some}" if some else ""
        self._notes.append(f"stopped after {self._clock.limit_s:g} s{after}, there may be more")

    def found(self, notes: list[str]) -> SearchResult:
        """The result; ``notes`` say what was not searched."""
        ranked = sorted(self._matches, key=lambda m: (m.rank, m.path, m.line))
        best = ranked[: self._query.max_results]
        if self._slow:
            notes = [*notes, f"left out as the pattern takes too long: {_some(self._slow)}"]
        if self._unread:
            notes = [*notes, f"not searched because they cannot be read: {_some(self._unread)}"]
        return SearchResult(
            matches=tuple(sorted(best, key=lambda m: (m.path, m.line))),
            total=len(self._matches),
            is_total=self.go_on,
            strategy=self.strategy,
            notes=(*self._notes, *notes),
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _by_count(count: int) -> Strategy:
    if count <= _FEW_FILES:
        return "python"
    return "ripgrep" if count <= _MANY_FILES else "hybrid"


def _check(query: Query) -> None:
    pattern = query.pattern
    if not pattern:
        raise ToolError("validation", "The pattern is empty.")
    if "\n" in pattern:
        raise ToolError(
            "validation",
            "The pattern has more than one line, and matches are within a line.",
            suggestion="Search one line of it, then read the file around it.",
        )
    try:
        pattern.encode()
    except UnicodeEncodeError:
        raise ToolError("validation", f"The pattern {pattern!r} is not valid text.") from None
    if query.use_regex and (found := _POSIX_CLASS.search(pattern)):
        raise ToolError(
            "validation",
            f"The pattern has {found[0]}, which Python's regular expressions do not know.",
            suggestion=r"Use \w, \d, \s or ranges such as [A-Za-z].",
        )


def _too_broad(query: Query, where: str) -> ToolError:
    simpler = ", or a simpler pattern without repetition of repetitions" if query.use_regex else ""
    return ToolError(
        "timeout",
        f"The pattern {query.pattern!r} is too broad: no matches found within "
        f"{query.first_match_s:g} s{where}.",
        suggestion=f"Use a smaller path, include_files such as *.ts{simpler}.",
    )


def _finder(query: Query, clock: Clock, cancel: CancelToken) -> Finder:
    make = RegexFinder if query.use_regex else LiteralFinder
    return make(query.pattern, ignore_case=not query.case_sensitive, clock=clock, cancel=cancel)


def _expression(query: Query, required: bytes) -> str | None:
    """What ripgrep is asked; for a pattern that it does not know, what each match contains."""
    ignore_case = not query.case_sensitive
    if not query.use_regex:
        return ripgrep.literal(query.pattern, ignore_case=ignore_case)
    widened = ripgrep.widened(query.pattern, ignore_case=ignore_case)
    if widened is None and required:
        return ripgrep.literal(required.decode(), ignore_case=ignore_case)
    return widened


def _required(query: Query) -> bytes:
    """The text that every matching file contains; in lower case when case does not count."""
    text = required_literal(query.pattern) if query.use_regex else ""
    if query.case_sensitive:
        return text.encode()
    return text.lower().encode() if text.isascii() else b""


def _portions(files: Sequence[str], strategy: Strategy) -> Iterator[tuple[Sequence[str], bool]]:
    """Yield the files in their order, and whether ripgrep checks them first.

    "hybrid" searches the first ones itself: a pattern that occurs everywhere needs no others.
    """
    if strategy == "hybrid":
        yield files[:_FEW_FILES], False
        files = files[_FEW_FILES:]
    if strategy == "python" or not files:
        yield files, False
        return
    for portion in ripgrep.portions(files):
        yield portion, True


def required_literal(pattern: str) -> str:
    """The longest text that stands in ``pattern`` outside of groups and sets.

    Every match contains it, in some case when case is ignored. Empty when there is none, or the
    pattern has alternatives or flags.
    """
    runs = [""]
    for piece in _pieces(pattern):
        if piece is None:
            return ""
        if piece == _NO_MORE:
            runs[-1] = runs[-1][:-1]
        if len(piece) == 1:
            runs[-1] += piece
        else:
            runs.append("")
    return max(runs, key=len)


def _pieces(pattern: str) -> Iterator[str | None]:
    """Yield characters, `_OTHER` for any other item, None for unknown syntax."""
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign in _SIGNS:
            yield _SIGNS[sign]
            at += 1
        elif sign == "{":
            count = _COUNT.match(pattern, at)
            yield _OTHER if count is None else _NO_MORE
            at = at + 1 if count is None else count.end()
        elif sign == "\\":
            yield _escaped(pattern[at + 1 : at + 2])
            at += 2
        elif sign in "([":
            end = _end_of_group(pattern, at) if sign == "(" else _end_of_set(pattern, at)
            yield None if end is None else _OTHER
            at = end or len(pattern)
        else:
            yield sign
            at += 1


def _escaped(sign: str) -> str | None:
    if sign.isascii() and sign.isalnum():
        return _OTHER if sign in _CLASSES else None
    return sign or None


def _end_of_group(pattern: str, start: int) -> int | None:
    """The end of the group that begins at ``start``; None when it is not closed."""
    depth, at = 0, start
    while at < len(pattern):
        sign = pattern[at]
        if sign == "(" and not _WITHOUT_FLAGS.match(pattern, at):
            return None
        if sign == "[":
            end = _end_of_set(pattern, at)
            if end is None:
                return None
            at = end
            continue
        depth += (sign == "(") - (sign == ")")
        at += 1 + (sign == "\\")
        if depth == 0:
            return at
    return None


def _end_of_set(pattern: str, start: int) -> int | None:
    at = start + 1 + (pattern[start + 1 : start + 2] == "^")
    first = at
    while at < len(pattern):
        if pattern[at] == "]" and at > first:
            return at + 1
        at += 1 + (pattern[at] == "\\")
    return None
