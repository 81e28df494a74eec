"""The servers that a store is on: their memory, their replicas, and whether they delete data."""

from typing import Any, Literal

from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store

_KINDS = {
    "embedded": "the embedded server",
    "server": "one server",
    "sentinel": "a primary that sentinels name",
    "cluster": "a cluster",
}
_ROLES = {"master": "primary", "slave": "replica"}
_SECTIONS = ("server", "memory", "replication")


class ReplicaState(Record):
    """A replica as its primary knows it; ``lag_s`` is since it was last heard of, in seconds."""

    address: str
    state: str
    lag_bytes: int
    lag_s: int


class ServerState(Record):
    """A server that has keys; what it hides is "", 0 or None.

    Attributes:
        address: Its host and port, or the path of its socket.
        version: Its flavour and version, for example ``valkey 9.1.2``.
        role: "primary", or "replica" where one was named instead of its primary.
        used_bytes: The memory that all of its data takes.
        most_bytes: The memory from which on it refuses or deletes data; 0: there is no limit.
        policy: Its maxmemory-policy.
        evicts: Whether it deletes any data when memory is short.
        replicas: Those that it has.
    """

    address: str
    version: str
    role: str
    used_bytes: int
    most_bytes: int
    policy: str
    evicts: bool
    replicas: tuple[ReplicaState, ...]


class Topology(Record):
    """The servers of a store."""

    kind: Literal["embedded", "server", "sentinel", "cluster"]
    servers: tuple[ServerState, ...]

    def __str__(self) -> str:
        replicas = [replica for server in self.servers for replica in server.replicas]
        nodes = f" of {counted(len(self.servers), 'primary', 'primaries')}"
        told = [_KINDS[self.kind] + (nodes if self.kind == "cluster" else "")]
        told += dict.fromkeys(server.version for server in self.servers)
        if replicas:
            lag = max(replica.lag_bytes for replica in replicas)
            behind = f"{lag:,} bytes behind" if lag else "up to date"
            told.append(f"{counted(len(replicas), 'replica')}, {behind}")
        elif self.kind in {"sentinel", "cluster"}:
            told.append("no replica")
        return ", ".join(told)


def topology(store: Store) -> Topology:
    """Ask each server of a store for its state.

    Raises:
        StorageError: One does not respond.
    """
    told = zip(*(store.infos(section) for section in _SECTIONS), strict=True)
    servers = tuple(_state(of_one[0][0], [info for _, info in of_one]) for of_one in told)
    return Topology.model_validate({"kind": store.kind, "servers": servers})


def evicts(store: Store) -> str:
    """The policy by which a server deletes any keys when memory is short, "" if none does.

    Keys that expire are not meant: none of those has data that matters.

    Raises:
        StorageError: One does not respond.
    """
    policies = (info.get("maxmemory_policy", "") for _, info in store.infos("memory"))
    return next(filter(_is_eviction, policies), "")


def told_evictions(store: Store) -> str:
    """A sentence on a server that deletes data when its memory is short, "" if none does."""
    policy = evicts(store)
    if not policy:
        return ""
    return (
        f"The Redis server {store.url} deletes any data when its memory is short (maxmemory-policy "
        f"{policy}): sessions and what can be undone may be lost, and the index is made anew each "
        "time. Set maxmemory-policy to noeviction there, or remove redis.url to use the embedded "
        "server."
    )


def _state(address: str, infos: list[dict[str, Any]]) -> ServerState:
    server, memory, replication = infos
    policy = str(memory.get("maxmemory_policy", ""))
    written = replication.get("master_repl_offset", 0)
    found = (replication.get(f"slave{number}") for number in range(_count(replication)))
    return ServerState(
        address=address,
        version=version_of(server),
        role=_ROLES.get(replication.get("role", ""), ""),
        used_bytes=memory.get("used_memory", 0),
        most_bytes=memory.get("maxmemory", 0),
        policy=policy,
        evicts=_is_eviction(policy),
        replicas=tuple(_replica(one, written) for one in found if one is not None),
    )


def version_of(server: dict[str, Any]) -> str:
    """The flavour and version in the section "server" of INFO; "redis" where it is hidden."""
    name = str(server.get("server_name", "redis"))
    version = server.get(f"{name}_version", server.get("redis_version", ""))
    return f"{name} {version}".rstrip()


def _count(replication: dict[str, Any]) -> int:
    """The number of replicas: connections that have gone may leave gaps in their numbering."""
    numbers = [int(name[5:]) for name in replication if name[:5] == "slave" and name[5:].isdigit()]
    return max(numbers, default=-1) + 1


def _replica(told: dict[str, Any], written: int) -> ReplicaState:
    return ReplicaState(
        address=f"{told.get('ip', '')}:{told.get('port', '')}",
        state=str(told.get("state", "")),
        lag_bytes=max(0, written - int(told.get("offset", written))),
        lag_s=max(0, int(told.get("lag", 0))),
    )


def _is_eviction(policy: str) -> bool:
    return policy.startswith("allkeys")
