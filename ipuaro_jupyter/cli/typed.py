"""A message such as "/undo" that is typed behind ``ipuaro ask``, which ends when it is done."""

from shlex import quote
from typing import TYPE_CHECKING

from ipuaro_jupyter.assistant.slash_commands import COMMANDS
from ipuaro_jupyter.errors import SettingsError, ToolError

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.assistant.slash_commands import Typed
    from ipuaro_jupyter.cancellation import CancelToken

_OPTIONS = {
    "auto-apply": "--approve edits",
    "auto-apply off": "--approve ask",
    "load": "--session ID",
    "model": "--model NAME",
}
"""What takes the place of a command that holds until the program ends."""


def said_by(typed: "Typed", assistant: "Assistant", cancel: "CancelToken", *, is_new: bool) -> str:
    """Run a command and return what it says.

    Args:
        typed: The command.
        assistant: What it is about.
        cancel: Stops it.
        is_new: Nothing was said or done in the assistant's session yet.

    Raises:
        SettingsError: There is no such command, or it was typed wrongly.
        ToolError: It has failed, or it is of no use here.
        IpuaroError: It cannot be done.
    """
    if typed.name == "stop":
        raise SettingsError("/stop is for a notebook; in a shell, Ctrl-C stops what runs.")
    typed.check()
    option = _OPTIONS.get(f"{typed.name} {' '.join(typed.words)}", _OPTIONS.get(typed.name))
    if option and typed.words:
        told = f"/{typed.name} {typed.words[0]} would hold for this command alone"
        raise ToolError("validation", f"{told}. Write {option} with the question instead.")
    lacking = typed.command.lacking if typed.command else ""
    if is_new and lacking:
        raise ToolError("validation", _nothing(typed.message, lacking, assistant))
    try:
        said = typed.said(assistant, cancel)
    except SettingsError as error:  # it was typed well
        raise ToolError("validation", str(error)) from error
    if isinstance(said, str):
        return said
    assert said.error is not None  # noqa: S101 - it is a result only then
    told = " ".join(filter(None, (said.error.message, said.error.suggestion)))
    raise ToolError(said.error.type, told)


def in_a_session(name: str) -> str:
    """Return how what is a command in a notebook is typed in a shell, "" when it is none."""
    command = COMMANDS.get(name)
    if command is None:
        return ""
    typed = f"/{name} --session ID" if command.lacking else f"/{name}"
    here = f"MESSAGE {_OPTIONS[name]}" if name in _OPTIONS else typed
    return f"In a notebook it is %ipuaro {command.subcommand or name}, here ipuaro ask {here}."


def _nothing(message: str, lacking: str, assistant: "Assistant") -> str:
    """Return that a new session has nothing for a command, and how a session is named."""
    told = f"This session is new, and there is nothing {lacking}."
    latest = next((session.id for session in assistant.sessions()), None)
    if latest is None:
        return f"{told} The project has no other session yet."
    return (
        f"{told} Name another one: ipuaro ask {quote(message)} --session {latest} "
        "is about the latest; ipuaro ask /sessions lists them."
    )
