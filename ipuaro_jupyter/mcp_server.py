"""Our tools for other assistants: an MCP server on standard input and output.

Questions about proposals go through the client (MCP calls this elicitation). No tool waits for the
decision: it is stopped at the question, and run again with the decision. So nothing blocks while
the user thinks, and anything that has changed meanwhile is asked about again.
"""

import asyncio
import hashlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ipuaro_jupyter.agent.redaction import NOTHING, Known, Redaction, path_of, redaction_key
from ipuaro_jupyter.assistant import Assistant, start
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, IpuaroError, StorageError, ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.settings.settings import load_settings
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.tools import Tools, load_tools
from ipuaro_jupyter.tools.notebook_kernel import not_here
from ipuaro_jupyter.tools.tool import Tool
from ipuaro_jupyter.version import __version__
from ipuaro_jupyter.views.change_sets.set_choice import typed_choice
from ipuaro_jupyter.views.diffs.unseen import unseen_note
from ipuaro_jupyter.views.proposal import detail_text, unseen_in
from ipuaro_jupyter.workspace.files.paths import project_folder
from ipuaro_jupyter.workspace.processes.head_tail import shortened

_QUESTION_LIMIT = 60_000  # bytes of a question
_ANSWER_S = 1800.0
_CLOSING_S = 10.0
_QUESTION = "question"
_INSTRUCTIONS = (
    "Tools for the codebase at {root}: an index of its code that follows the files as they change. "
    "Find code by find_definition, find_references and grep; read it by get_function, get_class "
    "and get_lines. Paths are relative to the project."
)
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "apply": {"type": "boolean", "title": "Apply it", "default": True},
        "reason": {"type": "string", "title": "If not, why", "description": "The model is told."},
    },
}
_FILES: dict[str, Any] = {
    "type": "string",
    "title": "Which files",
    "description": 'Numbers such as "1 4.2" for file 1 and change 2 of file 4. '
    "Empty: the files with [x].",
}
_Context = ServerRequestContext[Any, Any]


def serve(path: str | Path, *, write: bool) -> None:
    """Serve the project's tools until the client closes our input.

    Args:
        path: The project's folder.
        write: Also offer the tools that change something, with a question for each change.

    Raises:
        ProjectError: ``path`` is not a folder, or cannot be read.
        SettingsError: A settings file or key is wrong.
    """
    root = project_folder(path)
    loaded = load_settings(root, {})
    for notice in loaded.notices:
        _log(notice)
    redaction = Redaction(redaction_key(home()), enabled=loaded.settings.context.redact)
    asyncio.run(_Service(root, redaction, write=write).run())


class _QuestionRaised(Cancelled):
    """Stops a tool at a question that it asks."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__()
        self.proposal = proposal


class _ClientAnswer(NamedTuple):
    """A decision on a question; ``files`` chooses among those of a change set, "" does not."""

    decision: Decision
    files: str = ""

    def on(self, proposal: Proposal) -> Decision:
        """The decision on the proposal that was asked about."""
        if self.decision.action == "reject" or proposal.kind != "changes" or not self.files.strip():
            return self.decision
        picked = typed_choice(proposal, self.files)
        if picked is None:
            told = f"the files are 1 to {len(proposal.changed)}, and {self.files!r} names others"
            return Decision(action="reject", reason=told)
        return self.decision.model_copy(update={"chosen": picked})


@dataclass
class _Answers:
    """The user's decisions on the questions of one call.

    A question is identified by the hash of what is shown, without what a check of it has found,
    which differs from run to run. ``asked`` is the pending one.
    """

    decided: dict[str, _ClientAnswer] = field(default_factory=dict)
    asked: str = ""

    @classmethod
    def read(cls, params: types.CallToolRequestParams) -> "_Answers":
        """The decisions that come with a call when it is sent again."""
        state: Any = None
        with suppress(ValueError):
            state = json.loads(params.request_state or "null")
        applied = state.get("applied") if isinstance(state, dict) else None
        if not isinstance(applied, dict):
            return cls()
        apply = Decision(action="apply")
        answers = cls({key: _ClientAnswer(apply, str(files)) for key, files in applied.items()})
        response = (params.input_responses or {}).get(_QUESTION)
        if isinstance(response, types.ElicitResult):
            answers.decided[str(state.get("asked"))] = _client_answer(response)
        return answers

    @property
    def state(self) -> str:
        """The state that the client sends back with the repeated call."""
        applied = {
            key: reply.files
            for key, reply in self.decided.items()
            if reply.decision.action == "apply"
        }
        return json.dumps({"asked": self.asked, "applied": applied})

    def confirm(self, proposal: Proposal) -> Decision:
        """The decision on a proposal.

        Raises:
            _QuestionRaised: There is none yet.
        """
        content = proposal.model_dump_json(exclude={"id", "check", "checked"})
        self.asked = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
        if self.asked not in self.decided:
            raise _QuestionRaised(proposal)
        return self.decided[self.asked].on(proposal)


class _Service:
    """One project, served to one client."""

    def __init__(self, root: Path, redaction: Redaction, *, write: bool) -> None:
        self._root = root
        self._redaction = redaction
        self._write = write
        known = [tool for tool in load_tools() if not tool.in_notebook]
        self._tools = Tools(tool for tool in known if write or not tool.runs_alone)
        self._assistant: Assistant | None = None
        self._closing = CancelToken()
        self._one_at_a_time = asyncio.Lock()
        self._ending: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve, and open the project meanwhile: clients do not wait long for a first response."""
        self._handle_signals()
        server: Server[Any] = Server(
            "ipuaro_jupyter",
            version=__version__,
            instructions=_INSTRUCTIONS.format(root=self._root),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        async with stdio_server() as (incoming, outgoing):
            opening = asyncio.create_task(self._open_ahead())
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                self._closing.cancel()
                await opening
                await asyncio.to_thread(self._close)

    async def _list_tools(
        self, _context: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in self._tools])

    async def _call_tool(
        self, context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a tool, repeatedly until all its questions are decided."""
        arguments = params.arguments or {}
        tool = self._tools.find(params.name, arguments)
        if tool is None:
            unknown = ToolResult(tool=params.name, error=self._unknown(params.name))
            return _told(unknown, self._redaction)
        arguments = self._tools.meant(ToolCall(name=params.name, arguments=arguments)).arguments
        answers = _Answers.read(params)
        while True:
            try:
                return await self._run(tool, arguments, answers)
            except _QuestionRaised as question:
                if not _can_ask(context):
                    cannot = _nobody("this MCP client cannot ask the user")
                    answers.decided[answers.asked] = cannot
                elif context.session.can_send_request:
                    reply = await _elicited(context, question.proposal)
                    answers.decided[answers.asked] = reply
                else:  # since 2026-07-28 a server responds with its question
                    return types.InputRequiredResult(
                        input_requests={_QUESTION: types.ElicitRequest(params=_form(question))},
                        request_state=answers.state,
                    )
            except Cancelled:  # by us: a call that the client cancels gets no response
                text = types.TextContent(text="The server is ending.")
                return types.CallToolResult(content=[text], is_error=True)

    async def _run(
        self, tool: Tool, arguments: Mapping[str, Any], answers: _Answers
    ) -> types.CallToolResult:
        """Run a tool once, in a thread; when the client cancels the call, it is stopped.

        Raises:
            _QuestionRaised: It asks a question that is not decided yet.
        """
        async with self._one_at_a_time:
            cancel = CancelToken()
            with self._closing.calling(cancel.cancel):
                working = asyncio.create_task(
                    asyncio.to_thread(self._work, tool, arguments, answers, cancel)
                )
                try:
                    return await asyncio.shield(working)
                except asyncio.CancelledError:
                    cancel.cancel()
                    with anyio.CancelScope(shield=True):
                        await asyncio.wait([working])
                    if not working.cancelled():
                        working.exception()  # it was asked to stop, and did
                    raise

    def _work(
        self, tool: Tool, arguments: Mapping[str, Any], answers: _Answers, cancel: CancelToken
    ) -> types.CallToolResult:
        """The result of a tool with its secrets redacted: the client's model may be anywhere."""
        try:
            assistant = self._open(cancel)
        except StorageError as error:
            return _told(ToolResult(tool=tool.name, error=ToolFailure.of(error)), self._redaction)
        except Cancelled:
            raise
        except IpuaroError as error:
            failure = ToolFailure(type="file", message=str(error), recoverable=False)
            return _told(ToolResult(tool=tool.name, error=failure), self._redaction)
        assistant.confirm = answers.confirm
        project = assistant.project(cancel)
        refused = self._redaction.refusal(tool, arguments, project)
        result = refused or assistant.call(tool.name, arguments, cancel, by_user=False)
        known = self._redaction.known(arguments, result.text(), project)
        return _told(result, self._redaction, path_of(arguments), known)

    def _open(self, cancel: CancelToken) -> Assistant:
        """The assistant, opened on the first call."""
        if self._assistant is None:
            unasked = None if self._write else {"approve": "never"}
            self._assistant = start(self._root, settings=unasked, new=True, cancel=cancel)
        return self._assistant

    async def _open_ahead(self) -> None:
        """Open the project before it is needed; a failure is reported to the first call."""
        async with self._one_at_a_time:
            try:
                await asyncio.to_thread(self._open, self._closing)
            except Cancelled:
                pass  # the client has already closed our input
            except Exception as error:  # noqa: BLE001 - every call tries again, and tells
                _log(f"The project cannot be opened: {error}")

    def _unknown(self, name: str) -> ToolFailure:
        hidden = load_tools().find(name)
        if hidden is None or self._tools.find(hidden.name) is not None:
            return ToolFailure.of(self._tools.unknown(name))
        if hidden.in_notebook:
            return ToolFailure.of(not_here())
        told = f"{hidden.name} changes something, and only tools that read are offered here."
        remedy = "The user can have this server started with --write."
        return ToolFailure.of(ToolError("validation", told, suggestion=remedy))

    def _handle_signals(self) -> None:
        """End at once on a signal: the thread that reads our input cannot be interrupted."""
        loop = asyncio.get_running_loop()

        def end(number: int) -> None:
            self._ending = asyncio.create_task(self._end(number))

        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, end, number)

    async def _end(self, number: int) -> None:
        self._closing.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await asyncio.to_thread(self._close)
        os._exit(128 + number)

    def _close(self) -> None:
        if self._assistant is not None:
            self._assistant.close()


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.schema.description,
        input_schema=tool.schema.parameters,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.runs_alone, destructive_hint=tool.asks_first
        ),
    )


def _told(
    result: ToolResult, redaction: Redaction, path: str = "", known: Known = NOTHING
) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=redaction.text(result.text(), path, known))],
        structured_content=redaction.value(result.to_dict(), path, known),
        is_error=not result.success,
    )


def _can_ask(context: _Context) -> bool:
    """Whether the client shows forms to its user; a client that names no modes does."""
    capabilities = context.session.client_capabilities
    asks = None if capabilities is None else capabilities.elicitation
    return asks is not None and (asks.form is not None or asks.url is None)


def _form(raised: _QuestionRaised) -> types.ElicitRequestFormParams:
    shown, schema = _shown(raised.proposal), _schema(raised.proposal)
    return types.ElicitRequestFormParams(message=shown, requested_schema=schema)


def _schema(proposal: Proposal) -> dict[str, Any]:
    """The fields of the question; the first says how much of a long diff was left out."""
    apply, reason = _FORM["properties"]["apply"], _FORM["properties"]["reason"]
    if left := unseen_note(unseen_in(proposal).lines):
        apply = {**apply, "title": f"Apply it ({left})"}
    choice = {"files": _FILES} if proposal.kind == "changes" else {}
    return {**_FORM, "properties": {"apply": apply, **choice, "reason": reason}}


def _shown(proposal: Proposal) -> str:
    return shortened(detail_text(proposal, offers_check=False), _QUESTION_LIMIT)


async def _elicited(context: _Context, proposal: Proposal) -> _ClientAnswer:
    """Ask the client's user."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            answer = await context.session.elicit_form(
                _shown(proposal), _schema(proposal), related_request_id=context.request_id
            )
    except TimeoutError:
        return _nobody(f"no answer within {_ANSWER_S / 60:.0f} minutes")
    except MCPError as error:
        return _nobody(f"the MCP client could not ask: {error.message}")
    return _client_answer(answer)


def _client_answer(answer: types.ElicitResult) -> _ClientAnswer:
    content = answer.content or {}
    if answer.action == "accept" and content.get("apply", True) is True:
        return _ClientAnswer(Decision(action="apply"), str(content.get("files") or ""))
    dismissed = "the question was dismissed" if answer.action == "cancel" else ""
    return _ClientAnswer(Decision(action="reject", reason=str(content.get("reason") or dismissed)))


def _nobody(reason: str) -> _ClientAnswer:
    return _ClientAnswer(Decision(action="reject", by="nobody", reason=reason))


def _log(message: str) -> None:
    """Write a message to the client's log."""
    print(f"ipuaro: {message}", file=sys.stderr, flush=True)  # noqa: T201 - standard error
