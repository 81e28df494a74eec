"""A registry on the loopback with one model, from which a real Ollama pulls."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WEIGHTS, CONFIG = b"GGUF" + bytes(300_000), b'{"model_format":"gguf"}'
MANIFEST_KIND = "application/vnd.docker.distribution.manifest.v2+json"


def _part(kind: str, data: bytes) -> dict[str, object]:
    return {"mediaType": kind, "digest": _digest(data), "size": len(data)}


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


BLOBS = {_digest(data): data for data in (WEIGHTS, CONFIG)}
MANIFEST = {
    "schemaVersion": 2,
    "mediaType": MANIFEST_KIND,
    "config": _part("application/vnd.docker.container.image.v1+json", CONFIG),
    "layers": [_part("application/vnd.ollama.image.model", WEIGHTS)],
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        *_, kind, name = self.path.split("/")
        if kind == "manifests" and "/library/tiny/" in self.path:
            self._send(200, json.dumps(MANIFEST).encode())
        elif name not in BLOBS:
            self._send(404, b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}')
        elif kind == "blobs" and self.command == "GET":  # where it is, under another name
            self._send(307, b"", f"http://localhost:{self.server.server_port}/data/{name}")
        elif asked := self.headers.get("Range"):
            first, last = map(int, asked.removeprefix("bytes=").split("-"))
            self._send(206, BLOBS[name][first : last + 1])
        else:
            self._send(200, BLOBS[name])

    def _send(self, status: int, body: bytes, location: str = "") -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        if location:
            self.send_header("Location", location)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


@contextmanager
def registry() -> Iterator[str]:
    """Serve the model; gives the name to pull it by."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/library/tiny"
        server.shutdown()
        thread.join()
