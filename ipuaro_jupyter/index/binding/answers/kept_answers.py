"""The answers to the latest questions about uses, in one state of the index."""

import time
from collections.abc import Callable

from ipuaro_jupyter.index.binding.answers.answers_on_server import AnswersOnServer
from ipuaro_jupyter.index.binding.answers.uses import UsesAnswer, UsesQuestion
from ipuaro_jupyter.index.storage.snapshots import Snapshot

_LONG_S = 0.01
_MOST_ANSWERS = 100
_MOST_WEIGHT = 32_000_000


class KeptAnswers:
    """Keeps the latest answers, as many as fit into some megabytes.

    Args:
        server: Keeps those that took long for other kernels, too; None: nothing does.
        stores_all: Whether it keeps those that did not take long, too.
    """

    def __init__(self, server: AnswersOnServer | None = None, *, stores_all: bool = False) -> None:
        self._server = server
        self._stores_all = stores_all
        self._generation = b""
        self._kept: dict[UsesQuestion, UsesAnswer] = {}
        self._weight = 0

    def get(
        self, state: Snapshot, asked: UsesQuestion, make: Callable[[], UsesAnswer]
    ) -> UsesAnswer:
        """The answer to a question, made when it is not kept.

        Args:
            state: The state of the index, which may be none.
            asked: The question.
            make: Makes the answer.
        """
        generation = state.generation
        if generation != self._generation:
            self._kept.clear()
            self._generation, self._weight = generation, 0
        answer = self._kept.pop(asked, None)
        if answer is not None:
            self._weight -= answer.weight
        else:
            answer = self._found(state, asked, make)
        if generation and answer.is_kept and answer.weight <= _MOST_WEIGHT:
            self._kept[asked] = answer
            self._weight += answer.weight
            while self._weight > _MOST_WEIGHT or len(self._kept) > _MOST_ANSWERS:
                self._weight -= self._kept.pop(next(iter(self._kept))).weight
        return answer

    def _found(
        self, state: Snapshot, asked: UsesQuestion, make: Callable[[], UsesAnswer]
    ) -> UsesAnswer:
        """The answer that another kernel has found, else a new one."""
        if self._server is None or not state.generation:
            return make()
        answer = self._server.get(state, asked)
        if answer is None:
            began = time.perf_counter()
            answer = make()
            is_wanted = self._stores_all or time.perf_counter() - began >= _LONG_S
            if answer.is_kept and is_wanted:
                self._server.put(state, asked, answer)
        return answer
