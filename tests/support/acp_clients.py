"""Clients of ``ipuaro acp``: the package's own, over a real process, and what they are told."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from acp import spawn_agent_process
from acp.exceptions import RequestError
from acp.helpers import text_block
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

WITHIN_S = 90


def chosen(option):
    return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option))


DISMISSED = RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))


class PanelClient:
    """A client that keeps what it is told, and answers questions with the next of ``answers``.

    An answer is the id of an option, a response, an error, or None: then nobody ever answers.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.updates = []
        self.asked = []
        self.is_asked = asyncio.Event()

    async def session_update(self, session_id, update, **_):
        self.updates.append((session_id, update))

    async def request_permission(self, session_id, tool_call, options, **_):
        self.asked.append((session_id, tool_call, options))
        self.is_asked.set()
        answer = self.answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        if isinstance(answer, RequestError):
            raise answer
        return chosen(answer) if isinstance(answer, str) else answer

    def of(self, kind):
        """The updates of one kind, in order."""
        return [one for _, one in self.updates if one.session_update == kind]

    @property
    def text(self):
        """What the model has said so far."""
        return "".join(one.content.text for one in self.of("agent_message_chunk"))


@asynccontextmanager
async def agent(client, *, cwd):
    """The client's side of a connection to a real ``ipuaro acp``, and its process."""
    async with spawn_agent_process(
        client,
        sys.executable,
        "-m",
        "ipuaro_jupyter.cli",
        "acp",
        cwd=cwd,
        env=dict(os.environ),
        transport_kwargs={"stderr": None},
        use_unstable_protocol=True,
    ) as (connection, process):
        await connection.initialize(protocol_version=1)
        yield connection, process


def prompt(text):
    return [text_block(text)]


def run(coroutine):
    async def within():
        async with asyncio.timeout(WITHIN_S):
            return await coroutine

    return asyncio.run(within())
