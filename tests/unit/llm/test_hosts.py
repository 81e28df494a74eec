"""Where prompts go."""

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.hosts import is_ollamas_cloud, remote_host, stays_here
from ipuaro_jupyter.llm.open_model import open_model
from ipuaro_jupyter.llm.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("host", "model", "remote"),
    [
        ("http://127.0.0.1:11434", "qwen3:8b", None),
        ("localhost", "qwen3:8b", None),
        ("gpu.example:11434", "qwen3:8b", "gpu.example"),
        ("https://192.168.1.7", "qwen3:8b", "192.168.1.7"),
        ("http://127.0.0.1:11434", "gpt-oss:120b-cloud", "ollama.com"),
        ("http://127.0.0.1:11434", "glm-4.6:cloud", "ollama.com"),
        ("http://127.0.0.1:11434", "gpt-oss:120B-Cloud", "ollama.com"),
        ("http://127.0.0.1:11434/v1", "openai:gpt-oss:120b-cloud", "ollama.com"),
        ("http://127.0.0.1:11434/v1", "openai:cloudy:7b", None),
    ],
)
def test_a_servers_model_says_where_prompts_go(tmp_path, host, model, remote):
    opened = open_model(model, LlmSettings(host=host), tmp_path)
    assert remote_host(opened) == remote
    assert stays_here(opened) == (remote is None)


def test_a_copy_of_a_cloud_model_is_known_once_the_server_was_asked(ollama_server, tmp_path):
    ollama_server.add_model("fast", remote_host="https://ollama.com:443")
    ollama_server.add_model("here")
    for name, remote in (("fast", "ollama.com"), ("here", None)):
        opened = open_model(name, LlmSettings(host=ollama_server.url), tmp_path)
        opened.prepare(CancelToken())
        opened.close()
        assert remote_host(opened) == remote


@pytest.mark.parametrize(
    ("address", "is_cloud"),
    [
        ("https://ollama.com", True),
        ("https://api.ollama.com:443/x", True),
        ("http://ollama.com", False),
        ("https://ollama.com:8443", False),
        ("https://notollama.com", False),
        ("https://ollama.com.evil.example", False),
        ("https://ollama.com@evil.example", False),
        ("https://[", False),
        ("ollama.com", False),
    ],
)
def test_ollamas_own_servers_are_told_from_others(address, is_cloud):
    assert is_ollamas_cloud(address) is is_cloud


def test_a_model_that_does_not_say_is_not_taken_for_local():
    assert remote_host(ScriptedModel([])) is None
    assert not stays_here(ScriptedModel([]))
