"""Clients of ``ipuaro mcp``: the SDK's own, over a real process, and what they are told."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

import mcp_types as types
import psutil
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

FILES = {"a.ts": "export function login() {\n  return 1;\n}\n", "b.ts": "export const b = 2;\n"}

EDIT = {"path": "a.ts", "start": 2, "end": 2, "content": "  return 2;"}

EDITED = FILES["a.ts"].replace("1", "2")

MODES = ["legacy", "auto"]

WITHIN_S = 60


class User:
    """The client's user: answers with the next of ``answers`` and keeps what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def __call__(self, _context, params):
        self.asked.append(params)
        answer = self.answers.pop(0)
        return answer() if callable(answer) else answer


YES = types.ElicitResult(action="accept", content={"apply": True})

DECLINED = types.ElicitResult(action="decline")


@asynccontextmanager
async def served(root, *options, mode="legacy", user=None, log=None, roots=None, cwd=None):
    """A client of our server for the project at ``root``; None: it is not told which.

    ``roots`` are the URIs of the client's own folders, and ``cwd`` is where the server runs.
    """
    named = [] if root is None else [str(root)]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ipuaro_jupyter.cli", "mcp", *named, *options],
        env=dict(os.environ),
        cwd=cwd,
    )
    errlog = sys.stderr if log is None else log
    transport = stdio_client(server, errlog=errlog)

    async def list_roots(_context):
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in roots])

    told = None if roots is None else list_roots
    asked = {"elicitation_callback": user, "list_roots_callback": told}
    async with Client(transport, mode=mode, **asked) as client:
        yield client


def run(coroutine):
    async def within():
        async with asyncio.timeout(WITHIN_S):
            return await coroutine

    return asyncio.run(within())


def text(result):
    (block,) = result.content
    return block.text


def commands_in(root):
    running = (process.info for process in psutil.process_iter(["cwd", "name"]))
    return [one for one in running if one == {"cwd": str(root), "name": "sleep"}]


async def eventually(condition):
    while not condition():  # noqa: ASYNC110 - what others do cannot be awaited
        await asyncio.sleep(0.02)
