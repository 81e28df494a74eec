"""A real HTTP server on the loopback that speaks the API of chat completions.

Whatever it sends has passed through the openai package's own types. What differs between servers
(their lists of models, what they refuse) is set by the test.
"""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from model_server import Fault, ModelHandler, ModelServer, Reply, serve
from openai.types import Model
from openai.types.chat import ChatCompletionChunk

LONGEST_WAIT_S = 20


@dataclass
class OpenAiServer(ModelServer):
    """What the server has and says, and what it was asked.

    ``pages`` are further paths with their JSON. A request without the
    ``key`` is refused. ``headers`` are those of the requests.
    """

    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    pages: dict[str, Any] = field(default_factory=dict)
    key: str = ""
    usage: Mapping[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 2, "total_tokens": 13}
    )
    headers: list[dict[str, str]] = field(default_factory=list)

    def asked(self, path: str = "/v1/chat/completions") -> list[dict[str, Any]]:
        """Return the bodies of the requests to a path."""
        return super().asked(path)


class _Handler(ModelHandler):
    state: OpenAiServer

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        path = self.path.partition("?")[0]
        if self._begin(path, {}):
            if path == "/v1/models":
                self._models()
            elif path in self.state.pages:
                self.send_json(200, self.state.pages[path])
            else:
                self.send_json(404, {"error": {"message": "File Not Found", "code": 404}})

    def do_POST(self) -> None:  # noqa: N802 - the same
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(content)
        if not self._begin(self.path, body):
            return
        if self.path != "/v1/chat/completions":
            self.send_json(404, {"detail": "Not Found"})
            return
        try:
            self._stream(body, self.state.replies.pop(0))
        except (BrokenPipeError, ConnectionResetError):
            self.state.hung_up.set()

    def _begin(self, path: str, body: dict[str, Any]) -> bool:
        """Note the request; False when it has been refused."""
        self.state.requests.append((path, body))
        self.state.headers.append({name.lower(): value for name, value in self.headers.items()})
        fault = self.state.faults.get(path)
        if fault is not None:
            self.fail(fault)
        elif self.state.key and self.headers.get("Authorization") != f"Bearer {self.state.key}":
            error = {"message": "Invalid API Key", "type": "authentication_error", "code": 401}
            self.send_json(401, {"error": error})
        else:
            return True
        return False

    def _models(self) -> None:
        models = [
            Model(id=name, created=0, object="model", owned_by="us").model_dump() | facts
            for name, facts in self.state.models.items()
        ]
        self.send_json(200, {"object": "list", "data": models})

    def _parts(self, reply: Reply) -> Any:
        """The parts of the reply; the first one says the role only, the last one the counts."""
        yield _part({"role": "assistant", "content": None})
        for part in reply:
            if isinstance(part, (Fault, float, int, threading.Event)):
                yield part
            else:
                yield _part({"content": part} if isinstance(part, str) else part)
        yield _part({}, finish_reason=self.state.finish_reason)
        if self.state.usage is not None:
            yield {**_part({}), "choices": [], "usage": dict(self.state.usage)}

    def _stream(self, body: dict[str, Any], reply: Reply) -> None:
        """Send the parts as events; a fault before the first one comes as a status."""
        if reply and isinstance(reply[0], Fault) and reply[0].kind in {"refuse", "html"}:
            self.fail(reply[0])
            return
        self.send_head(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        for part in self._parts(reply):
            if isinstance(part, (float, int)):
                time.sleep(part)
            elif isinstance(part, threading.Event):
                part.wait(LONGEST_WAIT_S)
            elif isinstance(part, Fault):
                if not self._spoil(part):
                    return
            elif "usage" not in part or body.get("stream_options", {}).get("include_usage"):
                self._event(json.dumps(part))
        self._event("[DONE]")
        self.send_chunk(b"")

    def _spoil(self, fault: Fault) -> bool:
        """Do in the middle of an answer what the fault says; False when that ends the answer."""
        if fault.kind == "error":
            self._event(json.dumps({"error": fault.error}))
        elif fault.kind == "line":
            self._event(fault.error)
        elif fault.kind == "comment":
            self.send_chunk(b": still here\n\n")
        elif fault.kind == "end":
            self.send_chunk(b"")
        else:
            self.fail(fault)
        return fault.kind in {"error", "line", "comment"}

    def refusal(self, error: Any) -> Any:
        """What is sent for an error, which may be whole."""
        return error if isinstance(error, dict) else {"error": {"message": error}}

    def _event(self, data: str) -> None:
        self.send_chunk(b"data: " + data.encode() + b"\n\n")


def _part(delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish_reason}
    checked = ChatCompletionChunk.model_validate(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "x",
            "choices": [choice],
        }
    )
    return checked.model_dump(mode="json", exclude_unset=True)


OpenAiServer.handler = _Handler


def main() -> None:
    """Serve in a process of its own, which may be killed; the address comes on the first line."""
    server = OpenAiServer(models={"killed": {}})
    server.replies.append(["Half an ", "ans", Fault("hang")])
    serve(server)


if __name__ == "__main__":
    main()
