"""Calls that failed for a reason which only the user can resolve."""

from collections.abc import Generator

from ipuaro_jupyter.agent.calling import Calling, FinishedCall
from ipuaro_jupyter.agent.limits import TurnEnded
from ipuaro_jupyter.agent.remedies import Remedies
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.events import Event
from ipuaro_jupyter.records.outputs import ToolFailure
from ipuaro_jupyter.records.trouble import Trouble
from ipuaro_jupyter.tools.tool import Project

NEEDS_USER = frozenset({"storage", "internal"})
"""The types of failures that the user is asked about."""


def mended(
    call: ToolCall, finished: FinishedCall, calling: Calling, remedies: Remedies, project: Project
) -> Generator[Event, None, tuple[FinishedCall, TurnEnded | None]]:
    """Run a call again while it fails and the user wants a retry.

    Returns:
        The finished call, and the end of the turn if the user wants that.
    """
    while (error := _needs_user(finished)) is not None:
        trouble = Trouble(kind="tool", tool=call.name, message=error.message)
        remedy = yield from remedies.decided(trouble)
        if remedy.action == "skip":
            break
        if remedy.action == "abort":
            return finished, TurnEnded("error", error.message, _raised(error))
        (finished,) = calling.run([call], project)
    return finished, None


def _needs_user(finished: FinishedCall) -> ToolFailure | None:
    """The failure that only the user can resolve, if it is one."""
    error = finished.result.error
    return error if error is not None and error.type in NEEDS_USER else None


def _raised(failure: ToolFailure) -> Exception:
    if failure.type == "storage":
        return StorageError(failure.message)
    return ToolError(failure.type, failure.message, recoverable=False)
