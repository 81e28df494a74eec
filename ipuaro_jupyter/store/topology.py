"""The servers that a store is on, and whether they delete data."""

from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.store.connection import Store

_KINDS = {
    "embedded": "the embedded server",
    "server": "one server",
    "sentinel": "a primary that sentinels name",
    "cluster": "a cluster of {}",
}


def told_servers(store: Store) -> str:
    """What a store is on: the servers, their flavours and versions, and how many replicas.

    Raises:
        StorageError: One does not respond.
    """
    infos = store.infos()
    told = [_KINDS[store.kind].format(counted(len(infos), "primary", "primaries"))]
    for info in infos:  # all is missing where it is hidden
        name = str(info.get("server_name", "redis"))
        version = info.get(f"{name}_version", info.get("redis_version", ""))
        told.append(f"{name} {version}".rstrip())
    if store.kind in {"sentinel", "cluster"}:
        told.append(counted(sum(info.get("connected_slaves", 0) for info in infos), "replica"))
    return ", ".join(dict.fromkeys(told))


def told_evictions(store: Store) -> str:
    """A sentence on a server that deletes data when its memory is short, "" if none does."""
    policies = [str(info.get("maxmemory_policy", "")) for info in store.infos()]
    policy = next((one for one in policies if one.startswith("allkeys")), "")
    if not policy:
        return ""
    return (
        f"The Redis server {store.url} deletes any data when its memory is short (maxmemory-policy "
        f"{policy}): sessions and what can be undone may be lost, and the index is made anew each "
        "time. Set maxmemory-policy to noeviction there, or remove redis.url to use the embedded "
        "server."
    )
