"""``ipuaro [PATH]``: JupyterLab with a notebook for a project."""

import os
import sys
from collections.abc import Sequence
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from shlex import join

import click

from ipuaro_jupyter.cli.project_folder import folders
from ipuaro_jupyter.cli.terminal import told, write
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.settings.removed_settings import only_first
from ipuaro_jupyter.views.markup import visible

NOTEBOOK = "ipuaro.ipynb"


@click.command(
    "open",
    short_help="Open JupyterLab on a notebook for a project.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument(
    "words",
    nargs=-1,
    type=click.UNPROCESSED,
    shell_complete=folders,
    metavar="[PATH] [OPTIONS]...",
)
def command(words: tuple[str, ...]) -> None:
    """Open JupyterLab on a notebook for the project at PATH; "ipuaro PATH" is short for it.

    The notebook is ipuaro.ipynb in the project's folder; an existing one is opened unchanged.
    OPTIONS are JupyterLab's, such as --no-browser.
    """
    with told():
        paths = tuple(takewhile(lambda word: not word.startswith("-"), words))
        options = words[len(paths) :]
        if late := _late_folder(options):
            first = join([*paths, late])
            raise SettingsError(
                f"Write the folder first: ipuaro open {first}, or . for this one, and "
                "JupyterLab's options after it."
            )
        folder, told_of_others = only_first(paths or (".",))
        if told_of_others:
            click.echo(visible(told_of_others), err=True)
        notebook = _notebook(folder)
    sys.stdout.flush()
    arguments = [sys.executable, "-P", "-m", "jupyterlab", str(notebook), *options]
    # JupyterLab gets the terminal and its Ctrl-C.
    os.execv(sys.executable, arguments)  # noqa: S606 - our own Python, no shell


def _late_folder(options: Sequence[str]) -> str:
    """A folder that stands behind an option and is not its value; "" for none."""
    before = ""
    for word in options:
        is_folder = os.path.isdir(word)  # noqa: PTH112 - false for what is no path
        if is_folder and not _takes_value(before):
            return word
        before = word
    return ""


def _takes_value(option: str) -> bool:
    from jupyterlab.labapp import LabApp  # noqa: PLC0415 - slow, and rarely needed

    is_open = option.startswith("-") and "=" not in option
    return is_open and option.lstrip("-") not in LabApp.flags


def _notebook(path: str | Path) -> Path:
    """The notebook of a project, which is made if it is missing.

    Raises:
        ProjectError: The path is not a folder.
        SettingsError: It cannot be written.
    """
    from ipuaro_jupyter.workspace.files.paths import project_folder  # noqa: PLC0415 - heavy

    notebook = project_folder(path) / NOTEBOOK
    if not notebook.exists():
        text = files("ipuaro_jupyter.cli").joinpath("project.ipynb").read_text(encoding="utf-8")
        write(notebook, [text])
    return notebook
