"""The model sees the notebook only when the user lets it, who is asked once in a session."""

import json

import pytest
from shells import cells, notebook, one_shell

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import Noticed
from ipuaro_jupyter.settings.settings import load_settings

__all__ = ["cells", "notebook", "one_shell"]

CALL = '<tool_call name="inspect_value"><name>orders</name></tool_call>'
CODE = "orders = [1, 2]"


@pytest.fixture
def asked():
    return []


@pytest.fixture
def open_asking(asked, open_assistant, make_project, cells):
    """Return a function that opens a project whose user answers ``action`` to each question."""

    def open_it(replies, action="apply", **settings):
        def confirm(proposal):
            asked.append(proposal)
            return Decision(action=action)

        model = ScriptedModel(replies)
        root = make_project({"a.py": "x = 1\n"})
        assistant = open_assistant(root, model, confirm=confirm, settings=settings)
        assistant.attach(cells.kernel)
        cells.run(CODE)
        return assistant, model

    return open_it


def sent(model, number=-1):
    return model.requests[number].messages[-1].content


def test_the_values_that_a_question_names_are_given_after_one_question(open_asking, asked):
    assistant, model = open_asking(["Two.", "Two again.", "Done."])
    assistant.ask("How many `orders` are there?")
    assert "orders: list, length 2" in sent(model)
    assert len(asked) == 1
    assert asked[0].kind == "notebook"
    assert "the value of orders" in asked[0].message
    assistant.ask("And orders[1]?")
    assert len(asked) == 1
    assert [one.proposal.kind for one in assistant.decisions()] == ["notebook"]


def test_a_rejection_holds_for_the_session(open_asking, asked):
    assistant, model = open_asking(["None.", CALL, "Not seen."], action="reject")
    assistant.ask("How many orders are there?")
    assert "length 2" not in sent(model)
    answer = assistant.ask("Look at orders.")
    assert answer.tool_calls[0].result.error.type == "cancelled"
    assert len(asked) == 1


@pytest.mark.parametrize(("action", "is_given"), [("apply", True), ("reject", False)])
def test_what_was_said_holds_when_the_session_is_opened_again(
    open_assistant, make_project, cells, action, is_given
):
    asked = []

    def confirm(proposal):
        asked.append(proposal)
        return Decision(action=action)

    said = {}

    def opened(**options):
        assistant = open_assistant(root, ScriptedModel(["One."]), confirm=confirm, **options)
        assistant.attach(cells.kernel, said=said)
        return assistant

    root = make_project({"a.py": "x = 1\n"})
    cells.run(CODE)
    first = opened()
    first.ask("How many orders are there?")
    session = first.session.id
    first.close()
    again = opened()
    assert again.session.id == session
    called = again.call("inspect_value", {"name": "orders"}, by_user=False)
    assert called.success is is_given
    assert len(asked) == 1
    again.close()
    never = opened(settings={"context": {"notebook": "never"}})
    assert not never.call("inspect_value", {"name": "orders"}, by_user=False).success
    never.close()
    opened(new=True).ask("How many orders are there?")
    assert len(asked) == 2


def test_a_question_that_names_nothing_asks_nothing(open_asking, asked):
    assistant, model = open_asking(["Hello."])
    assistant.ask("What is this project about?")
    assert asked == []
    assert "notebook" not in sent(model)


def test_a_call_asks_and_the_result_is_redacted(open_asking, asked, cells):
    assistant, _ = open_asking([CALL, "Seen."])
    cells.run("orders = {'password': 'hunter2!x9Zq'}")
    answer = assistant.ask("What is there?")
    assert answer.tool_calls[0].result.success
    assert len(asked) == 1
    told = [one.content for one in assistant._conversation.session.messages if one.role == "tool"]
    assert "hunter2" not in told[0]
    assert "[redacted:password:" in told[0]


@pytest.mark.parametrize(("value", "is_given"), [("always", True), ("never", False)])
def test_the_setting_answers_for_good(open_asking, asked, value, is_given):
    assistant, model = open_asking(["Two."], context={"notebook": value})
    assistant.ask("How many orders are there?")
    assert ("length 2" in sent(model)) is is_given
    assert asked == []
    assert assistant.call("inspect_value", {"name": "orders"}, by_user=False).success is is_given


@pytest.mark.parametrize(("approve", "is_given"), [("all", True), ("never", False)])
def test_approve_answers_too(open_asking, asked, approve, is_given):
    assistant, model = open_asking(["Two."], approve=approve)
    assistant.ask("How many orders are there?")
    assert ("length 2" in sent(model)) is is_given
    assert asked == []


def test_approve_all_of_a_projects_file_does_not_answer(asked, open_assistant, make_project, cells):
    root = make_project({".ipuaro.json": json.dumps({"approve": "all"})})

    def confirm(proposal):
        asked.append(proposal.kind)
        return Decision(action="apply" if proposal.kind == "settings" else "reject")

    model = ScriptedModel(["None."])
    assistant = open_assistant(root, model, confirm=confirm)
    assert assistant.settings.approve == "all"
    assistant.attach(cells.kernel)
    cells.run(CODE)
    assistant.ask("How many orders are there?")
    assert "length 2" not in sent(model)
    assert asked == ["settings", "notebook"]


def test_only_values_that_fit_are_told_to_be_given(notebook, cells):
    assistant = notebook({}, ["One."], settings={"context": {"notebook": "always"}})
    cells.run("\n".join(f"value{n} = ['word' * 40] * 10" for n in range(6)))
    question = " ".join(f"`value{n}`" for n in range(6))
    events = list(assistant.stream(question))
    (note,) = [one.text for one in events if isinstance(one, Noticed)]
    context = assistant._conversation.session.messages[0].context
    for n in range(6):
        assert (f"value{n}:" in context) is (f"value{n}" in note)


def test_a_persons_own_call_asks_nothing(open_asking, asked):
    assistant, _ = open_asking([])
    assert assistant.call("inspect_value", {"name": "orders"}).success
    assert asked == []


def test_nobody_to_ask_means_no_and_is_asked_again(notebook, cells):
    assistant = notebook({}, ["One.", "Two."], settings={})
    cells.run("1 / 0")
    assert assistant.ask("Why?").ended == "done"
    assert assistant.call("last_error", by_user=False).error.type == "cancelled"


def test_the_error_is_told_once_and_the_user_is_told_that_it_was(notebook, cells):
    assistant = notebook({}, ["Zero.", "As I said."])
    number = cells.run("1 / 0").execution_count
    events = list(assistant.stream("Why did it fail?"))
    notes = [one.text for one in events if isinstance(one, Noticed)]
    assert notes == [f"The model was given the error of cell [{number}]."]
    messages = assistant._conversation.session.messages
    assert "ZeroDivisionError: division by zero" in messages[0].context
    assistant.ask("And now?")
    again = [one for one in assistant._conversation.session.messages if one.role == "user"][-1]
    assert "ZeroDivisionError" not in (again.context or "")


@pytest.mark.parametrize("named", ["cell [{}]", "Cell {},", "cells 99 and cell {}"])
def test_of_two_errors_the_one_that_the_question_names_is_told(notebook, cells, named):
    assistant = notebook({}, ["Zero."])
    number = cells.run("1 / 0").execution_count
    cells.run("unknown")
    assistant.ask(f"Why did {named.format(number)} fail?")
    told = assistant._conversation.session.messages[0].context
    assert "ZeroDivisionError: division by zero" in told
    assert "unknown" not in told


def test_a_question_that_names_a_cell_that_did_not_fail_is_given_the_latest(notebook, cells):
    assistant = notebook({}, ["Zero."])
    cells.run("1 / 0")
    assistant.ask("Why did cell 99 fail?")
    assert "The last error" in assistant._conversation.session.messages[0].context


def test_the_head_of_the_prompt_stays_the_same(notebook, cells):
    assistant = notebook({}, ["One.", "Two."])
    model = assistant.model
    assistant.ask("Hello")
    cells.run("1 / 0")
    assistant.ask("Why did it fail?")
    assert model.requests[0].messages[0] == model.requests[1].messages[0]
    assert model.requests[0].tools == model.requests[1].tools


def test_the_tools_are_offered_only_in_a_notebook(notebook, open_assistant, make_project):
    inside = notebook({}, settings={"tools": {"profile": "full"}})
    assert "last_error" in inside.shown_tools
    outside = open_assistant(
        make_project({}, name="other"), [], settings={"tools": {"profile": "full"}}
    )
    assert "last_error" not in outside.shown_tools


@pytest.mark.parametrize("value", ["always", "never", "ask"])
@pytest.mark.usefixtures("home")
def test_a_projects_file_never_sets_it(make_project, value):
    root = make_project({".ipuaro.json": json.dumps({"context": {"notebook": value}})})
    loaded = load_settings(root, {}, confirm=lambda _: True)
    assert loaded.settings.context.notebook == "ask"
    assert any("context.notebook" in notice for notice in loaded.notices)


@pytest.mark.usefixtures("home")
def test_a_wrong_value_is_an_error(make_project):
    with pytest.raises(SettingsError, match="notebook"):
        load_settings(make_project({}), {"context": {"notebook": "sometimes"}})
