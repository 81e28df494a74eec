"""``%ipuaro sessions``."""

from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, Table

if TYPE_CHECKING:
    from ipuaro_jupyter.records.transcript import Transcript
    from ipuaro_jupyter.sessions.session import SessionInfo


@command(
    argument("action", nargs="?", choices=["list", "load", "delete"], default="list"),
    argument(
        "id",
        nargs="?",
        metavar="ID",
        completes="session",
        help="A session's id, or a part of it that no other has.",
    ),
)
def sessions(
    project: OpenProject, thread: AnyCellThread, arguments: Arguments
) -> "Table | Transcript | Plain":
    """List the project's sessions, resume one, or delete one with its undo stack.

    A resumed session is shown again, and its edits can be undone. The open session cannot be
    deleted, and neither can one that another kernel has open.
    """
    del thread
    action, session = arguments.action, arguments.id
    if action == "list":
        if session is not None:
            raise SettingsError("%ipuaro sessions list takes no ID; %ipuaro sessions load does.")
        return _table(project.assistant.sessions(), project.assistant.session.id)
    if session is None:
        raise SettingsError(f"Which one? Write %ipuaro sessions {action} ID.")
    if action == "delete":
        return Plain(text=f"Deleted session {project.assistant.delete_session(session)}.")
    project.assistant.load(session)
    return project.assistant.transcript()


def _table(found: "tuple[SessionInfo, ...]", opened: str) -> Table:
    rows = [
        (
            info.id,
            info.title or "(no messages)",
            info.last_used,
            info.messages,
            info.prompt_tokens + info.completion_tokens,
            info.edits_applied,
        )
        for info in found
    ]
    listed = any(info.id == opened for info in found)
    return Table(
        title="Sessions",
        columns=("ID", "Title", "Last used", "Messages", "Tokens", "Edits"),
        rows=tuple(rows),
        note=f"Open here: {opened}" + ("" if listed else ", which is listed when it is used"),
    )
