"""``ipuaro demo``: the quickstart notebook, run for real on a small application."""

import os
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NoReturn, TextIO

import nbformat
from nbformat import NotebookNode
from nbformat.sign import NotebookNotary

from ipuaro_jupyter.demo.execution import CellError, Stopped, execute, strip
from ipuaro_jupyter.demo.findings import PROBE, DiskWatch, Findings
from ipuaro_jupyter.demo.folder import NOTEBOOK, DemoFolder, choose_folder, shipped_notebook
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.settings.settings import REDIS_VARIABLE, load_settings

_CELL_S = 120  # the recorded model replies at once; the first cell may start a server
_MODEL_CELL_S = 3600
_MODEL_NAME = re.compile(r"(?!recorded:)\w[\w.:/@+-]*")
_RECORDED = re.compile(r"--model recorded:\S+")
_NEIGHBOUR = re.compile(r"\[([^\]]+)\]\(([\w.-]+\.ipynb)\)")  # a link to a page of the guide

Say = Callable[[str], object]


def run_demo(
    dest: Path | None = None,
    *,
    model: str | None = None,
    lab: bool = False,
    say: Say | None = None,
    warn: Say | None = None,
) -> int:
    """Run the quickstart notebook in ``dest`` and report what happened.

    Args:
        dest: See `choose_folder`; None takes ``ipuaro-demo`` in the current folder.
        model: Name of an Ollama model to ask; None plays the recording.
        lab: Become JupyterLab with the notebook when it has run.
        say: Receives the report line by line; None is standard output.
        warn: Receives progress and failures; None is standard error.

    Returns:
        The exit status: 0, 1 when a cell failed or had the wrong effect, 128 + N when signal N
        stopped it.

    Raises:
        ProjectError: The folder cannot be used, or git is missing.
        ModelError: The model cannot be reached; the message holds the remedy.
        SettingsError: ``model`` is not a valid name.
    """
    say, warn = say or _to(sys.stdout), warn or _to(sys.stderr)
    if model is not None:
        _check_model(model)
    folder = choose_folder(dest)
    warn(f"Running the quickstart notebook in {folder.path} …")
    folder.fill()
    os.environ[REDIS_VARIABLE] = ""  # the embedded server, also in JupyterLab afterwards
    notebook = _notebook(model)
    _save(folder, notebook)
    for name in folder.kept:
        warn(f"What you had changed is kept in {folder.path / name}")
    try:
        findings = _execute(folder, notebook, timeout_s=_MODEL_CELL_S if model else _CELL_S)
    except (CellError, Stopped) as error:
        warn(str(error))
        warn(f"partial notebook: {folder.notebook}")
        return 128 + error.signal_number if isinstance(error, Stopped) else 1
    finally:
        _save(folder, notebook)
    _trust(notebook)
    problems = findings.problems() if model is None else []
    for problem in problems:
        warn(f"The demo did not do what it should: {problem}.")
    for line in findings.lines():
        say(line)
    say(f"Open it: {shlex.join(_lab(folder.notebook))}")
    say(f"notebook: {folder.notebook}")
    if lab and not problems:
        _become_lab(folder.notebook)
    return 1 if problems else 0


def _execute(folder: DemoFolder, notebook: NotebookNode, *, timeout_s: int) -> Findings:
    disk = DiskWatch(folder)
    told = execute(
        notebook, folder.path, timeout_s=timeout_s, after_cell=disk.after_cell, probe=PROBE
    )
    asked = sum(cell.source.startswith("%%ask") for cell in notebook.cells)
    return Findings(asked=asked, edits=disk.edits, left=disk.left, **told)


def _notebook(model: str | None) -> NotebookNode:
    """The shipped notebook without its outputs, with ``model`` in place of the recording.

    Links to the other pages of the guide become plain text, since those stay in the repository.
    """
    notebook: NotebookNode = nbformat.reads(shipped_notebook().decode(), as_version=4)
    strip(notebook)
    for cell in notebook.cells:
        if model is not None and cell.cell_type == "code":
            cell.source = _RECORDED.sub(f"--model {model}", cell.source)
        if cell.cell_type == "markdown":
            cell.source = _NEIGHBOUR.sub(r"\1 (notebooks/\2)", cell.source)
    return notebook


def _save(folder: DemoFolder, notebook: NotebookNode) -> None:
    text: str = nbformat.writes(notebook, version=4)
    folder.write(NOTEBOOK, (text.rstrip("\n") + "\n").encode())


def _trust(notebook: NotebookNode) -> None:
    """Sign the notebook that was just run here, so that JupyterLab shows its styles."""
    with suppress(OSError):  # without a signature, only colours are lost
        notary = NotebookNotary()
        with closing(notary.store):
            notary.sign(notebook)


def _check_model(name: str) -> None:
    """Raise `ModelError` when the model cannot be asked, `SettingsError` for an invalid name."""
    if not _MODEL_NAME.fullmatch(name):
        raise SettingsError(f"{name!r} is no model's name, such as qwen2.5-coder:7b.")
    here = Path(__file__).parent / "app"  # files in the current folder are ignored
    model = open_model(name, load_settings(here, {}).settings.llm, here)
    try:
        model.check()
    finally:
        model.close()


def _lab(notebook: Path) -> list[str]:
    return [sys.executable, "-P", "-m", "jupyterlab", str(notebook)]


def _become_lab(notebook: Path) -> NoReturn:
    """Replace this process by JupyterLab, which then gets the terminal and its Ctrl-C."""
    sys.stdout.flush()
    os.execv(sys.executable, _lab(notebook))  # noqa: S606 - our own Python, no shell


def _to(stream: TextIO) -> Say:
    def write(line: str) -> None:
        stream.write(line + "\n")
        stream.flush()

    return write
