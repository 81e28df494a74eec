"""A message such as "/undo" given to ``ipuaro ask``, which ends after running it."""

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
"""The alternatives to commands whose effect lasts until the program ends."""


def output_of(
    typed: "Typed", assistant: "Assistant", cancel: "CancelToken", *, is_new: bool
) -> str:
    """Run a command and return its text.

    Args:
        typed: The command.
        assistant: The assistant it runs on.
        cancel: Stops it.
        is_new: Whether the assistant's session is still empty.

    Raises:
        SettingsError: There is no such command, or it was typed wrongly.
        ToolError: It has failed, or it makes no sense here.
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
    except SettingsError as error:  # the words were right
        raise ToolError("validation", str(error)) from error
    if isinstance(said, str):
        return said
    assert said.error is not None  # noqa: S101 - it is a result only then
    told = " ".join(filter(None, (said.error.message, said.error.suggestion)))
    raise ToolError(said.error.type, told)


def shell_form(name: str) -> str:
    """The shell form of a command in a notebook; "" when it is not a command."""
    command = COMMANDS.get(name)
    if command is None:
        return ""
    typed = f"/{name} --session ID" if command.lacking else f"/{name}"
    here = f"MESSAGE {_OPTIONS[name]}" if name in _OPTIONS else typed
    cell = "%ask /edit" if name == "edit" else f"%ipuaro {command.subcommand or name}"
    return f"In a notebook it is {cell}, here ipuaro ask {here}."


def _nothing(message: str, lacking: str, assistant: "Assistant") -> str:
    """The message that a new session has nothing for a command, and how to name a session."""
    told = f"This session is new, and there is nothing {lacking}."
    latest = next((session.id for session in assistant.sessions()), None)
    if latest is None:
        return f"{told} The project has no other session yet."
    return (
        f"{told} Name another one: ipuaro ask {quote(message)} --session {latest} "
        "is about the latest; ipuaro ask /sessions lists them."
    )
