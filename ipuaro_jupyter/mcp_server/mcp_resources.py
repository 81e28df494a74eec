"""What a client may attach by itself: the project's map, its files, and its declarations."""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

import mcp_types as types

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.agent.redaction import Redaction, path_of
from ipuaro_jupyter.assistant import Assistant
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.workspace.processes.head_tail import shortened

MAP = "ipuaro://map"
TEMPLATES = (
    types.ResourceTemplate(
        name="file",
        title="A file of the project",
        uri_template="ipuaro://file/{+path}",
        description="Its lines, with their numbers; the path is relative to the project.",
        mime_type="text/plain",
    ),
    types.ResourceTemplate(
        name="symbol",
        title="A declaration",
        uri_template="ipuaro://symbol/{name}",
        description="Where a name, such as login or Session.close, is declared and used.",
        mime_type="text/plain",
    ),
)
_FILE, _SYMBOL = "ipuaro://file/", "ipuaro://symbol/"
_PAGE = 200
_CURSOR = re.compile(r"[0-9]{1,9}")
_MOST_BYTES = 256_000
_MAP_TOKENS = 4_000


class _AskedCall(NamedTuple):
    """A call of a tool that reads a resource."""

    tool: str
    arguments: dict[str, str]


def listed(assistant: Assistant, cursor: str | None) -> types.ListResourcesResult:
    """A page of the resources: the map, then the files by path.

    Args:
        assistant: The project.
        cursor: Where the page begins, as the page before says; None for the first one.

    Raises:
        ToolError: "validation" when there is no such page.
    """
    if cursor is not None and not _CURSOR.fullmatch(cursor):
        raise ToolError("validation", f"There is no page {cursor!r} of resources.")
    begin = int(cursor or 0)
    paths = assistant.known_paths("", limit=begin + _PAGE + 1)[begin:]
    resources = [_file(path) for path in paths[:_PAGE]]
    if not begin:
        told = "Its folders, the files that matter most, what they declare and import."
        first = types.Resource(name="map", title="The project's map", uri=MAP, description=told)
        resources.insert(0, first)
    more = str(begin + _PAGE) if len(paths) > _PAGE else None
    return types.ListResourcesResult(resources=resources, next_cursor=more)


def text_of_resource(
    assistant: Assistant, uri: str, redaction: Redaction, cancel: CancelToken
) -> str:
    """The text of a resource, its secrets redacted: the client's model may be anywhere.

    Raises:
        ToolError: There is no such resource, or it cannot be read.
        StorageError: Redis has gone.
    """
    if uri == MAP:
        index = assistant.project(cancel).index
        return redaction.text(project_map(index, _MAP_TOKENS, size=count_tokens))
    texts = [_called(assistant, call, redaction, cancel) for call in _calls(uri)]
    return "\n\n".join(texts)


def _calls(uri: str) -> list[_AskedCall]:
    if uri.startswith(_FILE):
        return [_AskedCall("get_lines", {"path": unquote(uri.removeprefix(_FILE))})]
    if uri.startswith(_SYMBOL):
        symbol = {"symbol": unquote(uri.removeprefix(_SYMBOL))}
        return [_AskedCall("find_definition", symbol), _AskedCall("find_references", symbol)]
    raise ToolError(
        "validation",
        f"There is no resource {uri!r}.",
        suggestion=f"There are {MAP}, {', '.join(one.uri_template for one in TEMPLATES)}.",
    )


def _called(
    assistant: Assistant, call: _AskedCall, redaction: Redaction, cancel: CancelToken
) -> str:
    project = assistant.project(cancel)
    result = assistant.call(call.tool, call.arguments, cancel, by_user=False)
    if result.error is not None:
        raise ToolError(result.error.type, result.error.message)
    text = result.text()
    known = redaction.known(call.arguments, text, project)
    return shortened(redaction.text(text, path_of(call.arguments), known), _MOST_BYTES)


def _file(path: str) -> types.Resource:
    return types.Resource(name=path, uri=f"{_FILE}{quote(path)}", mime_type="text/plain")
