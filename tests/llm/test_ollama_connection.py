"""Where the server is looked for, and what is left of a connection that is closed."""

import gc
import os
import threading

import psutil
import pytest
from asking import ask, cancelling
from ollama_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel


def test_the_host_may_come_from_the_environment(ollama_server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", ollama_server.url.removeprefix("http://"))
    model = OllamaModel(LlmSettings())
    model.check()
    model.close()
    assert ollama_server.asked("/api/tags")


def test_a_proxy_is_not_asked_for_this_machine(ollama_server, open_model, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    open_model().check()
    assert ollama_server.asked("/api/tags")


def connections():
    process = psutil.Process(os.getpid())
    return [c for c in process.net_connections("tcp") if c.status != psutil.CONN_LISTEN]


def test_closing_leaves_no_thread_and_no_socket(ollama_server, open_model):
    ollama_server.replies += [["a"], [Fault("hang")]]
    model, token = open_model(), CancelToken()
    ask(model)
    ollama_server.requests.clear()
    cancelling(token, lambda: ollama_server.asked("/api/chat"))
    with pytest.raises(Cancelled):
        ask(model, cancel=token)
    assert "ipuaro-ollama" in {thread.name for thread in threading.enumerate()}
    model.close()
    assert "ipuaro-ollama" not in {thread.name for thread in threading.enumerate()}
    ollama_server.stop()
    assert connections() == []


def test_a_forgotten_model_closes_itself(ollama_server):
    model = OllamaModel(LlmSettings(host=ollama_server.url))
    model.check()
    del model
    gc.collect()
    assert "ipuaro-ollama" not in {thread.name for thread in threading.enumerate()}


def test_a_closed_model_opens_again(ollama_server, open_model):
    model = open_model()
    model.check()
    model.close()
    model.close()
    ollama_server.requests.clear()
    model.check()
    assert ollama_server.asked("/api/tags")
