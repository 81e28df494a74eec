"""The transports of MCP servers: the pipes of a program, or HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings, filled_in
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.llm.bounded_responses import ask_plain, bound
from ipuaro_jupyter.loopback import is_loopback
from ipuaro_jupyter.workspace.processes.head_tail import HeadTail, shortened
from ipuaro_jupyter.workspace.processes.stdio_program import StdioProgram, start_stdio_program

_ERRORS_SHOWN = 1500  # bytes
_DAY_S = 24 * 3600.0  # calls have their own time limit

Variables = Callable[[Path], Mapping[str, str]]
Transport = AbstractAsyncContextManager[Any]
_LONGEST_LINE = 64 * 1024 * 1024  # bytes; a longer message ends the connection
_MOST_NOISE = 1024 * 1024  # bytes that are not messages, before the first message or after it
_NOISE_KEPT = 400  # bytes
_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
_Outgoing = MemoryObjectReceiveStream[SessionMessage]
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


class PipedServer:
    """A server that we run as a program.

    Attributes:
        over: Set when nothing more will come from it.
        problem: The reason why we ended the connection; empty otherwise.
    """

    def __init__(self, program: StdioProgram) -> None:
        self.program = program
        self.over = asyncio.Event()
        self.problem = ""
        self._noise = HeadTail(_NOISE_KEPT)
        self._noise_bytes = 0

    @property
    def noise(self) -> str:
        """The beginning and the end of its standard output that is not messages."""
        return self._noise.value().decode("utf-8", "replace").strip()

    @asynccontextmanager
    async def transport(self) -> AsyncIterator[Streams]:
        """Provide the streams of messages from and to the server, which is ended afterwards."""
        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._receive(incoming)),
            asyncio.create_task(self._send(outgoing, incoming)),
        ]
        try:
            yield received, sent
        finally:
            try:
                await self.program.close()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                for stream in (incoming, received, sent, outgoing):
                    stream.close()
                self.over.set()

    async def _receive(self, incoming: _Incoming) -> None:
        """Pass on incoming messages, until the server ends or sends garbage."""
        rest = bytearray()
        try:
            while not self.problem and (data := await self.program.read()):
                *lines, tail = data.split(b"\n")
                for line in lines:
                    await self._take(bytes(rest + line), incoming)
                    rest.clear()
                rest += tail
                if len(rest) > _LONGEST_LINE:
                    self.problem = f"It sent a message of more than {_LONGEST_LINE} bytes."
            if rest and not self.problem:
                await self._take(bytes(rest), incoming)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            pass  # nothing listens any more
        finally:
            incoming.close()
            self.over.set()

    async def _take(self, line: bytes, incoming: _Incoming) -> None:
        if not line.strip():
            return
        try:
            message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._noise.add(line + b"\n")
            self._noise_bytes += len(line)
            if self._noise_bytes > _MOST_NOISE:
                self.problem = "It writes something else than MCP to its standard output."
            return
        self._noise_bytes = 0
        await incoming.send(SessionMessage(message))

    async def _send(self, outgoing: _Outgoing, incoming: _Incoming) -> None:
        """Send the outgoing messages to the server."""
        try:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self.program.write(text.encode("utf-8", "replace") + b"\n")
        except OSError:  # it has stopped reading; its callers are notified
            incoming.close()
            self.over.set()
        finally:
            outgoing.close()


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
            event_hooks={"request": [ask_plain], "response": [bound, self._note_status]},
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
