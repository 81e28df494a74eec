"""At a limit the model is asked once more, without tools, for the answer that it has."""

import pytest
from stored_messages import messages_of

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.records.events import TextAdded
from ipuaro_jupyter.records.trouble import Remedy
from ipuaro_jupyter.sessions.whole import whole

BROKEN = "<tool_call name='x'>"


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


READ = call("get_lines", path="a.ts")
OUTSIDE = call("get_lines", path="../../etc/passwd")


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": "export const a = 1\n"})


@pytest.mark.parametrize(
    ("limits", "replies", "told"),
    [
        ({"maxRounds": 2}, [READ, call("git_status")], "went on for 2 rounds"),
        ({"maxRepairs": 1}, [BROKEN, BROKEN], "could not be used"),
        ({"maxRepeats": 1}, [READ, READ], "with the same arguments"),
        ({"maxRefusals": 1}, [OUTSIDE, OUTSIDE], "insisted on what is not allowed"),
    ],
)
def test_at_any_limit_the_answer_is_what_the_model_has(
    open_assistant, project, limits, replies, told
):
    model = ScriptedModel([*replies, "So far: a is 1."], native_tools=True)
    assistant = open_assistant(project, model, settings={"context": limits})
    answer = assistant.ask("What is a?")
    assert answer.text == "So far: a is 1."
    assert answer.ended == "limit"
    assert told in answer.notice
    *_, before, last = model.requests
    assert last.tools == ()
    assert before.tools
    assert told in last.messages[-1].content
    assert "cannot call tools any more" in last.messages[-1].content
    stored = messages_of(assistant)
    assert tuple(whole(stored)) == tuple(stored)
    assert stored[-1].content.startswith("So far: a is 1.")
    assert told in stored[-1].content
    assert stored[-1].interrupted, "so that a replay tells the difference"


def test_the_turns_time_ends_with_an_answer(open_assistant, project):
    sleep = call("run_command", command="sleep 60")
    settings = {"context": {"turnTimeoutS": 1.5}}
    replies = [sleep, "It sleeps."]
    assistant = open_assistant(project, replies, confirm=lambda _: True, settings=settings)
    answer = assistant.ask("Sleep")
    assert (answer.text, answer.ended) == ("It sleeps.", "limit")
    assert "longer than 1.5 s" in answer.notice
    assert answer.duration_ms < 30_000


@pytest.mark.parametrize(
    "last",
    [
        *(READ, BROKEN, "", ModelError("The connection broke."), ["On ", 60]),
        '<tool_result name="get_lines">\nexport const a = 1\n</tool_result>',
    ],
)
def test_without_last_words_it_is_as_before(open_assistant, project, last):
    model = ScriptedModel(["I look. " + READ, READ, last])
    settings = {"context": {"maxRepeats": 1, "turnTimeoutS": 3.0}}
    assistant = open_assistant(project, model, settings=settings)
    answer = assistant.ask("What is a?")
    assert answer.ended == "limit"
    assert "with the same arguments" in answer.notice
    assert len(answer.tool_calls) == 1
    stored = messages_of(assistant)
    assert tuple(whole(stored)) == tuple(stored)
    assert stored[-1].interrupted


def test_a_user_who_aborts_at_a_limit_gets_no_last_words(open_assistant, project):
    model = ScriptedModel([READ, READ, "Never said."])
    settings = {"context": {"maxRepeats": 1}}
    assistant = open_assistant(project, model, settings=settings)
    assistant.on_error = lambda _: Remedy(action="abort")
    with pytest.raises(ModelError):
        assistant.ask("What is a?")
    assert len(model.requests) == 2


def test_stop_ends_the_last_words(open_assistant, project):
    cancel = CancelToken()

    def stop(_messages):
        cancel.cancel()
        return ["Never ", 60, "said."]

    settings = {"context": {"maxRepeats": 1}}
    assistant = open_assistant(project, ScriptedModel([READ, READ, stop]), settings=settings)
    answer = assistant.ask("What is a?", cancel)
    assert answer.ended == "limit"
    assert answer.duration_ms < 30_000


def test_last_words_are_shown_apart_from_what_was_said_before(open_assistant, project):
    replies = [["Begun, then ", 60.0], "All in all: 1."]
    settings = {"context": {"turnTimeoutS": 1.0}}
    events = list(open_assistant(project, replies, settings=settings).stream("What is a?"))
    said = "".join(event.text for event in events if isinstance(event, TextAdded))
    assert said == "Begun, then \n\nAll in all: 1."
    assert events[-1].answer.text == "All in all: 1."
