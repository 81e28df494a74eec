"""The tools of MCP servers as tools of ours: names, schemas, arguments, and questions."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, create_model

from ipuaro_jupyter.agent.mcp.mcp_results import McpOutput
from ipuaro_jupyter.agent.mcp.mcp_schemas import readable, type_names
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.tool import Project, Tool
from ipuaro_jupyter.workspace.approval import refusal
from ipuaro_jupyter.workspace.processes.head_tail import shortened
from ipuaro_jupyter.workspace.workspace import Workspace

PREFIX = "mcp__"
_LONGEST_NAME = 64  # the limit of models and their servers
_DESCRIPTION_LIMIT = 1200  # bytes; a small model reads all of them with every message
_HASH_LENGTH = 6
_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
    "null": None,
}


class RemoteTool(Record):
    """A tool as its server describes it; ``parameters`` is its JSON schema."""

    server: str
    name: str
    description: str = ""
    parameters: dict[str, Any]
    read_only: bool = False
    destructive: bool = True


Call = Callable[[RemoteTool, dict[str, Any], CancelToken], McpOutput]


def prefixes(servers: Iterable[str]) -> dict[str, str]:
    """The unique prefix of tool names for each server, by the server's name."""
    found: dict[str, str] = {}
    for server in servers:
        found[server] = _distinct(f"{PREFIX}{_plain(server)}", server, found.values())
    return {server: f"{prefix}__" for server, prefix in found.items()}


def as_tools(remotes: Iterable[RemoteTool], call: Call, *, prefix: str) -> list[Tool]:
    """The tools of one server as the model gets them.

    Args:
        remotes: The server's list.
        call: Sends a call to the server and returns its response.
        prefix: The beginning of their names, which identifies the server.
    """
    tools: dict[str, Tool] = {}
    for remote in remotes:
        name = _distinct(f"{prefix}{_plain(remote.name)}", remote.name, tools)
        tools[name] = _tool(name, remote, call)
    return list(tools.values())


def _distinct(name: str, original: str, taken: Iterable[str]) -> str:
    """A name that is not too long and, ignoring case, not among ``taken``."""
    if len(name) <= _LONGEST_NAME and name.lower() not in map(str.lower, taken):
        return name
    digest = hashlib.sha256(original.encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]
    return f"{name[: _LONGEST_NAME - _HASH_LENGTH - 1]}_{digest}"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "_"


def _tool(name: str, remote: RemoteTool, call: Call) -> Tool:
    parameters = readable(remote.parameters)
    names = {f"argument_{number}": key for number, key in enumerate(parameters["properties"])}
    nullable = _nullable(parameters)

    def run(project: Project, /, **given: Any) -> McpOutput:
        arguments = {key: given.pop(field) for field, key in names.items() if field in given}
        arguments |= given | {key: None for key in nullable if key not in arguments}
        if not remote.read_only:
            _ask(project.workspace, name, remote, arguments)
        return call(remote, arguments, project.cancel)

    described = shortened(remote.description.strip(), _DESCRIPTION_LIMIT)
    return Tool(
        name=name,
        function=run,
        schema=ToolSchema(
            name=name,
            description=f"[MCP server {remote.server}] {described}".rstrip(),
            parameters=parameters,
        ),
        arguments=_arguments_model(name, parameters, names, optional=nullable),
        asks_first=not remote.read_only,
        times_itself=True,
    )


def _nullable(parameters: Mapping[str, Any]) -> list[str]:
    """The required parameters that allow null as a value; for us it means "omitted"."""
    properties = parameters["properties"]
    return [name for name in parameters["required"] if "null" in type_names(properties[name])]


def _arguments_model(
    name: str, parameters: Mapping[str, Any], names: Mapping[str, str], *, optional: Sequence[str]
) -> type[BaseModel]:
    """A model that checks names and plain types; the server checks the rest.

    The fields have names of their own, because a parameter may have any name, even ``model_dump``.
    """
    required = set(parameters["required"]) - set(optional)
    fields: dict[str, Any] = {}
    for field, key in names.items():
        default = ... if key in required else None
        checked = _type(parameters["properties"][key])
        fields[field] = (checked, Field(default=default, alias=key))
    others = parameters.get("additionalProperties", not names)
    return create_model(
        name,
        __config__=ConfigDict(
            extra="forbid" if others is False or others is None else "allow",
            coerce_numbers_to_str=True,
        ),
        **fields,
    )


def _type(entry: Mapping[str, Any]) -> Any:
    """The Python type for a parameter's schema; Any for one that is not plain."""
    options = entry.get("enum")
    if isinstance(options, list) and options and all(isinstance(o, str) for o in options):
        return Literal[tuple(options)]
    found: Any = None
    for type_name in type_names(entry) - {"null"}:
        if type_name not in _TYPES:
            return Any
        found = _TYPES[type_name] if found is None else found | _TYPES[type_name]
    return Any if found is None else found


def _ask(workspace: Workspace, name: str, remote: RemoteTool, arguments: Mapping[str, Any]) -> None:
    """Ask before a call is sent; raise ToolError unless it is approved.

    Raises:
        ToolError: "cancelled" when it was rejected.
        Cancelled: The user pressed stop instead of deciding.
    """
    does = "may change or delete things" if remote.destructive else "may add things"
    proposal = Proposal(
        id=uuid4().hex,
        kind="mcp",
        tool=name,
        title=f"Call {remote.name} of the MCP server {remote.server!r}",
        called=(remote.server, remote.name),
        message=json.dumps(arguments, ensure_ascii=False, indent=2),
        reason=f"The server does not mark this tool as read-only: it {does} outside of the "
        "project, and nothing here can take that back.",
        pattern="any arguments",
    )
    decision = workspace.decide(proposal)
    if decision.action == "reject":
        raise refusal(proposal, decision)
