"""A message such as "/undo" that is typed behind ``ipuaro ask``, which ends when it is done."""

from shlex import quote
from typing import TYPE_CHECKING

from ipuaro_jupyter.errors import SettingsError, ToolError

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.assistant.slash_commands import Typed
    from ipuaro_jupyter.cancellation import CancelToken

_OPTIONS = {"auto-apply": "--approve edits", "load": "--session ID", "model": "--model NAME"}
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
    if typed.command is None:
        raise SettingsError(typed.answer(assistant, cancel).text)
    option = _OPTIONS.get(typed.name)
    if option and typed.words:
        told = f"/{typed.name} {typed.words[0]} would hold for this command alone"
        raise ToolError("validation", f"{told}. Write {option} with the question instead.")
    if is_new and typed.command.lacking:
        raise ToolError("validation", _nothing(typed.message, typed.command.lacking, assistant))
    said = typed.said(assistant, cancel)
    if isinstance(said, str):
        return said
    assert said.error is not None  # noqa: S101 - it is a result only then
    told = " ".join(filter(None, (said.error.message, said.error.suggestion)))
    raise ToolError(said.error.type, told)


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
