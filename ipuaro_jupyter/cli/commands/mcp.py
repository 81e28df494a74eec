"""``ipuaro mcp``: the tools for other assistants, as an MCP server."""

import sys

import click

from ipuaro_jupyter.cli.project_folder import path_argument
from ipuaro_jupyter.cli.terminal import told

_FOR_A_PROGRAM = (
    "This waits for another assistant, which starts it by itself and speaks MCP with it: see "
    "ipuaro mcp --help. Ctrl-C ends it."
)


@click.command("mcp", short_help="Serve the tools to other assistants.")
@path_argument
@click.option("--write", is_flag=True, help="Also offer the tools that change something.")
def command(path: str | None, write: bool) -> None:  # noqa: FBT001 - click's
    """Serve the tools for the project at PATH over MCP, on standard input and output.

    Other assistants start this. Without PATH it is the folder that the assistant works in, if it
    tells of one (MCP calls this roots), and else the current one. Without --write only the
    read-only tools are offered. With it, the client asks about each change if it can; otherwise the
    change is rejected.
    """
    from ipuaro_jupyter.mcp_server.mcp_service import serve  # noqa: PLC0415 - heavy, not needed for --help

    with told():
        if sys.stdin.isatty():
            click.echo(_FOR_A_PROGRAM, err=True)
        serve(path, write=write)
