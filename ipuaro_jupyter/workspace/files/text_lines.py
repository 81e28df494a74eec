"""Lines of a text, found without splitting all of it."""

from codecs import BOM_UTF8

_BLOCKS_BYTES = (4096, 256)


class TextLines:
    """The lines of a text that is not split: few are needed, mostly in ascending order.

    Args:
        data: The text.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._start = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
        self._line, self._at = 1, self._start
        """A line, 1-based, and the offset of its beginning, in bytes."""

    def between(self, first: int, last: int) -> tuple[str, ...]:
        """The lines from ``first`` to ``last``, 1-based, as far as they exist."""
        self._go_to(first)
        data, end = self._data, self._at
        for _ in range(last - first + 1):
            end = data.find(b"\n", end) + 1
            if not end:
                end = len(data)
                break
        text = data[self._at : end].decode(errors="replace").replace("\r\n", "\n")
        return tuple(text.removesuffix("\n").split("\n")) if text else ()

    def _go_to(self, line: int) -> None:
        """Move to the beginning of a line, or to the end when there are fewer."""
        if line < self._line:
            self._line, self._at = 1, self._start
        data, at, left = self._data, self._at, line - self._line
        for block in _BLOCKS_BYTES:
            while (passed := data.count(b"\n", at, at + block)) < left and at < len(data):
                left -= passed
                at += block
        for _ in range(left):
            at = data.find(b"\n", at) + 1 or len(data)
        self._line, self._at = line, at
