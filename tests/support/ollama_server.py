"""A real HTTP server on the loopback that speaks Ollama's API.

Whatever it sends has passed through the ollama package's own types, so that it cannot drift from
what that package takes; ``tests/system/real_models/test_ollama_wire.py`` holds it to a real Ollama.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ollama
from model_server import Fault, ModelHandler, ModelServer, Reply, serve

NS = 1_000_000_000
NOW = "2025-01-01T00:00:00Z"
DIGEST = "60e05f2100071479f596b964f89f510f057ce397ea22f2833a0cfe029bfc2463"
LONGEST_WAIT_S = 20
DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "qwen2",
    "families": ["qwen2"],
    "parameter_size": "7.6B",
    "quantization_level": "Q4_K_M",
}

BESIDE = {
    "Which words would code about this question contain?": "[]",
    "Which excerpts does this rest on?": "I do not say.",
    "Which of these has to change for that?": "[]",
}
"""What a model is asked beside a question, and what it answers."""


def is_beside(asked: str) -> bool:
    """Whether a message of a request is one of these."""
    return any(one in asked for one in BESIDE)


PULL_STEPS = [
    {"status": "pulling manifest"},
    {"status": "pulling 60e0", "total": 4_000_000_000, "digest": "sha256:60e0"},
    1.0,
    {
        "status": "pulling 60e0",
        "completed": 1_000_000_000,
        "total": 4_000_000_000,
        "digest": "sha256:60e0",
    },
    1.0,
]
"""A download whose bar is seen at a quarter; numbers are pauses in seconds."""


@dataclass
class OllamaServer(ModelServer):
    """What the server has and says, and what it was asked.

    A request for one token uses none up; ``reading`` holds it up until set.
    """

    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    loaded: dict[str, int] = field(default_factory=dict)
    pull_steps: list[Mapping[str, Any] | Fault | float] = field(default_factory=list)
    reading: threading.Event | None = None
    keys: list[str | None] = field(default_factory=list)

    def add_model(
        self,
        name: str,
        *,
        context_length: int = 32_768,
        capabilities: Sequence[str] = (),
        parameters: str = "",
        remote_host: str = "",
    ) -> None:
        """Have the model installed; ``loaded`` says which are in memory, with which window."""
        self.models[name] = {
            "model_info": {
                "general.architecture": "qwen2",
                "general.parameter_count": 7_615_616_512,
                "qwen2.context_length": context_length,
            },
            "capabilities": ["completion", *capabilities],
            "parameters": parameters,
            "template": "{{ .Prompt }}",
            "modelfile": "FROM weights",
            "modified_at": NOW,
            "details": DETAILS,
            "remote_host": remote_host,
        }

    def model(self, name: str) -> dict[str, Any] | None:
        """What is installed by that name, with or without its tag; None if nothing is."""
        return next((it for own, it in self.models.items() if full(own) == full(name)), None)


def full(name: str) -> str:
    """Return the name with its tag, as the server lists it."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def named(listed: dict[str, Any]) -> dict[str, Any]:
    """Return a list of models in which each has its name twice, as the server sends it."""
    return {"models": [{"name": model["model"], **model} for model in listed["models"]]}


class _Handler(ModelHandler):
    state: OllamaServer
    json_type = "application/json; charset=utf-8"

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        routes = {"/api/tags": self._tags, "/api/ps": self._ps, "/api/version": self._version}
        self._answer(routes)

    def do_POST(self) -> None:  # noqa: N802 - the same
        self._answer({"/api/chat": self._chat, "/api/show": self._show, "/api/pull": self._pull})

    def _answer(self, routes: Mapping[str, Callable[[dict[str, Any]], None]]) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        self.state.requests.append((self.path, body))
        self.state.keys.append(self.headers.get("Authorization"))
        fault = self.state.faults.get(self.path)
        try:
            if fault is not None:
                self.fail(fault)
            elif self.path in routes:
                routes[self.path](body)
            else:
                self.send_whole(404, "text/plain", b"404 page not found")
        except (BrokenPipeError, ConnectionResetError):
            self.state.hung_up.set()

    def _tags(self, _: dict[str, Any]) -> None:
        about = {"digest": DIGEST, "details": DETAILS, "modified_at": NOW}
        models = [
            {"model": n, "size": 4_683_087_332, **about} for n in map(full, self.state.models)
        ]
        checked = ollama.ListResponse.model_validate({"models": models})
        self.send_json(200, named(checked.model_dump(mode="json", exclude_none=True)))

    def _ps(self, _: dict[str, Any]) -> None:
        about = {"digest": DIGEST, "details": DETAILS, "expires_at": NOW, "size_vram": 0}
        models = [
            {"model": full(n), "size": 5_137_025_024, "context_length": window, **about}
            for n, window in self.state.loaded.items()
        ]
        checked = ollama.ProcessResponse.model_validate({"models": models})
        self.send_json(200, named(checked.model_dump(mode="json", exclude_none=True)))

    def _version(self, _: dict[str, Any]) -> None:
        self.send_json(200, {"version": "0.12.0"})

    def _show(self, body: dict[str, Any]) -> None:
        if self._has(body["model"]):
            shown = self.state.model(body["model"])
            checked = ollama.ShowResponse.model_validate(shown)
            sent = checked.model_dump(mode="json", by_alias=True, exclude_none=True)
            further = shown["remote_host"]  # which the package does not know
            self.send_json(200, {**sent, "remote_host": further} if further else sent)

    def _chat(self, body: dict[str, Any]) -> None:
        name = body["model"]
        if not self._has(name):
            return
        can = self.state.model(name)["capabilities"]
        wrong = None
        if body.get("think") and "thinking" not in can:
            wrong = f'"{name}" does not support thinking'
        elif body.get("tools") and "tools" not in can:
            wrong = f"registry.ollama.ai/library/{full(name)} does not support tools"
        elif not isinstance(body["messages"], list):
            wrong = "json: cannot unmarshal into Go struct field ChatRequest.messages"
        if wrong is not None:
            self.send_json(400, {"error": wrong})
            return
        for message in body["messages"]:
            ollama.Message.model_validate(message)
        for tool in body.get("tools", ()):
            ollama.Tool.model_validate(tool)
        if body.get("options", {}).get("num_predict") == 1:  # it is only to read
            waits = [] if self.state.reading is None else [self.state.reading]
            self._stream(self._chat_lines(body, [*waits, "."]))
            return
        newest = str(body["messages"][-1].get("content", ""))
        beside = [said for asked, said in BESIDE.items() if asked in newest]
        reply = beside or self.state.replies.pop(0)
        self._stream(self._chat_lines(body, reply))

    def _chat_lines(self, body: dict[str, Any], reply: Reply) -> Any:
        said = 0
        for part in reply:
            if isinstance(part, (Fault, float, int, threading.Event)):
                yield part
                continue
            message = {"content": part} if isinstance(part, str) else part
            said += 1
            yield self._part(body, {"role": "assistant", "content": "", **message}, done=False)
        yield self._part(
            body,
            {"role": "assistant", "content": ""},
            done=True,
            done_reason=self.state.finish_reason,
            total_duration=2 * NS,
            load_duration=NS,
            prompt_eval_count=11,
            prompt_eval_duration=NS // 2,
            eval_count=said,
            eval_duration=NS // 2,
        )

    def _part(self, body: dict[str, Any], message: Mapping[str, Any], **more: Any) -> Any:
        part = {"model": body["model"], "created_at": NOW, "message": message}
        checked = ollama.ChatResponse.model_validate({**part, **more})
        sent = checked.model_dump(mode="json", exclude_none=True)
        for index, call in enumerate(sent["message"].get("tool_calls", ())):
            call["id"] = f"call_{index}"  # the package's type has neither
            call["function"]["index"] = index
        return sent

    def _pull(self, body: dict[str, Any]) -> None:
        def lines() -> Any:
            for step in self.state.pull_steps:
                if isinstance(step, (Fault, float, int)):
                    yield step
                else:
                    checked = ollama.ProgressResponse.model_validate(step)
                    yield checked.model_dump(exclude_none=True)
            self.state.add_model(body["model"])
            yield {"status": "success"}

        self._stream(lines())

    def _has(self, name: str) -> bool:
        if not name:
            self.send_json(400, {"error": "model is required"})
            return False
        if self.state.model(name) is None:
            self.send_json(404, {"error": f"model '{name}' not found"})
            return False
        return True

    def _stream(self, parts: Any) -> None:
        """Send the parts as NDJSON in chunks; a fault before the first one comes as a status."""
        headed = False
        for part in parts:
            if isinstance(part, Fault) and part.kind == "refuse" and not headed:
                self.send_json(part.status, {"error": part.error})
                return
            if not headed:
                self.send_head(200, "application/x-ndjson", {"Transfer-Encoding": "chunked"})
                headed = True
            if isinstance(part, (float, int)):
                time.sleep(part)
            elif isinstance(part, threading.Event):
                part.wait(LONGEST_WAIT_S)
            elif not isinstance(part, Fault):
                self.send_chunk(json.dumps(part).encode() + b"\n")
            elif not self._spoil(part):
                return
        self.send_chunk(b"")

    def _spoil(self, fault: Fault) -> bool:
        """Do in the middle of an answer what the fault says; False when that ends the answer."""
        if fault.kind == "error":
            self.send_chunk(json.dumps({"error": fault.error}).encode() + b"\n")
            self.send_chunk(b"")
        elif fault.kind == "line":
            self.send_chunk(fault.error.encode() + b"\n")
        elif fault.kind == "half a line":
            self.send_chunk(b'{"model": "x", "mess')
            self.send_chunk(b"")
        elif fault.kind == "end":
            self.send_chunk(b"")
        else:
            self.fail(fault)
        return fault.kind == "line"


OllamaServer.handler = _Handler


def main() -> None:
    """Serve in a process of its own, which may be killed; the address comes on the first line."""
    server = OllamaServer()
    server.add_model("killed")
    server.replies.append(["Half an ", "ans", Fault("hang")])
    serve(server)


if __name__ == "__main__":
    main()
