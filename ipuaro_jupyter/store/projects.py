"""The projects that a server holds: when each was last opened, and how to delete one."""

import time
from pathlib import Path

from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id

_DAY_S = 86_400.0


class StoredProject(Record):
    """A project with data on the server."""

    project_id: str
    root: str
    """The real path from which it was last opened."""
    opened_at: float
    """Seconds since the epoch."""


def note_opened(store: Store, root: Path) -> None:
    """Record that the project in ``root`` is used now."""
    identity = project_id(root)
    store.hset(Keys(identity).info, {"root": str(root.resolve()).encode(errors="surrogateescape")})
    store.zadd(PROJECTS, {identity: time.time()})


def stored_projects(store: Store) -> list[StoredProject]:
    """The projects on the server, the last opened first."""
    return [_stored(store, member.decode()) for member in store.zrevrange(PROJECTS, 0, -1)]


def _stored(store: Store, identity: str) -> StoredProject:
    root = store.hget(Keys(identity).info, "root") or b""
    opened_at = store.zscore(PROJECTS, identity) or 0.0
    return StoredProject(
        project_id=identity, root=root.decode(errors="replace"), opened_at=opened_at
    )


def size_bytes(store: Store, identity: str) -> int:
    """The memory that a project takes on the server; 0 when it has no data."""
    return sum(store.memory(*(key.decode() for key in store.scan(Keys(identity).pattern))))


def sizes(store: Store) -> tuple[tuple[str, int], ...]:
    """The root of each project and its size in bytes, in `stored_projects` order."""
    return tuple((one.root, size_bytes(store, one.project_id)) for one in stored_projects(store))


def forget(store: Store, identity: str) -> int:
    """Delete everything that the server holds of a project; return the number of keys."""
    keys = [key.decode() for key in store.scan(Keys(identity).pattern)]
    count = store.delete(*keys)
    store.zrem(PROJECTS, identity)
    return count


def forget_unused(store: Store, *, days: int) -> list[StoredProject]:
    """Delete and return the projects that nobody opened for ``days`` days.

    Meant for the embedded server: on a user's own server nothing is deleted unasked.
    """
    oldest = time.time() - days * _DAY_S
    unused = [_stored(store, member.decode()) for member in store.zbelow(PROJECTS, oldest)]
    for project in unused:
        forget(store, project.project_id)
    return unused
