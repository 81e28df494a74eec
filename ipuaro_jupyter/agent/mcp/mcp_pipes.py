"""MCP over the pipes of a program: each message is a line of JSON."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from ipuaro_jupyter.workspace.processes.head_tail import HeadTail
from ipuaro_jupyter.workspace.processes.stdio_program import StdioProgram

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
