"""Sends commands through a failover: what was not executed is sent to the successor.

Sentinels and clusters put another server in the place of one that has gone, which takes them
seconds; until then commands wait.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from redis.exceptions import (
    AskError,
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    SlotNotCoveredError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.sentinel import MasterNotFoundError

from ipuaro_jupyter.cancellation import stopping
from ipuaro_jupyter.store.routes import Route

UNSURE = "Whether it has carried out the last change is not known."
T = TypeVar("T")
_STEP_S = 0.1
_REFUSED = (
    AskError,  # and MovedError
    BusyLoadingError,
    ClusterDownError,
    MasterNotFoundError,
    ReadOnlyError,
    SlotNotCoveredError,
    TryAgainError,
)
_GONE = (RedisConnectionError, RedisTimeoutError, RedisClusterException)
_FINAL = (AuthenticationError, AuthorizationError)


class Successor:
    """Waits for the server that takes over; after a wait in vain not until one has responded.

    Attributes:
        patience_s: The longest wait for it.

    Args:
        route: Knows which server it is.
    """

    def __init__(self, route: Route) -> None:
        self._route = route
        self.patience_s = 0.0
        self._is_vain = False

    def send(
        self, send: Callable[[], T], respond: Callable[[], object], *, is_repeatable: bool
    ) -> T:
        """The result of ``send``, from the successor if need be.

        Args:
            send: Sends commands, to the server of that moment.
            respond: Returns when this server responds.
            is_repeatable: Whether they may be sent again when it is unknown whether they were
                executed.

        Raises:
            RedisError: As the last server raised it.
            RedisClusterException: The same.
        """
        until = time.monotonic() + (0.0 if self._is_vain else self.patience_s)
        while True:
            is_under_way = False
            try:
                if not is_repeatable:
                    respond()
                    is_under_way = True
                result = send()
            except (RedisError, RedisClusterException) as error:
                is_refused = _is_refused(error)
                if not is_refused and (not isinstance(error, _GONE) or isinstance(error, _FINAL)):
                    raise
                if is_under_way and not is_refused:
                    error.add_note(UNSURE)
                    raise
                if time.monotonic() >= until:
                    self._is_vain = self.patience_s > 0
                    raise
                if stopping().wait(_STEP_S):
                    raise
            else:
                self._is_vain = False
                return result
            with suppress(RedisError, RedisClusterException):
                self._route.look_again()


def _is_refused(error: Exception) -> bool:
    """Whether the server has not executed what it was sent, and another one may."""
    if isinstance(error, _REFUSED) or str(error).startswith("NOREPLICAS"):
        return True
    return isinstance(error, RedisConnectionError) and isinstance(error.__context__, ReadOnlyError)
