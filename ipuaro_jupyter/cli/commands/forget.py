"""``ipuaro forget``: list the data that the server holds of each project, or delete it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ipuaro_jupyter.cli.project_folder import folders
from ipuaro_jupyter.cli.terminal import can_ask, json_text, told
from ipuaro_jupyter.errors import Cancelled, SettingsError
from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from ipuaro_jupyter.store.connection import Store

_ONE_BY_ONE = (
    "Nothing was dropped: several folders no longer open as one project. Name one PATH; ipuaro "
    "forget without one lists the projects."
)


@click.command("forget", short_help="Delete the data that the server holds of a project.")
@click.argument("paths", nargs=-1, shell_complete=folders, metavar="[PATH]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(paths: tuple[str, ...], yes: bool, as_json: bool) -> None:  # noqa: FBT001 - click's
    """Delete the index, the sessions and the undo stack of the project at PATH for good.

    The project's files stay as they are, except those of a change that was interrupted: it is put
    right first. The folder need not exist any more. Without PATH, list
    the projects that the server holds, the last opened first.
    """
    from ipuaro_jupyter.settings.settings import load_settings  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.store.connection import connect  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.workspace.files.paths import project_folder  # noqa: PLC0415 - heavy

    with told():
        if yes and not paths:
            raise SettingsError("Name the project to drop: ipuaro forget PATH --yes.")
        if as_json and paths:
            raise SettingsError("--json is for the list of all projects, which has no PATH.")
        if len(paths) > 1:
            click.echo(visible(_ONE_BY_ONE), err=True)
            return
        root = project_folder(*(paths or (".",)), must_exist=False)
        store = connect(load_settings(root, {}).settings.redis)
        try:
            if paths:
                _drop(store, root, yes=yes)
            else:
                _list(store, as_json=as_json)
        finally:
            store.close()


def _list(store: "Store", *, as_json: bool) -> None:
    """Print each project with its size and when it was opened."""
    from ipuaro_jupyter.store.projects import size_bytes, stored_projects  # noqa: PLC0415 - heavy

    projects = [(one, size_bytes(store, one.project_id)) for one in stored_projects(store)]
    if as_json:
        rows = [{**one.to_dict(), "sizeBytes": size} for one, size in projects]
        click.echo(json_text(rows))
        return
    for one, size in projects:
        day = time.strftime("%Y-%m-%d", time.localtime(one.opened_at))
        click.echo(visible(f"{day}  {size / 1e6:9,.1f} MB  {one.root}"))
    click.echo(f"{len(projects):,} in {store.url}", err=True)


def _drop(store: "Store", root: Path, *, yes: bool) -> None:
    """Delete a project's data, once the user has agreed.

    Raises:
        SettingsError: The server holds nothing of it, or there is nobody to ask.
        ToolError: A change was interrupted and cannot be put right.
        Cancelled: The user does not agree.
    """
    from ipuaro_jupyter.store.keys import Keys, project_id  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.store.projects import forget, stored_projects  # noqa: PLC0415 - the same
    from ipuaro_jupyter.workspace.changes.forgotten import (  # noqa: PLC0415 - the same
        forget_journals,
        has_journals,
        put_right,
    )
    from ipuaro_jupyter.workspace.changes.undo_stack import UndoStack  # noqa: PLC0415 - the same

    identity, told = project_id(root), str(root)
    is_stored = any(identity == one.project_id for one in stored_projects(store))
    if not is_stored and not has_journals(root):
        known = "Run ipuaro forget without a folder to list the projects."
        raise SettingsError(f"{store.url} holds nothing of {told!r}. {known}")
    if not yes and not can_ask():
        raise SettingsError("There is nobody to ask: --yes drops the sessions of the project.")
    asked = f"Drop the index, the sessions and the undo stack of {told}?"
    try:
        agreed = yes or click.confirm(visible(asked), err=True)
    except click.Abort:
        raise Cancelled from None
    if not agreed:
        raise Cancelled
    for became in put_right(root, UndoStack(store, Keys(identity), "")):
        click.echo(visible(became), err=True)
    forget(store, identity)
    forget_journals(root)
    click.echo(visible(f"Dropped what {store.url} held of {told}."))
