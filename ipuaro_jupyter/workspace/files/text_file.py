r"""Text files: lines, line ends and encoding, so that an edit leaves all the rest unchanged.

Lines end with ``\n`` or ``\r\n`` only. A form feed, a lone ``\r`` or U+2028 is a character like any
other: editors, git and compilers count lines that way.
"""

import codecs
import hashlib
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import sub
from typing import Literal

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.languages.source_extensions import is_source
from ipuaro_jupyter.views.hunks import LINE_STEPS
from ipuaro_jupyter.views.sequence_diff import ComparisonBudget, MatchingBlock, matches
from ipuaro_jupyter.workspace.files.disk import Content

_HEAD = 8192  # where git, too, looks for a NUL
_BYTES_TO_A_NUL = 8  # in source code, at least
_BINARY = "binary, not UTF-8 text"
_WIDE_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)

Newline = Literal["\n", "\r\n"]


def content_hash(data: bytes) -> str:
    """The identifier of a file's version: BLAKE2b of 16 bytes, in hex."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def sniff(data: bytes, path: str = "") -> str | None:
    """The reason why the content ``data`` of a file is not text for us; None when it is.

    Source code may hold a few NULs, in a string for example; ``path`` tells what is source code.
    """
    for bom, encoding in _WIDE_BOMS:
        if data.startswith(bom):
            return f"{encoding} text, not UTF-8"
    has_nul = b"\0" in data[:_HEAD]
    if has_nul and not (is_source(path) and data.count(b"\0") <= len(data) // _BYTES_TO_A_NUL):
        return _BINARY
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if has_nul:
            return _BINARY
        return f"not UTF-8 text (byte {error.start} is 0x{data[error.start]:02x})"
    return None


def encoded(text: str) -> bytes:
    """The text as UTF-8.

    Raises:
        ToolError: "validation" for half a surrogate pair, and for a NUL, which would make the file
            a binary one.
    """
    if "\0" in text:
        raise ToolError("validation", "The content holds a NUL character, which is not text.")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise ToolError("validation", f"The content holds {half!r}, which is not text.") from None


def check_range(path: str, count: int, start: int, end: int, *, had: str = "has") -> None:
    """Check that the lines from ``start`` to ``end``, or the place before start, are in a file.

    Args:
        path: The file.
        count: The number of its lines.
        start: First line, 1-based; the last line + 1 to append.
        end: Last line, included; start - 1 for the place before start.
        had: The verb with which an error tells the count.

    Raises:
        ToolError: "validation" when they are not.
    """
    if 1 <= start <= count + 1 and start - 1 <= end <= count:
        return
    how = "end = start - 1 inserts before start"
    hint = f"Use lines from 1 to {count}; {how}." if count else "Use start=1, end=0 to insert."
    size = f"{count} line{'' if count == 1 else 's'}"
    raise ToolError(
        "validation", f"Invalid line range {start}-{end}: {path} {had} {size}.", suggestion=hint
    )


@dataclass(frozen=True)
class TextFile:
    """A version of a UTF-8 text file, decoded and split when that is first asked for.

    Attributes:
        path: Relative to the project's root.
        data: All bytes.
        mode: The permission bits.
        content: As it was read from the disk; None for a version that was not.
    """

    path: str
    data: bytes
    mode: int
    content: Content | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, path: str, data: bytes, mode: int) -> "TextFile":
        """The file.

        Raises:
            ToolError: "file" when it is not UTF-8 text.
        """
        file = cls(path, data, stat.S_IMODE(mode))
        file.check()
        return file

    def check(self) -> None:
        """Raise ToolError unless the file is text.

        Raises:
            ToolError: "file" when it is not.
        """
        if self.problem is not None:
            raise ToolError("file", f"{self.path} is {self.problem}; only UTF-8 text is read.")

    @cached_property
    def problem(self) -> str | None:
        """The reason why it is not text for us; None when it is."""
        return sniff(self.data, self.path)

    @property
    def bom(self) -> bytes:
        """The byte order mark that the file begins with, or nothing."""
        return codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""

    @property
    def encoding(self) -> Literal["utf-8", "utf-8-sig"]:
        """The encoding, as `open` names it."""
        return "utf-8-sig" if self.bom else "utf-8"

    @cached_property
    def hash(self) -> str:
        """The identifier of this version, as in the index."""
        return content_hash(self.data)

    @cached_property
    def text(self) -> str:
        """The content without byte order mark, with the line ends of the file."""
        return self.data[len(self.bom) :].decode()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends; a final newline makes no further line."""
        lines = self.text.replace("\r\n", "\n").split("\n")
        if not lines[-1]:
            lines.pop()
        return tuple(lines)

    @property
    def final_newline(self) -> bool:
        """Whether the last line has an end; False for an empty file."""
        return self.text.endswith("\n")

    @cached_property
    def newline(self) -> Newline:
        r"""The line end of most lines; the first line's when it is a draw, else ``\n``."""
        windows = self.text.count("\r\n")
        unix = self.text.count("\n") - windows
        if windows == unix and windows:
            return "\r\n" if self._segments[0].endswith("\r\n") else "\n"
        return "\r\n" if windows > unix else "\n"

    def replaced(self, start: int, end: int, content: str) -> bytes:
        r"""The file's bytes with the lines ``start`` to ``end`` replaced.

        New lines get the file's line end, whatever their own. The file keeps its byte order mark,
        and a final newline or the lack of one; an empty file gets one.

        Args:
            start: First line, 1-based; the last line + 1 to append.
            end: Last line, included; start - 1 replaces nothing, and so inserts before start.
            content: The new lines, one final newline being a terminator; "" is no line.

        Raises:
            ToolError: "validation" for a range that is not in the file, never clamped, and for
                content that is not text.
        """
        check_range(self.path, len(self._segments), start, end)
        encoded(content)
        if start == 1 and self.bom:
            content = content.removeprefix("\ufeff")
        old = self._segments[start - 1 : end]
        middle = self._with_own_ends(_split(content), old)
        segments = [*self._segments[: start - 1], *middle, *self._segments[end:]]
        return self._joined(segments, final_newline=self.final_newline or not self.text)

    def rewritten(self, text: str) -> bytes:
        r"""The file's bytes with ``text`` as the whole content.

        Line ends and byte order mark are kept as in `replaced`; ``text`` decides whether there is a
        final newline.

        Raises:
            ToolError: "validation" when it is not text.
        """
        encoded(text)
        segments = self._with_own_ends(_split(text.removeprefix("\ufeff")), self._segments)
        return self._joined(segments, final_newline=text.endswith("\n"))

    @cached_property
    def _segments(self) -> list[str]:
        """The lines with their ends."""
        return _split(self.text)

    def _with_own_ends(self, new: Sequence[str], old: Sequence[str]) -> list[str]:
        """``new`` with the file's line ends.

        Lines equal to those in ``old`` keep their ends, so that an edit changes only its own lines
        in a file of mixed line ends. When both are too long and too monotonous to compare, this
        holds for replaced lines anywhere and for lines inserted or removed in one place; with more
        such places, equal lines between these may get the end that most lines have.
        """
        texts = [_stripped(segment) for segment in new]
        ended = [text + self.newline for text in texts]
        if self.text.count("\r\n") not in (0, self.text.count("\n")):
            before = [_stripped(segment) for segment in old]
            end_old = end_new = 0
            rest = MatchingBlock(len(before), len(texts), 0)
            for at_old, at_new, size in [
                *matches(before, texts, ComparisonBudget(LINE_STEPS)),
                rest,
            ]:
                gap = before[end_old:at_old], texts[end_new:at_new]
                for place_old, place_new in _side_by_side(*gap):
                    ended[end_new + place_new] = old[end_old + place_old]
                end_old, end_new = at_old + size, at_new + size
                ended[at_new:end_new] = old[at_old:end_old]
        return ended

    def _joined(self, segments: list[str], *, final_newline: bool) -> bytes:
        ended = [s if s.endswith("\n") else s + self.newline for s in segments]
        if ended and not final_newline:
            last = segments[-1]
            ended[-1] = _stripped(last) if last.endswith("\n") else last
        return self.bom + "".join(ended).encode()


def _side_by_side(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of equal lines, counted from the beginning in both or from the end.

    The switch from beginning to end is chosen so that most lines are equal.
    """
    size = min(len(old), len(new))
    more_old, more_new = len(old) - size, len(new) - size
    leading = [one == other for one, other in zip(old, new, strict=False)]
    trailing = [one == other for one, other in zip(old[more_old:], new[more_new:], strict=True)]
    gains = [*accumulate(map(sub, leading, trailing), initial=0)]
    turn = gains.index(max(gains))
    yield from ((n, n) for n in range(turn) if leading[n])
    yield from ((more_old + n, more_new + n) for n in range(turn, size) if trailing[n])


def _split(text: str) -> list[str]:
    r"""The lines with their ends; no line follows the last ``\n``."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _stripped(segment: str) -> str:
    if segment.endswith("\r\n"):
        return segment[:-2]
    return segment.removesuffix("\n")
