"""What a server holds of each project: ``ipuaro store stats``."""

import time
from typing import Literal

from ipuaro_jupyter.index.storage.stored_index import IndexKind, StoredIndex
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.sessions.open_sessions import opened_by
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.holdings import PARTS, Holding, Part, holdings
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.projects import folder_state, stored_project, stored_projects
from ipuaro_jupyter.store.topology import told_servers

_INDEXES: dict[IndexKind, str] = {
    "whole": "",
    "damaged": "index damaged",
    "format": "index of another version",
    "none": "no index",
}


class ProjectStats(Record):
    """What the server holds of one project.

    Attributes:
        root: Its folder; "" when that is not known.
        host: The machine on which it was last opened; "" when that is not known.
        opened_at: When that was, in seconds since the epoch; 0 when that is not known.
        opened_by: The processes that have it open, as far as can be told.
        folder: Whether its folder exists; "elsewhere" when that cannot be told from here.
        index: The state of its index; "format" is that of another version of this package.
        files: The number of files in the index.
        keys: The number of its keys.
        size_bytes: The memory that they take, by part.
    """

    project_id: str
    root: str
    host: str
    opened_at: float
    opened_by: tuple[str, ...]
    folder: Literal["there", "gone", "elsewhere"]
    index: IndexKind
    files: int
    keys: int
    size_bytes: dict[Part, int]


class StoreStats(Record):
    """What the servers hold.

    Attributes:
        store: Their URL.
        servers: What they are, in a line.
        projects: What they hold of each project.
    """

    store: str
    servers: str
    projects: tuple[ProjectStats, ...]


def store_stats(store: Store) -> StoreStats:
    """Measure what the servers hold of each project, the last opened first.

    Raises:
        StorageError: One does not respond.
    """
    held = holdings(store)
    listed = [one.project_id for one in stored_projects(store)]
    unlisted = sorted(held.keys() - set(listed))
    return StoreStats(
        store=store.url,
        servers=told_servers(store),
        projects=tuple(
            _stats(store, held.get(identity, Holding(identity, {})))
            for identity in (*listed, *unlisted)
        ),
    )


def _stats(store: Store, held: Holding) -> ProjectStats:
    keys = Keys(held.project_id)
    project = stored_project(store, held.project_id)
    return ProjectStats(
        project_id=held.project_id,
        root=project.root,
        host=project.host,
        opened_at=project.opened_at,
        opened_by=opened_by(store, keys),
        folder=folder_state(store, project),
        index=StoredIndex(store, keys).kind,
        files=store.hlen(keys.files),
        keys=len(held.sizes),
        size_bytes={part: held.bytes_of(part) for part in PARTS},
    )


def projects_table(stats: StoreStats) -> Table:
    """The projects, with what each takes."""
    total = sum(sum(one.size_bytes.values()) for one in stats.projects)
    return Table(
        title=f"{counted(len(stats.projects), 'project')} in {stats.store}, {megabytes(total)} MB",
        columns=("project", "opened", "state", "files", "keys", *(f"{p} MB" for p in PARTS), "MB"),
        rows=tuple(_row(one) for one in stats.projects),
    )


def megabytes(size: int) -> str:
    """A size in MB, with a place after the point."""
    return f"{size / 1e6:,.1f}"


def _row(one: ProjectStats) -> tuple[str | int, ...]:
    opened = time.strftime("%Y-%m-%d", time.localtime(one.opened_at)) if one.opened_at else "?"
    where = {"there": "", "gone": "folder gone", "elsewhere": f"on {one.host or '?'}"}[one.folder]
    state = ", ".join(filter(None, ("open" * bool(one.opened_by), where, _INDEXES[one.index])))
    sizes = (megabytes(one.size_bytes[part]) for part in PARTS)
    whole = megabytes(sum(one.size_bytes.values()))
    root = one.root or one.project_id
    return (root, opened, state, one.files, one.keys, *sizes, whole)
