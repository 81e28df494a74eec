"""``%ipuaro pull``: a model that is not there is fetched, with a bar, and can be stopped."""

import pytest
from ollama_server import PULL_STEPS

NAME = "qwen3:8b"


@pytest.fixture
def fetching(kernel, ollama_server):
    """A kernel whose project asks a model that the server has not got."""
    kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {ollama_server.url!r}")
    kernel.run("%load_ext ipuaro_jupyter")
    ran = kernel.run(f"%ipuaro start {kernel.root} --model {NAME}")
    assert "%ipuaro pull" in ran.text
    return kernel


def test_a_missing_model_is_fetched_with_a_bar(fetching, ollama_server):
    ollama_server.pull_steps += PULL_STEPS
    ran = fetching.run("%ipuaro pull")
    assert ran.reply["status"] == "ok", ran.text
    assert f"{NAME} is there" in ran.text
    assert any("1,000 of 4,000 MB (25 %)" in text for text in ran.seen)


def test_a_download_is_stopped(fetching, ollama_server):
    ollama_server.pull_steps += [*PULL_STEPS, 10.0]
    stopped = []

    def stop_when_loading(message):
        text = message["content"].get("data", {}).get("text/plain", "")
        if "25 %" in text and not stopped:
            stopped.append(True)
            fetching.manager.interrupt_kernel()

    ran = fetching.run("%ipuaro pull", on_message=stop_when_loading)
    assert stopped
    assert ran.reply["status"] == "error"
    assert ran.elapsed_s < 30
    assert fetching.run("1 + 1").text == "2"


def test_a_model_that_there_is_nowhere_is_told(fetching, ollama_server, ollama):
    ollama_server.pull_steps.append(ollama.Fault("error", error="file does not exist"))
    ran = fetching.run("%ipuaro pull nonsense")
    assert ran.reply["status"] == "error"
    assert "cannot pull 'nonsense'" in ran.text
