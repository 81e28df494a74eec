"""When what is kept back of a reply is read again."""

_SHORT = 64
_GROWTH = 4
_READINGS = 4


class Backoff:
    """Says whether what is kept back is worth another reading.

    While it is short it is read again with each piece, then when it has grown by a quarter. Before
    that it is when a mark has come that may end it, as often as all these readings together stay
    in proportion to the reply. So reading takes linear time, whatever a model writes.
    """

    def __init__(self) -> None:
        self._ends: tuple[str, ...] = ()
        self._next = 0
        self._spent = 0

    def hold(self, start: int, length: int, ends: tuple[str, ...]) -> None:
        """Keep a text of this length back from ``start`` on; one of ``ends`` may make it whole."""
        self._ends = ends
        self._next = length + max(0, length - start - _SHORT) // _GROWTH

    def is_due(self, text: str, start: int, new: int) -> bool:
        """Whether the text from ``start`` on is to be read, ``new`` characters having come."""
        if len(text) >= self._next:
            return True
        has_end = any(text.find(end, len(text) - new - len(end) + 1) >= 0 for end in self._ends)
        if has_end and self._spent <= _READINGS * len(text):
            self._spent += len(text) - start
            return True
        return False
