"""Which session a project is opened with."""

from ipuaro_jupyter.sessions.session import Session, Sessions


def chosen_session(
    sessions: Sessions, part: str | None, *, new: bool, notebook: str = ""
) -> tuple[Session, tuple[str, ...]]:
    """The session to go on with, and a remark for the user where it is not the latest.

    Args:
        sessions: Those of the project.
        part: A part of the session's id that no other has; None for the latest used one.
        new: Begin a session, unless ``part`` names one.
        notebook: The notebook to go on with the session of; without one of its own, it begins one.

    Raises:
        SettingsError: ``part`` names none, or more than one, or the session is open elsewhere.
    """
    if part is not None:
        return sessions.open(part), ()
    if new:
        return sessions.create(), ()
    listed = sessions.all() if notebook else ()
    own = next((one.id for one in listed if one.notebook == notebook), None)
    wanted = own if notebook else sessions.latest_id
    found = sessions.claimed(wanted)
    if found is not None:
        return found, ()
    if wanted is None:
        last = next((one for one in listed if one.messages), None)
        return sessions.create(), () if last is None else (last.offered(),)
    whose = "of this notebook " if notebook else ""
    told = f"The latest conversation {whose}{wanted} is open in another kernel; this is a new one."
    return sessions.create(), (f"{told} %ipuaro sessions load ID resumes another.",)
