"""Stop is heard at once, whatever the server is silent about."""

import socket
import threading

import pytest
from asking import HELLO, ask, cancelling, text
from openai_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError

TRIES = 3
PROMISED_S = 0.5


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


@pytest.mark.parametrize(
    ("path", "reply", "what"),
    [
        ("/v1/models", [], lambda model, token: model.prepare(token)),
        ("/v1/models", [], lambda model, token: ask(model, cancel=token)),
        ("/api/v0/models", [], lambda model, token: ask(model, cancel=token)),
        ("/v1/chat/completions", [Fault("hang")], lambda m, token: ask(m, cancel=token)),
        ("/v1/chat/completions", ["a", Fault("hang")], lambda m, token: ask(m, cancel=token)),
    ],
    ids=["prepare", "models", "abilities", "loading", "between words"],
)
def test_stop_is_heard_at_once_while_the_server_is_silent(
    openai_server, open_model, path, reply, what
):
    openai_server.replies += [reply] * TRIES
    if not reply:
        openai_server.faults[path] = Fault("hang")
    model = open_model()

    def silent():
        before = len(openai_server.asked(path))
        return lambda: len(openai_server.asked(path)) > before

    assert stopping(silent, lambda token: what(model, token)) < PROMISED_S
    assert openai_server.hung_up.wait(10), "the server goes on"


def test_stop_is_heard_at_once_while_the_server_cannot_be_reached(open_model):
    """A full queue of connections: the next one is neither taken nor refused."""
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.settimeout(0)
            waiting.connect_ex(full.getsockname())
        host = f"http://127.0.0.1:{full.getsockname()[1]}"
        model = open_model(host=host, connect_timeout=60_000)
        for what in (model.prepare, lambda token: ask(model, cancel=token)):
            assert stopping(lambda: lambda: True, what) < PROMISED_S


def test_a_set_token_asks_nothing(openai_server, open_model):
    token = CancelToken()
    token.cancel()
    for what in (lambda: ask(open_model(), cancel=token), lambda: open_model().prepare(token)):
        with pytest.raises(Cancelled):
            what()
    assert openai_server.requests == []


def test_it_can_be_asked_again_after_a_stop(openai_server, open_model):
    openai_server.replies += [[Fault("hang")], ["fine"]]
    model, token = open_model(), CancelToken()
    cancelling(token, openai_server.asked)
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert text(ask(model)) == "fine"


def test_a_reply_that_is_not_read_to_its_end_is_broken_off(openai_server, open_model):
    openai_server.replies.append(["a", Fault("hang")])
    chunks = open_model().chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    next(chunks)
    chunks.close()
    assert openai_server.hung_up.wait(10)


def test_closing_breaks_off_what_another_thread_waits_for(openai_server, open_model):
    openai_server.replies.append([Fault("hang")])
    model = open_model()
    chunks = model.chat(HELLO, tools=(), cancel=CancelToken())
    next(chunks)
    threading.Timer(0.3, model.close).start()
    with pytest.raises((Cancelled, ModelError)):
        next(chunks)
