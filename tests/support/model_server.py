"""What the test servers of models share: listening, stopping, and the answers of any of them."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


@dataclass
class Fault:
    """Something other than an answer: hang silently, break off, send a line, or refuse."""

    kind: str
    status: int = 500
    error: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Sequence[Mapping[str, Any] | str | Fault | float | threading.Event]
"""What is sent: text pieces, messages or deltas, pauses in seconds or for an event, faults."""


@dataclass
class ModelServer:
    """A server on the loopback; ``requests`` are the paths and bodies that it was asked.

    ``replies`` are used up in order, ``faults`` are by path.
    """

    replies: list[Reply] = field(default_factory=list, kw_only=True)
    faults: dict[str, Fault] = field(default_factory=dict, kw_only=True)
    finish_reason: str = field(default="stop", kw_only=True)
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list, kw_only=True)
    url: str = field(default="", kw_only=True)
    hung_up: threading.Event = field(default_factory=threading.Event, kw_only=True)
    released: threading.Event = field(default_factory=threading.Event, kw_only=True)
    _http: ThreadingHTTPServer | None = field(default=None, kw_only=True)
    _thread: threading.Thread | None = field(default=None, kw_only=True)

    handler: ClassVar[type["ModelHandler"]]

    def start(self) -> None:
        """Listen on a free port."""
        handler = type("Handler", (self.handler,), {"state": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = False
        self._http.block_on_close = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()

    def asked(self, path: str) -> list[dict[str, Any]]:
        """Return the bodies of the requests to a path."""
        return [body for asked, body in self.requests if asked == path]

    def stop(self) -> None:
        """Stop listening and wait until every request has ended."""
        self.released.set()
        if self._http is not None and self._thread is not None:
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()
            self._http = None


class ModelHandler(BaseHTTPRequestHandler):
    """Answers a request; ``state`` is the server."""

    state: Any
    protocol_version = "HTTP/1.1"
    json_type = "application/json"
    timeout = 30

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def hang(self) -> None:
        """Be silent until the client hangs up or the server stops."""
        self.connection.settimeout(0.02)
        while not self.state.released.is_set():
            try:
                if self.connection.recv(1) == b"":
                    self.state.hung_up.set()
                    return
            except TimeoutError:
                continue

    def fail(self, fault: Fault) -> None:
        """Do what the fault says in place of an answer."""
        self.close_connection = True
        if fault.kind == "refuse":
            self.send_json(fault.status, self.refusal(fault.error), fault.headers)
        elif fault.kind == "json":
            self.send_json(200, fault.error)
        elif fault.kind == "html":
            self.send_whole(fault.status, "text/html", b"<html></html>")
        elif fault.kind == "hang":
            self.hang()
        elif fault.kind != "disconnect":
            raise AssertionError(fault.kind)

    def refusal(self, error: Any) -> Any:
        """What is sent for an error."""
        return {"error": error}

    def send_json(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        """Send JSON."""
        self.send_whole(status, self.json_type, json.dumps(body).encode(), headers)

    def send_whole(
        self, status: int, kind: str, payload: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a body of known length."""
        self.send_head(status, kind, {"Content-Length": str(len(payload)), **(headers or {})})
        self.wfile.write(payload)

    def send_head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        """Send a status and the headers."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        """Send a chunk of a body; an empty one ends it."""
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()


def serve(server: ModelServer) -> None:
    """Serve in a process of its own, which may be killed; the address comes on the first line."""
    server.start()
    print(server.url, flush=True)  # noqa: T201 - read by whoever started it
    threading.Event().wait()
