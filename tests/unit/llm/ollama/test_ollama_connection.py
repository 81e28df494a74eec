"""Where the server is looked for, and what is left of a connection that is closed."""

import gc
import os
import subprocess
import sys
import threading

import psutil
import pytest
from asking import ask, cancelling
from ollama_server import Fault, OllamaServer

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel

TOLD = """
import sys
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.records.chat import Message
token = CancelToken()
hello = [Message(role="user", content="Hello")]
for host in sys.argv[1:]:
    model = OllamaModel(LlmSettings(host=host or None, model="a"))
    for attempt in (
        lambda: model.prepare(token),
        lambda: list(model.chat(hello, tools=(), cancel=token)),
        lambda: list(model.pull(token)),
    ):
        try:
            attempt()
        except ModelError as error:
            print(error)
    model.close()
"""


def test_the_host_may_come_from_the_environment(ollama_server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", ollama_server.url.removeprefix("http://"))
    model = OllamaModel(LlmSettings())
    model.check()
    model.close()
    assert ollama_server.asked("/api/tags")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(ollama_server, status):
    other = OllamaServer()
    other.start()
    to = {"Location": f"{other.url}/api/chat"}
    for path in ("/api/chat", "/api/show", "/api/tags"):
        ollama_server.faults[path] = Fault("refuse", status, "x", headers=to)
    model = OllamaModel(LlmSettings(host=ollama_server.url, model="a"))
    for attempt in (lambda: ask(model), model.check):
        with pytest.raises(ModelError):
            attempt()
    model.close()
    assert other.requests == []
    other.stop()


def told(*hosts, **env):
    """Return what a fresh process, which has not imported the package, says of each question."""
    run = [sys.executable, "-c", TOLD, *hosts]
    env = {**os.environ, **env}
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("junk", ["localhost:99999", "http://[", "x:y"])
def test_junk_in_the_environment_is_told_whatever_is_asked(ollama_server, junk):
    lines = told("", ollama_server.url, OLLAMA_HOST=junk)
    assert len(lines) == 6
    for line in lines:
        assert f"OLLAMA_HOST {junk!r} " in line
        assert "address like http://127.0.0.1:11434" in line


def test_certificates_that_are_missing_are_told_whatever_is_asked(ollama_server, tmp_path):
    lines = told(ollama_server.url, OLLAMA_HOST="", SSL_CERT_FILE=str(tmp_path / "none.pem"))
    assert len(lines) == 3
    for line in lines:
        assert "Set the proxies and certificates of the environment right" in line


def test_junk_is_told_with_the_name_of_what_holds_it(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "x:y")
    for host, name in ((None, "OLLAMA_HOST"), ("z:y", "llm.host")):
        model = OllamaModel(LlmSettings(host=host))
        with pytest.raises(ModelError, match=f"^{name} '.:y' is no address"):
            model.check()
        model.close()


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


@pytest.mark.parametrize(
    ("key_host", "gets"),
    [
        (None, True),
        ("{url}", True),
        ("{url}/", True),
        ("", False),
        ("http://mine.example:11434", False),
        ("https://ollama.com", False),
    ],
)
def test_the_key_goes_only_to_the_users_own_server(
    ollama_server, open_model, monkeypatch, key_host, gets
):
    monkeypatch.setenv("OLLAMA_API_KEY", "s3cret")
    ollama_server.add_model("a")
    ollama_server.replies.append(["Fine."])
    own = key_host and key_host.format(url=ollama_server.url)
    model = open_model(model="a", api_key_host=own)
    model.check()
    assert "".join(chunk.text for chunk in ask(model)) == "Fine."
    assert {path for path, _ in ollama_server.requests} >= {"/api/tags", "/api/show", "/api/chat"}
    assert set(ollama_server.keys) == {"Bearer s3cret" if gets else None}


def test_the_key_goes_to_the_server_of_the_environment(ollama_server, monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "s3cret")
    monkeypatch.setenv("OLLAMA_HOST", ollama_server.url)
    model = OllamaModel(LlmSettings(api_key_host=""))
    model.check()
    model.close()
    assert ollama_server.keys == ["Bearer s3cret"]
