"""Output that keeps its beginning and its end when it is too long."""

import re
import threading

_NO_WORD = re.compile(rb"[\s\"'`,;<>(){}\[\]]")
_LONGEST_WORD = 400  # bytes


class HeadTail:
    """Bytes of which the first and the last half of ``limit`` are kept."""

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        """Append ``data``."""
        with self._lock:
            free = self._half - len(self._head)
            self._head += data[:free]
            self._tail += data[free:]
            if len(self._tail) > 2 * self._half:
                self._trim()

    @property
    def truncated(self) -> bool:
        """Whether something in the middle is missing from `value`."""
        with self._lock:
            return self._left_out > 0 or len(self._tail) > self._half

    def value(self) -> bytes:
        """The kept bytes; whole lines around the gap, where there are lines."""
        with self._lock:
            self._trim()
            if not self._left_out:
                return bytes(self._head + self._tail)
            head, tail = _whole_lines(bytes(self._head), bytes(self._tail))
            gap = self._left_out + len(self._head) + len(self._tail) - len(head) - len(tail)
            return head + f"\n[... {gap} bytes left out ...]\n".encode() + tail

    def _trim(self) -> None:
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._left_out += excess


def shortened(text: str, limit: int) -> str:
    """``text`` with at most about ``limit`` bytes, half from each end."""
    kept = HeadTail(limit)
    kept.add(text.encode("utf-8", "replace"))
    return kept.value().decode("utf-8", "replace")


def _whole_lines(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """Cut both sides of a gap back to a line's end, or else to a whole word or character."""
    end, start = head.rfind(b"\n"), tail.find(b"\n") + 1
    if end < 0:
        end = _word_begin(head) or len(head) - len(_unfinished(head))
    if not 0 < start < len(tail):
        start = _word_end(tail) or next(
            (i for i, byte in enumerate(tail) if not _continues(byte)), 0
        )
    return head[:end], tail[start:]


def _word_begin(head: bytes) -> int:
    """Where the last word begins, which may be a part of a key; 0 when that is too far away."""
    least = max(0, len(head) - _LONGEST_WORD)
    ends = [found.end() for found in _NO_WORD.finditer(head, least)]
    return ends[-1] if ends and head[: ends[-1]].strip() else 0


def _word_end(tail: bytes) -> int:
    """Where the first word ends; 0 when that is too far away, or nothing follows."""
    found = _NO_WORD.search(tail, 0, _LONGEST_WORD)
    return found.start() if found and tail[found.start() :].strip() else 0


def _unfinished(data: bytes) -> bytes:
    """The incomplete UTF-8 character at the end of ``data``."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data[error.start :] if error.reason == "unexpected end of data" else b""
    return b""


def _continues(byte: int) -> bool:
    """Whether ``byte`` is inside a UTF-8 character, not at its beginning."""
    return byte & 0b1100_0000 == 0b1000_0000  # noqa: PLR2004 - how UTF-8 marks them
