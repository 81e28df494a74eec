"""What a subcommand of ``%ipuaro`` is: a documented function and its arguments."""

import argparse
import inspect
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.open_project import OpenProject

Arguments = argparse.Namespace
Completed = Literal["command", "file", "folder", "model", "notebook", "session", "symbol", "tool"]
"""What an argument names. Files and symbols are the project's; folders, notebooks on the disk."""

HELP_FLAGS = frozenset({"--help", "-h"})

Function = Callable[[OpenProject, AnyCellThread, Arguments], Any]


@dataclass(frozen=True)
class Command:
    """A subcommand; ``run`` is called outside of the main thread and may ask through the work."""

    name: str
    run: Function
    parser: "_CommandParser"

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return (self.parser.description or "").split("\n")[0]

    def help(self) -> str:
        """Return the usage, the documentation and the arguments."""
        return self.parser.format_help().removeprefix("usage: ").strip()

    def completes(self, words: Sequence[str]) -> tuple[list[str], Completed | None]:
        """Return what may follow the whole ``words``: literal words, and what else is named."""
        parser = self.parser
        flags = {flag: action for action in parser.flags for flag in action.option_strings}
        last = flags.get(words[-1]) if words else None
        if last is not None and last.nargs != 0:
            return _choices(last), parser.completed.get(last.dest)
        free = [word for word in words if not word.startswith("-")]
        taken = sum(1 for word in words if word in flags and flags[word].nargs != 0)
        place = len(free) - taken
        others = [flag for flag in flags if flag not in words]
        if place >= len(parser.places):
            return others, None
        positional = parser.places[place]
        return [*_choices(positional), *others], parser.completed.get(positional.dest)

    def read(self, line: str) -> Arguments:
        """Return the arguments that a line gives.

        Raises:
            SettingsError: The line does not fit; the message says how it should be.
        """
        try:
            return self.parser.parse_args(shlex.split(line))
        except ValueError as error:
            raise SettingsError(f"{self.parser.prog}: {error}. Quote as in a shell.") from None


def _choices(action: argparse.Action) -> list[str]:
    return [str(choice) for choice in action.choices or ()]


class _CommandParser(argparse.ArgumentParser):
    """A parser that raises where its base ends the process, and knows what arguments name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.flags: list[argparse.Action] = []
        self.places: list[argparse.Action] = []
        self.completed: dict[str, Completed] = {}

    def take(self, action: argparse.Action, completes: Completed | None) -> None:
        """Note an argument that was added."""
        (self.flags if action.option_strings else self.places).append(action)
        if completes is not None:
            self.completed[action.dest] = completes

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise SettingsError(f"{self.prog}: {message}. Usage: {usage}")


Option = Callable[[_CommandParser], None]


def argument(*names: str, completes: Completed | None = None, **options: Any) -> Option:
    """Return an argument of a command.

    Args:
        names: As argparse's add_argument takes them.
        completes: What it names, so that Tab completes it; its choices are completed anyway.
        options: As argparse's add_argument takes them.
    """
    return lambda parser: parser.take(parser.add_argument(*names, **options), completes)


def command(*options: Option) -> Callable[[Function], Command]:
    """Make a `Command` of a function; underscores in its name are typed as hyphens."""

    def decorate(function: Function) -> Command:
        name = function.__name__.rstrip("_").replace("_", "-")
        parser = _CommandParser(
            prog=f"%ipuaro {name}",
            description=inspect.getdoc(function),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
        )
        for add in options:
            add(parser)
        return Command(name=name, run=function, parser=parser)

    return decorate
