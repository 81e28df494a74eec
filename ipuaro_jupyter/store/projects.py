"""The projects that a server holds: when each was last opened, and how to delete one."""

import os
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import PROJECTS, Keys, project_id

LATEST_S = 1e11
"""A time that a calendar still knows, in seconds since the epoch."""
T = TypeVar("T")
_DROP = """
if (redis.call('HGET', KEYS[1], 'opened_at') or '') ~= ARGV[1] then return 0 end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
return 1
"""


class StoredProject(Record):
    """A project with data on the server."""

    project_id: str
    root: str
    """The real path from which it was last opened."""
    opened_at: float
    """Seconds since the epoch."""
    host: str = ""
    """The machine on which it was last opened; "" when an older version did that."""


def made_anew(store: Store, key: str, work: Callable[[], T]) -> T:
    """The result of work on a key, which is deleted first if its value is of another type.

    Args:
        store: The server.
        key: One whose loss costs nothing that matters.
        work: Reads or writes it; called again after that.
    """
    try:
        return work()
    except WrongKeyType:
        store.delete(key)
        return work()


def note_opened(store: Store, root: Path) -> None:
    """Record that the project in ``root`` is used now."""
    identity = project_id(root)
    now = time.time()
    noted = {
        "root": os.fsencode(root.resolve()),
        "host": socket.gethostname().encode(),
        "opened_at": repr(now).encode(),
    }
    info = Keys(identity).info
    made_anew(store, info, lambda: store.hset(info, noted))
    made_anew(store, PROJECTS, lambda: store.zadd(PROJECTS, {identity: now}))


def stored_projects(store: Store) -> list[StoredProject]:
    """The projects on the server, the last opened first."""
    found = (raw.decode(errors="replace") for raw in store.zrevrange(PROJECTS, 0, -1))
    return [stored_project(store, name) for name in found if "\ufffd" not in name]


def stored_project(store: Store, identity: str) -> StoredProject:
    """A project on the server; its fields are empty where nothing was noted of it."""
    root, host, noted_at = _noted(store, identity)
    opened_at = store.zscore(PROJECTS, identity) or noted_at
    return StoredProject(
        project_id=identity,
        root=root.decode(errors="replace"),
        opened_at=opened_at if 0 <= opened_at <= LATEST_S else 0.0,
        host=host.decode(errors="replace"),
    )


def _noted(store: Store, identity: str) -> tuple[bytes, bytes, float]:
    """The root of a project, its host and when it was opened; empty where that cannot be read."""
    try:
        root, host, opened_at = store.hmget(Keys(identity).info, ["root", "host", "opened_at"])
        return root or b"", host or b"", float(opened_at or 0.0)
    except (WrongKeyType, ValueError):
        return b"", b"", 0.0


def folder_state(store: Store, project: StoredProject) -> Literal["there", "gone", "elsewhere"]:
    """Whether the folder of a project still exists, as far as that can be told from here.

    On a server that several machines may use, that is known of what was opened on this one.
    """
    is_here = project.host == socket.gethostname() or (
        not project.host and store.kind == "embedded"
    )
    if not is_here or not project.root or "\ufffd" in project.root:
        return "elsewhere"
    try:
        Path(project.root).stat()
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError:  # it may be there
        pass
    return "there"


def size_bytes(store: Store, identity: str) -> int:
    """The memory that a project takes on the server; 0 when it has no data."""
    return sum(store.memory(*(key.decode() for key in store.scan(Keys(identity).pattern))))


def sizes(store: Store) -> tuple[tuple[str, int], ...]:
    """The root of each project and its size in bytes, in `stored_projects` order."""
    projects = stored_projects(store)
    return tuple((one.root, size_bytes(store, one.project_id)) for one in projects)


def forget(store: Store, identity: str) -> int:
    """Delete everything that the server holds of a project; return the number of keys."""
    keys = [key.decode() for key in store.scan(Keys(identity).pattern)]
    count = store.delete(*keys)
    store.zrem(PROJECTS, identity)
    return count


def opened_mark(store: Store, identity: str) -> bytes:
    """What changes whenever a project is opened."""
    return store.hget(Keys(identity).info, "opened_at") or b""


def drop_unless_opened(store: Store, identity: str, names: Sequence[str], mark: bytes) -> bool:
    """Delete keys of a project at once, unless it was opened again or its index is being written.

    Args:
        store: The server.
        identity: The project.
        names: The keys.
        mark: The `opened_mark` before the decision.

    Returns:
        Whether they are deleted; else all are still there.
    """
    keys = Keys(identity)
    return bool(store.evaluate(_DROP, keys.info, mark, others=(keys.lock, *names)))


def unlist(store: Store, identity: str, mark: bytes) -> None:
    """No longer list a project, unless it was opened again; see `drop_unless_opened`."""
    if not drop_unless_opened(store, identity, [Keys(identity).info], mark):
        return
    store.zrem(PROJECTS, identity)
    if store.exists(Keys(identity).info):  # it was opened just now
        store.zadd(PROJECTS, {identity: time.time()})
