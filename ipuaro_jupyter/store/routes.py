"""The way to the server that has a key: the only one, the primary of sentinels, a cluster's node.

Replicas are never read: they may lag behind.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import AbstractConnection, ConnectionPool, parse_url
from redis.crc import key_slot
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


class Route(Protocol):
    """The servers behind one URL; thread-safe."""

    kind: Literal["server", "sentinel", "cluster"]
    has_successors: bool
    """Whether another server takes over when the one in use has gone."""

    def server(self, key: Value | None) -> Redis:
        """The server that has ``key``; None: any that has keys."""

    def servers(self) -> list[Redis]:
        """All that have keys."""

    def share(self, commands: Sequence[Command]) -> list[tuple[Redis, list[int]]]:
        """The places of the commands in their sequence, by the server that has their keys."""

    def look_again(self) -> None:
        """Ask which server it is now."""

    def close(self) -> None:
        """Close all connections."""


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


class OneServer:
    """One server, which is started again when ``revive`` is given.

    Args:
        address: Its URL.
        revive: See `Client`.

    Raises:
        StorageError: The URL has options that cannot be used.
    """

    kind: Literal["server", "sentinel", "cluster"] = "server"
    has_successors = False

    def __init__(self, address: Address, revive: Reviving | None) -> None:
        options = _options(address, "ipuaro" if revive else None)
        try:
            pool = _RevivingPool(**options)
            if revive is None:  # a server of the user's own
                connection: AbstractConnection = pool.connection_class(**pool.connection_kwargs)
                del connection  # made to check the options of the URL, never opened
        except (TypeError, ValueError, RedisError):  # its text may quote a part of the password
            raise StorageError(option_refusal(address.url)) from None
        pool.revive = revive
        self._pool: ConnectionPool = pool
        self._redis = Redis(connection_pool=pool)

    def server(self, key: Value | None) -> Redis:
        """The server."""
        del key
        return self._redis

    def servers(self) -> list[Redis]:
        """The server alone."""
        return [self._redis]

    def share(self, commands: Sequence[Command]) -> list[tuple[Redis, list[int]]]:
        """All commands."""
        return [(self._redis, list(range(len(commands))))]

    def look_again(self) -> None:
        """Do nothing: it is always the same."""

    def close(self) -> None:
        """Close all connections."""
        self._pool.disconnect()


class SentinelService(OneServer):
    """The primary that sentinels name; they are asked for each new connection."""

    kind: Literal["server", "sentinel", "cluster"] = "sentinel"
    has_successors = True

    def __init__(self, address: Address) -> None:
        options = _tls_option(_options(address, None))
        database = options.pop("db", 0)
        own = {k: v for k, v in options.items() if k not in {"username", "password"}}
        try:
            self._sentinel = Sentinel(  # type: ignore[no-untyped-call]
                list(address.hosts), sentinel_kwargs={**own, **dict(address.login)}, **options
            )
            self._redis = self._sentinel.master_for(address.service, db=database)  # type: ignore[no-untyped-call]
        except (TypeError, ValueError, RedisError):  # its text may quote a part of the password
            raise StorageError(option_refusal(address.url)) from None
        self._pool = self._redis.connection_pool

    def look_again(self) -> None:
        """Have every connection ask the sentinels before it is used again."""
        self._pool.disconnect(inuse_connections=False)

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._sentinel.close()


class Cluster:
    """The nodes of a cluster: all keys of a project are on one of them, by their hash tag."""

    kind: Literal["server", "sentinel", "cluster"] = "cluster"
    has_successors = True

    def __init__(self, address: Address) -> None:
        options = _tls_option(_options(address, None))
        options.pop("db", None)
        self._cluster = RedisCluster(
            startup_nodes=[ClusterNode(*host) for host in address.hosts],  # type: ignore[no-untyped-call]
            require_full_coverage=False,
            **options,
        )

    def server(self, key: Value | None) -> Redis:
        """The primary of the slot of ``key``."""
        if key is None:
            return self._connection(self._cluster.get_primaries()[0])  # type: ignore[no-untyped-call]
        return self._connection(self._cluster.get_node_from_key(key))  # type: ignore[no-untyped-call]

    def servers(self) -> list[Redis]:
        """All primaries."""
        return [self._connection(node) for node in self._cluster.get_primaries()]  # type: ignore[no-untyped-call]

    def share(self, commands: Sequence[Command]) -> list[tuple[Redis, list[int]]]:
        """The places of the commands, by the slots of their keys."""
        places: dict[int, list[int]] = {}
        for place, command in enumerate(commands):
            places.setdefault(_slot(key_of(command)), []).append(place)
        return [(self.server(key_of(commands[some[0]])), some) for some in places.values()]

    def look_again(self) -> None:
        """Ask the nodes for the slots of each."""
        self._cluster.nodes_manager.initialize()

    def close(self) -> None:
        """Close all connections."""
        self._cluster.close()

    def _connection(self, node: ClusterNode) -> Redis:
        return self._cluster.get_redis_connection(node)


def _slot(key: Value | None) -> int:
    if key is None:
        return -1
    return key_slot(key if isinstance(key, bytes) else str(key).encode())


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


def _options(address: Address, client_name: str | None) -> dict[str, Any]:
    try:
        given = parse_url(address.url)  # type: ignore[no-untyped-call]
    except (TypeError, ValueError):  # its text may quote a part of the password
        raise StorageError(option_refusal(address.url)) from None
    return {
        "client_name": client_name,
        "socket_connect_timeout": _CONNECT_S,
        "socket_timeout": _COMMAND_S,
        **given,
        "decode_responses": False,
        "protocol": 2,
        "retry": Retry(NoBackoff(), 0),
    }


def _tls_option(options: dict[str, Any]) -> dict[str, Any]:
    """Options of one connection as those for connections to several servers."""
    options.pop("host", None)
    options.pop("port", None)
    return {**options, "ssl": True} if options.pop("connection_class", None) else options
