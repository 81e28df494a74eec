"""The servers that a store is on: their memory, and whether they delete data."""

from typing import Any

from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store

_KINDS = {
    "embedded": "the embedded server",
    "server": "one server",
    "sentinel": "a primary that sentinels name",
    "cluster": "a cluster",
}


class ServerState(Record):
    """A server that has keys; what it hides is "" or 0.

    Attributes:
        address: Its host and port, or the path of its socket.
        version: Its flavour and version, for example ``valkey 9.1.2``.
        used_bytes: The memory that all of its data takes.
        most_bytes: The memory from which on it refuses or deletes data; 0: there is no limit.
        policy: Its maxmemory-policy.
        replicas: How many replicas are connected to it.
    """

    address: str
    version: str
    used_bytes: int
    most_bytes: int
    policy: str
    replicas: int

    @property
    def evicts(self) -> bool:
        """Whether it deletes any data, not only what expires, when memory is short."""
        return self.policy.startswith("allkeys")


class Topology(Record):
    """The servers of a store; ``kind`` is that of the store."""

    kind: str
    servers: tuple[ServerState, ...]

    def __str__(self) -> str:
        nodes = f" of {counted(len(self.servers), 'primary', 'primaries')}"
        told = [_KINDS[self.kind] + (nodes if self.kind == "cluster" else "")]
        told += dict.fromkeys(server.version for server in self.servers)
        replicas = sum(server.replicas for server in self.servers)
        if replicas or self.kind in {"sentinel", "cluster"}:
            told.append(counted(replicas, "replica") if replicas else "no replica")
        return ", ".join(told)


def topology(store: Store) -> Topology:
    """Ask each server of a store for its state.

    Raises:
        StorageError: One does not respond.
    """
    return Topology(kind=store.kind, servers=tuple(_state(*one) for one in store.infos()))


def told_evictions(store: Store) -> str:
    """A sentence on a server that deletes data when its memory is short, "" if none does."""
    policy = next((one.policy for one in topology(store).servers if one.evicts), "")
    if not policy:
        return ""
    return (
        f"The Redis server {store.url} deletes any data when its memory is short (maxmemory-policy "
        f"{policy}): sessions and what can be undone may be lost, and the index is made anew each "
        "time. Set maxmemory-policy to noeviction there, or remove redis.url to use the embedded "
        "server."
    )


def _state(address: str, info: dict[str, Any]) -> ServerState:
    name = str(info.get("server_name", "redis"))
    version = info.get(f"{name}_version", info.get("redis_version", ""))
    return ServerState(
        address=address,
        version=f"{name} {version}".rstrip(),
        used_bytes=info.get("used_memory", 0),
        most_bytes=info.get("maxmemory", 0),
        policy=str(info.get("maxmemory_policy", "")),
        replicas=info.get("connected_slaves", 0),
    )
