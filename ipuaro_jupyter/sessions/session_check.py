"""Whether the stored sessions of a project can be read; nothing is changed."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.records.change import LoggedDecision
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.records.undoing import UndoAction
from ipuaro_jupyter.sessions.found_files import FoundFile
from ipuaro_jupyter.sessions.stored_session import SessionInfo, read_message, session_ids
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.store.stored_problem import StoredProblem

_LIST = "the list of this project's sessions"
_FACT, _HEAD, _ACTION = "title, time or count", "head of its requests", "undo or redo"
_PLURALS = {
    _FACT: "titles, times and counts",
    _HEAD: "heads of its requests",
    _ACTION: "undos and redos",
}
_Read = Callable[[str, bytes], object]


def check_sessions(store: Store, keys: Keys) -> list[StoredProblem]:
    """What is wrong with the sessions of a project, and with the list of all that was asked."""
    try:
        names = session_ids(store, keys)
    except WrongKeyType:
        remedy = "It is restored when the project is opened."
        return [StoredProblem(part="sessions", kind="garbled", what=_LIST, remedy=remedy)]
    found = [one for name in names for one in _of_session(store, keys, name)]
    if count := _unreadable(_values(store, keys.history), _input):
        what = f"{counted(count, 'entry', 'entries')} of the list of questions"
        remedy = "They are left out where questions are offered again."
        found.append(StoredProblem(part="sessions", kind="garbled", what=what, remedy=remedy))
    return found


def _of_session(store: Store, keys: Keys, name: str) -> Iterator[StoredProblem]:
    def finding(kind: Literal["missing", "garbled"], what: str) -> StoredProblem:
        remedy = f"The session goes on without; %ipuaro sessions delete {name} deletes it."
        return StoredProblem(
            part="sessions", kind=kind, what=f"{what} of session {name}", remedy=remedy
        )

    checks: tuple[tuple[str, Iterable[tuple[str, bytes]], _Read], ...] = (
        ("message", _values(store, keys.messages(name)), _message),
        (_ACTION, _values(store, keys.actions(name)), _action),
        ("decision", _values(store, keys.decisions(name)), _decision),
        (_FACT, _fields(store, keys.session(name)), _fact),
        (_HEAD, _fields(store, keys.head(name)), _head),
        ("earlier file version", _fields(store, keys.found(name)), _found_file),
        ("seen file version", _fields(store, keys.shown(name)), _shown),
    )
    garbled = {noun: _unreadable(values, read) for noun, values, read in checks}
    for noun, count in garbled.items():
        if count:
            yield finding("garbled", counted(count, noun, _PLURALS.get(noun)))
    if garbled["message"] or garbled[_FACT]:
        return
    told = int(store.hget(keys.session(name), "messages") or 0)
    if (lacking := told - store.llen(keys.messages(name))) > 0:
        yield finding("missing", counted(lacking, "message"))


def _unreadable(values: Iterable[tuple[str, bytes]], read: _Read) -> int:
    """How many of the values cannot be read; one for a key that holds something else."""
    count = 0
    try:
        for name, value in values:
            checkpoint()
            try:
                read(name, value)
            except (ValueError, KeyError, TypeError, zlib.error):  # pydantic's is a ValueError
                count += 1
    except WrongKeyType:
        return 1
    return count


def _values(store: Store, key: str) -> Iterator[tuple[str, bytes]]:
    yield from (("", value) for value in store.lrange(key, 0, -1))


def _fields(store: Store, key: str) -> Iterator[tuple[str, bytes]]:
    yield from (
        (name.decode(errors="replace"), value) for name, value in store.hgetall(key).items()
    )


def _message(_: str, raw: bytes) -> None:
    if read_message(raw) is None:
        raise ValueError


def _action(_: str, raw: bytes) -> None:
    UndoAction.model_validate_json(raw)


def _decision(_: str, raw: bytes) -> None:
    LoggedDecision.model_validate_json(raw)


def _fact(name: str, raw: bytes) -> None:
    if name in SessionInfo.model_fields:
        SessionInfo.model_validate({"id": "", name: raw.decode()})


def _head(name: str, raw: bytes) -> None:
    if name == "head":
        Head.model_validate_json(raw)


def _found_file(name: str, raw: bytes) -> None:
    if not name.startswith("\0"):  # or it is the state that the session left
        FoundFile.model_validate_json(zlib.decompress(raw))


def _shown(name: str, raw: bytes) -> None:
    if "\ufffd" in name + raw.decode():
        raise ValueError


def _input(_: str, raw: bytes) -> str:
    return str(json.loads(raw)["text"])
