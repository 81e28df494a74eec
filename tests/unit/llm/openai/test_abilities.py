"""What servers say of their models, each in its own place."""

import json

import pytest
from asking import ask
from openai_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import PromptRead

LLAMA_CPP = {
    "owned_by": "llamacpp",
    "aliases": ["small"],
    "meta": {"n_ctx_train": 8192, "n_params": 134_515_008},
}
PROPS = {
    "default_generation_settings": {"n_ctx": 4096},
    "chat_template_caps": {"supports_tools": False},
}


@pytest.mark.parametrize(
    ("facts", "window"),
    [
        ({"max_model_len": 8192}, 8192),  # vLLM
        ({"context_length": 16_384}, 16_384),  # OpenRouter
        ({"context_window": 131_072}, 32_768),  # Groq: more than the setting
        ({"max_model_len": None}, 32_768),
        ({"max_model_len": "8192"}, 32_768),
        ({}, 32_768),
    ],
)
def test_the_window_is_the_settings_or_the_servers_where_smaller(
    openai_server, open_model, facts, window
):
    openai_server.models["qwen"] = facts
    assert open_model().context_tokens == window


def test_llama_cpp_tells_the_window_of_a_slot_and_what_the_template_takes(
    openai_server, open_model
):
    openai_server.models = {"/models/small.gguf": LLAMA_CPP}
    openai_server.pages["/props"] = PROPS
    model = open_model("small")
    model.prepare(CancelToken())
    assert model.context_tokens == 4096
    assert model.parameter_count == 134_515_008
    assert not model.native_tools
    openai_server.pages["/props"] = {**PROPS, "chat_template_caps": {"supports_tools": True}}
    assert open_model("small").native_tools


def test_llama_cpp_is_asked_how_far_it_has_read_and_others_are_not(openai_server, open_model):
    progress = {"total": 2000, "cache": 500, "processed": 1012, "time_ms": 4000}
    begun = {**progress, "processed": 0}
    choices = [{"index": 0, "delta": {"role": "assistant", "content": None}}]
    told = [
        {"choices": choices, "prompt_progress": one} for one in (begun, progress, {"total": "1"})
    ]
    reply = [*(Fault("line", error=json.dumps(one)) for one in told), "Hi."]
    openai_server.replies += [reply, ["Hi."]]
    chunks = ask(open_model())
    openai_server.models = {"/models/small.gguf": LLAMA_CPP}
    assert [chunk.read for chunk in chunks if chunk.read] == [
        PromptRead(tokens=512, of=1500, seconds=4.0)
    ]
    ask(open_model("small"))
    other, llama_cpp = openai_server.asked()
    assert "return_progress" not in other
    assert llama_cpp["return_progress"] is True


def test_llama_cpp_without_its_properties_is_taken_as_it_is(openai_server, open_model):
    openai_server.models = {"/models/small.gguf": LLAMA_CPP}
    model = open_model("small")
    assert model.context_tokens == 8192
    assert model.native_tools


def test_lm_studio_tells_the_window_beside_the_api(openai_server, open_model):
    listed = {"data": [{"id": "qwen", "max_context_length": 9, "loaded_context_length": 4096}]}
    openai_server.pages["/api/v0/models"] = listed
    assert open_model().context_tokens == 4096


def test_llama_cpp_takes_any_name_for_its_only_model(openai_server, open_model):
    openai_server.models = {"/models/small.gguf": LLAMA_CPP}
    model = open_model("whatever")
    model.check()
    assert model.models() == ("openai:/models/small.gguf", "openai:whatever")
    openai_server.models["/models/other.gguf"] = LLAMA_CPP
    with pytest.raises(ModelError, match="no model 'whatever'"):
        open_model("whatever").check()


def test_a_name_without_a_tag_is_the_latest(openai_server, open_model):
    openai_server.models.clear()
    openai_server.models["qwen:latest"] = {}
    open_model("qwen").check()
    openai_server.models["other:7b"] = openai_server.models.pop("qwen:latest")
    with pytest.raises(ModelError, match="other:7b"):
        open_model("qwen").check()


def test_the_models_are_listed_as_they_are_named(openai_server, open_model):
    openai_server.models = {"b/model": {}, "a": {}}
    assert open_model("a").models() == ("openai:a", "openai:b/model")


def test_a_server_need_not_list_its_models(openai_server, open_model):
    openai_server.faults["/v1/models"] = Fault("refuse", 404, {"error": {"message": "no"}})
    model = open_model()
    model.check()
    model.prepare(CancelToken())
    assert model.models() == ()
    assert model.native_tools
    assert model.parameter_count is None


@pytest.mark.parametrize("listed", [{}, {"data": 7}, {"data": [7]}, 7, None])
def test_what_is_no_list_is_told(openai_server, open_model, listed):
    openai_server.faults["/v1/models"] = Fault("json", error=listed)
    with pytest.raises(ModelError, match="has no OpenAI-compatible API"):
        open_model().models()


def test_a_prepared_model_is_not_asked_about_again(openai_server, open_model):
    openai_server.models["qwen"] = {"max_model_len": 4096}
    model = open_model()
    model.prepare(CancelToken())
    openai_server.faults["/v1/models"] = Fault("hang")
    model.prepare(CancelToken())
    assert model.context_tokens == 4096
    assert len(openai_server.asked("/v1/models")) == 1


@pytest.mark.parametrize(
    ("host", "remote"),
    [
        ("http://127.0.0.1:8080/v1", None),
        ("localhost:1234", None),
        ("http://[::1]:8000", None),
        ("https://llm.example/v1", "llm.example"),
        ("192.168.1.7:8000", "192.168.1.7"),
        (None, None),
        ("http://[", None),
    ],
)
def test_a_model_says_where_prompts_go(open_model, host, remote):
    assert open_model(host=host).remote_host == remote
