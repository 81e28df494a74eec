"""The limits of a turn: rounds, repairs, repeated calls, refusals, time."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.sessions.token_quota import TokenQuota


class LimitReached(Exception):  # noqa: N818 - an end, not a fault
    """A turn has reached a limit; the message tells the user which.

    Attributes:
        may_go_on: Whether the user may let the turn go on.
    """

    def __init__(self, message: str, *, may_go_on: bool = True) -> None:
        super().__init__(message)
        self.may_go_on = may_go_on


class TurnEnded(Exception):  # noqa: N818 - an end, not a fault
    """The turn has ended before there was an answer.

    Attributes:
        ended: As in `Answer.ended`.
        notice: The reason, for the user.
        error: The exception to raise when the events are not read; None when it was no error.
    """

    def __init__(
        self, ended: Literal["stopped", "limit", "error"], notice: str, error: Exception | None
    ) -> None:
        super().__init__(notice)
        self.ended = ended
        self.notice = notice
        self.error = error


class TurnCounts:
    """Counts the usage of a turn, and raises `LimitReached` when there is too much."""

    def __init__(self, settings: AgentSettings, quota: TokenQuota | None = None) -> None:
        self._settings = settings
        self._quota = quota
        self._rounds = 0
        self._repairs = 0
        self._refusals = 0
        self._retries = 0

    def round(self) -> None:
        """Count a request to the model."""
        if self._quota is not None and (told := self._quota.reached()):
            raise LimitReached(told, may_go_on=False)
        if self._rounds >= self._settings.max_rounds:
            self._rounds = 0  # starts again when the user lets the turn go on
            most = self._settings.max_rounds
            raise LimitReached(f"The model went on for {most} round{'s' * (most != 1)}.")
        self._rounds += 1

    def repair(self, told: str) -> None:
        """Count a reply that could not be used; ``told`` is the user's message at the limit."""
        if self._repairs >= self._settings.max_repairs:
            self._repairs = 0
            raise LimitReached(told)
        self._repairs += 1

    def refusal(self, message: str) -> None:
        """Count a call that is never allowed."""
        self._refusals += 1
        if self._refusals > self._settings.max_refusals:
            told = f"The model insisted on what is not allowed: {message}"
            raise LimitReached(told, may_go_on=False)

    def retry(self) -> None:
        """Count a retry that the user asked for."""
        self._retries += 1

    @property
    def may_retry(self) -> bool:
        """Whether another retry is allowed."""
        return self._retries < self._settings.max_retries


@dataclass(slots=True)
class _SeenCalls:
    result: str = ""
    times: int = 0
    is_change: bool = False
    call_id: str = ""


class Earlier(NamedTuple):
    """The same call as made before.

    Attributes:
        is_same: Whether it had the same result.
        call_id: Whose message holds that result.
    """

    is_same: bool
    call_id: str


class Repeats:
    """Finds calls that are repeated without a new result, even with others in between.

    A call only counts as repeated when its result is the same too, so that a job may be watched.
    After a change to the files, lookups start again from zero, but changes do not: a model that
    edits back and forth is found.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: dict[str, _SeenCalls] = {}

    def check(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Raise LimitReached unless a call may be made.

        Raises:
            LimitReached: It has given the same result as often as allowed.
        """
        seen = self._seen.get(_key(name, arguments))
        if seen is not None and seen.times >= self._most:
            seen.times = 0
            times = f"{self._most} times" if self._most > 1 else "already"
            raise LimitReached(f"The model called {name} {times} with the same arguments.")

    def note(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        result: str,
        is_change: bool,
        call_id: str = "",
    ) -> Earlier | None:
        """Record the result of a call, and whether it has changed a file.

        Returns:
            The same call before, if it counts; else None.
        """
        key = _key(name, arguments)
        if is_change:
            self._seen = {
                known: seen for known, seen in self._seen.items() if seen.is_change or known == key
            }
        seen = self._seen.setdefault(key, _SeenCalls())
        is_same = seen.result == result or is_change
        earlier = Earlier(is_same, seen.call_id) if seen.times else None
        if earlier is None or not is_same:
            seen.call_id = call_id
        seen.times = seen.times + 1 if is_same else 1
        seen.result, seen.is_change = result, is_change
        return earlier


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    """The same text for equivalent calls: null is omitted, 2.0 is 2."""
    given = {
        key: int(value) if isinstance(value, float) and value.is_integer() else value
        for key, value in arguments.items()
        if value is not None
    }
    return json.dumps([name, given], sort_keys=True, default=repr)
