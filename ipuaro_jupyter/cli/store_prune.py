"""What may go from a server, and deleting it: ``ipuaro store prune``."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cli.store_stats import ProjectStats, StoreStats, megabytes
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.outputs import Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.sessions.open_sessions import forget_killed, opened_by
from ipuaro_jupyter.sessions.session import Sessions
from ipuaro_jupyter.sessions.stored_session import session_ids
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.holdings import PARTS, Part, holding
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.projects import drop_unless_opened, opened_mark, unlist
from ipuaro_jupyter.workspace.changes.forgotten import has_journals

_DAY_S = 86_400.0


class Wish(NamedTuple):
    """What is to go besides indexes of folders that are gone, and of other versions.

    Attributes:
        older_than_days: Indexes of projects that nobody has opened for so long; None: none.
        sessions: The sessions of projects that go, with what can be undone in them.
        undo: What can be undone in the projects that go.
    """

    older_than_days: float | None = None
    sessions: bool = False
    undo: bool = False


class Prunable(Record):
    """What may go of one project.

    Attributes:
        root: Its folder, or its id when that is not known.
        why: The reasons, in words.
        parts: What goes.
        size_bytes: Its size.
        mark: See `opened_mark`.
        goes: Whether nobody needs the rest of it either, if it has no sessions.
    """

    project_id: str
    root: str
    why: str
    parts: tuple[Part, ...]
    size_bytes: int
    mark: bytes
    goes: bool


class Pruned(NamedTuple):
    """What became of it: the bytes that are free now, and why something is left, "" if nothing."""

    freed_bytes: int
    kept: str = ""


def prunable(store: Store, stats: StoreStats, wish: Wish) -> list[Prunable]:
    """What may go; nothing of a project that is open."""
    found = (_prunable(store, one, wish) for one in stats.projects if not one.opened_by)
    return [one for one in found if one is not None]


def _prunable(store: Store, project: ProjectStats, wish: Wish) -> Prunable | None:
    days = wish.older_than_days
    is_old = days is not None and time.time() - project.opened_at > days * _DAY_S
    is_gone = project.folder == "gone"
    goes = is_gone or is_old
    is_other = project.index == "format"
    parts: set[Part] = {"index"} if goes or is_other else set()
    parts |= {"sessions", "undo"} if goes and wish.sessions else set()
    parts |= {"undo"} if goes and wish.undo else set()
    held = tuple(part for part in PARTS if part in parts and project.size_bytes[part])
    is_empty = goes and not any(project.size_bytes[part] for part in PARTS if part != "other")
    if not held and not is_empty:
        return None
    reasons = {
        "its folder is gone": is_gone,
        f"not opened for {days:g} days" if days is not None else "": is_old,
        "the index is that of another version": is_other and not goes,
    }
    return Prunable(
        project_id=project.project_id,
        root=project.root or project.project_id,
        why=", ".join(reason for reason, holds in reasons.items() if holds),
        parts=held or ("other",),
        size_bytes=sum(project.size_bytes[part] for part in held) or project.size_bytes["other"],
        mark=opened_mark(store, project.project_id),
        goes=goes,
    )


def table(items: list[Prunable]) -> Table:
    """What may go, with its size."""
    total = sum(one.size_bytes for one in items)
    return Table(
        title=f"{megabytes(total)} MB of {counted(len(items), 'project')} may go",
        columns=("project", "why", "what", "MB"),
        rows=tuple(
            (one.root, one.why, ", ".join(one.parts), megabytes(one.size_bytes)) for one in items
        ),
    )


def prune(store: Store, item: Prunable) -> Pruned:
    """Delete it, unless the project was opened since.

    Raises:
        StorageError: The server cannot be used; some of it may be deleted.
    """
    keys = Keys(item.project_id)
    before = holding(store, item.project_id)
    if opened_by(store, keys):
        return Pruned(0, "it is open now")
    names = before.keys_of("index") if "index" in item.parts else []
    if not drop_unless_opened(store, item.project_id, names, item.mark):
        return Pruned(0, "it has been opened since, or its index is being written")
    kept = "; ".join(_drop_sessions(store, keys, item))
    after = holding(store, item.project_id)
    if item.goes and not after.bytes_of("sessions", "undo", "index"):
        forget_killed(store, keys)
        unlist(store, item.project_id, item.mark)
        after = holding(store, item.project_id)
    freed = sum(before.sizes.values()) - sum(after.sizes.values())
    return Pruned(max(0, freed), kept)


def _drop_sessions(store: Store, keys: Keys, item: Prunable) -> Iterator[str]:
    """Delete the sessions, or what can be undone in them; yield why something is left."""
    if not {"sessions", "undo"}.intersection(item.parts):
        return
    if has_journals(Path(item.root)):
        yield "a change was interrupted there; open the project, or run ipuaro forget"
        return
    sessions = Sessions(store, keys)
    for name in session_ids(store, keys):
        try:
            if "sessions" in item.parts:
                sessions.delete(name)
            else:
                session = sessions.open(name)
                store.delete(keys.undo(name), keys.redo(name))
                sessions.release(session)
        except SettingsError as error:
            yield str(error)
    if "sessions" in item.parts and not session_ids(store, keys):
        left = holding(store, item.project_id).keys_of("sessions", "undo")
        drop_unless_opened(store, item.project_id, left, item.mark)
