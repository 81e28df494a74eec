"""The sessions of a project as stored: listed, and opened for a client."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

from ipuaro_jupyter.assistant import Assistant, start
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.sessions.recording import answer_of, stored_recording
from ipuaro_jupyter.sessions.session import SessionInfo, Sessions
from ipuaro_jupyter.settings.opened_folder import opened_folder
from ipuaro_jupyter.store.connection import connect
from ipuaro_jupyter.store.keys import Keys, project_id


def listed_sessions(folder: str) -> tuple[SessionInfo, ...]:
    """The sessions of the project in a folder, the latest used first.

    Raises:
        ProjectError: It is not a folder, or cannot be read.
        SettingsError: A settings file is wrong.
        StorageError: Redis cannot be reached.
    """
    root, loaded = opened_folder(folder, {})
    with closing(connect(loaded.settings.redis)) as store:
        return Sessions(store, Keys(project_id(root))).all()


def opened_session(
    folders: Sequence[str], session: str | None, settings: Mapping[str, Any], cancel: CancelToken
) -> tuple[Assistant, str]:
    """Open a project for a session; return it with the session's id.

    A session that is open in a kernel can be read here, and is asked there.

    Args:
        folders: The project's folder; others, which clients may name too, do not count.
        session: The session's id; None begins one.
        settings: Settings over those of the files.
        cancel: Stops the indexing.

    Raises:
        ProjectError: It is not a folder, or cannot be read.
        SettingsError: There is no such session, or a settings file is wrong.
        StorageError: Redis cannot be reached.
        Cancelled: It was stopped.
    """
    assistant = start(folders, new=True, settings=settings, cancel=cancel)
    if session is None:
        return assistant, assistant.session.id
    with ExitStack() as ending:
        ending.callback(assistant.close)
        if session not in {one.id for one in assistant.sessions()}:
            raise SettingsError(f"{session!r} is no session of {folders[0]}.")
        ending.pop_all()
    return assistant, session


def past_turns(assistant: Assistant, session: str) -> Transcript:
    """All turns of a session, wherever it is open.

    Raises:
        StorageError: Redis has gone.
    """
    with closing(connect(assistant.settings.redis)) as store:
        recorded = stored_recording(store, assistant.root, session)
    return Transcript(title=recorded.title, turns=tuple(answer_of(one) for one in recorded.turns()))
