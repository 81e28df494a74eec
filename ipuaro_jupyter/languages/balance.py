"""Balance the brackets of a broken file by its indentation."""

import re
from dataclasses import dataclass
from itertools import groupby

_SIGNS = re.compile(rb"^[ \t]*+|[(){}\[\]]", re.MULTILINE)
_HOLDER = re.compile(rb"\b(?:class|interface|enum|namespace|module)\b")
# The content of these is not always indented.
_FLAT = re.compile(
    rb"[ \t]*(?:[(!;]|(?:export\s+)?(?:declare|namespace|module|define|describe|switch)\b)"
)
_FUNCTION = re.compile(rb"=>|\bfunction\b")
_PAIRS = {b")": b"(", b"}": b"{", b"]": b"["}
_CLOSING = {opener: closer for closer, opener in _PAIRS.items()}
_NEAR = 40
_FAR = 2_000
_MOST = 200


@dataclass
class _Opener:
    sign: bytes
    at: int
    indent: int
    line: int  # the beginning of its line
    flat: bool | None = None  # whether its content is not indented; None: not yet known


def balanced(text: bytes, masked: bytes) -> bytes:
    """A text in which every bracket is matched, as far as indentation tells.

    A bracket that is open where the indentation has ended is closed there, in place of a blank, or
    immediately; a line whose bracket cannot be closed is blanked.

    Args:
        text: The text to change; its length and lines stay.
        masked: The same without comments, strings and the text of templates.
    """
    return _Balance(text, masked).run()


class _Balance:
    """One pass over a file; each place is visited once, and looks at few brackets around it."""

    def __init__(self, text: bytes, masked: bytes) -> None:
        self._masked = masked
        self._out = bytearray(text)
        self._text = text
        self._open: list[_Opener] = []
        self._closers: dict[int, list[int]] = {}  # by the line of the opener
        self._changes = 0
        self._line = self._indent = 0

    def run(self) -> bytes:
        for found in _SIGNS.finditer(self._masked):
            sign, at = found.group(), found.start()
            if not sign or sign[0] in b" \t":
                self._begin_line(at, found.end())
            elif sign in _PAIRS:
                self._close(sign, at)
            else:
                self._open.append(_Opener(sign, at, self._indent, self._line))
            if self._changes > _MOST:
                return self._text
        self._end(self._open[: -_MOST - 1 : -1], len(self._masked))
        return bytes(self._out)

    def _begin_line(self, start: int, end: int) -> None:
        first = self._masked[end : end + 1]
        self._line = start
        self._indent = len(self._masked[start:end].expandtabs(4))
        if not first.strip() or first in _PAIRS or not self._open:
            return
        top = self._open[-1]
        if top.flat is None:
            is_inside = self._indent > top.indent
            top.flat = not is_inside and _FLAT.match(self._masked, top.line) is not None
        ended = []
        while self._open and self._open[-1].indent >= self._indent and not self._open[-1].flat:
            ended.append(self._open.pop())
        if ended:
            self._end(ended, end)

    def _close(self, sign: bytes, at: int) -> None:
        wanted = _PAIRS[sign]
        near = range(len(self._open) - 1, max(len(self._open) - _NEAR, 0) - 1, -1)
        fitting = [index for index in near if self._open[index].sign == wanted]
        begins = not self._masked[self._line : at].strip()
        exact = [i for i in fitting if self._open[i].indent == self._indent] if begins else []
        found = next(iter(exact or fitting), None)
        if found is not None and not exact and self._is_unmatched(sign, found, begins=begins):
            found = None
        if found is None:
            self._out[at : at + 1] = b" "
            self._changes += 1
            return
        self._closers.setdefault(self._open[found].line, []).append(at)
        ended = self._open[found + 1 :]
        del self._open[found:]
        self._end(ended[::-1], at)

    def _is_unmatched(self, sign: bytes, index: int, *, begins: bool) -> bool:
        """Whether a brace at the beginning of a line ends a block that was never opened."""
        return begins and sign == b"}" and self._open[index].indent < self._indent

    def _end(self, openers: list[_Opener], at: int) -> None:
        """Close brackets before a place, the innermost first, or blank them."""
        blocks: list[list[_Opener]] = []
        for line, group in groupby(openers, key=lambda opener: opener.line):
            self._changes += 1
            one = list(group)
            end = self._masked.find(b"\n", one[0].at)
            end = end if end >= 0 else len(self._masked)
            one = [opener for opener in one if not self._is_header(opener, end)]
            if one and one[0].sign == b"{" and not self._masked[one[0].at + 1 : end].strip():
                blocks.append(one)
            elif one:  # half a line
                self._out[line:end] = self._out[line:end].translate(_BLANKS)
                for closer in self._closers.pop(line, ()):
                    self._out[closer : closer + 1] = b" "
        signs = b"".join(_CLOSING[opener.sign] for one in blocks for opener in one)
        slot = None
        if blocks:
            after = blocks[0][0].at
            slot = self._slot(at, len(signs), after)
            if slot is None:
                slot = self._line_before(at, len(signs), after)
        if slot is not None:
            self._out[slot : slot + len(signs)] = signs
            return
        for one in blocks:
            self._close_at_once(one)

    def _is_header(self, opener: _Opener, end: int) -> bool:
        """Close a parenthesis before the brace that ends its line, as in ``function f(a {``."""
        inside = self._masked[opener.at + 1 : end].rstrip()
        brace = opener.at + len(inside)
        if opener.sign != b"(" or not inside.endswith(b" {") or _FUNCTION.search(inside):
            return False
        self._out[brace - 1 : brace] = b")"
        return True

    def _close_at_once(self, openers: list[_Opener]) -> None:
        """Close a block whose end is unknown right away; its content follows it."""
        at = openers[0].at
        if len(openers) > 1:
            line = slice(openers[0].line, at + 1)
            self._out[line] = self._out[line].translate(_BLANKS)
            return
        is_holder = _HOLDER.search(self._masked, openers[0].line, at) is not None
        if not is_holder and at and self._out[at - 1] in b" \t":
            self._out[at - 1 : at + 1] = b"{}"

    def _slot(self, at: int, size: int, after: int) -> int | None:
        """A place before ``at`` with room for ``size`` signs; None when there is none."""
        first = at - size
        if first > after and not self._out[first:at].strip(b" \t" if at < len(self._out) else None):
            return first
        begin = max(after, at - _FAR)
        last = begin + len(self._masked[begin:at].rstrip())
        if size == 1 and last - 1 > after and self._out[last - 1 : last] == b";":
            return last - 1
        return None

    def _line_before(self, at: int, size: int, after: int) -> int | None:
        """Blank the last line of code before ``at``; return a place in it with enough room."""
        begin = max(after, at - _FAR)
        end = begin + len(self._masked[begin:at].rstrip())
        start = self._masked.rfind(b"\n", begin, end) + 1
        line = self._masked[start:end]
        is_whole = all(line.count(one) == line.count(other) for one, other in _PAIRS.items())
        if start <= begin or not is_whole or b"`" in line or len(line.lstrip()) < size:
            return None
        self._out[start:end] = self._out[start:end].translate(_BLANKS)
        return end - size


_BLANKS = bytes(code if code in b"\r\n" else 32 for code in range(256))
