"""The server that has a key: the only one, the primary that sentinels name, a cluster's node.

Replicas are never read: they may lag behind.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import Connection, ConnectionPool, parse_url
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.address import Address, option_refusal

Value = str | bytes | int | float
Command = tuple[Value, ...]
Reviving = Callable[[], AbstractContextManager[object]]

_CONNECT_S = 2.0
_COMMAND_S = 10.0
_WITHOUT_KEY = frozenset({"CLIENT LIST", "INFO", "PING", "WAIT"})
_KEY_PLACES = {"EVAL": 3, "SCAN": 3}


def key_of(command: Sequence[Value]) -> Value | None:
    """The first key of a command, of SCAN the pattern; None when it has none."""
    name = str(command[0])
    return None if name in _WITHOUT_KEY else command[_KEY_PLACES.get(name, 1)]


def address_of(server: Redis) -> str:
    """The host and port of a server, or the path of its socket."""
    pool = server.connection_pool
    given = pool.connection_kwargs
    host, port = getattr(pool, "master_address", None) or (given.get("host"), given.get("port"))
    return str(given["path"]) if "path" in given else f"{host}:{port}"


class Route:
    """Leads to the servers of a store; thread-safe.

    Attributes:
        kind: "embedded", "server", "sentinel" or "cluster".

    Args:
        address: The URL.
        revive: Of the embedded server; see `Client`.
    """

    def __init__(self, address: Address, revive: Reviving | None = None) -> None:
        self.kind: str = "embedded" if revive else address.kind
        self._revive = revive
        self._sentinels: list[Redis] = []
        self._cluster: RedisCluster | None = None
        if address.kind == "server":
            pool = _RevivingPool(**{"client_name": revive and "ipuaro", **_options(address)})
            pool.revive = revive
            self._redis = Redis.from_pool(pool)
            return
        options = _of_several(address)
        if address.kind == "cluster":
            self._cluster = RedisCluster(
                startup_nodes=[ClusterNode(*host) for host in address.hosts],  # type: ignore[no-untyped-call]
                require_full_coverage=False,
                **{key: value for key, value in options.items() if key != "db"},
            )
            return
        own = {k: v for k, v in options.items() if k not in {"db", "username", "password"}}
        sentinel = Sentinel(  # type: ignore[no-untyped-call]
            list(address.hosts), sentinel_kwargs={**own, **dict(address.login)}, **options
        )
        self._sentinels = sentinel.sentinels
        self._redis = sentinel.master_for(address.service)  # type: ignore[no-untyped-call]

    def server(self, key: Value) -> Redis:
        """The server that has ``key``; in a cluster the primary of its slot."""
        if self._cluster is None:
            return self._redis
        node = self._cluster.get_node_from_key(key)  # type: ignore[no-untyped-call]
        return self._cluster.get_redis_connection(node)

    def servers(self) -> list[Redis]:
        """All that have keys: of a cluster all primaries."""
        if self._cluster is None:
            return [self._redis]
        nodes = self._cluster.get_primaries()  # type: ignore[no-untyped-call]
        return [self._cluster.get_redis_connection(node) for node in nodes]

    def serving(self, command: Command) -> Redis:
        """The server that executes a command; any, if the command has no key."""
        key = key_of(command)
        return self.servers()[0] if key is None else self.server(key)

    def look_again(self) -> None:
        """Find out which servers they are now, or start the embedded one."""
        if self._cluster is not None:
            self._cluster.nodes_manager.initialize()
        elif self._sentinels:  # each new connection asks them
            self._redis.connection_pool.disconnect(inuse_connections=False)
        elif self._revive is not None:
            with self._revive():
                pass

    def close(self) -> None:
        """Close all connections."""
        for one in (self._cluster or self._redis, *self._sentinels):
            one.close()


class _RevivingPool(ConnectionPool):
    """Starts the server when no connection can be made."""

    revive: Reviving | None = None

    def get_connection(self, *args: Any, **options: Any) -> Any:
        try:
            return super().get_connection(*args, **options)
        except RedisConnectionError:
            if self.revive is None:
                raise
        with self.revive():
            return super().get_connection(*args, **options)


def _options(address: Address) -> dict[str, Any]:
    """The options of connections, none of which repeats a command by itself.

    Raises:
        StorageError: The URL has some that cannot be used.
    """
    try:
        given = {
            "socket_connect_timeout": _CONNECT_S,
            "socket_timeout": _COMMAND_S,
            **parse_url(address.url),  # type: ignore[no-untyped-call]
            "decode_responses": False,
            "protocol": 2,
            "retry": Retry(NoBackoff(), 0),
        }
        checked = {key: value for key, value in given.items() if key != "connection_class"}
        given.get("connection_class", Connection)(**checked)  # which is never opened
    except (TypeError, ValueError, RedisError):  # its text may quote a part of the password
        raise StorageError(option_refusal(address.url)) from None
    return given


def _of_several(address: Address) -> dict[str, Any]:
    """Options of one connection as those for connections to several servers."""
    options = _options(address)
    is_tls = options.pop("connection_class", None) is not None
    hosts = {"host", "port"}
    return {k: v for k, v in options.items() if k not in hosts} | ({"ssl": True} if is_tls else {})
