"""The server that has a key: the only one, the primary that sentinels name, a cluster's node.

Sentinels and clusters put another server in the place of one that has gone, which takes them
seconds; the embedded one is started again. Until then commands wait, and are sent again unless that
could do harm. Replicas are never read: they may lag behind.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, TypeVar

from redis import Redis, exceptions
from redis.backoff import ConstantBackoff, NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import Connection, parse_url
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel

from ipuaro_jupyter.cancellation import stopping
from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.address import Address, option_refusal

Value = str | bytes | int | float
Command = tuple[Value, ...]
Reviving = Callable[[], AbstractContextManager[object]]
T = TypeVar("T")

UNSURE = "Whether it has carried out the last change is not known."
_OPTIONS: dict[str, Any] = {
    "socket_connect_timeout": 2.0,
    "socket_timeout": 10.0,
    "protocol": 2,
    "retry": Retry(NoBackoff(), 0),
}
"""None of them repeats a command by itself."""
_STEP_S = 0.1
_REPEATABLE = frozenset(
    {
        *("GET", "EXISTS", "SCAN", "MEMORY USAGE", "INFO", "PING"),
        *("HGET", "HMGET", "HGETALL", "HKEYS", "HEXISTS", "HLEN"),
        *("LRANGE", "LLEN", "LINDEX", "ZREVRANGE", "ZRANGEBYSCORE", "ZSCORE", "ZCARD"),
        *("SET", "UNLINK", "HSET", "HDEL", "LSET", "ZADD", "ZREM"),
    }
)
_REFUSED = (
    exceptions.AskError,  # a slot has moved, or is about to
    exceptions.BusyLoadingError,
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
)
_GONE = (exceptions.ConnectionError, exceptions.TimeoutError, RedisClusterException)


def key_of(command: Sequence[Value]) -> Value | None:
    """The first key of a command, of SCAN the pattern; None when it has none."""
    place = {"EVAL": 3, "SCAN": 3}.get(str(command[0]), 1)
    return command[place] if place < len(command) else None


def is_repeatable(command: Sequence[object]) -> bool:
    """Whether executing a command twice has the same effect as once; the result may differ."""
    name = str(command[0]).upper()
    return name in _REPEATABLE and (name != "SET" or "NX" not in command)


class Route:
    """Leads to the servers of a store; thread-safe.

    Attributes:
        patience_s: The longest wait for another server; 0: nothing is sent again. After a wait in
            vain none is made until one has responded.

    Args:
        address: The URL.
        revive: Of the embedded server; see `Client`.
    """

    def __init__(self, address: Address, revive: Reviving | None) -> None:
        self.patience_s = 0.0
        self._is_vain = False
        self._revive = revive
        self._sentinels: list[Redis] = []
        self._redis: Redis | RedisCluster
        options = _options(address)
        if address.kind == "server":
            self._redis = Redis.from_url(address.url, client_name=revive and "ipuaro", **_OPTIONS)
        elif address.kind == "cluster":
            nodes = [ClusterNode(*host) for host in address.hosts]  # type: ignore[no-untyped-call]
            options.pop("db", None)
            self._redis = RedisCluster(startup_nodes=nodes, require_full_coverage=False, **options)
        else:
            theirs = options | {"db": 0, "username": None, "password": None} | dict(address.login)
            sentinel = Sentinel(list(address.hosts), sentinel_kwargs=theirs, **options)  # type: ignore[no-untyped-call]
            self._sentinels = sentinel.sentinels
            self._redis = sentinel.master_for(address.service)  # type: ignore[no-untyped-call]

    def server(self, key: Value | None) -> Redis:
        """The server that has ``key``, in a cluster the primary of its slot; any for None."""
        return self.servers(key)[0]

    def servers(self, key: Value | None = None) -> list[Redis]:
        """The server that has ``key``; for None all that have keys, of a cluster the primaries."""
        it = self._redis
        if isinstance(it, Redis):
            return [it]
        nodes = it.get_primaries() if key is None else [it.get_node_from_key(key)]  # type: ignore[no-untyped-call]
        return [it.get_redis_connection(node) for node in nodes]

    def addresses(self) -> set[object]:
        """Where the primaries that sentinels or a cluster name are now."""
        if isinstance(self._redis, Redis):
            return {getattr(self._redis.connection_pool, "master_address", None)}
        return {node.name for node in self._redis.get_primaries()}  # type: ignore[no-untyped-call]

    def send(self, send: Callable[[], T], key: Value | None, *, is_repeatable: bool) -> T:
        """The result of ``send``, from another server if need be.

        Args:
            send: Sends commands, to the server of that moment.
            key: Their first key.
            is_repeatable: Whether they may be sent again when it is unknown whether they were
                executed. If not, they are sent only once the server has responded.
        """
        until = time.monotonic() + (0.0 if self._is_vain else self.patience_s)
        is_under_way = False

        def attempt() -> T:
            nonlocal is_under_way
            is_under_way = False
            if not is_repeatable:
                self.server(key).ping()
                is_under_way = True
            return send()

        def prepare(error: Exception) -> None:
            is_demoted = isinstance(error.__context__, exceptions.ReadOnlyError)
            if is_under_way and not is_demoted and not isinstance(error, _REFUSED):
                error.add_note(UNSURE)
                raise error
            with suppress(RedisError, RedisClusterException):
                self._look_again()
            self._is_vain = time.monotonic() >= until
            if self._is_vain or stopping().cancelled:
                raise error

        retry = Retry(ConstantBackoff(_STEP_S), -1, _REFUSED + _GONE)
        result = retry.call_with_retry(attempt, prepare)
        self._is_vain = False
        return result

    def _look_again(self) -> None:
        """Find out which servers they are now, or start the embedded one."""
        if isinstance(self._redis, RedisCluster):
            self._redis.nodes_manager.initialize()
        elif self._sentinels:  # each new connection asks them
            self._redis.connection_pool.disconnect(inuse_connections=False)
        elif self._revive is not None:
            with self._revive():
                self._redis.ping()

    def close(self) -> None:
        """Close all connections."""
        for one in (self._redis, *self._sentinels):
            one.close()


def _options(address: Address) -> dict[str, Any]:
    """The options of connections to each of several servers.

    Raises:
        StorageError: The URL has some that cannot be used.
    """
    try:
        given = {**_OPTIONS, **parse_url(address.url)}  # type: ignore[no-untyped-call]
        kind = given.pop("connection_class", None)
        (kind or Connection)(**given)  # which is never opened
    except (TypeError, ValueError, RedisError):  # its text may quote a part of the password
        raise StorageError(option_refusal(address.url)) from None
    hosts = {"host", "port"}
    return {"ssl": kind is not None} | {k: v for k, v in given.items() if k not in hosts}
