"""The subcommands of ``%ipuaro``: one file each, found by name."""

from importlib import import_module
from pkgutil import iter_modules

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.commands.command import Command, removed
from ipuaro_jupyter.settings.removed_settings import removed_command
from ipuaro_jupyter.text_distance import closest


def command_names() -> list[str]:
    """The names of the subcommands as typed, sorted."""
    names = {module.name for module in iter_modules(__path__)} - {"command"}
    return sorted(name.rstrip("_").replace("_", "-") for name in names)


def find_command(name: str) -> Command:
    """The subcommand of a name, or what stands in for a removed one.

    Raises:
        SettingsError: There is none of this name; the message names the closest.
    """
    names = command_names()
    if name not in names:
        if told := removed_command(name, f"%ipuaro {name}"):
            return removed(name, told)
        near = closest(name, names, limit=1)
        meant = f" Did you mean %ipuaro {near[0]}?" if near else ""
        known = ", ".join(names)
        raise SettingsError(f"There is no %ipuaro {name}.{meant} There are: {known}.")
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    return next(value for value in vars(module).values() if isinstance(value, Command))


def documentation() -> str:
    """Every subcommand with its arguments and summary, as `%ipuaro?` shows it."""
    told = []
    for name in command_names():
        usage = " ".join(find_command(name).parser.format_usage().removeprefix("usage: ").split())
        told += [f"``{usage}``", f"    {find_command(name).summary}"]
    return "\n".join(told)
