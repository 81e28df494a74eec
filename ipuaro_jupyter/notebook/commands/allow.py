"""``%ipuaro allow``."""

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.commands.command import Arguments, argument, command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain, Table
from ipuaro_jupyter.workspace.approval import Remembered


@command(
    argument("action", nargs="?", choices=["list", "revoke"], default="list"),
    argument("which", nargs="?", metavar="N", help='A number of the list, or "all".'),
)
def allow(project: OpenProject, thread: AnyCellThread, arguments: Arguments) -> Table | Plain:
    """List what is applied without asking in this session, or revoke it."""
    del thread
    remembered = project.assistant.remembered
    if arguments.action == "list":
        if arguments.which is not None:
            raise SettingsError("%ipuaro allow list takes no number; %ipuaro allow revoke does.")
        return _table(remembered)
    revoked = _chosen(remembered, arguments.which)
    for known in revoked:
        project.assistant.revoke(known)
    named = "; ".join(f"{known.tool} {known.pattern}" for known in revoked)
    return Plain(text=f"Asked about again: {named}." if revoked else "Nothing was allowed.")


def _table(remembered: tuple[Remembered, ...]) -> Table | Plain:
    if not remembered:
        return Plain(text="Nothing is allowed without a question but what the settings allow.")
    rows = [(number, *known) for number, known in enumerate(remembered, 1)]
    return Table(
        title="Allowed in this session", columns=("N", "Tool", "Pattern"), rows=tuple(rows)
    )


def _chosen(remembered: tuple[Remembered, ...], which: str | None) -> tuple[Remembered, ...]:
    if which == "all":
        return remembered
    if which is None:
        raise SettingsError("Which? Write %ipuaro allow revoke N, or %ipuaro allow revoke all.")
    if not which.isascii() or not which.isdigit() or not 1 <= int(which) <= len(remembered):
        there_are = f"1 to {len(remembered)}" if remembered else "nothing: nothing is allowed"
        raise SettingsError(f"{which!r} is not in the list, which has {there_are}.")
    return (remembered[int(which) - 1],)
