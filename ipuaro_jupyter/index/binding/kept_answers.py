"""The answers to the latest questions about uses, in one state of the index."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ipuaro_jupyter.index.binding.references import Uses

_MOST_ANSWERS = 100
_MOST_WEIGHT = 16_000_000
_REFERENCE_BYTES = 500


class UsesQuestion(NamedTuple):
    """A question about uses; see `ReferenceFinder.of`."""

    symbol: str
    within: str | None
    limit: int | None
    declared_in: str


class UsesAnswer(NamedTuple):
    """An answer, with the hashes of the files that were read for it.

    ``is_kept`` is False when time ran out, or a file was not what the index knows.
    """

    uses: Uses
    used: Mapping[str, str]
    is_kept: bool

    @property
    def weight(self) -> int:
        """The memory it takes at most, in bytes."""
        uses = self.uses
        texts = sum(len(text) for text, _ in uses.texts.values())
        return texts + _REFERENCE_BYTES * (len(uses.first) + len(uses.unresolved) + len(self.used))


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
            generation: The state of the index; b"" when there is none.
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
        if generation and answer.is_kept and answer.weight <= _MOST_WEIGHT // 2:
            self._kept[asked] = answer
            self._weight += answer.weight
            while self._weight > _MOST_WEIGHT or len(self._kept) > _MOST_ANSWERS:
                self._weight -= self._kept.pop(next(iter(self._kept))).weight
        return answer
