"""Calls that are made again are pointed out to the model."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.limits import Earlier
from ipuaro_jupyter.agent.remarks import remarked
from ipuaro_jupyter.records.chat import Message

LINES = "".join(f"export const value{n} = {n}\n" for n in range(60))


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


READ = call("get_lines", path="a.ts")


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": LINES, "b.ts": "export const b = 1\n"})


def results(model, place=-1):
    return [message for message in model.requests[place].messages if message.role == "tool"]


def test_the_same_call_is_pointed_out_instead_of_sending_its_result_again(open_assistant, project):
    model = ScriptedModel([READ, READ, "Sixty."])
    answer = open_assistant(project, model).ask("How many?")
    first, again = results(model)
    assert "value59" in first.content
    assert "value59" not in again.content
    assert "very call before" in again.content
    assert again.result == first.result, "the record stays whole"
    assert "value59" in answer.tool_calls[1].result.text()


def test_the_same_call_twice_in_a_reply_has_its_result_once(open_assistant, project):
    model = ScriptedModel([READ + READ, "Sixty."])
    open_assistant(project, model).ask("How many?")
    first, again = results(model)
    assert "value59" in first.content
    assert "very call before" in again.content
    assert "value59" not in again.content


def test_a_short_result_is_sent_again_with_a_remark(open_assistant, project):
    model = ScriptedModel([call("get_lines", path="b.ts")] * 2 + ["One."])
    open_assistant(project, model).ask("What is b?")
    first, again = results(model)
    assert again.content.startswith(first.content)
    assert "very call before" in again.content


def test_a_result_that_is_no_longer_there_is_sent_again(open_assistant, project):
    others = [call("get_lines", path="a.ts", start=n) for n in range(2, 24)]
    model = ScriptedModel([READ, *others, READ, "Sixty."], context_tokens=8192)
    open_assistant(project, model).ask("How many?")
    last = results(model)[-1].content
    assert "value59" in last
    assert "very call before" in last


def test_after_a_change_a_call_is_new(open_assistant, project):
    edit = call("edit_lines", path="a.ts", start=1, end=1, content="export const value0 = 7")
    model = ScriptedModel([READ, edit, READ, "Seven."])
    open_assistant(project, model, auto_apply=True).ask("Make it 7")
    assert "before in this turn" not in results(model)[-1].content


def test_another_turn_begins_anew(open_assistant, project):
    model = ScriptedModel([READ, "Sixty.", READ, "Still."])
    assistant = open_assistant(project, model)
    assistant.ask("How many?")
    assistant.ask("And now?")
    assert "before in this turn" not in results(model)[-1].content


def test_a_result_that_has_changed_says_so():
    message = Message(role="tool", content="line 2", call_id="2")
    told = remarked(message, Earlier(is_same=False, call_id="1"), is_above=True).content
    assert told.startswith("line 2\n")
    assert "has changed" in told
