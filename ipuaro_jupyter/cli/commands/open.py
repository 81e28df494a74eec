"""``ipuaro [PATH]``: JupyterLab with a notebook for a project."""

import os
import sys
from importlib.resources import files
from shlex import quote

import click

from ipuaro_jupyter.cli.project_folder import path_argument
from ipuaro_jupyter.cli.terminal import told, write
from ipuaro_jupyter.errors import SettingsError

NOTEBOOK = "ipuaro.ipynb"


@click.command(
    "open",
    short_help="Open JupyterLab on a notebook for a project.",
    context_settings={"ignore_unknown_options": True},
)
@path_argument
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def command(path: str, options: tuple[str, ...]) -> None:
    """Open JupyterLab on a notebook for the project at PATH; "ipuaro PATH" is short for it.

    The notebook is ipuaro.ipynb in the project's folder; an existing one is opened unchanged.
    OPTIONS are JupyterLab's, such as --no-browser.
    """
    from ipuaro_jupyter.workspace.files.paths import project_folder  # noqa: PLC0415 - heavy

    with told():
        if path.startswith("-"):  # no folder was given
            path, options = ".", (path, *options)
            if late := next(filter(os.path.isdir, options), None):
                raise SettingsError(
                    f"Write the folder first: ipuaro open {quote(late)}, or . for this one, and "
                    "JupyterLab's options after it."
                )
        notebook = project_folder(path) / NOTEBOOK
        if not notebook.exists():
            template = files("ipuaro_jupyter.cli").joinpath("project.ipynb")
            write(notebook, [template.read_text(encoding="utf-8")])
    sys.stdout.flush()
    arguments = [sys.executable, "-P", "-m", "jupyterlab", str(notebook), *options]
    # JupyterLab gets the terminal and its Ctrl-C.
    os.execv(sys.executable, arguments)  # noqa: S606 - our own Python, no shell
