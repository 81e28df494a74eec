"""What the test servers of models share: listening, stopping, and the answers of any of them."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


@dataclass
class ModelServer:
    """A server on the loopback; ``requests`` are the paths and bodies that it was asked."""

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
