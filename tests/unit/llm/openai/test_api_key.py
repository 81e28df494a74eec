"""The key: from the variable that the settings name, to one server, and shown nowhere."""

import traceback

import pytest
from asking import HELLO, ask, text
from openai_server import Fault, OpenAiServer
from pydantic import SecretStr

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.openai import ApiKey, OpenAiModel

KEY = "s3cret-of-the-test"
ELSEWHERE = {
    "OPENAI_API_KEY": "for-openai",
    "OPENAI_ADMIN_KEY": "for-openai",
    "OPENAI_BASE_URL": "http://127.0.0.1:9",
    "OPENAI_ORG_ID": "org-of-another",
    "OPENAI_PROJECT_ID": "project-of-another",
    "OPENAI_CUSTOM_HEADERS": "X-Other: for-openai\nAuthorization: Bearer for-openai",
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("MY_LLM", KEY)


def told(caught):
    """Return what a traceback with the variables of the package's own frames would show."""
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    kept = [frame for frame in shown.stack if frame.filename != __file__]
    shown.stack = traceback.StackSummary.from_list(kept)
    return "".join(shown.format()) + repr(vars(caught.value))


def test_the_key_is_sent_with_every_request(openai_server, open_model):
    openai_server.key = KEY
    openai_server.replies.append(["a"])
    model = open_model(api_key_env="MY_LLM")
    model.check()
    model.prepare(CancelToken())
    ask(model)
    assert {headers["authorization"] for headers in openai_server.headers} == {f"Bearer {KEY}"}


def test_nothing_of_the_environment_is_sent_that_the_settings_do_not_name(
    openai_server, open_model, monkeypatch
):
    for name, value in ELSEWHERE.items():
        monkeypatch.setenv(name, value)
    openai_server.replies += [["a"], ["b"]]
    ask(open_model())
    ask(open_model(api_key_env="MY_LLM"))
    assert "for-openai" not in str(openai_server.headers)
    assert "of-another" not in str(openai_server.headers)
    assert "authorization" not in openai_server.headers[0]
    assert len(openai_server.asked()) == 2


def test_nothing_of_this_machine_is_told(openai_server, open_model):
    openai_server.replies.append(["a"])
    ask(open_model())
    names = {name for headers in openai_server.headers for name in headers}
    assert not any(name.startswith("x-") for name in names)
    assert {headers["user-agent"] for headers in openai_server.headers} == {"ipuaro-jupyter"}


def test_a_redirect_is_not_followed_but_told(openai_server, open_model):
    other = OpenAiServer(models={"qwen": {}})
    other.start()
    to = {"Location": f"{other.url}/v1/chat/completions"}
    openai_server.faults["/v1/chat/completions"] = Fault("refuse", 307, "x", headers=to)
    openai_server.faults["/v1/models"] = Fault("refuse", 302, "x", headers=to)
    model = open_model(api_key_env="MY_LLM")
    for attempt in (lambda: ask(model), model.check):
        with pytest.raises(ModelError, match="redirects to") as caught:
            attempt()
        assert other.url in str(caught.value)
    assert other.requests == []
    other.stop()


@pytest.mark.parametrize("status", [401, 403, 400, 500])
def test_a_server_that_repeats_the_key_does_not_have_it_shown(openai_server, open_model, status):
    error = {"message": f"Received API key {KEY}", "failed_generation": KEY}
    refused = Fault("refuse", status, {"error": error})
    openai_server.replies += [[refused], [Fault("error", error=error)]]
    model = open_model(api_key_env="MY_LLM")
    for _ in range(2):
        with pytest.raises(ModelError, match=r"\*\*\*") as caught:
            list(model.chat(HELLO, tools=(), cancel=CancelToken()))
        assert KEY not in told(caught)
    openai_server.faults["/v1/models"] = refused
    with pytest.raises(ModelError) as caught:
        model.check()
    assert KEY not in told(caught)


@pytest.mark.parametrize("fault", [Fault("disconnect"), Fault("html", 200), Fault("hang")])
def test_no_trouble_shows_the_key(openai_server, open_model, fault):
    openai_server.faults["/v1/chat/completions"] = fault
    with pytest.raises(ModelError) as caught:
        ask(open_model(api_key_env="MY_LLM", load_timeout=300))
    assert KEY not in told(caught)


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "schlüssel"])
def test_what_cannot_be_a_key_is_not_sent_and_not_shown(
    openai_server, open_model, monkeypatch, value
):
    """An HTTP client would refuse the header in an error that shows it."""
    monkeypatch.setenv("MY_LLM", value)
    openai_server.key = KEY
    with pytest.raises(ModelError, match="MY_LLM holds cannot be one") as caught:
        ask(open_model(api_key_env="MY_LLM"))
    assert value not in told(caught)


def test_blanks_around_the_key_do_not_matter(openai_server, open_model, monkeypatch):
    monkeypatch.setenv("MY_LLM", f" {KEY}\n")
    openai_server.key = KEY
    openai_server.replies.append(["a"])
    assert text(ask(open_model(api_key_env="MY_LLM"))) == "a"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, r"wants a key.*llm\.apiKeyEnv"),
        ({"api_key_env": "NOT_SET"}, "environment variable NOT_SET is not set"),
        ({"api_key_env": "MY_LLM", "api_key_host": ""}, r"was not sent.*llm\.apiKeyHost"),
        ({"api_key_env": "MY_LLM"}, r"refuses the key in MY_LLM \(Invalid API Key\)"),
    ],
)
def test_a_server_that_wants_another_key_says_how_to_give_it(
    openai_server, open_model, settings, said
):
    openai_server.key = "another"
    for attempt in (ask, lambda model: model.check(), lambda m: m.prepare(CancelToken())):
        with pytest.raises(ModelError, match=said) as caught:
            attempt(open_model(**settings))
        assert "\n" not in str(caught.value)


def test_a_key_in_the_address_is_a_login(openai_server, open_model):
    openai_server.replies.append(["a"])
    host = openai_server.url.replace("//", "//me:s3cret@")
    model = open_model(host=host)
    ask(model)
    assert openai_server.headers[-1]["authorization"] == "Basic bWU6czNjcmV0"
    openai_server.faults["/v1/models"] = Fault("disconnect")
    with pytest.raises(ModelError) as caught:
        model.check()
    assert "s3cret" not in told(caught)


def test_a_key_may_be_given(openai_server):
    openai_server.key = KEY
    key = ApiKey(given=SecretStr(KEY))
    model = OpenAiModel(
        "gguf:x", LlmSettings(), served_as="qwen", host=openai_server.url, key=key, window=2048
    )
    model.check()
    assert model.context_tokens == 2048
    assert KEY not in repr(key) + repr(model) + str(vars(model))
    model.close()
