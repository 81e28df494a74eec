"""The model reads the start of the prompt before the first question."""

import threading
import time

import pytest
from asking import NAME

from ipuaro_jupyter import ScriptedModel

FILES = {"src/a.ts": "export const a = 1;\n"}


@pytest.fixture
def opened(make_project, open_assistant, ollama_server):
    """Return a function that opens an assistant of a model at the test server."""

    def open_(model=None, **llm):
        llm = {"host": ollama_server.url, "model": NAME, "way": "loop", **llm}
        return open_assistant(make_project(FILES), model, settings={"llm": llm})

    return open_


def read(ahead):
    """Start it and wait until it has ended."""
    ended = threading.Event()
    ahead.start(ended.set)
    assert ended.wait(10)
    return ahead


def test_the_first_question_begins_with_what_was_read_ahead(opened, ollama_server):
    assistant = opened()
    read(assistant.read_ahead())
    ollama_server.replies = [["It is a."]]
    assert assistant.ask("What is in src/a.ts?").text == "It is a."
    ahead, question = ollama_server.asked("/api/chat")
    assert ahead["options"]["num_predict"] == 1
    assert ahead["options"]["num_ctx"] == question["options"]["num_ctx"]
    assert ahead["messages"][0] == question["messages"][0]
    assert ahead["messages"][0]["role"] == "system"
    assert ahead["tools"] == question["tools"]


def test_by_evidence_the_rules_are_read_ahead(opened, ollama_server):
    assistant = opened(way="evidence")
    read(assistant.read_ahead())
    ollama_server.replies = [["It is a."]]
    assert assistant.ask("What is in src/a.ts?").text == "It is a."
    ahead, question, *_ = ollama_server.asked("/api/chat")
    assert ahead["messages"][0] == question["messages"][0]
    assert ahead.get("tools") == question.get("tools")


def test_it_says_how_much_was_read(opened, ollama_server):
    assistant = opened()
    ahead = assistant.read_ahead()
    assert "is reading" in str(ahead)
    assert read(ahead).tokens == 11
    assert f"{NAME} has read 11 tokens ahead in" in str(ahead)
    assert str(ahead) in assistant.status().notices
    ollama_server.replies = [["Yes."]]
    assistant.ask("Well?")
    assert "has read 11 tokens" in str(ahead)


def test_a_copy_of_a_cloud_model_is_sent_nothing_ahead(opened, ollama_server):
    ollama_server.add_model("fast", remote_host="https://ollama.com:443")
    ahead = read(opened("fast").read_ahead())
    assert "Nothing was read ahead: fast is at ollama.com, not on this machine." in str(ahead)
    assert not ollama_server.asked("/api/chat")


def test_the_first_question_stops_it(opened, ollama_server):
    """A server that is silent while it reads is left within a moment."""
    ollama_server.reading = threading.Event()
    assistant = opened()
    ahead = assistant.read_ahead()
    ahead.start()
    while not ollama_server.asked("/api/chat"):
        time.sleep(0.01)
    ollama_server.replies = [["Yes."]]
    started = time.monotonic()
    assert assistant.ask("Well?").text == "Yes."
    assert time.monotonic() - started < 3
    assert "stopped" in str(ahead)
    ollama_server.reading.set()


@pytest.mark.parametrize(
    "llm", [{"warm": False}, {"host": "http://gpu.invalid:11434"}, {"model": "gpt-oss:20b-cloud"}]
)
def test_nothing_is_read_ahead_when_it_is_off_or_would_leave_the_machine(opened, llm):
    assert opened(**llm).read_ahead() is None


def test_nothing_is_sent_to_a_model_that_was_passed_in(opened):
    model = ScriptedModel(["Yes."])
    assert opened(model).read_ahead() is None
    assert model.reads == []


def test_a_server_that_fails_is_told_without_harm(opened, ollama_server):
    assistant = opened(model="missing:7b")
    assert "Nothing was read ahead" in str(read(assistant.read_ahead()))
    ollama_server.add_model("missing:7b")
    ollama_server.replies = [["Yes."]]
    assert assistant.ask("Well?").text == "Yes."
