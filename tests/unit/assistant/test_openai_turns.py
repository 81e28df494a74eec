"""Turns of a model behind an OpenAI-compatible API, from the settings to the answer."""

import json

import pytest
from openai_server import Fault, OpenAiServer

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import ModelError

KEY = "s3cret-of-the-test"
FILES = {"src/a.ts": "export const a = 1\n"}
CALL = {"name": "get_lines", "arguments": '{"path": "src/a.ts"}'}
ONE_CALL = [{"tool_calls": [{"id": "x", "index": 0, "function": CALL}]}]


@pytest.fixture
def server():
    """A running server with one model."""
    running = OpenAiServer(models={"qwen": {}}, key=KEY)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def open_named(server, open_assistant, make_project, monkeypatch):
    """Return how to open a project with the server's model."""
    monkeypatch.setenv("MY_LLM", KEY)

    def open_it(**settings):
        llm = {"host": server.url, "apiKeyEnv": "MY_LLM", "warm": False, "way": "loop", **settings}
        project = make_project(FILES)
        return open_assistant(project, "openai:qwen", settings={"llm": llm, "approve": "all"})

    return open_it


def test_a_turn_calls_tools_by_schema(server, open_named):
    server.replies += [ONE_CALL, ["It is 1."]]
    answer = open_named().ask("What is a?")
    assert answer.text == "It is 1."
    assert [called.result.text() for called in answer.tool_calls] == ["     1\texport const a = 1"]
    first, second = server.asked()
    assert first["tools"] == second["tools"]
    assistant, result = second["messages"][-2:]
    assert assistant["tool_calls"][0]["id"] == result["tool_call_id"]
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"path": "src/a.ts"}


def test_a_server_that_takes_no_tools_is_asked_in_text_without_a_question(server, open_named):
    refused = Fault("refuse", 400, '"auto" tool choice requires --enable-auto-tool-choice')
    text = '<tool_call name="get_lines"><path>src/a.ts</path></tool_call>'
    server.replies += [[refused], [text], ["It is 1."]]
    answer = open_named().ask("What is a?")
    assert (answer.text, answer.ended, len(answer.tool_calls)) == ("It is 1.", "done", 1)
    first, second, third = server.asked()
    assert "tools" in first
    assert "tools" not in second.keys() | third.keys()
    assert "get_lines" in second["messages"][0]["content"], "the prompt describes them"


def test_tools_that_the_settings_insist_on_are_an_error_with_the_remedy(server, open_named):
    server.replies += [[Fault("refuse", 400, "tools are not supported")]]
    with pytest.raises(ModelError, match=r"Set llm\.useNativeTools to false"):
        open_named(useNativeTools=True).ask("What is a?")
    assert len(server.asked()) == 1


def test_no_command_of_the_model_gets_the_key(open_named):
    assistant = open_named()
    for command in ("printenv", "sh -c 'echo got $MY_LLM'"):
        ran = assistant.call("run_command", {"command": command})
        assert ran.to_dict()["success"]
        assert KEY not in str(ran.to_dict())


def test_the_key_is_in_nothing_that_is_kept(server, open_named, tmp_path):
    server.replies += [["Fine."], [Fault("refuse", 500, f"wrong key {KEY}")]]
    assistant = open_named()
    assert assistant.ask("Hello").text == "Fine."
    with pytest.raises(ModelError, match=r"wrong key \*\*\*"):
        assistant.ask("Again")
    exported = assistant.export(tmp_path / "talk.ipynb").read_text()
    shown = f"{assistant.status()}{assistant.settings}{assistant.setting_sources}"
    assert "wrong key ***" in exported
    assert KEY not in exported + shown


def test_the_status_says_where_a_model_is(open_assistant, make_project):
    class Elsewhere(ScriptedModel):
        remote_host = "llm.example"

    project = make_project(FILES)
    for model, told in ((Elsewhere([]), True), (ScriptedModel([]), False)):
        assistant = open_assistant(project, model)
        status = str(assistant.status())
        where = "at llm.example, not on this machine: questions and code go there"
        assert (where in status) == told
        assert (where in "".join(assistant.notices)) == told
