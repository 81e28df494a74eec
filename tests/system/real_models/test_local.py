"""A real model in our own runtime: through its own door, and as an OpenAI-compatible server."""

import json
import shutil
import time
from pathlib import Path

import httpx
import pytest
from asking import HELLO, ask, cancelling, text
from own_runtime import WINDOW
from real_ollama import wait_until

import ipuaro_jupyter
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.openai import OpenAiModel
from ipuaro_jupyter.records.chat import Message

STORY = [Message(role="user", content="Tell a very long story about a cat and a dog.")]
PATHS = ["src/app.ts", "src/fee.ts"]
CALL = {
    "type": "object",
    "properties": {
        "name": {"const": "get_lines"},
        "arguments": {
            "type": "object",
            "properties": {"path": {"enum": PATHS}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}
PROMISED_S = 0.5


@pytest.fixture(params=["local", "openai"])
def model(request, runtime, monkeypatch):
    """The model, through one door or the other."""
    if request.param == "local":
        yield runtime.open()
        return
    server, running = runtime.served()
    monkeypatch.setenv("KEY_OF_TESTS", running.key)
    opened = OpenAiModel(
        "openai:smol",
        LlmSettings(
            context_window=WINDOW,
            temperature=0,
            host=running.address,
            api_key_env="KEY_OF_TESTS",
        ),
        served_as="smol",
    )
    yield opened
    opened.close()
    server.leave()


@pytest.fixture
def counted(runtime):
    """Return how to let the server count the tokens of a conversation."""

    def count(messages):
        running = runtime.folder.running
        sent = {"messages": [{"role": m.role, "content": m.content} for m in messages]}
        with httpx.Client(base_url=running.address, timeout=20) as client:
            client.headers["Authorization"] = f"Bearer {running.key}"
            prompt = client.post("/apply-template", json=sent).json()["prompt"]
            asked = {"content": prompt, "add_special": True, "parse_special": True}
            return len(client.post("/tokenize", json=asked).json()["tokens"])

    return count


def read_into(said, chunks):
    """Append the chunks as they come."""
    for chunk in chunks:
        said.append(chunk)


def is_answering(runtime):
    running = runtime.folder.running
    headers = {"Authorization": f"Bearer {running.key}"}
    slots = httpx.get(f"{running.address}/slots", headers=headers, timeout=20).json()
    return any(slot["is_processing"] for slot in slots)


def test_it_tells_how_far_it_has_read(model):
    long = [Message(role="user", content=" ".join(f"word{n}" for n in range(400)))]
    read = [chunk.read for chunk in ask(model, long, only_read=True) if chunk.read]
    assert 0 < read[1].tokens < read[1].of == read[-1].tokens
    assert read[1].seconds > 0


def test_a_reply_streams_in_pieces(model):
    came_at, said = [], []
    for chunk in model.chat(STORY, tools=(), cancel=CancelToken()):
        if chunk.text:
            came_at.append(time.monotonic())
        said.append(chunk)
        if len(came_at) > 30:
            break
    assert [chunk.phase for chunk in said if chunk.phase][-1] == "generating"
    assert came_at[-1] - came_at[0] > 0.05, "it came all at once"


def test_stop_in_the_middle_is_heard_at_once_and_the_server_ends_too(
    model, runtime, record_property
):
    heard_s = []
    for _ in range(3):
        token, said = CancelToken(), []
        since = cancelling(token, lambda said=said: len(text(said)) > 10)
        with pytest.raises(Cancelled):
            read_into(said, model.chat(STORY, tools=(), cancel=token))
        heard_s.append(since())
        wait_until(lambda: not is_answering(runtime))
    record_property("heard_s", heard_s)
    assert min(heard_s) < PROMISED_S


def test_the_counts_are_the_servers_even_when_it_has_read_the_prompt(model, counted):
    schema = {"enum": ["yes", "no"]}
    first, second = (ask(model, schema=schema)[-1].usage for _ in range(2))
    assert first.prompt_tokens == second.prompt_tokens == counted(HELLO) > 10
    assert 0 < first.completion_tokens < 10
    assert not first.estimated
    assert first.duration_ms > 0


def test_the_window_is_kept_and_a_prompt_that_is_longer_is_told(model):
    assert model.context_tokens == WINDOW
    long = [Message(role="user", content=" ".join(f"word{number}" for number in range(1500)))]
    with pytest.raises(ModelError, match=r"exceeds.*llm\.contextWindow"):
        ask(model, long)
    nearly = [Message(role="user", content="Go on. " * 670)]
    chunks = ask(model, nearly, stop=["never said"])
    usage = chunks[-1].usage
    assert usage.prompt_tokens + usage.completion_tokens <= WINDOW


def test_a_reply_by_a_schema_is_valid_and_names_what_exists(model):
    for question in ("Show the file with the fee.", "Hello", "What is the meaning of life?"):
        asked = [Message(role="user", content=question)]
        reply = json.loads(text(ask(model, asked, schema=CALL)))
        assert reply["name"] == "get_lines"
        assert reply["arguments"]["path"] in PATHS


def test_a_reply_ends_at_a_stop_and_at_the_models_own(model):
    chunks = ask(model, STORY, stop=["the"])
    assert text(chunks)
    assert "the" not in text(chunks)
    assert not chunks[-1].cut_off
    assert "<|im_end|>" not in text(ask(model, HELLO))


def test_what_is_only_read_is_read_for_the_next_request(model):
    head = Message(role="system", content=" ".join(f"word{number}" for number in range(120)))
    first = ask(model, [head, HELLO[1]], only_read=True)[-1].usage
    assert first.completion_tokens <= 1
    after = ask(model, [head, Message(role="user", content="Bye")], only_read=True)[-1].usage
    assert after.duration_ms < first.duration_ms / 2


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_whole_turn_is_answered_in_the_demo(runtime, open_assistant, tmp_path):
    """What it says is of no use, but it is asked, counted and kept as any model is."""
    root = tmp_path / "app"
    shutil.copytree(Path(ipuaro_jupyter.__file__).parent / "demo/app", root)
    model = runtime.open(context_window=4096)
    settings = {"llm": {"contextWindow": 4096, "temperature": 0}}
    answer = open_assistant(root, model, settings=settings).ask("What does src/index.ts declare?")
    assert answer.ended != "error", answer.notice
    assert answer.usage.prompt_tokens > 500  # estimated where it was stopped: it repeats itself
