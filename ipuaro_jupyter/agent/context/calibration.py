"""What a model's own counts say about our guesses."""

from collections import deque

_FIRST = 1.1
_LEAST, _MOST = 0.85, 4.0
_SURE = 1.03
_IMPLAUSIBLE = 0.6
_CUT_OFF, _CUT_OFF_BY = 0.97, 1.25
_TOO_FEW = 150  # tokens: the template weighs too much in so small a request
_ENOUGH, _KEPT = 4, 12  # counts


class Calibration:
    """By how much a guess has to be multiplied for one model, so that it is not too small.

    Servers count in two ways: the whole prompt, or without the part that is still in their cache.
    A count that is far too small, or that shrinks while the prompt grows, is of the second kind;
    from then on counts only make the factor larger. The highest of the latest counts is what
    matters.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_KEPT)
        self._last = (0.0, 0)
        self._partial = False

    @property
    def factor(self) -> float:
        """What to multiply a guess by."""
        highest = _SURE * max(self._ratios, default=0.0)
        if self._partial or len(self._ratios) < _ENOUGH:
            highest = max(_FIRST, highest)
        return min(_MOST, max(_LEAST, highest))

    def learn(self, guessed: float, counted: int, *, window: int) -> bool:
        """Learn from what the model counted; returns whether that was the whole prompt.

        Args:
            guessed: Tokens of the request, by a guess that is not multiplied.
            counted: Tokens of the prompt, by the model.
            window: Of the model. A prompt that fills it was perhaps cut off by the server.
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
