"""The agent on standard input and output, until its client closes them."""

import asyncio
import os
import signal
import sys
from contextlib import redirect_stdout, suppress
from importlib.metadata import version
from typing import cast

from acp import Agent, run_agent
from acp.core import DEFAULT_STDIO_BUFFER_LIMIT_BYTES
from acp.stdio import stdio_streams

from ipuaro_jupyter.acp.acp_agent import AcpAgent
from ipuaro_jupyter.acp.acp_lines import AcpLines

_TAKES_TRANSPORTS = [*map(int, version("agent-client-protocol").split(".")[:2])] >= [0, 12]
"""Whether the package does; jupyter-ai's client wants an older one, which reads lines itself."""


def serve() -> None:
    """Answer one client until it closes our input, or a signal ends this process."""
    asyncio.run(_serve())


async def _serve() -> None:
    agent = AcpAgent()
    serving = asyncio.create_task(_run(agent))
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, serving.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await serving
    finally:
        await agent.close()


async def _run(agent: AcpAgent) -> None:
    """Serve on our standard streams; whatever else prints goes to the client's log."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as outgoing:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        with redirect_stdout(outgoing):
            reader, writer = await stdio_streams(limit=DEFAULT_STDIO_BUFFER_LIMIT_BYTES)
        streams = (AcpLines(reader, writer),) if _TAKES_TRANSPORTS else (writer, reader)
        await run_agent(cast("Agent", agent), *streams, use_unstable_protocol=True)
