"""The answers to the latest questions about uses, in one state of the index."""

from collections.abc import Callable

from ipuaro_jupyter.index.binding.uses import UsesAnswer, UsesQuestion

_MOST_ANSWERS = 100
_MOST_WEIGHT = 32_000_000


class KeptAnswers:
    """Keeps the latest answers, as many as fit into some megabytes."""

    def __init__(self) -> None:
        self._generation = b""
        self._kept: dict[UsesQuestion, UsesAnswer] = {}
        self._weight = 0

    def get(
        self, generation: bytes, asked: UsesQuestion, make: Callable[[], UsesAnswer]
    ) -> UsesAnswer:
        """The answer to a question, made when it is not kept.

        Args:
            generation: The state of the index; empty when there is none.
            asked: The question.
            make: Makes the answer.
        """
        if generation != self._generation:
            self._kept.clear()
            self._generation, self._weight = generation, 0
        answer = self._kept.pop(asked, None)
        if answer is not None:
            self._weight -= answer.weight
        else:
            answer = make()
        if generation and answer.is_kept and answer.weight <= _MOST_WEIGHT:
            self._kept[asked] = answer
            self._weight += answer.weight
            while self._weight > _MOST_WEIGHT or len(self._kept) > _MOST_ANSWERS:
                self._weight -= self._kept.pop(next(iter(self._kept))).weight
        return answer
