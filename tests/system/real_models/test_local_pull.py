"""A model without any other program: one pull in a notebook, and one question."""

import json

import pytest
from hub_server import HubServer, serving

NAME = "gguf:ada/smol-GGUF/q4/smol.gguf"


@pytest.fixture
def hub(weights, monkeypatch):
    """A stand-in for Hugging Face that has the model; the kernel of the test has no other."""
    with serving(HubServer(files={NAME.removeprefix("gguf:"): weights.read_bytes()})) as opened:
        monkeypatch.setenv("HF_ENDPOINT", opened.url)
        yield opened


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_one_pull_and_one_question(runtime, hub, kernel):
    settings = {"llm": {"contextWindow": 4096, "temperature": 0}}
    (kernel.root / ".ipuaro.json").write_text(json.dumps(settings))
    kernel.run("%load_ext ipuaro_jupyter")
    began = kernel.run(f"%ipuaro start {kernel.root} --model {NAME}")
    assert f"%ipuaro pull {NAME}" in began.text
    pulled = kernel.run("%ipuaro pull")
    assert pulled.reply["status"] == "ok", pulled.text
    assert f"{NAME} is there" in pulled.text
    assert any(" of 98 MB (" in text for text in pulled.seen), "a bar"
    assert f"Model: {NAME}" in kernel.run("%ipuaro status").text
    assert NAME in kernel.run("%ipuaro model").text
    asked = kernel.collect(kernel.send("%ask Say yes."), timeout_s=800)
    assert asked.reply["status"] == "ok", asked.text
    assert "Done" in asked.text
    assert len(runtime.processes()) >= 1
    assert hub.ranges == [0], "it came from nowhere else"
