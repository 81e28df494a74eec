"""The head of a session's requests."""

from collections.abc import Mapping

from pydantic import Field

from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.records.record import Record


class Head(Record):
    """The part of each request that stays the same through a session.

    A server that has read it once only reads what follows.

    Attributes:
        made_of: Identifies the model, the settings and the tools that it was made for.
        system: The system prompt.
        tools: The tools passed beside the messages; none when the prompt describes them.
        shown: The names of all tools that the model is shown, passed or described.
        added: The names of all tools of the user and of MCP servers that there were.
        guides: The hash that each guide of the project's root had, by path.
    """

    made_of: str
    system: str
    tools: tuple[ToolSchema, ...] = ()
    shown: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    guides: Mapping[str, str] = Field(default_factory=dict)
