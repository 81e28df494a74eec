"""A real HTTP server on the loopback that serves files as Hugging Face does.

A file's page redirects to another address, tells hash and size in headers, and takes ranges.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class HubServer:
    """What it has, and how it behaves.

    Attributes:
        files: The content of "OWNER/REPO/FILE".
        hashes: The hash to tell instead of the right one.
        break_after: Bytes of one response after which the connection breaks; None for never.
        breaks: How often that happens.
        more: Bytes that it sends behind each file.
        hang_after: Bytes of one response after which nothing more comes; None for never.
        ranges: The first byte that each response was asked for.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    break_after: int | None = None
    breaks: int = 1_000
    more: int = 0
    hang_after: int | None = None
    ranges: list[int] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    def etag(self, name: str) -> str:
        return self.hashes.get(name, hashlib.sha256(self.files[name]).hexdigest())


@contextmanager
def serving(hub: HubServer) -> Iterator[HubServer]:
    """Serve until the end of the block."""

    class Handler(_Handler):
        state = hub

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    hub.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    state: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Stay silent."""

    def do_HEAD(self) -> None:
        self._respond(body=False)

    def do_GET(self) -> None:
        self._respond(body=True)

    def _respond(self, *, body: bool) -> None:
        hub = self.state
        hub.authorizations.append(self.headers.get("authorization"))
        path = self.path.partition("?")[0].lstrip("/")
        if path.startswith("api/models/"):
            return self._tell_files(path)
        if path.startswith("store/"):
            return self._send(path.removeprefix("store/"), body=body)
        repository, _, rest = path.partition("/resolve/")
        name = f"{repository}/{rest.partition('/')[2]}"
        if not any(known.startswith(f"{repository}/") for known in hub.files):
            return self._refuse(401, "RepoNotFound")
        if name not in hub.files:
            return self._refuse(404, "EntryNotFound")
        self.send_response(302)
        # As a store elsewhere: redirects to the same host are followed at once.
        elsewhere = hub.url.replace("127.0.0.1", "localhost")
        self.send_header("Location", f"{elsewhere}/store/{name}")
        self.send_header("X-Linked-Etag", f'"{hub.etag(name)}"')
        self.send_header("X-Linked-Size", str(len(hub.files[name])))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", "0")
        return self.end_headers()

    def _send(self, name: str, *, body: bool) -> None:
        hub, content = self.state, self.state.files[name]
        first = int(self.headers.get("range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        hub.ranges.append(first)
        rest = content[first:] + bytes(hub.more)
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(rest)))
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if not body:
            return
        if hub.break_after is not None and hub.breaks:
            hub.breaks -= 1
            self.wfile.write(rest[: hub.break_after])
            self.wfile.flush()
            self.close_connection = True
        elif hub.hang_after is not None:
            self.wfile.write(rest[: hub.hang_after])
            self.wfile.flush()
            hub.released.wait(20)
            self.close_connection = True
        else:
            self.wfile.write(rest)

    def _tell_files(self, path: str) -> None:
        repository = "/".join(path.split("/")[2:4])
        names = [n.removeprefix(f"{repository}/") for n in self.state.files]
        told = {"id": repository, "sha": COMMIT, "siblings": [{"rfilename": n} for n in names]}
        tree = [{"type": "file", "path": n, "size": 1, "oid": COMMIT} for n in names]
        body = json.dumps(tree if "/tree/" in path else told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()
