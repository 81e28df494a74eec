"""One MCP server: started when it is needed, and again when it has ended."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import mcp_types
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from ipuaro_jupyter import __version__
from ipuaro_jupyter.agent.mcp_pipes import PipedServer
from ipuaro_jupyter.agent.mcp_settings import McpServerSettings, filled_in
from ipuaro_jupyter.agent.mcp_tools import RemoteTool
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.both_ends import shortened
from ipuaro_jupyter.workspace.piped import start_piped

MOST_RESTARTS = 3
_MOST_PAGES, _MOST_TOOLS = 50, 500
_PROBE_S = 5.0  # for a server that has let a call time out to show that it still answers
_ERRORS_SHOWN, _SAID = 1500, 500  # bytes
_URL_SECRETS = re.compile(r"(https?://)(?:[^\s/@']*@)?([^\s?#']*)[^\s']*")
_LOOPBACK = ("localhost", "127.", "::1")
_MODERN_ONLY = (mcp_types.UNSUPPORTED_PROTOCOL_VERSION, mcp_types.METHOD_NOT_FOUND)
_SESSION_GONE = "Session terminated"
_DAY_S = 24 * 3600.0  # calls have their own time limit

# A logger without any handler would write the SDK's remarks on broken servers into the notebook.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("client").addHandler(logging.NullHandler())


_Transport = AbstractAsyncContextManager[Any]


@dataclass
class _Link:
    """A server as it runs: the client that talks with it, and the task that keeps it open."""

    client: Client
    keeper: "asyncio.Task[None]"
    over: asyncio.Event
    piped: PipedServer | None
    doubted: bool = False


@dataclass
class _Opening:
    """A server on its way to be a `_Link`."""

    client: "asyncio.Future[Client]"
    over: asyncio.Event = field(default_factory=asyncio.Event)
    piped: PipedServer | None = None
    status: str = ""

    async def note_status(self, response: httpx2.Response) -> None:
        """Keep what an HTTP server has refused with."""
        if response.is_error:
            self.status = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()


class Connection:
    """The way to one server. All on one loop.

    Args:
        name: The server's name in the settings.
        settings: How it is reached.
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
        variables: Callable[[Path], Mapping[str, str]],
        listed: Callable[[tuple[RemoteTool, ...]], None],
    ) -> None:
        self._name = name
        self._settings = settings
        self._root = root
        self._variables = variables
        self._listed = listed
        self._starting = asyncio.Lock()
        self._link: _Link | None = None
        self._starts = 0
        self._relisting: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start the server, unless it runs, and list its tools.

        Raises:
            ToolError: It cannot be started, does not answer, or has ended too often.
        """
        await self._running()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return what the server answers to a call, as it came.

        Raises:
            ToolError: "timeout"; "command" when the server ended, refused or cannot be started;
                "parse" when what it answers is not MCP.
        """
        link = await self._running()
        timeout_s = self._settings.timeout / 1000
        try:
            result = await link.client.call_tool(tool, arguments, read_timeout_seconds=timeout_s)
        except MCPError as error:
            raise await self._explained(link, error, tool) from error
        except (ValidationError, RuntimeError) as error:
            said = shortened(str(error), _SAID)
            message = f"{self._who} gave no valid answer to {tool}: {said}"
            raise ToolError("parse", message) from error
        except (httpx2.HTTPError, OSError) as error:
            link.over.set()
            raise ToolError("command", f"{self._who} cannot be reached: {_told(error)}") from error
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def close(self) -> None:
        """End the server."""
        link, self._link = self._link, None
        if link is not None:
            await _end(link)

    @property
    def _who(self) -> str:
        return f"The MCP server {self._name!r}"

    async def _running(self) -> _Link:
        """Return the server that runs, started if need be."""
        async with self._starting:
            link = self._link
            if link is not None and link.doubted and not link.over.is_set():
                link.doubted = not await _answers(link)
            if link is not None and not link.over.is_set() and not link.doubted:
                return link
            await self.close()
            if self._starts > MOST_RESTARTS:
                raise ToolError(
                    "command",
                    f"{self._who} was started {self._starts} times and is not started again.",
                    suggestion="Do without it; the user may mend it and open the project anew.",
                )
            self._starts += 1
            try:
                self._link = await self._start("legacy")
            except MCPError:  # it refuses the handshake that all but the newest need
                self._link = await self._start("auto")
            return self._link

    async def _start(self, mode: str) -> _Link:
        """Return the server, started and with its tools listed.

        Raises:
            ToolError: It cannot be started, or does not answer.
            MCPError: It wants to be talked with in another ``mode`` than "legacy".
        """
        loop = asyncio.get_running_loop()
        opening = _Opening(client=loop.create_future())
        keeper = asyncio.create_task(self._keep(opening, mode))
        timeout_s = self._settings.start_timeout / 1000
        try:
            async with asyncio.timeout(timeout_s):
                client = await asyncio.shield(opening.client)
                link = _Link(client, keeper, opening.over, opening.piped)
                self._listed(await self._list(client))
        except BaseException as error:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            if not isinstance(error, Exception) or (mode == "legacy" and _is_modern(error)):
                raise
            if isinstance(error, TimeoutError):
                message = f"{self._who} was not ready within {timeout_s:g} s.{_words(opening)}"
                raise ToolError("timeout", message) from error
            if opening.piped and _is_closed(error):
                raise ToolError("command", self._ended(opening.piped, "started")) from error
            raise self._not_started(error, opening) from error
        return link

    async def _keep(self, opening: _Opening, mode: str) -> None:
        """Hold the server open from beginning to end, in one task, as the SDK wants it."""
        try:
            async with (
                self._transport(opening) as transport,
                Client(
                    transport,
                    mode=mode,
                    message_handler=self._heard,
                    client_info=mcp_types.Implementation(
                        name="ipuaro_jupyter", version=__version__
                    ),
                ) as client,
            ):
                opening.client.set_result(client)
                await opening.over.wait()
        except Exception as error:  # noqa: BLE001 - whatever it is, who waits has to be told
            if not opening.client.done():
                opening.client.set_exception(_leaf(error))
        finally:
            opening.over.set()
            if not opening.client.done():
                opening.client.cancel()
            elif not opening.client.cancelled():
                opening.client.exception()  # nobody may be waiting any more

    @asynccontextmanager
    async def _transport(self, opening: _Opening) -> AsyncIterator[_Transport]:
        """Give what the SDK's client talks through."""
        settings = self._settings
        if settings.transport == "stdio":
            argv, folder, own = self._command()
            variables = {**self._variables(folder), **own}
            opening.piped = PipedServer(await start_piped(argv, cwd=folder, env=variables))
            opening.over = opening.piped.over
            yield opening.piped.transport()
            return
        url = filled_in(settings.url or "")
        headers = {key: filled_in(value) for key, value in settings.headers.items()}
        start_s = settings.start_timeout / 1000
        if settings.transport == "sse":
            yield sse_client(url, headers, timeout=start_s, sse_read_timeout=_DAY_S)
            return
        host = urlsplit(url).hostname or ""
        async with httpx2.AsyncClient(
            headers=headers,
            timeout=httpx2.Timeout(start_s, read=None),
            event_hooks={"response": [opening.note_status]},
            trust_env=not host.startswith(_LOOPBACK),  # no proxy for this machine
        ) as http:
            yield streamable_http_client(url, http_client=http)

    def _command(self) -> tuple[list[str], Path, dict[str, str]]:
        """Return the server's command line, folder and own variables."""
        settings = self._settings
        folder = self._root / Path(filled_in(settings.cwd or "")).expanduser()
        if not folder.is_dir():
            raise ToolError("file", f"{self._who} cannot run in {folder}: it is no folder.")
        command = filled_in(settings.command or "")
        if command.startswith("~"):
            command = str(Path(command).expanduser())
        own = {key: filled_in(value) for key, value in settings.env.items()}
        return [command, *map(filled_in, settings.args)], folder, own

    async def _list(self, client: Client) -> tuple[RemoteTool, ...]:
        """Return all tools of the server, page by page."""
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

    async def _heard(self, message: object) -> None:
        """List the tools anew when the server says that they have changed."""
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._relisting = asyncio.create_task(self._list_again())

    async def _list_again(self) -> None:
        link = self._link
        if link is not None and not link.over.is_set():
            with suppress(MCPError, ValidationError, TimeoutError):
                async with asyncio.timeout(self._settings.start_timeout / 1000):
                    self._listed(await self._list(link.client))

    async def _explained(self, link: _Link, error: MCPError, tool: str) -> ToolError:
        """Return what the model is told about a call that failed."""
        if error.code == mcp_types.REQUEST_TIMEOUT and not link.over.is_set():
            link.doubted = True
            return ToolError(
                "timeout",
                f"{self._who} did not answer {tool} within {self._settings.timeout / 1000:g} s.",
                suggestion="Ask for less at once, or do without it.",
            )
        if _is_closed(error) or error.message == _SESSION_GONE:
            link.over.set()
            await asyncio.gather(link.keeper, return_exceptions=True)
            left = MOST_RESTARTS + 1 - self._starts
            ended = f"{self._who} broke the connection while it ran {tool}: {error.message}"
            if link.piped is not None:
                ended = self._ended(link.piped, f"ran {tool}")
            again = "The next call opens it anew." if left else "It is not opened again."
            return ToolError("command", ended, suggestion=f"{again} It may have done a part of it.")
        return ToolError("command", f"{self._who} refused {tool}: {error.message}")

    def _ended(self, piped: PipedServer, doing: str) -> str:
        """Return how a program ended."""
        if piped.problem:
            return f"{self._who} was ended while it {doing}. {piped.problem}{_words_of(piped)}"
        code = piped.program.exit_code
        how = f"with exit code {code}" if code is not None else "its output"
        return f"{self._who} ended {how} while it {doing}.{_words_of(piped)}"

    def _not_started(self, error: Exception, opening: _Opening) -> ToolError:
        status = f" ({opening.status})" if opening.status else ""
        message = f"{self._who} could not be opened: {_told(error)}{status}{_words(opening)}"
        if isinstance(error, ToolError):
            return ToolError(error.type, message, suggestion=error.suggestion)
        return ToolError("command", message)


async def _end(link: _Link) -> None:
    link.over.set()
    await asyncio.gather(link.keeper, return_exceptions=True)


def _is_modern(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code in _MODERN_ONLY


def _is_closed(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code == mcp_types.CONNECTION_CLOSED


async def _answers(link: _Link) -> bool:
    """Return whether a server still answers anything at all."""
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


def _words(opening: _Opening) -> str:
    return "" if opening.piped is None else _words_of(opening.piped)


def _words_of(piped: PipedServer) -> str:
    """Return what a program has said beside its messages, which often tells what is wrong."""
    said = ""
    if piped.noise:
        said += f"\nOn its standard output, where MCP belongs:\n{piped.noise}"
    if errors := shortened(piped.program.errors.strip(), _ERRORS_SHOWN):
        said += f"\nOn its standard error:\n{errors}"
    return said


def _leaf(error: BaseException) -> BaseException:
    """Return the first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _told(error: BaseException) -> str:
    """Return what went wrong, without what may be secret in a URL."""
    leaf = _leaf(error)
    said = _URL_SECRETS.sub(r"\1\2", str(leaf))
    return shortened(said, _SAID) if said else type(leaf).__name__
