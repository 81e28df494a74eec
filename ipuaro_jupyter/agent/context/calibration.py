"""Learn from a model's own token counts how far off our estimates are."""

from collections import deque

_FIRST = 1.1
_LEAST, _MOST = 0.85, 4.0
_SURE = 1.03
_IMPLAUSIBLE = 0.6
_CUT_OFF, _CUT_OFF_BY = 0.97, 1.25
_TOO_FEW = 150  # tokens: the template dominates in so small a request
_ENOUGH, _KEPT = 4, 12  # counts


class Calibration:
    """The factor that makes token estimates for one model large enough.

    Servers count in two ways: the whole prompt, or without the part that is still in their cache. A
    count that is far too small, or that shrinks while the prompt grows, is of the second kind; from
    then on counts can only raise the factor. The highest of the latest counts decides.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_KEPT)
        self._last = (0.0, 0)
        self._partial = False

    @property
    def factor(self) -> float:
        """The factor for an estimate."""
        highest = _SURE * max(self._ratios, default=0.0)
        if self._partial or len(self._ratios) < _ENOUGH:
            highest = max(_FIRST, highest)
        return min(_MOST, max(_LEAST, highest))

    def learn(self, guessed: float, counted: int, *, window: int) -> bool:
        """Learn from the model's count; return whether it was for the whole prompt.

        Args:
            guessed: Tokens of the request, estimated without the factor.
            counted: Tokens of the prompt, as the model counted.
            window: The model's window. The server may have truncated a prompt that fills it.
        """
        if guessed < _TOO_FEW:
            return True
        shrunk = guessed >= self._last[0] and counted < self._last[1]
        self._last = (guessed, counted)
        if counted < _IMPLAUSIBLE * guessed or shrunk:
            self._partial = True
            return False
        ratio = counted / guessed
        if counted >= _CUT_OFF * window:
            ratio = max(ratio, self.factor) * _CUT_OFF_BY
        self._ratios.append(ratio)
        return True
