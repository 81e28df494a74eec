"""Whether the data of a project is as it was written: ``ipuaro store check``."""

from collections.abc import Iterator
from contextlib import suppress

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.index.storage.index_check import check_index
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.sessions.session_check import check_sessions
from ipuaro_jupyter.sessions.stored_session import session_ids
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.holdings import holding, part_of
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.stored_problem import StoredProblem
from ipuaro_jupyter.workspace.changes.undo_stack import UndoStack


class CheckedProject(Record):
    """What is wrong with the data of a project; ``keys`` is how many were read."""

    root: str
    keys: int
    findings: tuple[StoredProblem, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing, garbled or of another format."""
        return all(one.kind == "left" for one in self.findings)


def check_project(store: Store, identity: str, root: str) -> CheckedProject:
    """Read every key of a project, and change nothing.

    Raises:
        StorageError: The server cannot be used, or the index is written all the time.
    """
    keys = Keys(identity)
    names = [*holding(store, identity).sizes]
    findings = (
        *check_index(StoredIndex(store, keys)),
        *check_sessions(store, keys),
        *_undo(store, keys),
        *_left(store, keys, names),
    )
    return CheckedProject(root=root, keys=len(names), findings=findings)


def _undo(store: Store, keys: Keys) -> Iterator[StoredProblem]:
    names: list[str] = []
    with suppress(WrongKeyType):  # which is told of the sessions
        names = session_ids(store, keys)
    for name in names:
        if count := UndoStack(store, keys, name).unreadable:
            what = f"{counted(count, 'change')} of session {name}"
            remedy = "They cannot be undone or redone; what is above them can."
            yield StoredProblem(part="undo", kind="garbled", what=what, remedy=remedy)


def _left(store: Store, keys: Keys, names: list[str]) -> Iterator[StoredProblem]:
    """Yield keys that no session, index or list leads to."""
    staged = [name for name in names if ":new:" in name and part_of(name) == "index"]
    if staged and not store.exists(keys.lock):
        what = f"{counted(len(staged), 'key')} of an index that was not finished"
        remedy = "The next whole index drops them, for example ipuaro index --full."
        yield StoredProblem(part="index", kind="left", what=what, remedy=remedy)
    known = {keys.info, keys.lock, keys.opened, f"{keys.sessions}:lock"}
    others = [name for name in names if part_of(name) == "other" and name not in known]
    if others:
        what = f"{counted(len(others), 'key')} that this version does not know, such as {others[0]}"
        remedy = "A newer version of this package may have written them."
        yield StoredProblem(part="other", kind="left", what=what, remedy=remedy)
