"""What a model's own counts say about our guesses."""

from collections import deque

_FIRST = 1.1
_LEAST, _MOST = 0.85, 4.0
_SURE = 1.03
_IMPLAUSIBLE = 0.6
_CUT_OFF, _CUT_OFF_BY = 0.97, 1.25
_TOO_FEW = 150  # tokens: the template weighs too much in so small a request
_KEPT = 12


class Calibration:
    """By how much a guess has to be multiplied for one model, so that it is not too small.

    Servers count in two ways: the whole prompt, or without the part that is still in their cache.
    A count that is far too small, or that shrinks while the prompt grows, is taken for the second
    and ignored; the highest of the others is what counts.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_KEPT)
        self._last = (0.0, 0)

    @property
    def factor(self) -> float:
        """What to multiply a guess by."""
        if not self._ratios:
            return _FIRST
        return min(_MOST, max(_LEAST, _SURE * max(self._ratios)))

    def learn(self, guessed: float, counted: int, *, window: int) -> bool:
        """Learn from what the model counted; returns whether the count can be believed.

        Args:
            guessed: Tokens of the request, by a guess that is not multiplied.
            counted: Tokens of the prompt, by the model.
            window: Of the model. A prompt that fills it was perhaps cut off by the server.
        """
        grown, shrunk = guessed >= self._last[0], counted < self._last[1]
        if guessed < _TOO_FEW:
            return True
        if counted < _IMPLAUSIBLE * guessed or (grown and shrunk):
            return False
        self._last = (guessed, counted)
        ratio = counted / guessed
        if counted >= _CUT_OFF * window:
            ratio = max(ratio, self.factor) * _CUT_OFF_BY
        self._ratios.append(ratio)
        return True
