"""Which models answer from evidence, and which by the loop after it."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.assistant.model_in_use import ModelInUse
from ipuaro_jupyter.llm import LlmSettings


def way_of(model, **settings):
    used = ModelInUse(LlmSettings(**settings), lambda *_: None)
    used.use(model)
    return used.way


@pytest.mark.parametrize(
    ("model", "way"),
    [
        ("gguf:/m/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "evidence"),
        ("gguf:/m/mine.gguf", "evidence"),
        ("gguf:/m/Qwen3-30B-A3B-Q4_K_M.gguf", "loop"),
        ("openai:qwen3-9b", "evidence"),
        ("none", "evidence"),
        (ScriptedModel(["Yes."]), None),
    ],
)
def test_a_model_of_at_most_nine_billion_answers_from_evidence(model, way):
    assert way_of(model, host="http://127.0.0.1:1") == way


def test_a_server_elsewhere_runs_the_loop():
    assert way_of("openai:qwen3-8b", host="http://gpu.invalid:80") == "loop"


@pytest.mark.parametrize("way", ["evidence", "loop"])
def test_a_setting_holds_for_all(way):
    assert way_of("openai:qwen3-8b", host="http://127.0.0.1:1", way=way) == way
    assert way_of(ScriptedModel(["Yes."]), way=way) == way


def test_ollamas_server_tells_the_size_where_the_name_does_not(ollama_server):
    ollama_server.add_model("mine", capabilities=[])
    assert way_of("mine", host=ollama_server.url) == "evidence"


def test_no_model_can_be_chosen_in_the_middle(open_assistant, make_project):
    project = make_project({"m.py": "def fee():\n    return 1\n"})
    assistant = open_assistant(project, ScriptedModel([]), settings={"llm": {"way": "evidence"}})
    assistant.use_model("none")
    answer = assistant.ask("How does fee get its value?")
    assert "m.py:1" in answer.text
    assert "No model is used" in answer.notice
