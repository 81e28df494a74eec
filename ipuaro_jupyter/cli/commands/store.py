"""``ipuaro store``: what the server holds of all projects, and what may go."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ipuaro_jupyter.cli.terminal import can_ask, json_text, removed_option, told
from ipuaro_jupyter.errors import Cancelled, SettingsError
from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from ipuaro_jupyter.cli.store_prune import Prunable
    from ipuaro_jupyter.store.connection import Store

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("store", short_help="Measure and clear what the server holds.")
def command() -> None:
    """Look after the data that the server holds of all projects; the settings name the server."""


@command.command("stats", short_help="Measure what the server holds of each project.")
@_as_json
def stats(as_json: bool) -> None:  # noqa: FBT001 - click's
    """Print each project with its data, and which servers hold it.

    "open" means that a kernel has it open, as far as can be told from this machine. The sizes are
    the memory on the server.
    """
    from ipuaro_jupyter.cli.store_stats import projects_table, store_stats  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.views import table  # noqa: PLC0415 - the same

    with told(), _store() as store:
        found = store_stats(store)
        if as_json:
            click.echo(json_text(found.to_dict()))
        else:
            click.echo(table.text(projects_table(found)))
            click.echo(f"\nThe store is on {found.servers}.")


@command.command("check", hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
def check(rest: tuple[str, ...]) -> None:
    """Say that there is no such command any more."""
    del rest
    click.echo(
        "ipuaro store check is no more: damage is noticed where data is read, and told. "
        "ipuaro index --full makes an index anew.",
        err=True,
    )


@command.command("prune", short_help="Delete what nobody needs any more.")
@click.option(
    "--older-than",
    type=click.FloatRange(0, min_open=True),
    metavar="DAYS",
    help="Also what was not opened for so many days.",
)
@removed_option("--answers", instead="no answers are kept on the server any more", is_flag=True)
@click.option("--sessions", is_flag=True, help="Of projects that go, also the sessions.")
@click.option("--undo", is_flag=True, help="Of projects that go, also what can be undone.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_as_json
def prune(
    *,
    older_than: float | None,
    sessions: bool,
    undo: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete indexes of folders that are gone and of other versions, after showing them and asking.

    An index is made again when its project is opened. Sessions, and what can be undone, stay unless
    an option names them; then they go with projects whose folder is gone or that are older than
    DAYS. A folder counts as gone on the machine where it was last opened. What a kernel has open
    stays. With --json and without --yes nothing is deleted.
    """
    from ipuaro_jupyter.cli.store_prune import Wish, prunable  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.cli.store_stats import store_stats  # noqa: PLC0415 - the same

    with told(), _store() as store:
        wish = Wish(older_than, sessions=sessions, undo=undo)
        items = prunable(store, store_stats(store), wish)
        if as_json:
            _tell_json(store, items, is_wanted=yes)
        else:
            _ask_and_prune(store, items, yes=yes)


def _tell_json(store: "Store", items: "list[Prunable]", *, is_wanted: bool) -> None:
    from ipuaro_jupyter.cli.store_prune import prune as pruned_now  # noqa: PLC0415 - heavy

    rows = []
    for item in items:
        row = item.model_dump(mode="json", by_alias=True, exclude={"mark", "goes"})
        if is_wanted:
            done = pruned_now(store, item)
            row |= {"freedBytes": done.freed_bytes, "kept": done.kept}
        rows.append(row)
    click.echo(json_text(rows))


def _ask_and_prune(store: "Store", items: "list[Prunable]", *, yes: bool) -> None:
    """Show what may go, ask, and delete it.

    Raises:
        SettingsError: There is nobody to ask.
        Cancelled: The user does not agree.
    """
    from ipuaro_jupyter.cli.store_prune import prune as pruned_now  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.cli.store_prune import table as table_of  # noqa: PLC0415 - the same
    from ipuaro_jupyter.cli.store_stats import megabytes  # noqa: PLC0415 - the same
    from ipuaro_jupyter.views import table  # noqa: PLC0415 - the same

    if not items:
        click.echo("Nothing may go.")
        return
    click.echo(table.text(table_of(items)))
    if not yes and not can_ask():
        raise SettingsError("There is nobody to ask: --yes deletes what is listed.")
    try:
        agreed = yes or click.confirm("Delete this?", err=True)
    except click.Abort:
        raise Cancelled from None
    if not agreed:
        raise Cancelled
    freed = 0
    for item in items:
        done = pruned_now(store, item)
        freed += done.freed_bytes
        if done.kept:
            click.echo(visible(f"kept of {item.root}: {done.kept}"), err=True)
    click.echo(f"Freed {megabytes(freed)} MB in {store.url}.")


@contextmanager
def _store() -> "Iterator[Store]":
    """Open the store that the settings of this folder name."""
    from ipuaro_jupyter.settings.settings import load_settings  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.store.connection import connect  # noqa: PLC0415 - the same
    from ipuaro_jupyter.workspace.files.paths import project_folder  # noqa: PLC0415 - the same

    root = project_folder(".", must_exist=False)
    store = connect(load_settings(root, {}).settings.redis)
    try:
        yield store
    finally:
        store.close()
