"""Steps of a turn that may fail, and the user's choice of how to go on."""

from collections.abc import Callable, Generator
from typing import Literal, TypeVar

from ipuaro_jupyter.agent.limits import LimitReached, TurnCounts, TurnEnded
from ipuaro_jupyter.cancellation import Deadline
from ipuaro_jupyter.errors import ModelError, NoReplyLeft, StorageError
from ipuaro_jupyter.records.events import Event, PhaseChanged, TroubleDecided
from ipuaro_jupyter.records.trouble import Action, OnError, Remedy, Trouble, remedied

T = TypeVar("T")
Step = Callable[[], Generator[Event, None, T]]


class Remedies:
    """Asks how to go on after a failure.

    Args:
        on_error: Asks the user; None when there is nobody.
        counts: Limits the number of retries.
        deadline: Its clock stops while the user decides.
    """

    def __init__(self, on_error: OnError | None, counts: TurnCounts, deadline: Deadline) -> None:
        self._on_error = on_error
        self._counts = counts
        self._deadline = deadline

    def decided(self, trouble: Trouble) -> Generator[Event, None, Remedy]:
        """Ask the user; yield the choice as an event, and return it.

        Raises:
            Cancelled: The user pressed stop instead.
        """
        if not self._counts.may_retry:
            options: tuple[Action, ...] = tuple(o for o in trouble.options if o != "retry")
            trouble = trouble.model_copy(update={"options": options})
        with self._deadline.paused():
            remedy = remedied(self._on_error, trouble)
        if remedy.by != "nobody":
            yield TroubleDecided(trouble=trouble, remedy=remedy)
        if remedy.action == "retry":
            self._counts.retry()
            phase: Literal["running", "thinking"] = "running" if trouble.tool else "thinking"
            yield PhaseChanged(phase=phase, detail=trouble.tool)
        return remedy

    def tried(self, step: Step[T]) -> Generator[Event, None, T]:
        """Yield the events of a step, repeated while the user wants it; return its value.

        Raises:
            TurnEnded: The step failed, and the user did not want a retry.
        """
        while True:
            try:
                return (yield from step())
            except NoReplyLeft as error:  # there is nothing to choose
                raise TurnEnded("error", str(error), error) from error
            except ModelError as error:
                failed: ModelError | StorageError = error
                trouble = Trouble(kind="model", message=str(error))
            except StorageError as error:
                failed = error
                trouble = Trouble(kind="store", message=str(error))
            remedy = yield from self.decided(trouble)
            if remedy.action == "skip":
                raise TurnEnded("stopped", str(failed), None) from failed
            if remedy.action == "abort":
                raise TurnEnded("error", str(failed), failed) from failed

    def allowed(self, check: Callable[[], None]) -> Generator[Event, None, None]:
        """Run ``check``; at a limit, ask the user whether the turn goes on all the same.

        Raises:
            TurnEnded: The limit holds.
        """
        try:
            check()
        except LimitReached as limit:
            if not limit.may_go_on:
                raise TurnEnded("limit", str(limit), None) from limit
            remedy = yield from self.decided(Trouble(kind="limit", message=str(limit)))
            if remedy.action == "abort" and remedy.by != "nobody":
                raise TurnEnded("error", str(limit), ModelError(str(limit))) from limit
            if remedy.action != "retry":
                raise TurnEnded("limit", str(limit), None) from limit
