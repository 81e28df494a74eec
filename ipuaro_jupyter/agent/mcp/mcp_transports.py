"""The transports of MCP servers: the pipes of a program, or HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from ipuaro_jupyter.agent.mcp.mcp_pipes import PipedServer
from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings, filled_in
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.loopback import is_loopback
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.processes.stdio_program import start_stdio_program

_ERRORS_SHOWN = 1500  # bytes
_DAY_S = 24 * 3600.0  # calls have their own time limit

Variables = Callable[[Path], Mapping[str, str]]
Transport = AbstractAsyncContextManager[Any]


class ServerTransport:
    """One transport to one server, and information for the case that it fails.

    Attributes:
        over: Set when nothing more will come from the server.
    """

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self._piped: PipedServer | None = None
        self._status = ""

    @asynccontextmanager
    async def transport(
        self, settings: McpServerSettings, *, root: Path, variables: Variables
    ) -> AsyncIterator[Transport]:
        """Provide the transport for the SDK's client; programs are started in ``root``.

        Args:
            settings: The server's settings.
            root: The project's folder.
            variables: Returns the environment for a program that runs in a folder.

        Raises:
            ToolError: A program cannot be started, or a variable is not set.
        """
        if settings.transport == "stdio":
            argv, folder, own = _command(settings, root)
            program = await start_stdio_program(argv, cwd=folder, env={**variables(folder), **own})
            self._piped = PipedServer(program)
            self.over = self._piped.over
            yield self._piped.transport()
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
            event_hooks={"response": [self._note_status]},
            trust_env=not is_loopback(host),  # no proxy for this machine
        ) as http:
            yield streamable_http_client(url, http_client=http)

    @property
    def ended(self) -> str | None:
        """How a program of ours ended, such as "ended with exit code 1"; None for all others."""
        if self._piped is None:
            return None
        if self._piped.problem:
            return "was ended"
        code = self._piped.program.exit_code
        return "closed its output" if code is None else f"ended with exit code {code}"

    @property
    def words(self) -> str:
        """The server's output other than messages, which often tells what is wrong."""
        if self._piped is None:
            return f" ({self._status})" if self._status else ""
        said = f" {self._piped.problem}" if self._piped.problem else ""
        if self._piped.noise:
            said += f"\nOn its standard output, where MCP belongs:\n{self._piped.noise}"
        if errors := shortened(self._piped.program.errors.strip(), _ERRORS_SHOWN):
            said += f"\nOn its standard error:\n{errors}"
        return said

    async def _note_status(self, response: httpx2.Response) -> None:
        if response.is_error:
            self._status = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()


def _command(settings: McpServerSettings, root: Path) -> tuple[list[str], Path, dict[str, str]]:
    """A server's command line, folder and own variables."""
    folder = root / Path(filled_in(settings.cwd or "")).expanduser()
    if not folder.is_dir():
        raise ToolError("file", f"it should run in {folder}, which is no folder.")
    command = filled_in(settings.command or "")
    if command.startswith("~"):
        command = str(Path(command).expanduser())
    own = {key: filled_in(value) for key, value in settings.env.items()}
    return [command, *map(filled_in, settings.args)], folder, own
