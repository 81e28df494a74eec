"""The map of the project at the beginning of a conversation, ranked by its subject."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.tools.tool import Project, Tool

_PATHS = ("path", "filepath")
_LATEST = 8  # messages of the user that define the subject
_MUCH_MORE = 1.5  # times the room: worth a new map
_NO_MAP = "get_structure lists the files."


class Overview(NamedTuple):
    """A map.

    Attributes:
        text: The text for the model.
        generation: Identifies the state of the index it was made from.
        tokens: Its maximum size when it was made.
    """

    text: str
    generation: bytes
    tokens: float


def overview(
    project: Project,
    tools: Iterable[Tool],
    messages: Sequence[Message],
    *,
    tokens: float,
    former: Overview | None = None,
) -> Overview:
    """The map for a conversation, in about ``tokens`` tokens at most.

    It stays literally the same while it shows what matters, so that a local model only reads the
    new end of a prompt.

    Args:
        project: The project.
        tools: The tools that the model may call; those that ask first change files.
        messages: The conversation, the latest message last.
        tokens: The maximum size of the map.
        former: The previous map, if there is one.

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
    generation = project.index.survey().generation
    usable = former if former is not None and _fits(former, generation, tokens) else None
    found = project_map(
        project.index,
        tokens,
        size=count_tokens,
        mentioned=asked,
        changed=changed,
        former="" if usable is None else usable.text,
    )
    if usable is not None and found == usable.text:
        return usable
    return Overview(found or _NO_MAP, generation, tokens)


def _fits(former: Overview, generation: bytes, tokens: float) -> bool:
    """Whether a map is of this index, and neither too large nor far too small now."""
    return (
        former.generation == generation
        and count_tokens(former.text) <= tokens <= _MUCH_MORE * former.tokens
    )
