"""Parts of sessions whose keys hold something else on the server: begun anew, and told.

Whatever was there before has gone already.
"""

from collections.abc import Mapping

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.records.counted import counted, named
from ipuaro_jupyter.sessions.stored_session import SessionInfo, stored_info
from ipuaro_jupyter.store.connection import KeyType, Store
from ipuaro_jupyter.store.keys import COUNT, Keys


def begin_lists_anew(store: Store, keys: Keys) -> list[str]:
    """Make the lists of a project's sessions usable; the sessions themselves are listed again.

    Returns:
        What the user is told of it.
    """
    kinds: dict[str, KeyType] = {keys.sessions: "zset", keys.history: "list"}
    dropped = _drop_other_types(store, kinds)
    told = [_told("list of questions", "of this project")] if keys.history in dropped else []
    if keys.sessions in dropped:
        before, after = keys.session("*").split("*")
        for raw in store.scan(keys.session("*")):
            name = raw.decode(errors="replace").removeprefix(before).removesuffix(after)
            store.zadd(keys.sessions, {name: stored_info(store, keys, name).updated_at})
        told.append(
            "The list of this project's sessions was damaged on the server, and is restored."
        )
    return told


def begin_parts_anew(store: Store, keys: Keys, session_id: str) -> list[str]:
    """Make every key of a session usable; return what the user is told of it."""
    parts: dict[str, tuple[KeyType, str]] = {
        keys.session(session_id): ("hash", "title, times and counts"),
        keys.messages(session_id): ("list", "messages"),
        keys.head(session_id): ("hash", "head of its requests"),
        keys.undo(session_id): ("list", "changes that can be undone"),
        keys.redo(session_id): ("list", "changes that can be redone"),
        keys.actions(session_id): ("list", "undos and redos"),
        keys.shown(session_id): ("hash", "versions of files that its model has seen"),
        keys.decisions(session_id): ("list", "decisions"),
        keys.found(session_id): ("hash", "earlier versions of files"),
        keys.owner(session_id): ("string", ""),
    }
    dropped = _drop_other_types(store, {key: kind for key, (kind, _) in parts.items()})
    lost = [what for key, (_, what) in parts.items() if key in dropped and what]
    if _without_false_counts(store, keys.session(session_id)):
        lost.append("counts")
    told = [_told(named(lost, len(lost)), f"of session {session_id}")] if lost else []
    lacking = _count_messages(store, keys, session_id)
    if lacking and "messages" not in lost:
        what = counted(lacking, "message")
        told.append(f"The server has lost {what} of session {session_id}.")
    return told


def _drop_other_types(store: Store, types: Mapping[str, KeyType]) -> list[str]:
    """Delete keys whose values are of other types than these; return their names."""
    try:
        store.check_types(types)
    except WrongKeyType:
        if len(types) > 1:
            each = ({key: kind} for key, kind in types.items())
            return [key for one in each for key in _drop_other_types(store, one)]
        store.delete(*types)
        return [*types]
    return []


def _count_messages(store: Store, keys: Keys, session_id: str) -> int:
    """Count as many messages as there are; return how many there were more."""
    count = int(store.hget(keys.session(session_id), "messages") or 0)
    there = store.llen(keys.messages(session_id))
    if count != there:
        store.hset(keys.session(session_id), {"messages": str(there).encode()})
    return max(0, count - there)


def _without_false_counts(store: Store, key: str) -> bool:
    """Delete the counts of a session that the server cannot add to; return whether any were."""
    kinds = SessionInfo.model_fields.items()
    names = [name for name, kind in kinds if kind.annotation is int]
    values = zip(names, store.hmget(key, names), strict=True)
    wrong = (name for name, value in values if value is not None and not COUNT.fullmatch(value))
    return store.hdel(key, *wrong) > 0


def _told(what: str, of: str) -> str:
    told = f"something else was in the place of the {what} {of}"
    return f"On the server, {told}: what was there begins anew."
