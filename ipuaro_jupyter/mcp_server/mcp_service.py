"""The MCP server: one project, served to one client.

Questions about proposals go through the client (MCP calls this elicitation). No tool waits for the
decision: it is stopped at the question, and run again with the decision. So nothing blocks while
the user thinks, and anything that has changed meanwhile is asked about again.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ipuaro_jupyter.agent.redaction import NOTHING, Known, Redaction, path_of, redaction_key
from ipuaro_jupyter.assistant import Assistant, start
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, IpuaroError, StorageError, ToolError
from ipuaro_jupyter.mcp_server.mcp_questions import (
    QUESTION,
    Answers,
    Context,
    QuestionRaised,
    can_ask,
    elicited,
    form,
    nobody,
)
from ipuaro_jupyter.mcp_server.mcp_resources import TEMPLATES, listed, text_of_resource
from ipuaro_jupyter.mcp_server.mcp_roots import client_root
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.outputs import ToolFailure, ToolResult
from ipuaro_jupyter.settings.opened_folder import opened_folder
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.tools import Tools, load_tools
from ipuaro_jupyter.tools.notebook_kernel import not_here
from ipuaro_jupyter.tools.tool import Tool
from ipuaro_jupyter.version import __version__

_CLOSING_S = 10.0
_Found = TypeVar("_Found")
_INSTRUCTIONS = (
    "Tools for the codebase{at}: an index of its code that follows the files as they change. "
    "Find code by find_definition, find_references and grep; read it by get_function, get_class "
    "and get_lines. Paths are relative to the project."
)
_TEXTS = Path(__file__).with_name("prompts")
_WHAT = types.PromptArgument(
    name="what", description="A symbol, a file or a feature, in words.", required=True
)
PROMPTS = (
    types.Prompt(
        name="explain", title="How does it work?", description="Explain code.", arguments=[_WHAT]
    ),
    types.Prompt(
        name="impact", title="What breaks?", description="What a change reaches.", arguments=[_WHAT]
    ),
    types.Prompt(
        name="review", title="Review my changes", description="What is not committed.", arguments=[]
    ),
)


def serve(path: str | None, *, write: bool) -> None:
    """Serve the project's tools until the client closes our input.

    Args:
        path: The project's folder; None for the client's own, by its roots, or else this one.
        write: Also offer the tools that change something, with a question for each change.

    Raises:
        ProjectError: ``path`` is not a folder, or cannot be read.
        SettingsError: A settings file or key is wrong.
    """
    asyncio.run(_Service(None if path is None else _Served.at(path), write=write).run())


class _Served(NamedTuple):
    """The project that is served, and what hides its secrets."""

    root: Path
    redaction: Redaction

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """The project at a folder.

        Raises:
            ProjectError: It is no folder, or cannot be read.
            SettingsError: A settings file or key is wrong.
        """
        root, loaded = opened_folder(path, {})
        for notice in loaded.notices:
            _log(notice)
        is_redacted = loaded.settings.context.redact
        return cls(root, Redaction(redaction_key(home()), enabled=is_redacted))


class _Service:
    """One project, served to one client."""

    def __init__(self, served: _Served | None, *, write: bool) -> None:
        self._given = served
        self._write = write
        known = [tool for tool in load_tools() if not tool.in_notebook]
        self._tools = Tools(tool for tool in known if write or not tool.runs_alone)
        self._assistant: Assistant | None = None
        self._closing = CancelToken()
        self._one_at_a_time, self._choosing = asyncio.Lock(), asyncio.Lock()
        self._ending: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve, and open the project meanwhile: clients do not wait long for a first response."""
        self._handle_signals()
        at = "" if self._given is None else f" at {self._given.root}"
        server: Server[Any] = Server(
            "ipuaro_jupyter",
            version=__version__,
            instructions=_INSTRUCTIONS.format(at=at),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=_list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=_list_prompts,
            on_get_prompt=_get_prompt,
        )
        async with stdio_server() as (incoming, outgoing):
            opening = asyncio.create_task(self._open_ahead(self._given))
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                self._closing.cancel()
                await opening
                await asyncio.to_thread(self._close)

    async def _list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in self._tools])

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a tool, repeatedly until all its questions are decided."""
        arguments = params.arguments or {}
        try:
            served = await self._served(context)
        except IpuaroError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        tool = self._tools.find(params.name, arguments)
        if tool is None:
            unknown = ToolResult(tool=params.name, error=self._unknown(params.name))
            return _told(unknown, served.redaction)
        arguments = self._tools.meant(ToolCall(name=params.name, arguments=arguments)).arguments
        answers = Answers.read(params)
        while True:
            try:
                return await self._run(served, tool, arguments, answers)
            except QuestionRaised as question:
                if not can_ask(context):
                    cannot = nobody("this MCP client cannot ask the user")
                    answers.decided[answers.asked] = cannot
                elif context.session.can_send_request:
                    reply = await elicited(context, question.proposal)
                    answers.decided[answers.asked] = reply
                else:  # since 2026-07-28 a server responds with its question
                    return types.InputRequiredResult(
                        input_requests={QUESTION: types.ElicitRequest(params=form(question))},
                        request_state=answers.state,
                    )
            except Cancelled:  # by us: a call that the client cancels gets no response
                text = types.TextContent(text="The server is ending.")
                return types.CallToolResult(content=[text], is_error=True)

    async def _served(self, context: Context) -> _Served:
        """The project; where none was given, the client's own, once it has told of it.

        Raises:
            IpuaroError: It cannot be opened.
        """
        async with self._choosing:
            if self._given is None:
                self._given = _Served.at(await client_root(context) or ".")
                _log(f"The project is {self._given.root}.")
            return self._given

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        cursor = None if params is None else params.cursor
        return await self._read(context, lambda assistant, *_: listed(assistant, cursor))

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await self._read(
            context,
            lambda assistant, redaction, cancel: text_of_resource(
                assistant, params.uri, redaction, cancel
            ),
        )
        content = types.TextResourceContents(uri=params.uri, text=text, mime_type="text/plain")
        return types.ReadResourceResult(contents=[content])

    async def _read(
        self, context: Context, read: Callable[[Assistant, Redaction, CancelToken], _Found]
    ) -> _Found:
        """What ``read`` finds in the project, in a thread; its errors are told the client.

        Raises:
            MCPError: It cannot be read.
        """
        try:
            served = await self._served(context)
            return await self._alone(
                lambda cancel: read(self._open(served, cancel), served.redaction, cancel)
            )
        except Cancelled:
            raise MCPError(types.INTERNAL_ERROR, "The server is ending.") from None
        except IpuaroError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error

    async def _run(
        self, served: _Served, tool: Tool, arguments: Mapping[str, Any], answers: Answers
    ) -> types.CallToolResult:
        """Run a tool once.

        Raises:
            QuestionRaised: It asks a question that is not decided yet.
        """
        return await self._alone(
            lambda cancel: self._work(served, tool, arguments, answers, cancel)
        )

    async def _alone(self, work: Callable[[CancelToken], _Found]) -> _Found:
        """Do something with the project in a thread, one thing at a time.

        When the client cancels the request, it is stopped, and has ended before the next begins.
        """
        async with self._one_at_a_time:
            cancel = CancelToken()
            with self._closing.calling(cancel.cancel):
                working = asyncio.create_task(asyncio.to_thread(work, cancel))
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
        self,
        served: _Served,
        tool: Tool,
        arguments: Mapping[str, Any],
        answers: Answers,
        cancel: CancelToken,
    ) -> types.CallToolResult:
        """The result of a tool with its secrets redacted: the client's model may be anywhere."""
        redaction = served.redaction
        try:
            assistant = self._open(served, cancel)
        except StorageError as error:
            return _told(ToolResult(tool=tool.name, error=ToolFailure.of(error)), redaction)
        except Cancelled:
            raise
        except IpuaroError as error:
            failure = ToolFailure(type="file", message=str(error), recoverable=False)
            return _told(ToolResult(tool=tool.name, error=failure), redaction)
        assistant.confirm = answers.confirm
        project = assistant.project(cancel)
        refused = redaction.refusal(tool, arguments, project)
        result = refused or assistant.call(tool.name, arguments, cancel, by_user=False)
        known = redaction.known(arguments, result.text(), project)
        return _told(result, redaction, path_of(arguments), known)

    def _open(self, served: _Served, cancel: CancelToken) -> Assistant:
        """The assistant, opened on the first call."""
        if self._assistant is None:
            unasked = None if self._write else {"approve": "never"}
            self._assistant = start(served.root, settings=unasked, new=True, cancel=cancel)
        return self._assistant

    async def _open_ahead(self, served: _Served | None) -> None:
        """Open the project, if it is known, before it is needed; the first call tells a failure."""
        if served is None:
            return
        async with self._one_at_a_time:
            try:
                await asyncio.to_thread(self._open, served, self._closing)
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


async def _list_templates(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


async def _list_prompts(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=list(PROMPTS))


async def _get_prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    try:
        text = prompt_text(params.name, params.arguments)
    except ToolError as error:
        raise MCPError(types.INVALID_PARAMS, error.message) from error
    said = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(messages=[said])


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


def _log(message: str) -> None:
    """Write a message to the client's log."""
    print(f"ipuaro: {message}", file=sys.stderr, flush=True)  # noqa: T201 - standard error


def prompt_text(name: str, arguments: Mapping[str, str] | None) -> str:
    """The text of a prompt with its arguments.

    Raises:
        ToolError: "validation" when there is no such prompt, or an argument is missing.
    """
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        known = ", ".join(one.name for one in PROMPTS)
        raise ToolError("validation", f"There is no prompt {name!r}; prompts: {known}.")
    text = (_TEXTS / f"{name}.md").read_text(encoding="utf-8").strip()
    for argument in prompt.arguments or ():
        given = (arguments or {}).get(argument.name, "").strip()
        if not given:
            raise ToolError("validation", f"The prompt {name} needs {argument.name!r}.")
        text = text.replace(f"{{{argument.name}}}", given)
    return text
