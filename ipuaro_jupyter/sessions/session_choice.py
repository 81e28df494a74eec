"""Which session a project is opened with."""

from ipuaro_jupyter.sessions.session import Session, Sessions


def chosen_session(
    sessions: Sessions, part: str | None, *, new: bool
) -> tuple[Session, tuple[str, ...]]:
    """The session to go on with, and a remark for the user where it is not the latest.

    Args:
        sessions: Those of the project.
        part: A part of the session's id that no other has; None for the latest used one.
        new: Begin a session, unless ``part`` names one.

    Raises:
        SettingsError: ``part`` names none, or more than one, or the session is open elsewhere.
    """
    if part is not None:
        return sessions.open(part), ()
    latest = None if new else sessions.latest()
    if latest is not None:
        return latest, ()
    taken = None if new else sessions.latest_id
    if taken is None:
        return sessions.create(), ()
    told = f"The latest conversation {taken} is open in another kernel; this is a new one."
    return sessions.create(), (f"{told} %ipuaro sessions load ID resumes another.",)
