"""Our door to OpenAI-compatible servers against a real llama.cpp, with a real model.

The test server of the unit tests is held to it: what they send has the same shape.
"""

import json
import os
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
import real_llama
from asking import HELLO, ask, cancelling, text
from openai_server import Fault, OpenAiServer

import ipuaro_jupyter
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema

KEY = "s3cret-of-the-test"
WINDOW = 2048
PROMISED_S = 0.5
STORY = [Message(role="user", content="Tell a very long story about a cat and a dog.")]
YES = {"enum": ["yes"]}
PATHS = ["src/app.ts", "src/fee.ts"]
CALL = {
    "type": "object",
    "properties": {"name": {"const": "get_lines"}, "path": {"enum": PATHS}},
    "required": ["name", "path"],
}
GET_LINES = ToolSchema(
    name="get_lines",
    description="The lines of a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}},
)


@pytest.fixture(scope="module", autouse=True)
def weights():
    """The file of weights; skips where it or the runtime is not installed, but not in CI."""
    package = real_llama.missing()
    if package is not None:
        assert not os.environ.get("CI"), f"CI needs {package}."
        pytest.skip(f"{package} is not installed")
    return real_llama.weights()


@pytest.fixture(scope="module")
def llama(weights):
    """A real server that wants a key, and that tests share."""
    server = real_llama.RealLlama(weights, key=KEY, window=WINDOW)
    yield server
    server.stop()


@pytest.fixture
def open_real(tmp_path, monkeypatch):
    """Return how to open the model of a server; it is closed afterwards."""
    monkeypatch.setenv("MY_LLM", KEY)
    opened = []

    def open_it(server, **settings):
        settings = {"host": server.url, "api_key_env": "MY_LLM", "temperature": 0, **settings}
        opened.append(open_model("openai:smollm2", LlmSettings(**settings), tmp_path))
        return opened[-1]

    yield open_it
    for model in opened:
        model.close()


def read_into(said, chunks):
    """Append the chunks as they come."""
    for chunk in chunks:
        said.append(chunk)


def test_the_server_is_known_before_it_is_asked(llama, open_real):
    model = open_real(llama)
    model.check()
    model.prepare(CancelToken())
    assert model.context_tokens == WINDOW
    assert model.parameter_count == 134_515_008
    assert not model.native_tools, "the model's template would drop them"
    assert "openai:smollm2" in model.models()
    assert model.remote_host is None


def test_the_counts_are_the_servers(llama, open_real):
    used = ask(open_real(llama), schema=YES)[-1].usage
    body = {
        "messages": [{"role": message.role, "content": message.content} for message in HELLO],
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": YES}},
    }
    counted = json.loads(posted(llama.url, body, key=KEY))["usage"]
    assert (used.prompt_tokens, used.completion_tokens) == (
        counted["prompt_tokens"],
        counted["completion_tokens"],
    )
    assert used.duration_ms > 0


def test_a_reply_by_a_schema_is_valid_and_names_what_exists(llama, open_real):
    asked = [Message(role="user", content="Show the file with the fee.")]
    reply = json.loads(text(ask(open_real(llama), asked, schema=CALL)))
    assert reply["name"] == "get_lines"
    assert reply["path"] in PATHS


def test_reading_only_writes_one_token_at_most(llama, open_real):
    assert ask(open_real(llama), only_read=True)[-1].usage.completion_tokens <= 1


def test_stop_texts_end_a_reply(llama, open_real):
    assert "e" not in text(ask(open_real(llama), schema={"enum": ["yes"]}, stop=["e"]))


def test_stop_in_the_middle_is_heard_at_once_and_the_server_ends_too(
    llama, open_real, record_property
):
    model, heard_s = open_real(llama), []
    for _ in range(3):
        token, said = CancelToken(), []
        since = cancelling(token, lambda said=said: len(said) > 2)
        with pytest.raises(Cancelled):
            read_into(said, model.chat(STORY, tools=(), cancel=token))
        heard_s.append(since())
    record_property("heard_s", heard_s)
    assert min(heard_s) < PROMISED_S
    assert text(ask(model, schema=YES)) == '"yes"', "its only slot is free again"


def test_stop_is_heard_while_the_model_reads(llama, open_real, record_property):
    long = [Message(role="user", content=" ".join(f"word{number}" for number in range(400)))]
    model, heard_s = open_real(llama), []
    for _ in range(3):
        token, said = CancelToken(), []
        since = cancelling(token, lambda said=said: said)
        with pytest.raises(Cancelled):
            read_into(said, model.chat([*long, *STORY], tools=(), cancel=token))
        heard_s.append(since())
    record_property("heard_s", heard_s)
    assert min(heard_s) < PROMISED_S


def test_a_prompt_longer_than_the_window_is_told(llama, open_real):
    long = [Message(role="user", content="word " * 2 * WINDOW)]
    with pytest.raises(ModelError, match=r"exceeds the available context.*llm\.contextWindow"):
        ask(open_real(llama), long)


def test_the_key_is_needed_and_not_shown(llama, open_real, monkeypatch):
    with pytest.raises(ModelError, match=r"wants a key \(Invalid API Key\)"):
        ask(open_real(llama, api_key_env=None))
    monkeypatch.setenv("MY_LLM", "another-secret")
    for attempt in (ask, lambda model: model.check()):
        with pytest.raises(ModelError, match="refuses the key in MY_LLM") as caught:
            attempt(open_real(llama))
        assert "another-secret" not in str(caught.value)


def test_a_template_that_takes_tools_is_given_calls_and_results(weights, open_real):
    server = real_llama.RealLlama(weights, with_tools=True)
    try:
        model = open_real(server)
        assert model.native_tools
        call = ToolCall(name="get_lines", arguments={"path": PATHS[0]}, id="1.n1")
        talk = [
            Message(role="user", content="What is in src/app.ts?"),
            Message(role="assistant", content="", calls=(call,)),
            Message(role="tool", content="1 x", call_id="1.n1", tool="get_lines"),
        ]
        counts = [
            ask(model, talk, tools=tools, only_read=True)[-1].usage.prompt_tokens
            for tools in ((), (GET_LINES,))
        ]
        assert counts[1] > counts[0] + 30, "the template shows the model its tools"
    finally:
        server.stop()


def test_a_killed_server_leaves_what_it_said(weights, open_real):
    server = real_llama.RealLlama(weights)
    model, said = open_real(server), []
    chunks = model.chat(STORY, tools=(), cancel=CancelToken())
    while not text(said):
        said.append(next(chunks))
    server.stop()
    with pytest.raises(ModelError, match="cut off"):
        read_into(said, chunks)
    with pytest.raises(ModelError, match="No server answers"):
        ask(model)


def test_a_turn_ends_with_an_answer_by_the_model(llama, open_real, make_project):
    """What a model of this size says is not the point, but that it is counted and kept."""
    model = open_real(llama, context_window=WINDOW)
    project = make_project({"src/a.ts": "export const a = 1\n"})
    with ipuaro_jupyter.start(project, model=model) as assistant:
        answer = assistant.ask("Hello", cancel=None)
        assert answer.usage.prompt_tokens > 100
        assert str(assistant.status()).count("not on this machine") == 0


def posted(url, body, *, key=""):
    """Return the content of the response to a request for a reply."""
    place = urlsplit(url)
    connection = HTTPConnection(place.hostname, place.port, timeout=300)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    with connection.getresponse() as response:
        content = response.read().decode()
    connection.close()
    return content


def _shape(delta):
    """Return what opens a reply as it is, and of others the keys only."""
    return delta if "role" in delta else sorted(delta)


def shapes(content):
    """Return the shape of each event of a stream, neighbours of one shape once."""
    found = []
    for line in content.split("\n\n"):
        data = line.removeprefix("data: ")
        if not data.startswith("{"):
            shape = data
        else:
            part = json.loads(data)
            choices = [
                (_shape(choice["delta"]), choice["finish_reason"]) for choice in part["choices"]
            ]
            shape = (part["object"], choices, "usage" in part)
        if not found or found[-1] != shape:
            found.append(shape)
    return found


@pytest.mark.parametrize("counted", [True, False])
def test_the_test_server_streams_as_the_real_one_does(llama, counted):
    body = {
        "model": "qwen",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": YES}},
    }
    if counted:
        body["stream_options"] = {"include_usage": True}
    ours = OpenAiServer(models={"qwen": {}}, replies=[['"', "yes"]])
    ours.start()
    try:
        assert shapes(posted(ours.url, body)) == shapes(posted(llama.url, body, key=KEY))
    finally:
        ours.stop()


def test_the_test_server_refuses_as_the_real_one_does(llama):
    ours = OpenAiServer(models={"qwen": {}}, key=KEY, replies=[[Fault("hang")]])
    ours.start()
    try:
        body = {"messages": []}
        refusals = [json.loads(posted(server.url, body, key="x")) for server in (ours, llama)]
        assert refusals[0] == refusals[1]
    finally:
        ours.stop()
