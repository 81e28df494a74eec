"""A model that is absent is fetched, with how far that is."""

import pytest
from asking import NAME, ask, text
from ollama_server import Fault

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError, ModelMissing
from ipuaro_jupyter.records.events import PullProgress


def pull(model):
    return list(model.pull(CancelToken()))


def test_a_model_is_pulled_with_its_progress(ollama_server, open_model):
    """The bytes are those of all parts so far; the server counts each part by itself."""
    ollama_server.pull_steps += [
        {"status": "pulling manifest"},
        {"status": "pulling 60e0", "total": 100, "digest": "sha256:60e0"},
        {"status": "pulling 60e0", "completed": 40, "total": 100, "digest": "sha256:60e0"},
        {"status": "pulling 60e0", "completed": 100, "total": 100, "digest": "sha256:60e0"},
        {"status": "pulling 8ab4", "completed": 5, "total": 20, "digest": "sha256:8ab4"},
        {"status": "verifying sha256 digest"},
    ]
    model = open_model(model="qwen3:8b")
    with pytest.raises(ModelMissing):
        model.check()
    assert pull(model) == [
        PullProgress(status="pulling manifest"),
        PullProgress(status="pulling 60e0", done_bytes=0, total_bytes=100),
        PullProgress(status="pulling 60e0", done_bytes=40, total_bytes=100),
        PullProgress(status="pulling 60e0", done_bytes=100, total_bytes=100),
        PullProgress(status="pulling 8ab4", done_bytes=105, total_bytes=120),
        PullProgress(status="verifying sha256 digest", done_bytes=105, total_bytes=120),
        PullProgress(status="success", done_bytes=105, total_bytes=120),
    ]
    model.check()


def test_a_pulled_model_is_asked_what_it_can_do(ollama_server, open_model):
    model = open_model(model="qwen3:8b")
    with pytest.raises(ModelMissing):
        model.prepare(CancelToken())
    pull(model)
    ollama_server.add_model("qwen3:8b", context_length=4096, capabilities=["tools"])
    assert model.native_tools
    assert model.context_tokens == 4096
    ollama_server.replies.append(["fine"])
    assert text(ask(model)) == "fine"


def test_a_pull_that_fails_says_why(ollama_server, open_model):
    ollama_server.pull_steps.append(
        Fault("error", error="pull model manifest: file does not exist")
    )
    with pytest.raises(ModelError, match="cannot pull 'nonsense': pull model manifest"):
        pull(open_model(model="nonsense"))


@pytest.mark.parametrize("kind", ["end", "disconnect", "half a line"])
def test_a_pull_that_breaks_off_is_no_success(ollama_server, open_model, kind):
    ollama_server.pull_steps += [{"status": "pulling manifest"}, Fault(kind)]
    with pytest.raises(ModelError, match="cut off"):
        pull(open_model(model="qwen3:8b"))


def test_the_models_that_are_there_are_listed(ollama_server, open_model):
    ollama_server.add_model("llama3.2:latest")
    open_model().check()
    open_model(model="llama3.2").check()
    assert open_model().models() == ("llama3.2:latest", NAME)


def test_a_list_is_not_waited_for_longer_than_asked(ollama_server, open_model):
    ollama_server.faults["/api/tags"] = Fault("hang")
    with pytest.raises(ModelError, match=r"silent for 0\.2 s"):
        open_model().models(within_s=0.2)
