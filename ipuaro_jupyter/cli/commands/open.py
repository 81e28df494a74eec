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

NOTEBOOK = "ipuaro.ipynb"
_START = "%ipuaro start"


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
    metavar="[PATH]... [OPTIONS]...",
)
def command(words: tuple[str, ...]) -> None:
    """Open JupyterLab on a notebook for the project at PATH; "ipuaro PATH" is short for it.

    The notebook is ipuaro.ipynb in the project's folder; an existing one is opened unchanged.
    Several PATHs are the roots of one project; the notebook is in the first of them, with their
    names. OPTIONS are JupyterLab's, such as --no-browser.
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
        notebook = _notebook(paths or (".",))
    sys.stdout.flush()
    arguments = [sys.executable, "-P", "-m", "jupyterlab", str(notebook), *options]
    # JupyterLab gets the terminal and its Ctrl-C.
    os.execv(sys.executable, arguments)  # noqa: S606 - our own Python, no shell


def _late_folder(options: Sequence[str]) -> str:
    """A folder that stands behind an option and is not its value; "" for none."""
    from ipuaro_jupyter.store.roots import split_name  # noqa: PLC0415 - heavy

    before = ""
    for word in options:
        is_folder = os.path.isdir(split_name(word)[1])  # noqa: PTH112 - false for what is no path
        if is_folder and not _takes_value(before):
            return word
        before = word
    return ""


def _takes_value(option: str) -> bool:
    from jupyterlab.labapp import LabApp  # noqa: PLC0415 - slow, and rarely needed

    is_open = option.startswith("-") and "=" not in option
    return is_open and option.lstrip("-") not in LabApp.flags


def _notebook(paths: tuple[str, ...]) -> Path:
    """The notebook of a project, which is made if it is missing.

    Raises:
        ProjectError: A path is not a folder, or they cannot be opened together.
        SettingsError: It cannot be written, or not be named in a line.
    """
    from ipuaro_jupyter.store.roots import named_roots, split_name  # noqa: PLC0415 - heavy
    from ipuaro_jupyter.workspace.files.paths import project_folder, project_of  # noqa: PLC0415 - the same

    root = project_of(paths)
    folder = project_folder(split_name(paths[0])[1])
    named = named_roots(root)
    notebook = folder / (f"ipuaro-{root.name}.ipynb" if named else NOTEBOOK)
    if not notebook.exists():
        text = files("ipuaro_jupyter.cli").joinpath("project.ipynb").read_text(encoding="utf-8")
        if named:
            roots = [
                ("" if place.name == name else f"{name}=") + os.path.relpath(place, folder)
                for name, place in named.items()
            ]
            line = f"{_START} {join(roots)}"
            if len(line.splitlines()) > 1:  # what follows would be run as Python
                raise SettingsError(
                    f"The notebook cannot name {join(roots)!r}: a line ends in it. "
                    "Rename the folder."
                )
            text = _opening(text, line)
        write(notebook, [text])
    return notebook


def _opening(text: str, line: str) -> str:
    """The text of the notebook, with this line in place of the one that opens its own folder."""
    import json  # noqa: PLC0415 - for several roots only

    return text.replace(json.dumps(_START), json.dumps(line))
