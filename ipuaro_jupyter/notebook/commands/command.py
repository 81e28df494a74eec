"""A subcommand of ``%ipuaro``: a documented function and its arguments."""

import argparse
import inspect
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.outputs import Plain

Arguments = argparse.Namespace
Completed = Literal["command", "file", "folder", "model", "notebook", "session", "symbol", "tool"]
"""The kind of an argument. Files and symbols are the project's; folders, notebooks the disk's."""

HELP_FLAGS = frozenset({"--help", "-h"})

Function = Callable[[OpenProject, AnyCellThread, Arguments], Any]


@dataclass(frozen=True)
class Command:
    """A subcommand; ``run`` is called outside the main thread and may ask through its thread."""

    name: str
    run: Function
    parser: "_CommandParser"

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return (self.parser.description or "").split("\n")[0]

    def help(self) -> str:
        """The usage, the documentation and the arguments."""
        return self.parser.format_help().removeprefix("usage: ").strip()

    def completes(self, words: Sequence[str]) -> tuple[list[str], Completed | None]:
        """The possible next words after complete ``words``: literal ones, and the kind of other."""
        parser = self.parser
        flags = {flag: action for action in parser.flags for flag in action.option_strings}
        last = flags.get(words[-1]) if words else None
        if last is not None and last.nargs != 0:
            return _choices(last), parser.completed.get(last.dest)
        free = [word for word in words if not word.startswith("-")]
        taken = sum(1 for word in words if word in flags and flags[word].nargs != 0)
        place = len(free) - taken
        others = [flag for flag in flags if flag not in words]
        if place >= len(parser.places) and not (parser.places and parser.places[-1].nargs == "*"):
            return others, None
        positional = parser.places[min(place, len(parser.places) - 1)]
        return [*_choices(positional), *others], parser.completed.get(positional.dest)

    def read(self, line: str) -> Arguments:
        """Parse the arguments in a line.

        Raises:
            SettingsError: The line does not fit; the message gives the correct form.
        """
        try:
            return self.parser.parse_args(shlex.split(line))
        except ValueError as error:
            raise SettingsError(f"{self.parser.prog}: {error}. Quote as in a shell.") from None


@dataclass(frozen=True)
class RemovedCommand(Command):
    """A subcommand that no longer exists: it says what to do instead, whatever it is given."""

    def read(self, line: str) -> Arguments:
        """Ignore the line."""
        del line
        return Arguments()


def removed(name: str, told: str) -> RemovedCommand:
    """The subcommand that says ``told`` in place of one that no longer exists."""
    parser = _CommandParser(
        prog=f"%ipuaro {name}",
        description=told,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    return RemovedCommand(name=name, run=lambda *_: Plain(text=told), parser=parser)


def _choices(action: argparse.Action) -> list[str]:
    return [str(choice) for choice in action.choices or ()]


class _CommandParser(argparse.ArgumentParser):
    """A parser that raises where its base class exits, and knows the kinds of its arguments."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.flags: list[argparse.Action] = []
        self.places: list[argparse.Action] = []
        self.completed: dict[str, Completed] = {}

    def take(self, action: argparse.Action, completes: Completed | None) -> None:
        """Register an argument that was added."""
        (self.flags if action.option_strings else self.places).append(action)
        if completes is not None:
            self.completed[action.dest] = completes

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().removeprefix("usage: ").split())
        raise SettingsError(f"{self.prog}: {message}. Usage: {usage}")


Option = Callable[[_CommandParser], None]


def argument(*names: str, completes: Completed | None = None, **options: Any) -> Option:
    """An argument of a command.

    Args:
        names: As for argparse's add_argument.
        completes: The kind of the argument, for Tab completion; its choices are completed anyway.
        options: As for argparse's add_argument.
    """
    return lambda parser: parser.take(parser.add_argument(*names, **options), completes)


def command(*options: Option) -> Callable[[Function], Command]:
    """Turn a function into a `Command`; underscores in its name are typed as hyphens."""

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
