"""A server that speaks the protocol of 2026-07-28 and refuses the handshake of those before."""

import asyncio

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.runner import _serve_modern_stream
from mcp.server.stdio import stdio_server


async def list_tools(_ctx, _params):
    schema = {"type": "object", "properties": {}}
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name="era",
                input_schema=schema,
                annotations=types.ToolAnnotations(read_only_hint=True),
            )
        ]
    )


async def call_tool(ctx, _params):
    return types.CallToolResult(content=[types.TextContent(text=ctx.protocol_version)])


async def main():
    server = Server("modern", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await _serve_modern_stream(server, read, write, lifespan_state={}, raise_exceptions=False)


asyncio.run(main())
