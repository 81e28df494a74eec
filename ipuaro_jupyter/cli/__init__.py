"""The command line: every module of ``commands`` is a command of ``ipuaro``.

Exit status: 0 done; 1 the tool, the demo or the index failed; 2 wrong arguments, settings or
project; 3 Redis cannot be reached; 130 stopped.
"""

import importlib
import pkgutil

import click

from ipuaro_jupyter import __version__
from ipuaro_jupyter.cli import commands


class _Commands(click.Group):
    """The modules of the folder ``commands``, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        del ctx
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, None when there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name}")
        found: click.Command = module.command
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ipuaro")
def main() -> None:
    """Work with the assistant for a codebase from the command line."""
