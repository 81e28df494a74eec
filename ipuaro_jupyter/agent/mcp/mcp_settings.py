"""The settings of MCP servers, in the form that other assistants use too."""

import os
import re
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.record import Record

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")

Transport = Literal["stdio", "http", "sse"]


class McpServerSettings(Record):
    """One server: a program to start (``command``), or one that is already running (``url``).

    ``${NAME}`` and ``${NAME:-default}`` in ``command``, ``args``, ``env``, ``cwd``, ``url`` and
    ``headers`` stand for variables of this process, secrets included.
    """

    type: Literal["stdio", "http", "streamable-http", "streamableHttp", "sse"] | None = Field(
        None, description='Only needed for "sse", the HTTP transport from before 2025.'
    )
    command: str | None = Field(
        None, min_length=1, description="The server's program; give either this or `url`."
    )
    args: tuple[str, ...] = Field((), description="The program's arguments.")
    env: dict[str, str] = Field(
        default_factory=dict,
        description="Variables in addition to those that commands get, which hold no secrets.",
    )
    cwd: str | None = Field(None, description="The folder it runs in, relative to the project.")
    url: str | None = Field(
        None, pattern=r"^(https?://|\$\{)", description="The address of a running server."
    )
    headers: dict[str, str] = Field(default_factory=dict, description="Headers of requests to it.")
    disabled: bool = Field(default=False, description="Never start it.")
    timeout: int = Field(60_000, ge=1, description="Milliseconds a call may take.")
    start_timeout: int = Field(
        30_000, ge=1, description="Milliseconds it may take to start and list its tools."
    )

    @model_validator(mode="after")
    def _check_where(self) -> Self:
        given = [key for key in ("command", "url") if getattr(self, key) is not None]
        if self.disabled and not given:
            return self  # switches off what lower settings define
        if len(given) != 1:
            raise PydanticCustomError(
                "where", 'a server needs either a "command" that starts it or a "url"'
            )
        if self.type is not None and (self.type == "stdio") != (given == ["command"]):
            wanted = "command" if self.type == "stdio" else "url"
            raise PydanticCustomError(
                "where",
                'a server of the type "{type}" needs a "{wanted}"',
                {"type": self.type, "wanted": wanted},
            )
        return self

    @property
    def transport(self) -> Transport:
        """Its kind of transport."""
        if self.command is not None:
            return "stdio"
        return "sse" if self.type == "sse" else "http"


def filled_in(text: str) -> str:
    """``text`` with variables of this process filled in for ``${NAME}``.

    Raises:
        ToolError: "validation" when one is not set and has no default.
    """

    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1], match[2])
        if found is None:
            raise ToolError(
                "validation",
                f"The variable {match[1]} is not set, which the settings use as {match[0]}.",
                suggestion=f"Set it before Jupyter starts, or write ${{{match[1]}:-default}}.",
            )
        return found

    return _VARIABLE.sub(value, text)
