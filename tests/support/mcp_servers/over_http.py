"""The workshop over HTTP: the arguments are "http" or "sse", and the file for process ids.

Prints its port. Every request needs the header ``Authorization: Bearer open``.
"""

import asyncio
import os
import socket
import sys
from pathlib import Path

import uvicorn
from mcp.server.sse import SseServerTransport
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from workshop import server


def sse_app():
    transport = SseServerTransport("/messages/")

    async def listen(request):
        streams = transport.connect_sse(request.scope, request.receive, request._send)
        async with streams as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return Response()

    return Starlette(
        routes=[
            Route("/sse", listen, methods=["GET"]),
            Mount("/messages/", app=transport.handle_post_message),
        ]
    )


def guarded(app):
    async def guard(scope, receive, send):
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http" and headers.get(b"authorization") != b"Bearer open":
            await PlainTextResponse("Who are you?", 401)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return guard


def main(form, pids):
    with Path(pids).open("a") as file:
        file.write(f"{os.getpid()}\n")
    app = server.streamable_http_app() if form == "http" else sse_app()
    listening = socket.create_server(("127.0.0.1", int(sys.argv[3]) if len(sys.argv) > 3 else 0))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(guarded(app), log_level="warning", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))


main(sys.argv[1], sys.argv[2])
