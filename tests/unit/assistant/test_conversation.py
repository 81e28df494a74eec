"""What becomes of a turn whose events nobody reads on, and of what is done beside one."""

import pytest

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import ModelError, SettingsError
from ipuaro_jupyter.records.events import CallStarted
from ipuaro_jupyter.sessions.ipynb import read_notebook

GET = '<tool_call name="get_lines"><path>src/a.ts</path></tool_call>'
COMMAND = '<tool_call name="run_command"><command>frobnicate</command></tool_call>'


@pytest.fixture
def project(make_project):
    return make_project({"src/a.ts": "export const a = 1\n"})


def begun(assistant, message="Read it"):
    """Return the events of a turn that has begun a call, and is kept by somebody."""
    events = assistant.stream(message)
    for event in events:
        if isinstance(event, CallStarted):
            return events
    raise AssertionError


def pairs(messages):
    """Return the ids of calls and those of results, in their order."""
    return [c.id for m in messages for c in m.calls], [m.call_id for m in messages if m.call_id]


def test_a_message_ends_a_turn_that_somebody_keeps_without_reading_on(open_assistant, project):
    model = ScriptedModel([GET, "Here."])
    assistant = open_assistant(project, model)
    kept = begun(assistant)
    assert assistant.ask("And now?").text == "Here."
    asked, answered = pairs(model.requests[-1].messages)
    assert asked == answered != []
    assert list(kept) == []


def test_a_session_is_whole_before_another_is_loaded(open_assistant, project):
    first = open_assistant(project, ["One."])
    first.ask("One?")
    earlier = first.session.id
    first.close()
    assistant = open_assistant(project, [GET, "Two."], new=True)
    kept = begun(assistant)
    left = assistant.session.id
    assistant.load(earlier)
    assert assistant.session.messages == 2
    assert list(kept) == []
    assistant.load(left)
    (turn,) = assistant.transcript().turns
    assert turn.ended == "stopped"
    assert [c.result.success for c in turn.tool_calls] == [False]


def test_a_session_that_is_cleared_in_a_turn_is_empty(open_assistant, project):
    assistant = open_assistant(project, [GET, "Two."])
    kept = begun(assistant)
    assistant.clear()
    assert list(kept) == []
    assert assistant.session.messages == 0


def test_a_project_that_is_closed_in_a_turn_leaves_a_whole_session(open_assistant, project):
    assistant = open_assistant(project, [GET, "Two."])
    kept = begun(assistant)
    assistant.close()
    assert list(kept) == []
    asked, answered = pairs(open_assistant(project, [])._conversation.session.messages)
    assert asked == answered != []


@pytest.mark.parametrize("command", ["clear", "load"])
def test_the_window_is_empty_where_nothing_was_asked(open_assistant, project, command):
    first = open_assistant(project, ["One."])
    first.ask("One?")
    first.close()
    assistant = open_assistant(project, ["Two."], new=True)
    assistant.ask("Two?")
    assert assistant.status().context_percent > 0
    assistant.clear() if command == "clear" else assistant.load(first_id(assistant))
    assert assistant.status().context_percent == 0


def test_a_turn_that_goes_on_can_be_exported(open_assistant, project, tmp_path):
    assistant = open_assistant(project, [GET, "One."])
    kept = begun(assistant)
    written = assistant.export(tmp_path / "talk.ipynb")
    (turn,) = read_notebook(written).turns()
    assert turn[-1].interrupted
    *_, last = kept
    assert last.answer.text == "One."


def first_id(assistant):
    return assistant.sessions()[-1].id


@pytest.mark.parametrize(
    "act",
    [
        lambda assistant: assistant.ask("And this?"),
        lambda assistant: assistant.clear(),
        lambda assistant: assistant.load(assistant.session.id),
        lambda assistant: assistant.use_model("other"),
    ],
    ids=["ask", "clear", "load", "use_model"],
)
def test_from_inside_of_a_turn_it_is_refused(open_assistant, project, act):
    told = []

    def confirm(_proposal):
        with pytest.raises(SettingsError, match="is being answered") as refused:
            act(assistant)
        told.append(refused.value)
        return False

    assistant = open_assistant(project, [COMMAND, "No."], confirm=confirm)
    assert assistant.ask("Run it").text == "No."
    assert len(told) == 1
    assert assistant.session.messages == 4


def test_a_start_with_a_model_that_cannot_be_opened_leaves_the_session_free(
    open_assistant, project
):
    first = open_assistant(project, ["Yes."])
    first.ask("Is this kept?")
    session = first.session.id
    first.close()
    with pytest.raises(ModelError) as kept:  # a notebook keeps the last error, too
        ipuaro_jupyter.start(project, model="recorded:missing.json")
    assert open_assistant(project, []).session.id == session
    assert "missing.json" in str(kept.value)


def test_a_new_session_is_begun_and_told_when_the_latest_is_open_elsewhere(
    make_project, open_assistant
):
    root = make_project({"a.ts": "a\n"})
    older = open_assistant(root, ["Yes."])
    older.ask("One?")
    older.close()
    latest = open_assistant(root, ["Yes."], new=True)
    latest.ask("Two?")
    second = open_assistant(root, [])
    older_id = latest.sessions()[1].id
    assert second.session.id not in (older_id, latest.session.id)
    (notice,) = [told for told in second.status().notices if "another kernel" in told]
    assert latest.session.id in notice
    assert "%ipuaro sessions load" in notice
    second.load(older_id)
    assert not any("another kernel" in told for told in second.status().notices)
    assert not any("another kernel" in told for told in latest.status().notices)
