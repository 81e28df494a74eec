"""The map of the project that a conversation begins with, ranked by what it is about."""

from collections.abc import Iterable, Sequence

from ipuaro_jupyter.agent.tokens import count_tokens
from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.tools.tool import Project, Tool

_PATHS = ("path", "filepath")
_LATEST = 8  # messages of the user that say what it is about
_NO_MAP = "get_structure lists the files."


def overview(
    project: Project, tools: Iterable[Tool], messages: Sequence[Message], *, tokens: float
) -> str:
    """Return the map for a conversation, in about ``tokens`` tokens at most.

    Args:
        project: What the map is of.
        tools: The tools that the model may call; those that ask first change files.
        messages: The conversation, the latest message last.
        tokens: What the map may take.

    Raises:
        StorageError: Redis has gone.
    """
    changing = {tool.name for tool in tools if tool.asks_first}
    changed = {
        path
        for message in messages
        for call in message.calls
        if call.name in changing
        for path in (call.arguments.get(name) for name in _PATHS)
        if isinstance(path, str)
    }
    asked = [message.content for message in messages if message.role == "user"][-_LATEST:]
    found = project_map(project.index, tokens, size=count_tokens, mentioned=asked, changed=changed)
    return found or _NO_MAP
