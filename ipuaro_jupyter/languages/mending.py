"""Rewrite what a grammar does not know, so that the rest of the file is read.

Only files with syntax errors come here, and those that show before they are parsed that they would
have some. The text keeps its length and its lines; facts are read from the file itself, at the same
offsets.
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


class Foreseen(NamedTuple):
    """What a grammar may be given instead of a file, before it has seen the file.

    ``patched`` is what was rewritten, ascending. Each of ``holders`` is a range of it with the
    kinds of nodes of which one must hold it then; otherwise this is not what the file means.
    """

    text: bytes
    patched: Ranges
    holders: tuple[tuple[int, int, tuple[str, ...]], ...]


class Mending:
    """A file with syntax errors, and what the grammar may be given for parts of it."""

    def __init__(self, language: Language, data: bytes) -> None:
        self._language = language
        self._data = data
        self._masked = mask(data, language.comments)

    def within(self, windows: Ranges) -> tuple[bytes, Ranges]:
        """Return the text for the grammar, and what was rewritten there, ascending.

        Args:
            windows: Where to rewrite, in bytes, ascending; the code before the comments in front
                of each belongs to it.
        """
        windows = tuple((self._code_before(start), end) for start, end in windows)
        edits = {
            *_patches(self._language.tables.patches, self._masked, windows),
            *_templates(self._language, self._data, self._masked, windows),
            *self._typed_templates(),
        }
        return _edited(self._data, sorted(edits))

    def _code_before(self, place: int) -> int:
        """Return where the last line with code before a place begins, if it is near."""
        text = self._masked.text
        far = max(0, place - _LONGEST_COMMENT)
        return max(text.rfind(b"\n", 0, far + len(text[far:place].rstrip())), 0)

    def foreseen(self) -> Foreseen:
        """Return the text with that rewritten of which the tree can tell whether it was right."""
        edits: list[Edit] = []
        holders: list[tuple[int, int, tuple[str, ...]]] = []
        for patch in _certain(self._language):
            found = list(_patches((patch,), self._masked, ((0, len(self._data)),)))
            edits += found
            holders += [(start, end, patch.inside) for start, end, _ in found]
        text, patched = _edited(self._data, sorted({*edits, *self._typed_templates()}))
        return Foreseen(text, patched, tuple(holders))

    def typed_templates(self) -> tuple[bytes, Ranges]:
        """Return the same for templates with type arguments alone: they look like comparisons."""
        return _edited(self._data, sorted(self._typed_templates()))

    def _typed_templates(self) -> Iterator[Edit]:
        if any(typed_templates(self._language, self._data)):
            for template in self._masked.templates[:_MOST_TEMPLATES]:
                if _has_type_arguments(self._masked.text, template.start):
                    yield from _as_arguments(self._data, template)

    def everywhere(self) -> tuple[bytes, Ranges]:
        """Return the text for the grammar, and what was rewritten there, ascending."""
        return self.within(((0, len(self._data)),))


def is_foreseen(language: Language, data: bytes) -> bool:
    """Return whether it is worth while to rewrite a file before it is parsed.

    A cheap look, which does not tell comments from code.
    """
    return any(_pattern(sign).search(data) for sign in language.foreseen) and any(
        _pattern(patch.find).search(data) for patch in _certain(language)
    )


def _certain(language: Language) -> list[Patch]:
    return [patch for patch in language.tables.patches if patch.inside]


def typed_templates(language: Language, data: bytes) -> Iterator[int]:
    """Yield where templates may begin that have type arguments, as in ``tag<A>`…```."""
    is_worth = b"`" in data and language.tables.type_contexts  # one character is found at once
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
    """Yield what some patches change; a short text is put at the end of the range."""
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
    """Return whether the code before a place, blanks and comments aside, ends with a pattern."""
    before = text[max(0, place - _LONGEST_COMMENT) : place].rstrip()
    return _ending(pattern).search(before[-_LONGEST_WORD:]) is not None


def _templates(language: Language, data: bytes, masked: Masked, windows: Ranges) -> Iterator[Edit]:
    """Yield the changes to escapes in templates: the grammar knows none in types."""
    if not language.tables.type_contexts:
        return
    starts = [start for start, _ in windows]
    near = (t for t in masked.templates if _is_in(t.start, windows, bisect(starts, t.start)))
    for template in islice(near, _MOST_TEMPLATES):
        if not _has_type_arguments(masked.text, template.start):
            for start, end in escapes(data, template):
                yield start, end, _VISIBLE.sub(b"_", data[start:end])


def _is_in(place: int, windows: Ranges, after: int) -> bool:
    """Return whether a place is in the window before that of a number."""
    return after > 0 and place < windows[after - 1][1]


def _has_type_arguments(text: bytes, end: int) -> bool:
    """Return whether type arguments that follow a name end at ``end``, as in ``tag<A>``."""
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
    """Yield the changes that make a template the arguments of a call: ``(a, b)``."""
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
