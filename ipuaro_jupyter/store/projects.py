"""Which projects a server holds, when each was last opened, and how to drop one."""

import time
from pathlib import Path

from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id

_DAY_S = 86_400.0


class StoredProject(Record):
    """A project that the server holds data of."""

    project_id: str
    root: str
    """The real path that it was last opened by."""
    opened_at: float
    """Seconds since the epoch."""


def note_opened(store: Store, root: Path) -> None:
    """Note that the project in ``root`` is used now."""
    identity = project_id(root)
    store.hset(Keys(identity).info, {"root": str(root.resolve()).encode(errors="surrogateescape")})
    store.zadd(PROJECTS, {identity: time.time()})


def stored_projects(store: Store) -> list[StoredProject]:
    """Return the projects on the server, the last opened one first."""
    found = []
    for member in store.zrevrange(PROJECTS, 0, -1):
        identity = member.decode()
        root = store.hget(Keys(identity).info, "root") or b""
        opened_at = store.zscore(PROJECTS, member) or 0.0
        found.append(
            StoredProject(
                project_id=identity, root=root.decode(errors="replace"), opened_at=opened_at
            )
        )
    return found


def size_bytes(store: Store, identity: str) -> int:
    """Return about how much memory a project takes on the server; 0 when it holds none."""
    return sum(store.memory(key.decode()) for key in store.scan(Keys(identity).pattern))


def sizes(store: Store) -> tuple[tuple[str, int], ...]:
    """Return the root of each project and about how many bytes it takes, as `stored_projects`."""
    return tuple((one.root, size_bytes(store, one.project_id)) for one in stored_projects(store))


def forget(store: Store, identity: str) -> int:
    """Drop everything that the server holds of a project; returns how many keys that was."""
    keys = [key.decode() for key in store.scan(Keys(identity).pattern)]
    count = store.delete(*keys)
    store.zrem(PROJECTS, identity)
    return count


def forget_unused(store: Store, *, days: int) -> list[StoredProject]:
    """Drop and return the projects that nobody opened for ``days`` days.

    Meant for the embedded server: on one of the user's own nothing is dropped unasked.
    """
    oldest = time.time() - days * _DAY_S
    unused = [project for project in stored_projects(store) if project.opened_at < oldest]
    for project in unused:
        forget(store, project.project_id)
    return unused
