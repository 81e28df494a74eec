"""The folder that a command works on, and the completion of names."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from ipuaro_jupyter.settings.removed_settings import only_first
from ipuaro_jupyter.views.markup import visible


def folders(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let the shell complete folders."""
    del context, parameter
    return [CompletionItem(incomplete, type="dir")]


def tool_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The tools whose names begin with ``incomplete``."""
    del context, parameter
    from ipuaro_jupyter.tools import load_tools  # noqa: PLC0415 - heavy, not needed for --help

    return [tool.name for tool in load_tools() if tool.name.startswith(incomplete)]


def folders_beside(incomplete: str) -> list[CompletionItem]:
    """The folders that begin with ``incomplete``, as plain words for a list with other words."""
    typed, _, name = incomplete.rpartition("/")
    within = f"{typed}/" if "/" in incomplete else ""
    try:
        found = sorted(entry.name for entry in Path(within or ".").iterdir() if entry.is_dir())
    except OSError:
        return []
    if not name:
        found = [one for one in found if not one.startswith(".")]
    named = [one for one in found if one.startswith(name) and one.isprintable()]
    return [CompletionItem(f"{within}{one}") for one in named]


def mentions(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """What a question can mention that begins with ``incomplete``: files, folders and the diff.

    They are those on the disk, down to the next folder; paths with blanks are left out.
    """
    del parameter
    if not incomplete.startswith("@"):
        return []
    typed, slash, name = incomplete[1:].rpartition("/")
    folder = Path(_of_project(context), f"{typed}{slash}")
    try:
        found = sorted(f"{one.name}{'/' * one.is_dir()}" for one in folder.iterdir())
    except (OSError, ValueError):
        found = []
    named = [one for one in found if one.startswith(name) and one.isprintable() and " " not in one]
    offered = [f"@{typed}{slash}{one}" for one in named if name or not one.startswith(".")]
    offered += ["@diff"] if not slash and "diff".startswith(name) else []
    return [CompletionItem(one) for one in offered]


def _of_project(context: click.Context) -> str:
    """The project's folder."""
    return context.params.get("project") or "."


def _one_folder(
    context: click.Context, parameter: click.Parameter, named: tuple[str, ...]
) -> str | None:
    """The first of the folders that were given; says what to do instead of giving others."""
    del parameter
    if not named:
        return None
    first, told = only_first(named)
    if told and not context.resilient_parsing:
        click.echo(visible(told), err=True)
    return str(first)


path_argument = click.argument(
    "path", nargs=-1, callback=_one_folder, shell_complete=folders, metavar="[PATH]"
)
project_option = click.option(
    "--project",
    default=(".",),
    multiple=True,
    callback=_one_folder,
    shell_complete=folders,
    help="The project's folder; by default this one.",
)
