"""Projects that nobody has used for long."""

import time
from contextlib import suppress

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.sessions.open_sessions import opened_by
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import PROJECTS, Keys
from ipuaro_jupyter.store.projects import (
    StoredProject,
    drop_unless_opened,
    opened_mark,
    stored_project,
    unlist,
)

_DAY_S = 86_400.0


def forget_unused(store: Store, *, days: int) -> list[StoredProject]:
    """Delete and return the projects that nobody opened for ``days`` days, nor has open still.

    One with a session that was used since stays, too, and one with a key of another type than
    ours, of which that cannot be known. Meant for the embedded server: on a user's
    own server nothing is deleted unasked.
    """
    oldest = time.time() - days * _DAY_S
    dropped = []
    for identity in store.zbelow(PROJECTS, oldest):
        with suppress(WrongKeyType):
            project = stored_project(store, identity.decode())
            if _is_dropped(store, project.project_id, oldest):
                dropped.append(project)
    return dropped


def _is_dropped(store: Store, identity: str, oldest: float) -> bool:
    keys = Keys(identity)
    mark = opened_mark(store, identity)  # before the rest: whoever opens it changes it
    latest = [store.zscore(keys.sessions, one.decode()) for one in _latest(store, keys)]
    if any((used_at or 0.0) > oldest for used_at in latest) or opened_by(store, keys):
        return False
    names = [key.decode() for key in store.scan(keys.pattern)]
    others = [name for name in names if name not in {keys.info, keys.lock}]
    if not drop_unless_opened(store, identity, others, mark):
        return False
    unlist(store, identity, mark)
    return True


def _latest(store: Store, keys: Keys) -> list[bytes]:
    return store.zrevrange(keys.sessions, 0, 0)
