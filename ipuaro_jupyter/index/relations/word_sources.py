"""The functions that have written what the message of an error quotes."""

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.error_messages import QuotedWords
from ipuaro_jupyter.index.relations.failed_frames import FailedFrame, ValueSource
from ipuaro_jupyter.languages.registry import is_code

_MOST_FILES, _LONGEST_S = 300, 0.15  # of processor time
_MOST_FUNCTIONS = 3
_SHORTEST_PART = 6
_WHY = "writes what the error quotes"


class WordSources:
    """Looks for what a message quotes in the texts of the code.

    Args:
        asked: The state of the index.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked

    def of(
        self, frames: Sequence[FailedFrame], message: str, near: Sequence[ValueSource]
    ) -> list[ValueSource]:
        """The functions that have written most of it; none where these are too many.

        Args:
            frames: The frames of the error; their functions are not meant.
            message: What the error says.
            near: Functions whose names tell which of too many are meant.
        """
        said = QuotedWords.of(message)
        paths = list(dict.fromkeys(one.path for one in frames if one.path))
        patterns = list(self._patterns(said))
        if not patterns:
            return []
        found: dict[Declaration, dict[int, tuple[int, int]]] = {}
        until = time.thread_time() + _LONGEST_S
        for path in self._files(paths):
            checkpoint()
            if time.thread_time() > until:
                break
            for piece, (pattern, needed) in enumerate(patterns):
                for one, line, size in self._written(path, pattern, needed, said.name):
                    found.setdefault(one, {}).setdefault(piece, (size, line))
        for frame in frames:
            if frame.path:
                found.pop((frame.path, self._around(frame.path, frame.line)), None)
        weights = {one: sum(size for size, _ in pieces.values()) for one, pieces in found.items()}
        most = max(weights.values(), default=0)
        best = [one for one, weight in weights.items() if weight == most]
        return [
            ValueSource(*one, min(line for _, line in found[one].values()), _WHY)
            for one in _few(best, near)
        ]

    def _patterns(self, said: QuotedWords) -> Iterator[tuple[re.Pattern[bytes], bytes]]:
        """Yield what to look for, each with a text that is there, too."""
        for key, value in said.pairs if len(said.pairs) > 1 else ():
            wanted = value.encode()
            text = rb"\b%s[\"']?: *[\"']%s[\"']" % (key.encode(), re.escape(wanted))
            yield re.compile(text), wanted
        for phrase in said.phrases:
            wanted = phrase.encode()
            yield re.compile(rb"[\"'`][^\"'`\n]*\b%s\b" % re.escape(wanted)), wanted
        if said.name and not self._asked.stored.tokens([said.name]).get(said.name):
            begin = said.name[:_SHORTEST_PART].encode()
            yield re.compile(rb"[\"'`](%s[\w$]*)(?=[\"'`{%%]|\$\{)" % re.escape(begin)), begin

    def _files(self, paths: Sequence[str]) -> list[str]:
        """The files of the same language as the frames, those in their folders first."""
        ends = {path.rpartition(".")[2] for path in paths} or {"py"}
        folders = {path.rpartition("/")[0] for path in paths}
        known = [
            path for path in self._asked.known if path.rpartition(".")[2] in ends and is_code(path)
        ]
        known.sort(key=lambda path: (path not in paths, path.rpartition("/")[0] not in folders))
        return known[:_MOST_FILES]

    def _written(
        self, path: str, pattern: re.Pattern[bytes], needed: bytes, name: str
    ) -> Iterator[tuple[Declaration, int, int]]:
        """Yield the functions of a file that have what is looked for, with its line and size."""
        data = self._asked.files.file(path).data or b""
        if needed not in data:
            return
        starts = [0, *(one.end() for one in re.finditer(b"\n", data))]
        for match in pattern.finditer(data):
            part = match[1].decode(errors="replace") if pattern.groups else ""
            if part and not name.startswith(part):
                continue
            line = bisect_right(starts, match.start())
            around = self._around(path, line)
            if around:
                yield (path, around), line, len(part) or 1

    def _around(self, path: str, line: int) -> str:
        """The innermost function around a line; "" without one."""
        ranges = self._asked.files.file(path).ranges
        known = [(last - first, name) for name, first, last in ranges if first <= line <= last]
        return min(known, default=(0, ""))[1]


def _few(best: Sequence[Declaration], near: Iterable[ValueSource]) -> list[Declaration]:
    """The functions if they are few, else those with a name that is used nearby in theirs."""
    names = {one.qualified.rpartition(".")[2].lower() for one in near}
    found = list(best)
    for name in sorted(names, key=lambda one: (-len(one), one)):
        if len(found) > _MOST_FUNCTIONS:
            found = [one for one in best if name and name in one[1].lower()] or found
    return found if len(found) <= _MOST_FUNCTIONS else []
