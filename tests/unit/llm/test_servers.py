"""What models of servers do alike, each asked over the real protocol of its test server."""

import os
import signal
import socket
import subprocess
import sys
import threading

import ollama_server
import openai_server
import pytest
from asking import HELLO, NAME, ask, cancelling, text
from model_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.llm.open_model import open_model

TRIES = 3
PROMISED_S = 0.5


class Ollama:
    """Ollama's own API."""

    module, chat, list_path, known_path = ollama_server, "/api/chat", "/api/tags", "/api/show"
    another = "is not Ollama"

    def start(self):
        server = ollama_server.OllamaServer()
        server.add_model(NAME)
        server.pull_steps += [{"status": "pulling manifest"}, Fault("hang")]
        return server

    def open(self, host, folder, model=NAME, **settings):  # noqa: ARG002 - the other needs it
        return OllamaModel(LlmSettings(host=host, model=model, **settings))


class OpenAi:
    """The API of chat completions that many servers speak."""

    module, chat, list_path = openai_server, "/v1/chat/completions", "/v1/models"
    known_path = list_path
    another = "has no OpenAI-compatible API"

    def start(self):
        return openai_server.OpenAiServer(models={"qwen": {}})

    def open(self, host, folder, model="qwen", **settings):
        return open_model(f"openai:{model}", LlmSettings(host=host, **settings), folder)


@pytest.fixture(params=[Ollama, OpenAi], ids=["ollama", "openai"])
def api(request):
    """One of the two."""
    return request.param()


@pytest.fixture
def server(api):
    """A running test server of it, with one model."""
    started = api.start()
    started.start()
    yield started
    started.stop()


@pytest.fixture
def opened(request, api, tmp_path):
    """Return how to open a model, of the test server unless a host is given; closed afterwards."""
    models = []

    def open_it(**settings):
        host = settings.pop("host", None) or request.getfixturevalue("server").url
        models.append(api.open(host, tmp_path, **settings))
        return models[-1]

    yield open_it
    for model in models:
        model.close()


def test_the_reply_streams(server, opened):
    """The server sends the rest when the first piece has been seen, or after 20 s."""
    seen = threading.Event()
    server.replies.append(["Hel", seen, "lo", Fault("hang")])
    chunks = opened().chat(HELLO, tools=(), cancel=CancelToken())
    first = next(chunk for chunk in chunks if chunk.text)
    assert first.text == "Hel"
    seen.set()
    assert next(chunks).text == "lo"
    chunks.close()


def test_the_last_chunk_holds_the_servers_counts(server, opened):
    server.replies.append(["a", "b"])
    usage = ask(opened())[-1].usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (11, 2, False)


def test_a_reply_for_which_there_was_no_more_room_is_cut_off(server, opened):
    server.finish_reason = "length"
    server.replies.append(["Half an ans"])
    *others, last = chunks = ask(opened())
    assert last.cut_off
    assert not any(chunk.cut_off for chunk in others)
    assert text(chunks) == "Half an ans"


def stopping(silent, what):
    """Return the best of a few times between the stop and its effect: one may meet a busy moment.

    ``silent`` tells whether the server has been asked what it does not answer.
    """
    heard_s = []
    for _ in range(TRIES):
        token = CancelToken()
        since = cancelling(token, silent())
        with pytest.raises(Cancelled):
            what(token)
        heard_s.append(since())
    return min(heard_s)


def preparing(model):
    return model.prepare


def asking(model):
    return lambda token: ask(model, cancel=token)


def pulling(model):
    return lambda token: list(model.pull(token))


@pytest.mark.parametrize(
    ("api", "path", "reply", "what"),
    [
        (Ollama(), "/api/show", [], preparing),
        (Ollama(), "/api/show", [], asking),
        (Ollama(), "/api/ps", [], asking),
        (Ollama(), "/api/chat", [Fault("hang")], asking),
        (Ollama(), "/api/chat", ["a", Fault("hang")], asking),
        (Ollama(), "/api/chat", [{"thinking": "a"}, Fault("hang")], asking),
        (Ollama(), "/api/pull", [], pulling),
        (OpenAi(), "/v1/models", [], preparing),
        (OpenAi(), "/v1/models", [], asking),
        (OpenAi(), "/api/v0/models", [], asking),
        (OpenAi(), "/v1/chat/completions", [Fault("hang")], asking),
        (OpenAi(), "/v1/chat/completions", ["a", Fault("hang")], asking),
    ],
)
def test_stop_is_heard_at_once_while_the_server_is_silent(server, opened, path, reply, what):
    server.replies += [reply] * TRIES
    if not reply and path != "/api/pull":
        server.faults[path] = Fault("hang")

    def silent():
        before = len(server.asked(path))
        return lambda: len(server.asked(path)) > before

    assert stopping(silent, what(opened())) < PROMISED_S
    assert server.hung_up.wait(10), "the server goes on"


def test_stop_is_heard_at_once_while_the_server_cannot_be_reached(api, opened):
    """A full queue of connections: the next one is neither taken nor refused."""
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.settimeout(0)
            waiting.connect_ex(full.getsockname())
        host = f"http://127.0.0.1:{full.getsockname()[1]}"
        model = opened(host=host, connect_timeout=60_000)
        for what in (preparing, asking, *[pulling] * isinstance(api, Ollama)):
            assert stopping(lambda: lambda: True, what(model)) < PROMISED_S


def test_a_set_token_asks_nothing(api, server, opened):
    token = CancelToken()
    token.cancel()
    for what in (preparing, asking, *[pulling] * isinstance(api, Ollama)):
        with pytest.raises(Cancelled):
            what(opened())(token)
    assert server.requests == []


def test_it_can_be_asked_again_after_a_stop(api, server, opened):
    server.replies += [[Fault("hang")], ["fine"]]
    model, token = opened(), CancelToken()
    cancelling(token, lambda: server.asked(api.chat))
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert text(ask(model)) == "fine"


def test_a_reply_that_is_not_read_to_its_end_is_broken_off(server, opened):
    server.replies.append(["a", Fault("hang")])
    chunks = opened().chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    next(chunks)
    chunks.close()
    assert server.hung_up.wait(10)


def test_closing_breaks_off_what_another_thread_waits_for(server, opened):
    server.replies.append([Fault("hang")])
    model = opened()
    chunks = model.chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    threading.Timer(0.3, model.close).start()
    with pytest.raises((Cancelled, ModelError)):
        next(chunks)


@pytest.fixture
def killable_server(api):
    """The address of a server in a process of its own, and the process."""
    words = [sys.executable, api.module.__file__]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process
        process.kill()


def test_a_server_that_is_killed_in_the_middle_leaves_what_it_said(api, killable_server, opened):
    url, process = killable_server
    model = opened(model="killed", host=url)
    chunks = model.chat(HELLO, tools=(), cancel=CancelToken())
    assert "".join(next(chunks).text for _ in range(3)) == "Half an ans"
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ModelError, match="cut off") as caught:
        next(chunks)
    assert url in str(caught.value)
    process.wait(10)
    remedy = r"`ollama serve`.* set llm\.host to its address"
    with pytest.raises(ModelError, match=remedy if isinstance(api, Ollama) else "No server answer"):
        ask(model)


@pytest.mark.parametrize("kind", ["disconnect", "end"])
def test_a_broken_connection_is_told_as_a_cut_off_answer(server, opened, kind):
    server.replies.append(["Half an ans", Fault(kind)])
    with pytest.raises(ModelError, match="cut off") as caught:
        ask(opened())
    assert server.url in str(caught.value)


LINES = {
    Ollama: ["{", "[]", "7", '"a"', "null", '{"message": 7}', "{}"],
    OpenAi: ["{", "[]", "7", '"a"', "null", '{"choices": 7}', '{"choices": [7]}'],
}


@pytest.mark.parametrize(
    ("api", "line"), [(kind(), line) for kind, lines in LINES.items() for line in lines]
)
def test_a_line_that_is_no_part_of_an_answer_is_an_error(server, opened, line):
    server.replies.append(["Half an ans", Fault("line", error=line)])
    with pytest.raises(ModelError, match="cannot be read"):
        ask(opened())


@pytest.mark.parametrize(
    ("reply", "setting"), [([], "load_timeout"), (["a"], "timeout")], ids=["first word", "next"]
)
def test_silence_has_a_limit(server, opened, reply, setting):
    server.replies.append([*reply, Fault("hang")])
    named = {"load_timeout": r"llm\.loadTimeout", "timeout": r"llm\.timeout"}[setting]
    with pytest.raises(ModelError, match=rf"silent for 0\.3 s.*{named}"):
        ask(opened(**{setting: 300}))


@pytest.mark.parametrize(
    ("api", "fault"),
    [
        (Ollama(), Fault("html", 200)),
        (Ollama(), Fault("refuse", 404, "<h1>404 Not Found</h1>")),
        (OpenAi(), Fault("html", 200)),
        (OpenAi(), Fault("html", 404)),
    ],
)
def test_another_server_at_the_address_is_noticed(api, server, opened, fault):
    server.faults |= dict.fromkeys((api.chat, api.list_path, api.known_path), fault)
    for attempt in (ask, lambda model: model.check()):
        with pytest.raises(ModelError, match=api.another):
            attempt(opened())


def test_nothing_is_tried_again_by_itself(api, server, opened):
    for path, attempt in (
        (api.chat, ask),
        (api.known_path, lambda model: model.prepare(CancelToken())),
    ):
        server.requests.clear()
        server.faults = {path: Fault("disconnect")}
        with pytest.raises(ModelError):
            attempt(opened())
        assert len(server.asked(path)) == 1
