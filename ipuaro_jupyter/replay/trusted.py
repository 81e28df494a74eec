"""Whether a recording may be replayed, given that its approvals apply without a question."""

from pathlib import Path

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import Message, ToolCall
from ipuaro_jupyter.replay.recorded import calls_of, replies_of
from ipuaro_jupyter.sessions.recording import RecordedSession
from ipuaro_jupyter.sessions.stored_session import session_ids, stored_messages
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.keys import Keys
from ipuaro_jupyter.tools import Tools, load_tools
from ipuaro_jupyter.views import call as call_view

_MOST_NAMED = 5


def check_trusted(recorded: RecordedSession, *, path: Path, store: Store, keys: Keys) -> None:
    """Raise SettingsError unless a recording only reads, or is this machine's own.

    Args:
        recorded: The recording; it may have been edited.
        path: Its file.
        store: The sessions of this machine.
        keys: The project's keys.

    Raises:
        SettingsError: It changes something or runs commands, and comes from elsewhere, or the
            session was deleted or cleared, or the file has been edited.
    """
    tools = load_tools()
    calls = [c for reply in replies_of(recorded.messages) for c in calls_of(reply, tools)]
    changing = [call for call in calls if _changes(call, tools)]
    if not changing or _is_in_store(recorded, store, keys):
        return
    named = [f"\n  {call_view.line(call)}" for call in changing[:_MOST_NAMED]]
    more = len(changing) - len(named)
    named += [f"\n  and {more} more"] if more else []
    raise SettingsError(
        f"{str(path)!r} was not recorded in this project on this machine, or was changed since. "
        "A replay gives what was approved in it again, without a question; commands can do "
        f"whatever you can:{''.join(named)}\nIf you trust it, add --trust."
    )


def is_remote(call: ToolCall) -> bool:
    """Whether a call is of a tool of an MCP server."""
    return call.name.lower().startswith("mcp__")


def _changes(call: ToolCall, tools: Tools) -> bool:
    tool = tools.find(call.name, call.arguments)
    return is_remote(call) if tool is None else tool.asks_first


def _is_in_store(recorded: RecordedSession, store: Store, keys: Keys) -> bool:
    """Whether the store has the same session, possibly continued since."""
    if recorded.session not in session_ids(store, keys):
        return False
    ours = _without_questions(recorded.messages)
    return _without_questions(stored_messages(store, keys, recorded.session))[: len(ours)] == ours


def _without_questions(messages: "tuple[Message, ...] | list[Message]") -> list[Message]:
    return [message for message in messages if message.role != "user"]
