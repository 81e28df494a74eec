"""The agent's side of the protocol: which requests there are, and the sessions that are open."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from acp import PROTOCOL_VERSION
from acp import schema as protocol
from acp.exceptions import RequestError
from acp.helpers import update_agent_thought_text, update_available_commands
from acp.interfaces import Client

from ipuaro_jupyter.acp.acp_prompt import Block, message_of
from ipuaro_jupyter.acp.acp_session import AcpSession
from ipuaro_jupyter.acp.stored_sessions import listed_sessions, opened_session, past_turns
from ipuaro_jupyter.assistant import Assistant
from ipuaro_jupyter.assistant.slash_commands import COMMANDS, RESERVED
from ipuaro_jupyter.assistant.templates.question_templates import question_templates
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, IpuaroError, ModelError, ProjectError, SettingsError
from ipuaro_jupyter.llm.local import pulled_names
from ipuaro_jupyter.sessions.session import SessionInfo
from ipuaro_jupyter.settings.settings import system_settings
from ipuaro_jupyter.settings.system_settings import is_approve_allowed
from ipuaro_jupyter.status import APPROVALS
from ipuaro_jupyter.version import __version__
from ipuaro_jupyter.views.markup import visible

_INVALID_PARAMS, _INTERNAL_ERROR = -32602, -32603
_LIST_S = 2.0  # for the names of models
_AFTER_S = 0.05  # a response has been written by then
_MODEL = "model"
_MODES = ("ask", "edits", "checked", "never")
_McpServer = (
    protocol.HttpMcpServer | protocol.SseMcpServer | protocol.AcpMcpServer | protocol.McpServerStdio
)
_Returned = TypeVar("_Returned")


class AcpAgent:
    """Answers one client; a session is a conversation about the project in its folder."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._sessions: dict[str, AcpSession] = {}
        self._closing = CancelToken()
        self._telling: set[asyncio.Task[None]] = set()

    def on_connect(self, conn: Client) -> None:
        """Keep the client's side of the connection."""
        self._client = conn

    async def close(self) -> None:
        """Stop everything that runs and close the sessions."""
        self._closing.cancel()
        sessions, self._sessions = list(self._sessions.values()), {}
        await asyncio.gather(*(one.close() for one in sessions), return_exceptions=True)

    async def initialize(
        self, protocol_version: int, **_others: Any
    ) -> protocol.InitializeResponse:
        """Tell what this agent can do, and the version of the protocol that it speaks."""
        return protocol.InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION),
            agent_info=protocol.Implementation(
                name="ipuaro_jupyter", title="ipuaro", version=__version__
            ),
            agent_capabilities=protocol.AgentCapabilities(
                load_session=True,
                prompt_capabilities=protocol.PromptCapabilities(),
                mcp_capabilities=protocol.McpCapabilities(http=True, sse=True),
                session_capabilities=protocol.SessionCapabilities(
                    list=protocol.SessionListCapabilities(),
                    resume=protocol.SessionResumeCapabilities(),
                    close=protocol.SessionCloseCapabilities(),
                ),
            ),
        )

    async def authenticate(self, method_id: str, **_others: Any) -> None:
        """Refuse: there is nobody to authenticate with."""
        raise RequestError(_INVALID_PARAMS, f"There is no method {method_id!r}: none is needed.")

    async def new_session(
        self,
        cwd: str,
        mcp_servers: Sequence[_McpServer] | None = None,
        additional_directories: Sequence[str] | None = None,
        **_others: Any,
    ) -> protocol.NewSessionResponse:
        """Begin a session about the project in the folder ``cwd``."""
        folders = _folders(cwd, additional_directories)
        session = await self._open(folders, None, mcp_servers or ())
        options = await _options(session)
        self._introduce_after(session)
        return protocol.NewSessionResponse(
            session_id=session.id, modes=_modes(session), config_options=options
        )

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: Sequence[_McpServer] | None = None,
        additional_directories: Sequence[str] | None = None,
        **_others: Any,
    ) -> protocol.LoadSessionResponse:
        """Open a session again and tell the client all its turns."""
        folders = _folders(cwd, additional_directories)
        session = await self._open(folders, session_id, mcp_servers or ())
        past = await _in_thread(past_turns, session.assistant, session.id)
        for update in session.updates.past(past):
            await session.tell(update)
        options = await _options(session)
        self._introduce_after(session)
        return protocol.LoadSessionResponse(modes=_modes(session), config_options=options)

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[_McpServer] | None = None,
        additional_directories: Sequence[str] | None = None,
        **_others: Any,
    ) -> protocol.ResumeSessionResponse:
        """Open a session again; the client knows its turns."""
        folders = _folders(cwd, additional_directories)
        session = await self._open(folders, session_id, mcp_servers or ())
        options = await _options(session)
        self._introduce_after(session)
        return protocol.ResumeSessionResponse(modes=_modes(session), config_options=options)

    async def list_sessions(
        self, cwd: str | None = None, **_others: Any
    ) -> protocol.ListSessionsResponse:
        """The sessions of the project in ``cwd``, the latest used first; else of the open ones."""
        opened = {str(one.assistant.root) for one in self._sessions.values()}
        folders = _folders(cwd, None) if cwd else sorted(opened | {str(Path.cwd())})
        listed = [
            _described(folder, info)
            for folder in folders
            for info in await _in_thread(listed_sessions, folder)
        ]
        return protocol.ListSessionsResponse(sessions=listed)

    async def close_session(self, session_id: str, **_others: Any) -> None:
        """Close a session; it stays stored."""
        session = self._session(session_id)
        del self._sessions[session_id]
        await session.close()

    async def prompt(
        self, session_id: str, prompt: Sequence[Block], **_others: Any
    ) -> protocol.PromptResponse:
        """Answer a message."""
        session = self._session(session_id)
        try:
            return await session.answer(message_of(prompt, session.assistant.root))
        except IpuaroError as error:
            raise _refusal(error) from error

    async def cancel(self, session_id: str, **_others: Any) -> None:
        """Stop the message that is being answered."""
        if session_id in self._sessions:
            self._sessions[session_id].cancel()

    async def set_session_mode(self, session_id: str, mode_id: str, **_others: Any) -> None:
        """Choose what is applied without asking."""
        session = self._session(session_id)
        for approve in APPROVALS:
            if approve == mode_id and approve in _mode_ids(session):
                try:
                    session.assistant.approve = approve
                except SettingsError as error:
                    raise _refusal(error) from error
                session.note_mode()
                return
        known = ", ".join(_mode_ids(session))
        raise RequestError(_INVALID_PARAMS, f"There is no mode {mode_id!r}; modes: {known}.")

    async def set_config_option(
        self,
        config_id: str,
        session_id: str,
        value: str | bool,  # noqa: FBT001 - the protocol's
        **_others: Any,
    ) -> protocol.SetSessionConfigOptionResponse:
        """Choose the model."""
        session = self._session(session_id)
        if config_id != _MODEL or not isinstance(value, str):
            raise RequestError(_INVALID_PARAMS, f"The only option is {_MODEL!r}, a model's name.")
        if value not in await _models(session):
            raise RequestError(_INVALID_PARAMS, f"There is no model {value!r} at hand.")
        if session.is_answering:
            raise RequestError(_INVALID_PARAMS, "A message is being answered; cancel it first.")
        await _in_thread(session.assistant.use_model, value)
        return protocol.SetSessionConfigOptionResponse(config_options=await _options(session))

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Refuse: there are no methods of our own."""
        del params
        raise RequestError.method_not_found(f"_{method}")

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Ignore it: there are none of our own."""

    async def _open(
        self, folders: Sequence[str], session_id: str | None, servers: Sequence[_McpServer]
    ) -> AcpSession:
        """Open a project for a session; one that is open here already is opened anew.

        Raises:
            RequestError: It cannot be opened.
        """
        assert self._client is not None  # noqa: S101 - requests come over a connection
        assistant, opened_id = await _in_thread(
            opened_session, folders, session_id, _mcp_settings(servers), self._closing
        )
        before = self._sessions.pop(opened_id, None)
        session = self._sessions[opened_id] = AcpSession(opened_id, assistant, self._client)
        if before is not None:
            await before.close()
        return session

    def _introduce_after(self, session: AcpSession) -> None:
        """Introduce a session once the response that names it has been written."""
        task = asyncio.create_task(self._introduce(session))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _introduce(self, session: AcpSession) -> None:
        """Tell the commands that can be typed, and what there is to say of the settings."""
        await asyncio.sleep(_AFTER_S)
        known = await asyncio.to_thread(_commands, session.assistant)
        with suppress(ConnectionError):
            await session.tell(update_available_commands(known))
            for notice in session.assistant.notices:
                await session.tell(update_agent_thought_text(visible(notice) + "\n"))

    def _session(self, session_id: str) -> AcpSession:
        if session_id not in self._sessions:
            raise RequestError(
                _INVALID_PARAMS, f"Session {session_id!r} is not open; load or resume it first."
            )
        return self._sessions[session_id]


async def _in_thread(work: Callable[..., _Returned], *arguments: Any) -> _Returned:
    """Run work that may take long, its errors as those of the protocol."""
    try:
        return await asyncio.to_thread(work, *arguments)
    except Cancelled as error:
        raise RequestError(_INTERNAL_ERROR, "The agent is ending.") from error
    except IpuaroError as error:
        raise _refusal(error) from error


def _folders(cwd: str, others: Sequence[str] | None) -> list[str]:
    """The folders that a request names, the project's first.

    Raises:
        RequestError: It is relative, and to what is not said.
    """
    if not Path(cwd).is_absolute():
        told = f"{cwd!r} is not an absolute path; give the project's folder as one."
        raise RequestError(_INVALID_PARAMS, told)
    return [cwd, *(others or ())]


def _refusal(error: IpuaroError) -> RequestError:
    is_wrong = isinstance(error, SettingsError | ProjectError)
    return RequestError(_INVALID_PARAMS if is_wrong else _INTERNAL_ERROR, str(error))


def _mode_ids(session: AcpSession) -> list[str]:
    """The modes to choose from; "all" only where the user's settings say so.

    What the system's settings forbid is left out.
    """
    approve = session.assistant.approve
    system = system_settings()
    allowed = [mode for mode in _MODES if is_approve_allowed(mode, system)]
    return [*allowed, *([] if approve in allowed else [approve])]


def _modes(session: AcpSession) -> protocol.SessionModeState:
    return protocol.SessionModeState(
        current_mode_id=session.assistant.approve,
        available_modes=[
            protocol.SessionMode(id=one, name=one.capitalize(), description=told)
            for one, told in APPROVALS.items()
            if one in _mode_ids(session)
        ],
    )


async def _options(
    session: AcpSession,
) -> list[protocol.SessionConfigOptionSelect | protocol.SessionConfigOptionBoolean]:
    """The choice of a model: the present one first, then those at hand."""
    known = await _models(session)
    return [
        protocol.SessionConfigOptionSelect(
            type="select",
            id=_MODEL,
            name="Model",
            category="model",
            current_value=session.assistant.model.name,
            options=[protocol.SessionConfigSelectOption(value=one, name=one) for one in known],
        )
    ]


async def _models(session: AcpSession) -> tuple[str, ...]:
    """The names of the models at hand, the present one first."""
    model = session.assistant.model
    try:
        names = await asyncio.to_thread(model.models, within_s=_LIST_S)
    except ModelError:
        names = ()
    pulled = pulled_names(session.assistant.settings.llm.models_folder)
    return tuple(dict.fromkeys([model.name, *names, *pulled]))


def _commands(assistant: Assistant) -> list[protocol.AvailableCommand]:
    """What can be typed after a slash, with what may follow: commands, and questions in files."""
    known = [(name, one.summary, one.usage) for name, one in COMMANDS.items() if name != "load"]
    known += [
        (one.name, one.summary or one.place, f"/{one.name} {one.hint or 'TEXT'}")
        for one in question_templates(assistant.root, RESERVED).values()
    ]
    return [
        protocol.AvailableCommand(
            name=name, description=visible(summary), input=_hint(visible(usage))
        )
        for name, summary, usage in known
    ]


def _hint(usage: str) -> protocol.AvailableCommandInput | None:
    _, _, hint = usage.partition(" ")
    return (
        protocol.AvailableCommandInput(protocol.UnstructuredCommandInput(hint=hint))
        if hint
        else None
    )


def _described(folder: str, info: SessionInfo) -> protocol.SessionInfo:
    used = datetime.fromtimestamp(info.updated_at, UTC).isoformat() if info.updated_at else None
    return protocol.SessionInfo(
        session_id=info.id, cwd=folder, title=info.title or None, updated_at=used
    )


def _mcp_settings(servers: Sequence[_McpServer]) -> dict[str, Any]:
    """The client's MCP servers as settings.

    Raises:
        RequestError: One is reached in a way that we do not know.
    """
    found: dict[str, Any] = {}
    for server in servers:
        match server:
            case protocol.McpServerStdio():
                env = {one.name: one.value for one in server.env}
                found[server.name] = {"command": server.command, "args": server.args, "env": env}
            case protocol.HttpMcpServer() | protocol.SseMcpServer():
                headers = {one.name: one.value for one in server.headers}
                found[server.name] = {"type": server.type, "url": server.url, "headers": headers}
            case _:
                told = f"The MCP server {server.name!r} has no transport that is known here."
                raise RequestError(_INVALID_PARAMS, told)
    return {"mcpServers": found} if found else {}
