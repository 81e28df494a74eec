"""What a subcommand of ``%ipuaro`` is: a documented function and its arguments."""

import argparse
import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.desk import Desk
from ipuaro_jupyter.notebook.work import AnyWork

Arguments = argparse.Namespace
Function = Callable[[Desk, AnyWork, Arguments], Any]


@dataclass(frozen=True)
class Command:
    """A subcommand; ``run`` is called outside of the main thread and may ask through the work."""

    name: str
    run: Function
    parser: argparse.ArgumentParser

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return (self.parser.description or "").split("\n")[0]

    def help(self) -> str:
        """Return the usage, the documentation and the arguments."""
        return self.parser.format_help().removeprefix("usage: ").strip()

    def read(self, line: str) -> Arguments:
        """Return the arguments that a line gives.

        Raises:
            SettingsError: The line does not fit; the message says how it should be.
        """
        try:
            return self.parser.parse_args(shlex.split(line))
        except ValueError as error:
            raise SettingsError(f"{self.parser.prog}: {error}. Quote as in a shell.") from None


class _Parser(argparse.ArgumentParser):
    """A parser that raises where its base ends the process."""

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise SettingsError(f"{self.prog}: {message}. Usage: {usage}")


Option = Callable[[argparse.ArgumentParser], object]


def argument(*names: str, **options: Any) -> Option:
    """Return an argument of a command; the parameters are those of argparse's add_argument."""
    return lambda parser: parser.add_argument(*names, **options)


def command(*options: Option) -> Callable[[Function], Command]:
    """Make a `Command` of a function; underscores in its name are typed as hyphens."""

    def decorate(function: Function) -> Command:
        name = function.__name__.rstrip("_").replace("_", "-")
        parser = _Parser(
            prog=f"%ipuaro {name}",
            description=inspect.getdoc(function),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
        )
        for add in options:
            add(parser)
        return Command(name=name, run=function, parser=parser)

    return decorate
