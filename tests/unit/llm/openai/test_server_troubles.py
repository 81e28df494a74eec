"""What goes wrong is told with what to do about it, once, and is not tried again."""

import os
import signal
import subprocess
import sys

import openai_server as server_of_models
import pytest
from asking import HELLO, ask
from openai_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, ModelMissing
from ipuaro_jupyter.store.user_folders import home

CHAT, MODELS = "/v1/chat/completions", "/v1/models"


def test_no_server_is_told_in_one_line(open_model, unused_host):
    model = open_model(host=unused_host)
    token = CancelToken()
    for attempt in (model.check, lambda: model.prepare(token), lambda: ask(model), model.models):
        with pytest.raises(ModelError) as caught:
            attempt()
        said = str(caught.value)
        assert unused_host in said
        assert "start it, or mend llm.host" in said
        assert "\n" not in said
    assert model.context_tokens == 32_768


def test_no_address_is_told_with_examples(open_model):
    model = open_model(host=None)
    for attempt in (model.check, lambda: ask(model), model.models):
        with pytest.raises(ModelError, match=r"llm\.host is not set.*llama\.cpp.*vLLM") as caught:
            attempt()
        assert str(home() / "settings.json") in str(caught.value)


@pytest.mark.parametrize("host", ["http://[", "localhost:x", "ftp://localhost", "http://"])
def test_an_impossible_address_is_a_model_error(open_model, host):
    for attempt in (lambda model: model.check(), ask):
        with pytest.raises(ModelError, match="is no address like") as caught:
            attempt(open_model(host=host))
        assert repr(host) in str(caught.value)


def test_an_impossible_address_does_not_show_its_password(open_model):
    with pytest.raises(ModelError, match=r"'\*\*\*@there\.example'") as caught:
        open_model(host="http://me:s3/cret@there.example").check()
    assert "s3" not in str(caught.value)


def test_a_missing_model_names_those_that_are_there(openai_server, open_model):
    openai_server.models |= {f"m{number}": {} for number in range(9)}
    model = open_model("other")
    for attempt in (model.check, lambda: model.prepare(CancelToken())):
        with pytest.raises(ModelError, match=r"no model 'other'. It has: qwen, m0.* and 2 more"):
            attempt()
    openai_server.replies.append([Fault("refuse", 404, "The model `other` does not exist.")])
    with pytest.raises(ModelError, match=r"no model 'other'\. It has: qwen") as caught:
        ask(model)
    assert not isinstance(caught.value, ModelMissing), "it cannot be pulled"


@pytest.fixture
def killable_server():
    """The address of a server in a process of its own, and the process."""
    file = server_of_models.__file__
    with subprocess.Popen([sys.executable, file], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip(), server
        server.kill()


def test_a_server_that_is_killed_in_the_middle_leaves_what_it_said(killable_server, open_model):
    url, server = killable_server
    model = open_model("killed", host=url)
    chunks = model.chat(HELLO, tools=(), cancel=CancelToken())
    assert "".join(next(chunks).text for _ in range(3)) == "Half an ans"
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(ModelError, match="cut off") as caught:
        next(chunks)
    assert url in str(caught.value)
    server.wait(10)
    with pytest.raises(ModelError, match="No server answers"):
        ask(model)


@pytest.mark.parametrize("reply", [["Half an ans"], []], ids=["in the middle", "at once"])
@pytest.mark.parametrize("kind", ["disconnect", "end"])
def test_a_broken_connection_is_told_as_a_cut_off_answer(openai_server, open_model, kind, reply):
    openai_server.replies.append([*reply, Fault(kind)])
    with pytest.raises(ModelError, match="cut off: the connection broke"):
        ask(open_model())


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", '"a"', "null", '{"choices": 7}', '{"choices": [7]}']
)
def test_a_line_that_is_no_part_of_an_answer_is_an_error(openai_server, open_model, line):
    openai_server.replies.append(["Half an ans", Fault("line", error=line)])
    with pytest.raises(ModelError, match="cannot be read"):
        ask(open_model())


def test_silence_before_the_first_word_has_a_limit_of_its_own(openai_server, open_model):
    openai_server.replies.append([Fault("hang")])
    with pytest.raises(ModelError, match=r"silent for 0\.3 s.*llm\.loadTimeout"):
        ask(open_model(load_timeout=300))


def test_silence_between_words_has_a_limit(openai_server, open_model):
    openai_server.replies.append(["a", Fault("hang")])
    with pytest.raises(ModelError, match=r"silent for 0\.3 s.*llm\.timeout"):
        ask(open_model(timeout=300))


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (
            400,
            {"error": {"message": "request (6031 tokens)", "type": "exceed_context_size_error"}},
            "llm.contextWindow",
        ),
        (400, "This model's maximum context length is 4096 tokens.", "llm.contextWindow"),
        (413, "too large", "llm.contextWindow"),
        (429, "Rate limit reached", "wait, and ask again"),
        (402, "Insufficient credits", "account"),
        (503, "Loading model", "Ask again when it has loaded the model"),
        (502, "Bad Gateway", "look whether the server behind it runs"),
        (500, {"detail": [{"loc": ["body", "x"], "msg": "wrong"}]}, "wrong"),
        (500, "something else", "something else"),
    ],
)
def test_a_refusal_is_told_with_the_servers_words(openai_server, open_model, status, error, said):
    openai_server.replies.append([Fault("refuse", status, error)])
    with pytest.raises(ModelError) as caught:
        ask(open_model())
    assert said in str(caught.value)
    assert "cannot run 'qwen'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_error_in_the_middle_of_the_stream_is_told(openai_server, open_model):
    openai_server.replies.append(["a", Fault("error", error={"message": "out of memory"})])
    with pytest.raises(ModelError, match="out of memory"):
        ask(open_model())


@pytest.mark.parametrize("fault", [Fault("html", 200), Fault("html", 404)])
def test_another_server_at_the_address_is_noticed(openai_server, open_model, fault):
    openai_server.faults |= {CHAT: fault, MODELS: fault}
    for attempt in (ask, lambda model: model.check(), lambda m: m.prepare(CancelToken())):
        with pytest.raises(ModelError, match="has no OpenAI-compatible API"):
            attempt(open_model())


def test_a_server_without_tls_is_told_as_such(openai_server, open_model):
    model = open_model(host=openai_server.url.replace("http:", "https:"))
    for attempt in (lambda: ask(model), model.check):
        with pytest.raises(ModelError, match=r"does not speak TLS.*http://"):
            attempt()


@pytest.mark.parametrize("path", [CHAT, MODELS])
def test_nothing_is_tried_again_by_itself(openai_server, open_model, path):
    openai_server.faults[path] = Fault("disconnect")
    with pytest.raises(ModelError):
        ask(open_model()) if path == CHAT else open_model().check()
    assert len(openai_server.asked(path)) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_no_refusal_is_tried_again_by_itself(openai_server, open_model, status):
    openai_server.faults[CHAT] = Fault("refuse", status, "no")
    with pytest.raises(ModelError):
        ask(open_model())
    assert len(openai_server.asked()) == 1
