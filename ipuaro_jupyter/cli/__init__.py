"""The command line: every module of ``commands`` is a command of ``ipuaro``."""

import importlib
import os
import pkgutil
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ipuaro_jupyter.cli import commands
from ipuaro_jupyter.cli.project_folder import folders_beside
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.version import __version__

EXIT_STATUS = (
    "Exit status: 0 done; 1 it was done and something is wrong: a tool or the demo failed, a check "
    "is wrong, a limit ended the turn, a replay differs; 2 wrong arguments, settings or project; "
    "3 the Redis server cannot be used; 4 the model cannot be used; 130 stopped."
)


class _Commands(click.Group):
    """The modules of the folder ``commands``, each imported when it is needed.

    A folder in place of a command, or no argument at all, means ``open``; ``help`` means
    ``--help``.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program, with usable standard streams whatever the shell has provided."""
        _open_streams()
        return super().main(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert ``open`` before a path, or when there are no arguments."""
        is_path = bool(args) and args[0] not in self.list_commands(ctx) and _is_path(args[0])
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        elif (not args and not ctx.resilient_parsing) or is_path:
            args = ["open", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error for an unknown one suggests the closest."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            from ipuaro_jupyter.cli.typed import shell_form  # noqa: PLC0415 - heavy

            near = closest(name, known, limit=1, cutoff=0.6)
            meant = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
            asked = "command" if _is_path(name) else "command and no folder"  # a path after help
            ctx.fail(f"There is no {asked} {name!r}. {shell_form(name) or meant}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer commands and folders; where only a folder is possible, the shell completes it."""
        offered = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            return offered
        if incomplete and not offered:
            return [CompletionItem(incomplete, type="dir")]
        return [*offered, *folders_beside(incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        del ctx
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None when there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name}")
        found: click.Command = module.command
        return found


def _is_path(argument: str) -> bool:
    """Whether an argument looks like a path, of a folder or not."""
    if argument.startswith("-"):
        return False
    return "/" in argument or os.path.exists(argument)  # noqa: PTH110 - a name may be too long


def _open_streams() -> None:
    """Open closed streams on the null device; let output replace letters it cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - until the end
            setattr(sys, name, nothing)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


@click.group(
    cls=_Commands,
    epilog=EXIT_STATUS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="ipuaro")
def main() -> None:
    """A local-model assistant for your codebase, on the command line.

    "ipuaro PATH" is short for "ipuaro open PATH".
    """
