"""``ipuaro acp``: the assistant for editors and chat panels, as an agent of their protocol."""

import sys

import click

from ipuaro_jupyter.cli.terminal import told

_FOR_A_PROGRAM = (
    "This waits for an editor or a chat panel, which starts it by itself and speaks the Agent "
    "Client Protocol with it: see ipuaro acp --help. Ctrl-C ends it."
)


@click.command("acp", short_help="Serve the assistant to editors and chat panels.")
def command() -> None:
    """Serve the assistant over the Agent Client Protocol, on standard input and output.

    Editors and chat panels start this, and name the project's folder for each session. Sessions are
    those of the project's notebooks, and so is what can be undone; one that is open in a kernel can
    be read here, and is asked there.
    """
    from ipuaro_jupyter.acp.acp_service import serve  # noqa: PLC0415 - heavy, not needed for --help

    with told():
        if sys.stdin.isatty():
            click.echo(_FOR_A_PROGRAM, err=True)
        serve()
