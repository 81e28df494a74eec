"""Who has sessions of a project open."""

from ipuaro_jupyter.sessions.owner import described, is_here, lives
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys


def opened_by(store: Store, keys: Keys) -> tuple[str, ...]:
    """The processes, in words, that have a session of a project open; empty when none has.

    Each kernel that has a project open has a session open. What cannot be asked counts: a process
    on another machine, which may have been killed long ago.
    """
    found = set()
    for key in store.scan(keys.owner("*")):
        owner = (store.get(key.decode()) or b"").decode(errors="replace")
        if owner and (not is_here(owner) or lives(owner)):
            found.add(described(owner))
    return tuple(sorted(found))
