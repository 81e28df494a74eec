"""Stop is heard at once, whatever the server is silent about."""

import socket
import threading
from functools import partial

import pytest
from asking import HELLO, ask, cancelling, text
from ollama_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel

TRIES = 3
PROMISED_S = 0.5


def stopping(model, silent, what):
    """Return the best of a few times between the stop and its effect: one may meet a busy moment.

    ``silent`` tells whether the server has been asked what it does not answer.
    """
    heard_s = []
    for _ in range(TRIES):
        token = CancelToken()
        since = cancelling(token, silent())
        with pytest.raises(Cancelled):
            what(model, token)
        heard_s.append(since())
    return min(heard_s)


@pytest.mark.parametrize(
    ("path", "reply", "what"),
    [
        ("/api/show", [], lambda model, token: model.prepare(token)),
        ("/api/show", [], lambda model, token: ask(model, cancel=token)),
        ("/api/ps", [], lambda model, token: ask(model, cancel=token)),
        ("/api/chat", [Fault("hang")], lambda model, token: ask(model, cancel=token)),
        ("/api/chat", ["a", Fault("hang")], lambda model, token: ask(model, cancel=token)),
        (
            "/api/chat",
            [{"thinking": "a"}, Fault("hang")],
            lambda model, token: ask(model, cancel=token),
        ),
        ("/api/pull", [], lambda model, token: list(model.pull(token))),
    ],
    ids=["prepare", "show", "ps", "loading", "between words", "thinking", "pull"],
)
def test_stop_is_heard_at_once_while_the_server_is_silent(
    ollama_server, open_model, path, reply, what
):
    ollama_server.replies += [reply] * TRIES
    if not reply and path != "/api/pull":
        ollama_server.faults[path] = Fault("hang")
    ollama_server.pull_steps += [{"status": "pulling manifest"}, Fault("hang")]

    def silent():
        before = len(ollama_server.asked(path))
        return lambda: len(ollama_server.asked(path)) > before

    assert stopping(open_model(), silent, what) < PROMISED_S
    assert ollama_server.hung_up.wait(10), "the server goes on"


def test_stop_is_heard_at_once_while_the_server_cannot_be_reached():
    """A full queue of connections: the next one is neither taken nor refused."""
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.settimeout(0)
            waiting.connect_ex(full.getsockname())
        host = f"http://127.0.0.1:{full.getsockname()[1]}"
        model = OllamaModel(LlmSettings(host=host, connect_timeout=60_000))
        for what in (model.prepare, lambda token: ask(model, cancel=token), pulling(model)):
            heard_s = stopping(model, lambda: lambda: True, partial(told, what))
            assert heard_s < PROMISED_S
        model.close()


def pulling(model):
    return lambda token: list(model.pull(token))


def told(what, _model, token):
    what(token)


def test_a_set_token_asks_nothing(ollama_server, open_model):
    token = CancelToken()
    token.cancel()
    for what in (lambda: ask(open_model(), cancel=token), lambda: open_model().prepare(token)):
        with pytest.raises(Cancelled):
            what()
    with pytest.raises(Cancelled):
        list(open_model().pull(token))
    assert ollama_server.requests == []


def test_it_can_be_asked_again_after_a_stop(ollama_server, open_model):
    ollama_server.replies += [[Fault("hang")], ["fine"]]
    model, token = open_model(), CancelToken()
    cancelling(token, lambda: ollama_server.asked("/api/chat"))
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert text(ask(model)) == "fine"


def test_a_reply_that_is_not_read_to_its_end_is_broken_off(ollama_server, open_model):
    ollama_server.replies.append(["a", Fault("hang")])
    chunks = open_model().chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    next(chunks)
    chunks.close()
    assert ollama_server.hung_up.wait(10)


def test_closing_breaks_off_what_another_thread_waits_for(ollama_server, open_model):
    ollama_server.replies.append([Fault("hang")])
    model = open_model()
    chunks = model.chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    threading.Timer(0.3, model.close).start()
    with pytest.raises((Cancelled, ModelError)):
        next(chunks)
