"""One MCP server: opened when needed, and reopened when it has ended."""

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp_types
from mcp import Client, MCPError
from pydantic import ValidationError

from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.agent.mcp.mcp_tools import RemoteTool
from ipuaro_jupyter.agent.mcp.mcp_transports import ServerTransport, Variables
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.version import __version__
from ipuaro_jupyter.workspace.processes.head_tail import shortened

MOST_RESTARTS = 3
_MOST_PAGES, _MOST_TOOLS = 50, 500
_PROBE_S = 5.0  # for a server with a timed-out call to show that it still responds
_SAID = 500  # bytes of a foreign error message
_URL_SECRETS = re.compile(r"(https?://)(?:[^\s/@']*@)?([^\s?#']*)[^\s']*")
_MODERN_ONLY = (mcp_types.UNSUPPORTED_PROTOCOL_VERSION, mcp_types.METHOD_NOT_FOUND)
_SESSION_GONE = "Session terminated"

# Without any handler, loggers would write the SDK's remarks on broken servers into the notebook.
for _logger in ("mcp", "client"):
    logging.getLogger(_logger).addHandler(logging.NullHandler())


@dataclass
class _OpenServer:
    """A running server: its client, and the task that keeps it open."""

    client: Client
    keeper: "asyncio.Task[None]"
    way: ServerTransport
    doubted: bool = False

    @property
    def is_up(self) -> bool:
        """Whether no end has been noticed yet."""
        return not self.way.over.is_set()

    async def end(self) -> None:
        """End it, and wait until it has ended."""
        self.way.over.set()
        await asyncio.gather(self.keeper, return_exceptions=True)


class McpConnection:
    """The connection to one server, which may be opened more than once. All on one loop.

    Args:
        name: The server's name in the settings.
        settings: How to reach it.
        root: The project's folder.
        variables: Returns the environment for a program that runs in a folder.
        listed: Called with the server's tools whenever they have been listed.
    """

    def __init__(
        self,
        name: str,
        settings: McpServerSettings,
        *,
        root: Path,
        variables: Variables,
        listed: Callable[[tuple[RemoteTool, ...]], None],
    ) -> None:
        self._name = name
        self._settings = settings
        self._root = root
        self._variables = variables
        self._listed = listed
        self._starting = asyncio.Lock()
        self._link: _OpenServer | None = None
        self._starts = 0
        self._relisting: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the server, unless it is open, and list its tools.

        Raises:
            ToolError: It cannot be opened, does not respond, or has ended too often.
        """
        await self._opened()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The server's response to a call, unchanged.

        Raises:
            ToolError: "timeout"; "command" when the server ended, refused or cannot be opened;
                "parse" when its response is not MCP.
        """
        link = await self._opened()
        timeout_s = self._settings.timeout / 1000
        try:
            result = await link.client.call_tool(tool, arguments, read_timeout_seconds=timeout_s)
        except MCPError as error:
            raise await self._explained(link, error, tool) from error
        except (ValidationError, RuntimeError) as error:
            message = f"{self._who} gave no valid answer to {tool}: {_told(error)}"
            raise ToolError("parse", message) from error
        except (httpx2.HTTPError, OSError) as error:
            link.way.over.set()
            raise ToolError("command", f"{self._who} cannot be reached: {_told(error)}") from error
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def close(self) -> None:
        """End the server."""
        link, self._link = self._link, None
        if link is not None:
            await link.end()

    @property
    def _who(self) -> str:
        return f"The MCP server {self._name!r}"

    async def _opened(self) -> _OpenServer:
        """The running server, opened if need be."""
        async with self._starting:
            link = self._link
            if link is not None and link.is_up and link.doubted:
                link.doubted = not await _answers(link)
            if link is not None and link.is_up and not link.doubted:
                return link
            await self.close()
            if self._starts > MOST_RESTARTS:
                raise ToolError(
                    "command",
                    f"{self._who} was opened {self._starts} times and is not opened again.",
                    suggestion="Do without it; the user may fix it and open the project again.",
                )
            self._starts += 1
            try:
                self._link = await self._open("legacy")
            except MCPError:  # it refuses the handshake that all but the newest servers need
                self._link = await self._open("auto")
            return self._link

    async def _open(self, mode: str) -> _OpenServer:
        """Open the server and list its tools.

        Raises:
            ToolError: It cannot be opened, or does not respond.
            MCPError: It requires another ``mode`` than "legacy".
        """
        way = ServerTransport()
        opening: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        keeper = asyncio.create_task(self._keep(way, opening, mode))
        try:
            async with asyncio.timeout(self._settings.start_timeout / 1000):
                link = _OpenServer(await asyncio.shield(opening), keeper, way)
                self._listed(await self._list(link.client))
        except BaseException as error:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            if not isinstance(error, Exception) or (mode == "legacy" and _is_modern(error)):
                raise
            raise self._not_opened(error, way) from error
        return link

    async def _keep(
        self, way: ServerTransport, opening: "asyncio.Future[Client]", mode: str
    ) -> None:
        """Keep the server open from beginning to end, in one task, as the SDK requires."""
        info = mcp_types.Implementation(name="ipuaro_jupyter", version=__version__)
        reached = way.transport(self._settings, root=self._root, variables=self._variables)
        try:
            async with (
                reached as transport,
                Client(
                    transport, mode=mode, message_handler=self._on_notification, client_info=info
                ) as client,
            ):
                opening.set_result(client)
                await way.over.wait()
        except Exception as error:  # noqa: BLE001 - whatever it is, who waits has to be told
            if not opening.done():
                opening.set_exception(_leaf(error))
        finally:
            way.over.set()
            if not opening.done():
                opening.cancel()
            elif not opening.cancelled():
                opening.exception()  # there may be no waiter any more

    async def _list(self, client: Client) -> tuple[RemoteTool, ...]:
        """All tools of the server, page by page."""
        tools: list[mcp_types.Tool] = []
        cursors: set[str | None] = set()
        cursor: str | None = None
        while cursor not in cursors and len(cursors) < _MOST_PAGES and len(tools) < _MOST_TOOLS:
            cursors.add(cursor)
            try:
                page = await client.list_tools(cursor=cursor, cache_mode="bypass")
            except MCPError as error:
                if error.code == mcp_types.METHOD_NOT_FOUND:
                    break  # a server may offer other things than tools
                raise
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        return tuple(_remote(self._name, tool) for tool in tools[:_MOST_TOOLS])

    async def _on_notification(self, message: object) -> None:
        """List the tools again when the server reports that they have changed."""
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._relisting = asyncio.create_task(self._list_again())

    async def _list_again(self) -> None:
        link = self._link
        if link is not None and link.is_up:
            with suppress(MCPError, ValidationError, TimeoutError):
                async with asyncio.timeout(self._settings.start_timeout / 1000):
                    self._listed(await self._list(link.client))

    async def _explained(self, link: _OpenServer, error: MCPError, tool: str) -> ToolError:
        """The error for the model about a call that failed."""
        if error.code == mcp_types.REQUEST_TIMEOUT and link.is_up:
            link.doubted = True
            return ToolError(
                "timeout",
                f"{self._who} did not answer {tool} within {self._settings.timeout / 1000:g} s.",
                suggestion="Ask for less at once, or do without it.",
            )
        if not _is_closed(error) and error.message != _SESSION_GONE:
            return ToolError("command", f"{self._who} refused {tool}: {_told(error)}")
        await link.end()
        how = link.way.ended or f"broke the connection ({_told(error)})"
        left = self._starts <= MOST_RESTARTS
        again = "The next call opens it anew." if left else "It is not opened again."
        return ToolError(
            "command",
            f"{self._who} {how} while it ran {tool}.{link.way.words}",
            suggestion=f"{again} It may have done a part of it.",
        )

    def _not_opened(self, error: Exception, way: ServerTransport) -> ToolError:
        """The error about a server that could not be opened."""
        if isinstance(error, TimeoutError):
            limit_s = self._settings.start_timeout / 1000
            message = f"{self._who} was not ready within {limit_s:g} s.{way.words}"
            return ToolError("timeout", message)
        if way.ended and _is_closed(error):
            return ToolError("command", f"{self._who} {way.ended} while it started.{way.words}")
        message = f"{self._who} could not be opened: {_told(error)}{way.words}"
        if isinstance(error, ToolError):
            return ToolError(error.type, message, suggestion=error.suggestion)
        return ToolError("command", message)


async def _answers(link: _OpenServer) -> bool:
    """Whether a server still responds at all."""
    with suppress(MCPError, TimeoutError, ValidationError):
        async with asyncio.timeout(_PROBE_S):
            await link.client.list_tools(cache_mode="bypass")
        return True
    return False


def _remote(server: str, tool: mcp_types.Tool) -> RemoteTool:
    hints = tool.annotations or mcp_types.ToolAnnotations()
    return RemoteTool(
        server=server,
        name=tool.name,
        description=tool.description or tool.title or hints.title or "",
        parameters=tool.input_schema,
        read_only=hints.read_only_hint is True,
        destructive=hints.destructive_hint is not False,
    )


def _is_modern(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code in _MODERN_ONLY


def _is_closed(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code == mcp_types.CONNECTION_CLOSED


def _leaf(error: BaseException) -> BaseException:
    """The first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _told(error: BaseException) -> str:
    """The text of an error, without possible secrets in a URL."""
    leaf = _leaf(error)
    said = _URL_SECRETS.sub(r"\1\2", str(leaf))
    return shortened(said, _SAID) if said else type(leaf).__name__
