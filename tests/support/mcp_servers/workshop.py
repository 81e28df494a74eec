"""An MCP server with a tool for each thing that a tool can do, good or bad.

Run with a file's name: each start writes its process id there on a line.
"""

import asyncio
import base64
import os
import sys
import time
from pathlib import Path

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

OBJECT = {"type": "object", "properties": {}}
READ_ONLY = types.ToolAnnotations(read_only_hint=True)
NAMED = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Who is greeted."},
        "times": {"type": "integer"},
        "loud": {"type": "boolean"},
        "file-path": {"type": ["string", "null"]},
    },
    "required": ["name"],
    "additionalProperties": False,
}
PAGE = 4


def tool(name, description="", schema=None, annotations=READ_ONLY, **more):
    return types.Tool(
        name=name,
        description=description,
        input_schema=schema or OBJECT,
        annotations=annotations,
        **more,
    )


TOOLS = [
    tool("greet", "Greet somebody.", NAMED),
    tool("add_note", "Write a note down.", NAMED, annotations=None),
    tool(
        "wipe",
        "Forget all notes.",
        annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False),
    ),
    tool("Fail.Loud", "Fail."),
    tool("mixed", "Give one of each."),
    tool("structured", "Give JSON.", output_schema={"type": "object"}),
    tool("lie", "Give other JSON than promised.", output_schema=NAMED),
    tool("long", "Give a long text."),
    tool("crash", "End in the middle of a call."),
    tool("sleep", "Take a minute."),
    tool("freeze", "Stop answering anything."),
    tool("variables", "Tell the variables."),
    tool("free", "Take any arguments.", {"type": "object"}),
    tool("change_tools", "Offer one tool more."),
]
EXTRA = tool("extra", "Offered later.")
offered = list(TOOLS)


async def list_tools(_ctx, params):
    start = int(params.cursor or 0) if params else 0
    after = start + PAGE
    return types.ListToolsResult(
        tools=offered[start:after], next_cursor=str(after) if after < len(offered) else None
    )


def text(said, **more):
    return types.CallToolResult(content=[types.TextContent(text=said)], **more)


def mixed():
    data = base64.b64encode(b"12345").decode()
    return types.CallToolResult(
        content=[
            types.TextContent(text="one"),
            types.ImageContent(data=data, mime_type="image/png"),
            types.EmbeddedResource(
                resource=types.TextResourceContents(uri="note://1", text="a note")
            ),
            types.EmbeddedResource(resource=types.BlobResourceContents(uri="file:///b", blob=data)),
            types.ResourceLink(name="more", uri="https://example.org/more"),
        ]
    )


async def call_tool(ctx, params):  # noqa: C901, PLR0911 - one branch for each tool
    given = params.arguments or {}
    match params.name:
        case "greet" | "add_note" | "free":
            return text(f"{params.name} {sorted(given.items())}")
        case "wipe":
            return text("wiped")
        case "Fail.Loud":
            return text("It does not work on Mondays.", is_error=True)
        case "mixed":
            return mixed()
        case "structured":
            return types.CallToolResult(content=[], structured_content={"answer": [1, None]})
        case "lie":
            return types.CallToolResult(content=[], structured_content={"times": "many"})
        case "long":
            return text("first\n" + ("x" * 79 + "\n") * 50_000 + "\nlast")
        case "crash":
            print("crashing on purpose", file=sys.stderr, flush=True)
            os._exit(7)
        case "sleep":
            await sleep()
            return text("slept")
        case "freeze":
            time.sleep(600)
        case "variables":
            return text("\n".join(f"{name}={value}" for name, value in os.environ.items()))
        case "change_tools":
            offered.append(EXTRA)
            await ctx.session.send_notification(types.ToolListChangedNotification())
            return text("changed")
    return text(f"no tool {params.name}", is_error=True)


async def sleep():
    """Take a minute, and leave files that tell of the beginning and of being cancelled."""
    pids = Path(sys.argv[1])
    pids.with_suffix(".sleeping").touch()
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        pids.with_suffix(".cancelled").touch()
        raise


server = Server("workshop", on_list_tools=list_tools, on_call_tool=call_tool)


async def main():
    with Path(sys.argv[1]).open("a") as file:
        file.write(f"{os.getpid()}\n")
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
