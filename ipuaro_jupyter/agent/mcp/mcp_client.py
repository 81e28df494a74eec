"""The tools of MCP servers, offered beside our own. Nothing is imported without a server.

The servers run on an asyncio loop in a thread of its own. They are opened in the background; only
calls of their tools wait for them.
"""

import asyncio
import logging
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipuaro_jupyter.agent.mcp.mcp_results import McpOutput, read_result
from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.agent.mcp.mcp_tools import RemoteTool, as_tools, prefixes
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.llm.loop_thread import LoopThread
from ipuaro_jupyter.records.events import Event, Noticed, PhaseChanged
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.workspace.processes.environment import environment

if TYPE_CHECKING:
    from ipuaro_jupyter.agent.mcp.mcp_connection import McpConnection

_log = logging.getLogger(__name__)
_CLOSING_S = 15.0
_GRACE_S = 30.0  # beyond a server's own time limits, for ending and restarting it
_CLOSED = "The MCP servers have been closed."


@dataclass
class _Server:
    """One server of the settings. ``connection`` belongs to the loop's thread."""

    settings: McpServerSettings
    prefix: str
    connection: "McpConnection | None" = None
    opening: "Future[None] | None" = None
    tools: int = 0
    problem: str = ""
    told: bool = False


class McpServers:
    """The servers of the settings, their tools among the others in ``tools``.

    Args:
        servers: The settings by the servers' names; disabled ones are ignored.
        root: The project's folder, in which their programs run.
        tools: Gets their tools, and loses them again.
        pass_environment: Names or patterns of variables that programs get even if they look secret.
    """

    def __init__(
        self,
        servers: Mapping[str, McpServerSettings],
        *,
        root: Path,
        tools: Tools,
        pass_environment: tuple[str, ...] = (),
    ) -> None:
        self._servers = {
            name: _Server(servers[name], prefix)
            for name, prefix in prefixes(servers).items()
            if not servers[name].disabled
        }
        self._root = root
        self._tools = tools
        self._pass_environment = pass_environment
        self._lock = threading.Lock()
        self._thread = LoopThread("ipuaro-mcp", self._end_all)
        self._closed = False

    def open(self) -> None:
        """Begin to open the servers in the background; a second call does nothing."""
        with self._lock:
            if self._closed:
                return
            for name, server in self._servers.items():
                if server.opening is None:
                    server.opening = self._thread.submit(self._open(name, server))

    def opened(self, cancel: CancelToken) -> Iterator[Event]:
        """Wait until each server is open or has failed; yield events for the user meanwhile.

        Ends early when stop is asked for.
        """
        self.open()
        for name, server in self._servers.items():
            if server.opening is not None and not server.opening.done():
                yield PhaseChanged(phase="starting", detail=f"the MCP server {name}")
                _wait(server.opening, cancel)
            if server.problem and not server.told:
                server.told = True
                yield Noticed(text=server.problem, level="warning")

    def settled(self, cancel: CancelToken) -> None:
        """Wait until each server is open or has failed, or stop is asked for."""
        self.open()
        for server in self._servers.values():
            if server.opening is not None:
                _wait(server.opening, cancel)

    def wait_for(self, tool: str, cancel: CancelToken) -> None:
        """Wait until the server that has a tool of this name is open or has failed.

        Does not wait for other tools, or when stop is asked for.
        """
        for server in self._servers.values():
            if tool.lower().startswith(server.prefix.lower()):
                self.open()
                if server.opening is not None:
                    _wait(server.opening, cancel)

    @property
    def remarks(self) -> tuple[str, ...]:
        """One sentence about each server, for the status."""
        return tuple(_remark(name, server) for name, server in self._servers.items())

    def close(self) -> None:
        """End all servers; a second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        for server in self._servers.values():
            self._tools.replace(server.prefix, [])
        if any(server.opening is not None for server in self._servers.values()):
            ending = self._thread.submit(self._end_all())
            with suppress(Exception):  # the rest is ended with the thread, or with this process
                ending.result(_CLOSING_S)
            self._thread.close()

    async def _open(self, name: str, server: _Server) -> None:
        """Open one server, and record the outcome."""
        try:
            await self._connection(name, server).open()
        except ToolError as error:
            server.problem = error.message
        except Exception as error:  # noqa: BLE001 - else nobody would be told
            _log.exception("The MCP server %r could not be opened", name)
            server.problem = f"The MCP server {name!r} could not be opened: {error!r}"

    async def _ask(self, remote: RemoteTool, arguments: dict[str, Any]) -> dict[str, Any]:
        connection = self._connection(remote.server, self._servers[remote.server])
        return await connection.call(remote.name, arguments)

    def _connection(self, name: str, server: _Server) -> "McpConnection":
        """The connection to a server; on the loop's thread."""
        if server.connection is None:
            from ipuaro_jupyter.agent.mcp.mcp_connection import (  # noqa: PLC0415 - loads the SDK
                McpConnection,
            )

            server.connection = McpConnection(
                name,
                server.settings,
                root=self._root,
                variables=lambda folder: environment(
                    folder, self._root, kept=self._pass_environment
                ),
                listed=lambda remotes: self._offer(server, remotes),
            )
        return server.connection

    def _offer(self, server: _Server, remotes: tuple[RemoteTool, ...]) -> None:
        """Add the tools of a server to the others."""
        offered = as_tools(remotes, self._call, prefix=server.prefix)
        server.problem, server.tools = "", len(offered)
        if not self._closed:
            self._tools.replace(server.prefix, offered)

    def _call(
        self, remote: RemoteTool, arguments: dict[str, Any], cancel: CancelToken
    ) -> McpOutput:
        """Have a server run one of its tools.

        Raises:
            ToolError: It failed, or the server did.
            Cancelled: The user asked to stop; the server is told.
        """
        cancel.check()
        if self._closed:
            raise ToolError("command", _CLOSED)
        settings = self._servers[remote.server].settings
        limit_s = (settings.timeout + 2 * settings.start_timeout) / 1000 + _GRACE_S
        future = self._thread.submit(self._ask(remote, arguments))

        def stop() -> None:
            future.cancel()

        try:
            with cancel.calling(stop):
                result = future.result(limit_s)
        except CancelledError:
            if cancel.cancelled:
                raise Cancelled from None
            raise ToolError("command", _CLOSED) from None
        except TimeoutError:
            raise ToolError("timeout", f"There was no answer within {limit_s:g} s.") from None
        finally:
            future.cancel()
        return read_result(result, server=remote.server, tool=remote.name)

    async def _end_all(self) -> None:
        """End the open connections; those still opening end with the thread."""
        connections = [server.connection for server in self._servers.values()]
        closing = [connection.close() for connection in connections if connection is not None]
        await asyncio.gather(*closing, return_exceptions=True)


def _wait(future: "Future[None]", cancel: CancelToken) -> None:
    """Wait until the future is done or stop is asked for."""
    woken = threading.Event()
    future.add_done_callback(lambda _: woken.set())
    with cancel.calling(woken.set):
        woken.wait()


def _remark(name: str, server: _Server) -> str:
    if server.problem:
        return server.problem
    if server.opening is None:
        return f"MCP server {name!r}: not started yet"
    if not server.opening.done():
        return f"MCP server {name!r}: starting"
    return f"MCP server {name!r}: {server.tools} tool{'s' * (server.tools != 1)}"
