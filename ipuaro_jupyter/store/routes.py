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


class OneServer:
    """One server, which is started again when ``revive`` is given; thread-safe, as its heirs are.

    Attributes:
        kind: "embedded", "server", "sentinel" or "cluster".

    Args:
        address: Its URL.
        revive: See `Client`.
    """

    _redis: Redis

    def __init__(self, address: Address, revive: Reviving | None = None) -> None:
        self.kind: str = address.kind if revive is None else "embedded"
        self._revive = revive
        name = "ipuaro" if revive else None
        pool = _RevivingPool(**{"client_name": name, **_options(address)})
        pool.revive = revive
        self._redis = Redis.from_pool(pool)

    def server(self, key: Value | None) -> Redis:
        """The server that has ``key``; None: any that has keys."""
        del key
        return self._redis

    def servers(self) -> list[Redis]:
        """All that have keys."""
        return [self._redis]

    def look_again(self) -> None:
        """Ask which server it is now, or start it."""
        if self._revive is not None:
            with self._revive():
                pass

    def close(self) -> None:
        """Close all connections."""
        self._redis.close()


class SentinelService(OneServer):
    """The primary that sentinels name; they are asked for each new connection."""

    def __init__(self, address: Address) -> None:
        self.kind = address.kind
        options = _of_several(address)
        own = {k: v for k, v in options.items() if k not in {"db", "username", "password"}}
        self._sentinel = Sentinel(  # type: ignore[no-untyped-call]
            list(address.hosts), sentinel_kwargs={**own, **dict(address.login)}, **options
        )
        self._redis = self._sentinel.master_for(address.service)  # type: ignore[no-untyped-call]

    def look_again(self) -> None:
        """Have every connection ask the sentinels before it is used again."""
        self._redis.connection_pool.disconnect(inuse_connections=False)

    def close(self) -> None:
        """Close all connections."""
        super().close()
        for one in self._sentinel.sentinels:
            one.close()


class Cluster(OneServer):
    """The nodes of a cluster: all keys of a project are on one of them, by their hash tag."""

    def __init__(self, address: Address) -> None:
        self.kind = address.kind
        options = _of_several(address)
        options.pop("db", None)
        self._cluster = RedisCluster(
            startup_nodes=[ClusterNode(*host) for host in address.hosts],  # type: ignore[no-untyped-call]
            require_full_coverage=False,
            **options,
        )

    def server(self, key: Value | None) -> Redis:
        """The primary of the slot of ``key``; None: any."""
        if key is None:
            return self.servers()[0]
        node = self._cluster.get_node_from_key(key)  # type: ignore[no-untyped-call]
        return self._cluster.get_redis_connection(node)

    def servers(self) -> list[Redis]:
        """All primaries."""
        nodes = self._cluster.get_primaries()  # type: ignore[no-untyped-call]
        return [self._cluster.get_redis_connection(node) for node in nodes]

    def look_again(self) -> None:
        """Ask the nodes for the slots of each."""
        self._cluster.nodes_manager.initialize()

    def close(self) -> None:
        """Close all connections."""
        self._cluster.close()


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
