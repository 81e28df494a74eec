"""``ipuaro export``: write a session as a notebook, without opening it or the project's index."""

from pathlib import Path

import click

from ipuaro_jupyter.cli.project_folder import project_option
from ipuaro_jupyter.cli.terminal import told
from ipuaro_jupyter.records.counted import counted


@click.command("export", short_help="Write a session as a notebook.")
@click.argument("names", nargs=-1, required=True, metavar="[SESSION] FILE")
@project_option
@click.option("--force", is_flag=True, help="Overwrite any existing file.")
def command(names: tuple[str, ...], project: str, force: bool) -> None:  # noqa: FBT001 - click's
    """Write a session to FILE.ipynb: the one with SESSION in its id, by default the latest.

    The session may be open in a notebook. An older export of the same session is replaced; any
    other file, or one with added cells, is left alone without --force.
    """
    if len(names) > 2:  # noqa: PLR2004 - a session and a file
        raise click.UsageError(f"{len(names)} names were given; write [SESSION] FILE.")
    from ipuaro_jupyter.sessions.ipynb import write_notebook  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.sessions.recording import stored_recording  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.settings.opened_folder import opened_folder  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.store.connection import connect  # noqa: PLC0415 - heavy

    with told():
        root, loaded = opened_folder(project, {})
        store = connect(loaded.settings.redis)
        try:
            recorded = stored_recording(store, root, names[0] if len(names) > 1 else None)
        finally:
            store.close()
        path = write_notebook(recorded, Path(names[-1]).expanduser(), force=force)
    messages = counted(len(recorded.messages), "message")
    click.echo(f"{path}: session {recorded.session}, {messages}")
