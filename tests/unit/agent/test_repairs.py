"""Replies that cannot be used: told in words at first, then held to calls that can be made."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import UnreadableCall
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.events import Noticed, TextAdded, TroubleDecided
from ipuaro_jupyter.records.trouble import Remedy

BROKEN = "<tool_call name='x'>"
READ = '{"name": "get_lines", "arguments": {"path": "a.ts"}}'
WRONG = '<tool_call name="get_lines">\n<path>none.ts</path>\n</tool_call>'


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": "export const a = 1\n"})


def is_constrained(model):
    return ["schema" in request.wishes for request in model.requests]


def test_the_first_repair_is_told_in_words_and_the_second_is_constrained(open_assistant, project):
    model = ScriptedModel([BROKEN, BROKEN, READ, "It is one."])
    answer = open_assistant(project, model).ask("What is a?")
    assert is_constrained(model) == [False, False, True, False]
    assert answer.text == "It is one."
    assert [called.result.success for called in answer.tool_calls] == [True]
    schema = model.requests[2].wishes["schema"]
    assert schema["$defs"]["file"]["enum"] == ["a.ts"]
    named = [option["properties"].get("name", {}).get("const") for option in schema["anyOf"]]
    assert "get_lines" in named
    assert "bash" not in named, "only the tools that the model is shown"
    assert named[-1] is None, "an answer"
    assert '{"answer": "…"}' in model.requests[2].messages[-1].content
    assert '"answer"' not in model.requests[1].messages[-1].content
    assert model.requests[2].tools == model.requests[0].tools
    assert model.requests[2].messages[0] == model.requests[0].messages[0]


def test_an_answer_that_is_constrained_is_an_answer(open_assistant, project):
    model = ScriptedModel([BROKEN, "", '{"answer": "It is \\"one\\"."}'])
    events = list(open_assistant(project, model).stream("What is a?"))
    assert events[-1].answer.text == 'It is "one".'
    said = "".join(event.text for event in events if isinstance(event, TextAdded))
    assert "answer" not in said


def test_calls_of_what_does_not_exist_are_constrained_too(open_assistant, project):
    model = ScriptedModel([WRONG, WRONG.replace("none", "nothing"), READ, "One."])
    assert open_assistant(project, model).ask("What is a?").text == "One."
    assert is_constrained(model) == [False, False, True, False]


def test_a_call_that_works_ends_what_was_wrong_before(open_assistant, project):
    model = ScriptedModel([WRONG, READ, WRONG, "One."])
    assert open_assistant(project, model).ask("What is a?").text == "One."
    assert is_constrained(model) == [False] * 4


@pytest.mark.parametrize(("mode", "constrained"), [("always", [True] * 4), ("never", [False] * 4)])
def test_replies_may_be_constrained_always_or_never(open_assistant, project, mode, constrained):
    model = ScriptedModel([BROKEN, BROKEN, READ, '{"answer": "One."}', "Unused."])
    llm = {"llm": {"constrainCalls": mode}}
    answer = open_assistant(project, model, settings=llm).ask("What is a?")
    assert is_constrained(model) == constrained
    assert [called.call.name for called in answer.tool_calls] == ["get_lines"]
    if mode == "always":
        assert answer.text == "One."
        assert '{"answer": "…"}' in model.requests[0].messages[-1].content
        assert '{"answer": "…"}' not in str(model.requests[1].messages[:-1])


class Simple(ScriptedModel):
    """A model that declares no wishes."""

    def chat(self, messages, *, tools, cancel):
        return super().chat(messages, tools=tools, cancel=cancel)


@pytest.mark.parametrize("mode", ["repair", "always"])
def test_a_model_that_takes_no_schema_is_told_in_words(open_assistant, project, mode):
    model = Simple([BROKEN, BROKEN, READ, "One."])
    llm = {"llm": {"constrainCalls": mode}}
    assert open_assistant(project, model, settings=llm).ask("What is a?").text == "One."


def test_a_reply_of_thoughts_only_is_asked_again_without_thinking(open_assistant, project):
    model = ScriptedModel([[Chunk(thinking="Hm.")], "Now.", "", "Next."])
    assistant = open_assistant(project, model)
    assert assistant.ask("Hello").text == "Now."
    assert assistant.ask("Hello").text == "Next."
    assert [request.wishes.get("think") for request in model.requests] == [None, False, None, None]


def unreadable(raw):
    return UnreadableCall("Ollama could not read the tool call: Ask again.", raw=raw)


def test_a_call_that_the_server_could_not_read_is_read_here(open_assistant, project):
    reply = [
        Chunk(text="I look."),
        unreadable('{"name": "get_lines", "arguments": {"path": "a.ts"'),
    ]
    whole = [unreadable(READ)]
    model = ScriptedModel([whole, reply, "One."])
    answer = open_assistant(project, model).ask("What is a?")
    assert answer.text == "One."
    assert [called.call.arguments for called in answer.tool_calls] == [{"path": "a.ts"}]


@pytest.mark.parametrize("raw", ["", '{"path": "a.ts", "content": "x', "get_lines"])
def test_a_call_that_nobody_can_read_is_a_repair_and_no_trouble(open_assistant, project, raw):
    asked = []

    def on_error(trouble):
        asked.append(trouble)
        return Remedy(action="abort")

    model = ScriptedModel([[unreadable(raw)], [unreadable(raw)], READ, "One."])
    assistant = open_assistant(project, model, on_error=on_error)
    events = list(assistant.stream("What is a?"))
    assert events[-1].answer.text == "One."
    assert asked == []
    assert not any(isinstance(event, TroubleDecided) for event in events)
    assert sum(isinstance(event, Noticed) for event in events) == 2
    assert is_constrained(model) == [False, False, True, False]
    said, told = model.requests[1].messages[-2:]
    assert said.content == raw
    assert "could not be read" in told.content


def test_calls_that_nobody_can_read_end_the_turn(open_assistant, project):
    model = ScriptedModel([[unreadable("x")]] * 9)
    answer = open_assistant(project, model).ask("What is a?")
    assert answer.ended == "limit"
    assert "could not be used" in answer.notice
    assert "memory" not in answer.notice


@pytest.mark.parametrize("repeats", [True, False])
def test_a_constrained_reply_that_finds_no_end_is_cut_off(open_assistant, project, repeats):
    endless = ["{", '"name": "grep", "arguments": {"pattern": "', *["7" * 100] * 100_000]
    numbers = (f"{number}, " for number in range(1_000_000))
    endless = endless if repeats else [*endless[:2], *numbers]
    model = ScriptedModel([BROKEN, BROKEN, endless, READ, "One."])
    assert open_assistant(project, model).ask("What is a?").text == "One."
    assert "cut off" in "\n".join(one.content for one in model.requests[3].messages)
