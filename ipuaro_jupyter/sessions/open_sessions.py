"""Who has a project open, and which session: its kernels are noted, and the sessions' owners."""

from contextlib import suppress

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.sessions.owner import described, is_here, lives
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.projects import made_anew


def note_open(store: Store, keys: Keys, owner: str) -> None:
    """Note that an owner has the project open; those that were killed on this machine go."""
    made_anew(store, keys.opened, lambda: forget_killed(store, keys))
    store.hset(keys.opened, {owner: b""})


def forget_killed(store: Store, keys: Keys) -> None:
    """No longer note the owners that were killed on this machine."""
    dead = [name for name in _noted(store, keys) if not _may_live(name)]
    store.hdel(keys.opened, *dead)


def note_session(store: Store, keys: Keys, owner: str, session_id: str) -> None:
    """Note the session that an owner goes on with, also while it lets others open it."""
    noted = {owner: session_id.encode()}
    made_anew(store, keys.opened, lambda: store.hset(keys.opened, noted))


def note_closed(store: Store, keys: Keys, owner: str) -> None:
    """Note that an owner no longer has the project open."""
    made_anew(store, keys.opened, lambda: store.hdel(keys.opened, owner))


def opened_by(store: Store, keys: Keys) -> tuple[str, ...]:
    """The processes, in words, that have a project or a session of it open; empty when none has.

    What cannot be asked counts: a process on another machine, which may have been killed long ago.
    """
    owners = set(_noted(store, keys))
    for key in store.scan(keys.owner("*")):  # versions before 1.0 note nothing else
        with suppress(WrongKeyType):  # nobody has put an owner there
            owners.add((store.get(key.decode()) or b"").decode(errors="replace"))
    return tuple(sorted({described(owner) for owner in owners if owner and _may_live(owner)}))


def may_be_open(store: Store, keys: Keys, session_id: str) -> bool:
    """Whether a process may have a session open, or go on with one that it lets others open.

    As in `opened_by`, a process on another machine may for ever.
    """
    users = [
        owner for owner, used in store.hgetall(keys.opened).items() if used == session_id.encode()
    ]
    if owner := store.get(keys.owner(session_id)):
        users.append(owner)
    return any(_may_live(one.decode(errors="replace")) for one in users)


def _noted(store: Store, keys: Keys) -> list[str]:
    return [name.decode(errors="replace") for name in store.hkeys(keys.opened)]


def _may_live(owner: str) -> bool:
    return not is_here(owner) or lives(owner)
