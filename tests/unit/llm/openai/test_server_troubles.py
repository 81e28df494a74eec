"""What goes wrong is told with what to do about it, once, and is not tried again."""

import pytest
from asking import ask
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


@pytest.mark.parametrize("kind", ["disconnect", "end"])
def test_an_answer_that_does_not_begin_is_told_as_a_cut_off_one(openai_server, open_model, kind):
    openai_server.replies.append([Fault(kind)])
    with pytest.raises(ModelError, match="cut off: the connection broke"):
        ask(open_model())


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


def test_a_server_without_tls_is_told_as_such(openai_server, open_model):
    model = open_model(host=openai_server.url.replace("http:", "https:"))
    for attempt in (lambda: ask(model), model.check):
        with pytest.raises(ModelError, match=r"does not speak TLS.*http://"):
            attempt()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_no_refusal_is_tried_again_by_itself(openai_server, open_model, status):
    openai_server.faults[CHAT] = Fault("refuse", status, "no")
    with pytest.raises(ModelError):
        ask(open_model())
    assert len(openai_server.asked()) == 1
