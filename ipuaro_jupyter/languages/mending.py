"""Rewrite syntax that a grammar does not know, so that the rest of the file is read.

Only files with syntax errors come here, and those that are bound to have some, as a look at the
text shows. The text keeps its length and its lines; facts are read from the file itself, at the
same offsets.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import Masked, Template, escapes, mask
from ipuaro_jupyter.languages.tables import Patch

Ranges = tuple[tuple[int, int], ...]
Edit = tuple[int, int, bytes]

_MOST_TEMPLATES = 1_000
_LONGEST_ARGUMENTS = 2_000
_LONGEST_COMMENT = 20_000
_LONGEST_WORD = 12
_BRACKETS = re.compile(rb"=>|[<>(){}\[\];]")
_PAIRS = {b">": b"<", b")": b"(", b"}": b"{", b"]": b"["}
_VISIBLE = re.compile(rb"[^\r\n]")


class Prepatched(NamedTuple):
    """A rewritten text that a grammar may be given before it has seen the file.

    ``patched`` are the rewritten ranges, ascending. Each of ``holders`` is such a range with the
    kinds of nodes one of which must contain it after parsing; otherwise the rewriting was wrong.
    """

    text: bytes
    patched: Ranges
    holders: tuple[tuple[int, int, tuple[str, ...]], ...]


class Mending:
    """A file with syntax errors, and the rewritten texts that the grammar may be given."""

    def __init__(self, language: Language, data: bytes) -> None:
        self._language = language
        self._data = data
        self._masked = mask(data, language.comments)

    def within(self, windows: Ranges) -> tuple[bytes, Ranges]:
        """The text for the grammar, and its rewritten ranges, ascending.

        Args:
            windows: Where to rewrite, in bytes, ascending; the code before the comments in front of
                each belongs to it.
        """
        windows = tuple((self._code_before(start), end) for start, end in windows)
        edits = {
            *_patches(self._language.tables.patches, self._masked, windows),
            *_templates(self._language, self._data, self._masked, windows),
            *self._typed_templates(),
        }
        return _edited(self._data, sorted(edits))

    def _code_before(self, place: int) -> int:
        """The beginning of the last line with code before a place, if it is near."""
        text = self._masked.text
        far = max(0, place - _LONGEST_COMMENT)
        return max(text.rfind(b"\n", 0, far + len(text[far:place].rstrip())), 0)

    def foreseen(self) -> Prepatched:
        """The text with only those rewritings that the resulting tree can confirm."""
        edits: list[Edit] = []
        holders: list[tuple[int, int, tuple[str, ...]]] = []
        for patch in _certain(self._language):
            found = list(_patches((patch,), self._masked, ((0, len(self._data)),)))
            edits += found
            holders += [(start, end, patch.inside) for start, end, _ in found]
        text, patched = _edited(self._data, sorted({*edits, *self._typed_templates()}))
        return Prepatched(text, patched, tuple(holders))

    def typed_templates(self) -> tuple[bytes, Ranges]:
        """The same for templates with type arguments only, which look like comparisons."""
        return _edited(self._data, sorted(self._typed_templates()))

    def _typed_templates(self) -> Iterator[Edit]:
        if any(typed_templates(self._language, self._data)):
            for template in self._masked.templates[:_MOST_TEMPLATES]:
                if _has_type_arguments(self._masked.text, template.start):
                    yield from _as_arguments(self._data, template)

    def everywhere(self) -> tuple[bytes, Ranges]:
        """The text for the grammar, rewritten throughout, and its rewritten ranges, ascending."""
        return self.within(((0, len(self._data)),))


def needs_prepatching(language: Language, data: bytes) -> bool:
    """Whether it is worth rewriting a file before it is parsed.

    A cheap check that does not tell comments from code.
    """
    return any(_pattern(sign).search(data) for sign in language.foreseen) and any(
        _pattern(patch.find).search(data) for patch in _certain(language)
    )


def _certain(language: Language) -> list[Patch]:
    return [patch for patch in language.tables.patches if patch.inside]


def typed_templates(language: Language, data: bytes) -> Iterator[int]:
    """Yield the possible beginnings of templates with type arguments, as in ``tag<A>`…```."""
    is_worth = b"`" in data and language.tables.type_contexts  # a single character is found fastest
    place = data.find(b">`") if is_worth else -1
    while place >= 0:
        if place > 0 and data[place - 1] != ord("="):
            yield place + 1
        place = data.find(b">`", place + 1)


def _edited(data: bytes, edits: list[Edit]) -> tuple[bytes, Ranges]:
    text = bytearray(data)
    ranges = []
    last = 0
    for start, end, put in edits:
        if start >= last:
            text[start:end] = put
            ranges.append((start, end))
            last = end
    return bytes(text), tuple(ranges)


def _patches(patches: Iterable[Patch], masked: Masked, windows: Ranges) -> Iterator[Edit]:
    """Yield the edits of some patches; a shorter text is put at the end of its range."""
    for patch in patches:
        sign, needed = patch.put.encode(), [word.encode() for word in patch.words]
        for window in windows:
            if needed and not any(masked.text.find(word, *window) >= 0 for word in needed):
                continue
            for found in _pattern(patch.find).finditer(masked.text, *window):
                start, end = found.span(1)
                if patch.after and not _stands_after(patch.after, masked.text, found.start()):
                    continue
                old = masked.text[start:end]
                if len(sign) == 1:
                    yield start, end, _VISIBLE.sub(sign, old)
                elif len(sign) <= len(old) and b"\n" not in old:
                    yield start, end, sign.rjust(len(old))


def _stands_after(pattern: str, text: bytes, place: int) -> bool:
    """Whether the code before a place, blanks and comments aside, ends with a pattern."""
    before = text[max(0, place - _LONGEST_COMMENT) : place].rstrip()
    return _ending(pattern).search(before[-_LONGEST_WORD:]) is not None


def _templates(language: Language, data: bytes, masked: Masked, windows: Ranges) -> Iterator[Edit]:
    """Yield the edits of escapes in templates: the grammar knows none in types."""
    if not language.tables.type_contexts:
        return
    starts = [start for start, _ in windows]
    near = (t for t in masked.templates if _is_in(t.start, windows, bisect(starts, t.start)))
    for template in islice(near, _MOST_TEMPLATES):
        if not _has_type_arguments(masked.text, template.start):
            for start, end in escapes(data, template):
                yield start, end, _VISIBLE.sub(b"_", data[start:end])


def _is_in(place: int, windows: Ranges, after: int) -> bool:
    """Whether a place is in the window before the one with this index."""
    return after > 0 and place < windows[after - 1][1]


def _has_type_arguments(text: bytes, end: int) -> bool:
    """Whether type arguments of a name end at ``end``, as in ``tag<A>``."""
    before = text[max(0, end - _LONGEST_ARGUMENTS) : end].rstrip()
    if not before.endswith(b">") or before.endswith(b"=>"):
        return False
    wanted: list[bytes] = []
    for found in reversed(list(_BRACKETS.finditer(before))):
        sign = found.group()
        if sign in _PAIRS:
            wanted.append(_PAIRS[sign])
        elif sign in {b"<", b"(", b"{", b"["}:
            if not wanted or wanted.pop() != sign:
                return False
            if not wanted:
                name = before[found.start() - 1 : found.start()]
                return sign == b"<" and (name.isalnum() or name in {b"_", b"$", b")"})
        elif sign == b";" and b"{" not in wanted:
            return False
    return False


def _as_arguments(data: bytes, template: Template) -> Iterator[Edit]:
    """Yield the edits that turn a template into the arguments of a call: ``(a, b)``."""
    yield template.start, template.start + 1, b"("
    for start, end in template.texts:
        if start < end:
            yield start, end, _VISIBLE.sub(b" ", data[start:end])
    for start, end in template.holes:
        yield start, start + 2, b"  "
        yield end, end + 1, b","
    yield template.end - 1, template.end, b")"


@lru_cache(maxsize=64)
def _ending(text: str) -> re.Pattern[bytes]:
    return re.compile(b"(?:" + text.encode() + rb")\Z")


@lru_cache(maxsize=64)
def _pattern(text: str) -> re.Pattern[bytes]:
    return re.compile(text.encode(), re.MULTILINE)
