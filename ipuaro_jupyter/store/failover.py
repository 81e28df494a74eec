"""Sends commands again when another server takes over, unless that could do harm.

Sentinels and clusters put another server in the place of one that has gone, which takes them
seconds; the embedded one is started again. Until then commands wait.
"""

import time
from collections.abc import Callable, Sequence
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
_READ = frozenset(
    {
        *("GET", "EXISTS", "SCAN", "MEMORY USAGE", "INFO", "PING"),
        *("HGET", "HMGET", "HGETALL", "HKEYS", "HEXISTS", "HSCAN", "HLEN"),
        *("LRANGE", "LLEN", "LINDEX", "ZREVRANGE", "ZRANGEBYSCORE", "ZSCORE", "ZCARD"),
    }
)
_WRITTEN = frozenset({"SET", "UNLINK", "HSET", "HDEL", "LSET", "ZADD", "ZREM"})
"""Commands with the same effect whether they are executed once or twice."""
_MOVED = (AskError, ClusterDownError, MasterNotFoundError, SlotNotCoveredError, TryAgainError)
_REFUSED = (*_MOVED, BusyLoadingError, ReadOnlyError)
_GONE = (RedisConnectionError, RedisTimeoutError, RedisClusterException)


def is_read(command: Sequence[object]) -> bool:
    """Whether a command changes nothing; of scripts that is not known."""
    return str(command[0]).upper() in _READ


def is_repeatable(command: Sequence[object]) -> bool:
    """Whether executing a command twice has the same effect as once; the result may differ."""
    name = str(command[0]).upper()
    return name in _READ or (name in _WRITTEN and (name != "SET" or "NX" not in command))


class Failover:
    """Waits for the server that takes over; after a wait in vain not until one has responded.

    Attributes:
        patience_s: The longest wait for it; 0: nothing is sent again.

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
        """The result of ``send``, from another server if need be.

        Args:
            send: Sends commands, to the server of that moment.
            respond: Returns when this server responds.
            is_repeatable: Whether they may be sent again when it is unknown whether they were
                executed. If not, they are sent only once the server has responded.

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
                if is_under_way and not is_refused and _is_gone(error):
                    error.add_note(UNSURE)
                    raise
                if not is_refused and not _is_gone(error):
                    raise
                if time.monotonic() >= until:
                    self._is_vain = self.patience_s > 0
                    raise
                if stopping().wait(_STEP_S):
                    raise
                with suppress(RedisError, RedisClusterException):
                    self._route.look_again()
            else:
                self._is_vain = False
                return result


def _is_gone(error: Exception) -> bool:
    is_login = isinstance(error, (AuthenticationError, AuthorizationError))
    return isinstance(error, _GONE) and not is_login


def _is_refused(error: Exception) -> bool:
    """Whether the server has not executed what it was sent, and another one may."""
    if isinstance(error, _REFUSED) or str(error).startswith("NOREPLICAS"):
        return True
    return isinstance(error, RedisConnectionError) and isinstance(error.__context__, ReadOnlyError)
