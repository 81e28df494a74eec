"""The server that stands for Ollama in the tests, held to a real one: the same over HTTP.

Each exchange runs against both. ``...`` among the keys allows for others that nobody reads.
"""

import json

import httpx
import pytest
from model_registry import registry
from ollama_server import Fault, OllamaServer
from real_ollama import ABLE, BRIEF, MODELS, PLAIN, RealOllama
from waiting import until

MISSING = "no-such-model"
HELLO = [{"role": "user", "content": "Hello"}]
OPTIONS = {"num_ctx": 1024, "num_predict": 3, "temperature": 0}
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOL = {
    "type": "function",
    "function": {"name": "get_lines", "description": "Lines.", "parameters": PARAMETERS},
}
CALL = {
    "type": "object",
    "properties": {
        "name": {"const": "get_lines"},
        "arguments": {
            "type": "object",
            "properties": {"path": {"enum": ["a.ts"]}},
            "required": ["path"],
        },
    },
    "required": ["name", "arguments"],
}

DETAILS = {
    "parent_model": str,
    "format": str,
    "family": str,
    "families": [str],
    "parameter_size": str,
    "quantization_level": str,
}
LISTED = {
    "name": str,
    "model": str,
    "modified_at": str,
    "size": int,
    "digest": str,
    "details": DETAILS,
}
RUNNING = {
    "name": str,
    "model": str,
    "size": int,
    "digest": str,
    "details": DETAILS,
    "expires_at": str,
    "size_vram": int,
    "context_length": int,
}
SHOWN = {
    "modelfile": str,
    "parameters": str,
    "template": str,
    "details": DETAILS,
    "model_info": {"general.architecture": str, "general.parameter_count": int, ...: ...},
    "capabilities": [str],
    "modified_at": str,
    ...: ...,
}
PART = {"model": str, "created_at": str, "done": False}
DONE = {
    "model": str,
    "created_at": str,
    "message": {"role": "assistant", "content": ""},
    "done": True,
    "done_reason": str,
    "total_duration": int,
    "load_duration": int,
    "prompt_eval_count": int,
    "prompt_eval_duration": int,
    "eval_count": int,
    "eval_duration": int,
}
ERROR = {"error": str}


@pytest.fixture(scope="module")
def fake_ollama():
    """The server of the other tests, with the same models."""
    server = OllamaServer()
    server.add_model(PLAIN, context_length=8192, parameters='stop    "<|im_end|>"')
    server.add_model(ABLE, context_length=8192, capabilities=["tools", "thinking"])
    server.add_model(BRIEF, context_length=8192)
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["fake", "real"])
def server(request):
    """One of the two, with no replies left over."""
    chosen = request.getfixturevalue(f"{request.param}_ollama")
    if request.param == "fake":
        chosen.replies.clear()
        chosen.pull_steps.clear()
        chosen.finish_reason = "stop"
        chosen.loaded.clear()
    return chosen


def replying(server, *replies, **said):
    """Have the fake say what the real model will say by itself."""
    if isinstance(server, OllamaServer):
        server.replies += replies
        for name, value in said.items():
            setattr(server, name, value)


def asked(server, path, body=None):
    """Return the status, the kind, and the lines of an answer."""
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        answer = client.get(path) if body is None else client.post(path, json=body)
    lines = [json.loads(line) for line in answer.text.splitlines()]
    return answer.status_code, answer.headers["content-type"].partition(";")[0], lines


def chat(server, model=PLAIN, **more):
    body = {"model": model, "messages": HELLO, "options": OPTIONS, "stream": True, **more}
    return asked(server, "/api/chat", body)


def differences(value, shape, at=""):
    """Return where a value has not the shape."""
    if isinstance(shape, type):
        fits = isinstance(value, shape) and not (shape is int and isinstance(value, bool))
        return [] if fits else [f"{at}: {value!r} is no {shape.__name__}"]
    if isinstance(shape, list):
        if not isinstance(value, list) or not value:
            return [f"{at}: {value!r} is no list of something"]
        return [
            d for n, item in enumerate(value) for d in differences(item, shape[0], f"{at}[{n}]")
        ]
    if not isinstance(shape, dict):
        return [] if value == shape else [f"{at}: {value!r} is not {shape!r}"]
    if not isinstance(value, dict):
        return [f"{at}: {value!r} is no object"]
    wanted = {key for key in shape if key is not ...}
    found = [f"{at}.{key} is missing" for key in wanted - set(value)]
    if ... not in shape:
        found += [f"{at}.{key} is too many" for key in set(value) - wanted]
    for key in wanted & set(value):
        found += differences(value[key], shape[key], f"{at}.{key}")
    return found


def fits(lines, *shapes):
    """Check that each line has the shape that it has to have."""
    assert len(lines) == len(shapes), lines
    assert [
        d for line, shape in zip(lines, shapes, strict=True) for d in differences(line, shape)
    ] == []


def part(**message):
    return {**PART, "message": {"role": "assistant", "content": str, **message}}


def test_a_reply_comes_in_parts_and_ends_with_the_counts(server):
    replying(server, ["Hello", " my", " friend"], finish_reason="length")
    status, kind, lines = chat(server)
    assert (status, kind) == (200, "application/x-ndjson")
    fits(lines, part(), part(), part(), {**DONE, "done_reason": "length"})
    assert lines[-1]["eval_count"] == 3
    assert lines[0]["model"] == PLAIN


def test_a_reply_that_the_model_ended_says_so(server):
    replying(server, ['"', "yes", '"'])
    _, _, lines = chat(server, format={"enum": ["yes"]}, options={**OPTIONS, "num_predict": 99})
    fits(lines[-1:], {**DONE, "done_reason": "stop"})
    assert json.loads("".join(line["message"]["content"] for line in lines)) == "yes"


def test_thoughts_come_as_such(server):
    replying(server, [{"thinking": "I"}, {"thinking": " think"}], finish_reason="length")
    _, _, lines = chat(server, ABLE, think=True)
    fits(lines, *[part(content="", thinking=str)] * (len(lines) - 1), DONE)
    assert len(lines) > 1


def test_calls_come_as_such_with_their_arguments_read(server):
    call = {"function": {"name": "get_lines", "arguments": {"path": "a.ts"}}}
    replying(server, [{"tool_calls": [call]}])
    options = {**OPTIONS, "num_predict": 80}
    status, _, lines = chat(server, ABLE, think=False, tools=[TOOL], format=CALL, options=options)
    shape = {"index": 0, "name": "get_lines", "arguments": {"path": "a.ts"}}
    assert status == 200
    fits(lines, part(content="", tool_calls=[{"id": str, "function": shape}]), DONE)


def test_messages_with_calls_results_and_thoughts_are_taken(server):
    replying(server, ["yes"])
    call = {"function": {"name": "get_lines", "arguments": {"path": "a.ts"}}}
    messages = [
        {"role": "system", "content": "Be short."},
        *HELLO,
        {"role": "assistant", "content": "", "thinking": "I look.", "tool_calls": [call]},
        {"role": "tool", "content": "1│ let a", "tool_name": "get_lines"},
    ]
    status, _, lines = chat(server, ABLE, messages=messages, think=False, tools=[TOOL])
    assert status == 200
    assert lines[-1]["done"]


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        ({"model": MISSING}, 404, f"model '{MISSING}' not found"),
        ({"model": ""}, 400, "model is required"),
        (
            {"tools": [TOOL]},
            400,
            f"registry.ollama.ai/library/{PLAIN}:latest does not support tools",
        ),
        ({"think": True}, 400, f'"{PLAIN}" does not support thinking'),
        ({"think": "high"}, 400, f'"{PLAIN}" does not support thinking'),
        ({"messages": 7}, 400, "json: cannot unmarshal"),
    ],
    ids=["missing", "no model", "tools", "think", "think hard", "messages"],
)
def test_what_cannot_be_is_refused_with_a_status(server, more, status, said):
    came, kind, lines = chat(server, **more)
    assert (came, kind) == (status, "application/json")
    fits(lines, ERROR)
    assert lines[0]["error"].startswith(said)


def test_a_model_that_cannot_think_may_be_told_not_to(server):
    replying(server, ["Hello"])
    status, _, lines = chat(server, think=False)
    assert status == 200
    assert lines[-1]["done"]


def test_the_models_are_listed_by_their_full_names(server):
    status, kind, lines = asked(server, "/api/tags")
    assert (status, kind) == (200, "application/json")
    fits(lines, {"models": [LISTED]})
    assert {model["model"] for model in lines[0]["models"]} == {f"{name}:latest" for name in MODELS}
    assert all(model["name"] == model["model"] for model in lines[0]["models"])


@pytest.mark.parametrize("name", [PLAIN, f"{PLAIN}:latest"])
def test_a_model_is_shown(server, name):
    status, kind, lines = asked(server, "/api/show", {"model": name})
    assert (status, kind) == (200, "application/json")
    fits(lines, SHOWN)
    (shown,) = lines
    family = shown["model_info"]["general.architecture"]
    assert shown["model_info"][f"{family}.context_length"] == 8192
    assert shown["capabilities"] == ["completion"]
    assert '"<|im_end|>"' in shown["parameters"]


def test_what_a_model_can_do_is_shown(server):
    _, _, lines = asked(server, "/api/show", {"model": ABLE})
    assert set(lines[0]["capabilities"]) == {"completion", "tools", "thinking"}


def test_a_missing_model_is_not_shown(server):
    status, kind, lines = asked(server, "/api/show", {"model": MISSING})
    assert (status, kind) == (404, "application/json")
    assert lines == [{"error": f"model '{MISSING}' not found"}]


def test_what_is_loaded_is_listed_with_its_window(server):
    replying(server, ["Hello"], loaded={PLAIN: OPTIONS["num_ctx"]})
    chat(server)
    status, kind, lines = asked(server, "/api/ps")
    assert (status, kind) == (200, "application/json")
    fits(lines, {"models": [RUNNING]})
    windows = {model["model"]: model["context_length"] for model in lines[0]["models"]}
    assert windows[f"{PLAIN}:latest"] == OPTIONS["num_ctx"]


def test_nothing_may_be_loaded(server):
    if not isinstance(server, OllamaServer):
        for name in MODELS:
            asked(server, "/api/generate", {"model": name, "keep_alive": 0})
        until(lambda: not asked(server, "/api/ps")[2][0]["models"])
    assert asked(server, "/api/ps") == (200, "application/json", [{"models": []}])


def test_a_download_that_fails_says_so_in_the_stream(server):
    """With status 200: the first step has been sent by then. Nobody listens at that registry."""
    steps = [{"status": "pulling manifest"}, Fault("error", error="pull model manifest: refused")]
    replying(server, pull_steps=steps)
    name = f"127.0.0.1:9/library/{MISSING}"
    status, kind, lines = asked(server, "/api/pull", {"model": name, "stream": True})
    assert (status, kind) == (200, "application/x-ndjson")
    fits(lines, {"status": "pulling manifest"}, ERROR)
    assert lines[1]["error"].startswith("pull model manifest: ")


@pytest.fixture(params=["fake", "real"])
def fetching(request):
    """One of the two with no models of its own, and the name of one that it can download."""
    with registry() as name:
        if request.param == "fake":
            server = OllamaServer()
            digest = f"sha256:{'60e0' * 16}"
            server.pull_steps += [
                {"status": "pulling manifest"},
                {"status": "pulling 60e060e060e0", "digest": digest, "total": 9, "completed": 4},
                {"status": "pulling 60e060e060e0", "digest": digest, "total": 9, "completed": 9},
                {"status": "verifying sha256 digest"},
                {"status": "writing manifest"},
            ]
            server.start()
        else:
            program = request.getfixturevalue("ollama_program")
            server = RealOllama(program, request.getfixturevalue("tmp_path"))
        yield server, name
        server.stop()


def test_a_download_says_how_far_it_is(fetching):
    server, name = fetching
    body = {"model": name, "insecure": True, "stream": True}
    status, kind, lines = asked(server, "/api/pull", body)
    assert (status, kind) == (200, "application/x-ndjson")
    counted = {"status": str, "digest": str, "total": int, "completed": int}
    fits(lines, *[counted if "digest" in line else {"status": str} for line in lines])
    steps = list(dict.fromkeys(line["status"].partition(" ")[0] for line in lines))
    assert steps == ["pulling", "verifying", "writing", "success"]
    assert lines[0] == {"status": "pulling manifest"}
    assert lines[-1] == {"status": "success"}
    last = {line["digest"]: line for line in lines if "digest" in line}
    assert last
    assert all(line["completed"] == line["total"] for line in last.values())
    assert all(line["status"] == f"pulling {key[7:19]}" for key, line in last.items())


def test_the_version_is_told(server):
    status, kind, lines = asked(server, "/api/version")
    assert (status, kind) == (200, "application/json")
    fits(lines, {"version": str})


def test_another_path_is_not_found(server):
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        answer = client.get("/api/nothing")
    assert (answer.status_code, answer.text) == (404, "404 page not found")
    assert answer.headers["content-type"] == "text/plain"


def test_an_error_in_the_middle_is_the_last_line(server):
    """A model that dies after its first words, as when memory runs out."""
    died = "an error was encountered while running the model: unexpected EOF"
    replying(server, ["Once", " upon", Fault("error", error=died)])
    body = {"model": PLAIN, "messages": HELLO, "options": {**OPTIONS, "num_predict": 500}}
    lines = []
    with (
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
        client.stream("POST", "/api/chat", json=body) as answer,
    ):
        assert answer.status_code == 200
        for line in answer.iter_lines():
            lines.append(json.loads(line))
            if len(lines) == 2 and not isinstance(server, OllamaServer):
                for runner in server.runners():
                    runner.kill()
    assert lines[-1] == {"error": died}
    fits(lines[:-1], *[part()] * (len(lines) - 1))
