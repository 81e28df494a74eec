"""The response of an MCP server to a call, as text for the model."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import Output, Plain
from ipuaro_jupyter.workspace.processes.head_tail import shortened

_TEXT_LIMIT = 32_000  # bytes, half from each end
_STRUCTURED_LIMIT = 32_000  # characters; more would only repeat the text in the session
_BASE64_BITS, _BYTE_BITS = 6, 8


class McpOutput(Output):
    """The output of a tool of an MCP server.

    ``content`` is its text, without the middle where it is too long; images, sounds and files are
    notes in it. ``structured_content`` is the JSON that the server gave, None when it gave none or
    too much.
    """

    server: str
    tool: str
    content: str
    structured_content: Any = None

    def text(self) -> str:
        """The content."""
        return self.content

    def shape(self) -> Plain:
        """The content as a paragraph."""
        return Plain(text=self.content)


def read_result(result: Mapping[str, Any], *, server: str, tool: str) -> McpOutput:
    """Read a server's response.

    Args:
        result: The response as it came: ``content``, ``structuredContent`` and ``isError``.
        server: The server's name.
        tool: The tool's own name.

    Raises:
        ToolError: "command" when the tool failed, with its message.
    """
    structured = result.get("structuredContent")
    text = "\n".join(_pieces(result.get("content") or ()))
    if structured is not None and not text.strip():
        text = json.dumps(structured, ensure_ascii=False, indent=2)
    text = shortened(text, _TEXT_LIMIT)
    if result.get("isError"):
        said = text.strip() or "it does not say why"
        raise ToolError("command", f"{tool} of the MCP server {server!r} failed: {said}")
    if structured is not None and len(json.dumps(structured)) > _STRUCTURED_LIMIT:
        structured = None
    return McpOutput(
        server=server,
        tool=tool,
        content=text or "Done; the server says nothing more.",
        structured_content=structured,
    )


def _pieces(blocks: Any) -> Iterator[str]:
    """Yield each block of a response as text."""
    for block in blocks:
        match block.get("type"):
            case "text":
                yield str(block.get("text", ""))
            case "image" | "audio" as kind:
                yield _note(f"{kind} {block.get('mimeType', '')}", block.get("data", ""))
            case "resource":
                yield _resource(block.get("resource") or {})
            case "resource_link":
                described = f": {block['description']}" if block.get("description") else ""
                yield f"[link to {block.get('name', '')} {block.get('uri', '')}{described}]"
            case other:
                yield f"[{other}, not shown]"


def _resource(resource: Mapping[str, Any]) -> str:
    uri = resource.get("uri", "")
    if "text" in resource:
        return f"{uri}:\n{resource['text']}"
    return _note(f"file {uri} {resource.get('mimeType') or ''}".rstrip(), resource.get("blob", ""))


def _note(what: str, base64: str) -> str:
    size = len(base64.rstrip("=")) * _BASE64_BITS // _BYTE_BITS
    return f"[{what}, {size} bytes, not shown]"
