"""``ipuaro demo``: the quickstart notebook, run on a small application."""

import sys
from pathlib import Path

import click

from ipuaro_jupyter.cli.terminal import told


@click.command("demo", short_help="Run the quickstart on a small application.")
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--model", help="Ask this Ollama model instead of the recorded one.")
@click.option("--lab", is_flag=True, help="Open the notebook in JupyterLab afterwards.")
def command(folder: str | None, model: str | None, lab: bool) -> None:  # noqa: FBT001 - click's
    """Run the quickstart notebook on a small TypeScript application in FOLDER.

    By default in ./ipuaro-demo. Needs neither Ollama nor Redis nor a network.
    """
    from ipuaro_jupyter.demo import run_demo  # noqa: PLC0415 - heavy, not needed for --help

    with told():
        sys.exit(run_demo(Path(folder) if folder else None, model=model, lab=lab))
