"""Commands typed as a message: they run, and no model is needed."""

import re
import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.assistant.slash_commands import COMMANDS, typed_command
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import Noticed, PhaseChanged, TextAdded, TurnFinished
from ipuaro_jupyter.sessions.ipynb import read_notebook

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

FEE = "export function fee(kg: number): number {\n  return kg * 2\n}\n"
EDIT = (
    '<tool_call name="edit_lines">\n<path>src/fee.ts</path>\n<start>2</start>\n<end>2</end>\n'
    "<content>  return kg * 3</content>\n</tool_call>"
)


@pytest.fixture
def project(make_project):
    return make_project({"src/fee.ts": FEE})


@pytest.fixture
def edited(open_assistant, project):
    assistant = open_assistant(project, [EDIT, "Done."], auto_apply=True)
    assistant.call("get_lines", {"path": "src/fee.ts"}, by_user=False)
    assistant.ask("Make it 3")
    return assistant


def test_undo_takes_back_the_newest_change_without_a_model(edited, project):
    assert (project / "src/fee.ts").read_text() != FEE
    answer = edited.ask("/undo")
    assert "src/fee.ts" in answer.text
    assert answer.ended == "done"
    assert (project / "src/fee.ts").read_text() == FEE
    assert edited.session.edits_undone == 1
    assert "nothing to undo" in edited.ask("/undo turn").text


def test_a_command_streams_its_text_and_ends_as_a_turn_does(edited):
    events = list(edited.stream("/status"))
    assert [type(e) for e in events] == [PhaseChanged, TextAdded, TurnFinished]
    assert events[-1].answer.text == events[1].text
    assert "Project: project" in events[-1].answer.text
    assert events[-1].answer.question == "/status"


def test_clear_forgets_the_conversation_and_keeps_what_can_be_undone(edited, project):
    edited.ask("/clear")
    assert edited.session.messages == 0
    assert edited.undo().success
    assert (project / "src/fee.ts").read_text() == FEE


def test_code_that_has_fences_stays_in_its_own(open_assistant, make_project):
    root = make_project({"a.ts": "// TODO: no ```` here\n"})
    lines = open_assistant(root, []).ask("/todos").text.splitlines()
    assert (lines[0], lines[-1]) == ("`````", "`````")


def test_auto_apply_is_turned_on_and_off_and_told(open_assistant, project):
    model = ScriptedModel([EDIT, "Done.", EDIT.replace("* 3", "* 4"), "Not done."])
    assistant = open_assistant(project, model)
    assert "off" in assistant.ask("/auto-apply").text
    assert "on" in assistant.ask("/auto-apply on").text
    assert assistant.status().approve == "edits"
    assistant.call("get_lines", {"path": "src/fee.ts"}, by_user=False)
    assistant.ask("Make it 3")
    assert "* 3" in (project / "src/fee.ts").read_text()
    assert "off" in assistant.ask("/auto_apply OFF".lower()).text
    assistant.ask("Make it 4")
    assert "* 3" in (project / "src/fee.ts").read_text()
    assert len(model.requests) == 4


def test_a_session_is_loaded_by_its_id(edited):
    first = edited.session.id
    assert first in edited.ask("/sessions").text
    assert first in edited.ask(f"/load {first[:10]}").text


def test_sessions_are_listed_loaded_and_deleted_as_typed(open_assistant, project):
    assistant = open_assistant(project, ["One.", "Two."])
    assistant.ask("First")
    first = assistant.session.id
    assistant.close()
    assistant = open_assistant(project, ["Two."], new=True)
    assistant.ask("Second")
    second = assistant.session.id
    assert {first, second} <= set(re.findall(r"\d{8}-\w+", assistant.ask("/sessions list").text))
    with pytest.raises(SettingsError, match="is the open one"):
        assistant.ask(f"/sessions delete {second[-6:]}")
    assert first in assistant.ask(f"/sessions load {first[-6:]}").text
    assert assistant.session.id == first
    assert second in assistant.ask(f"/sessions delete {second[-6:]}").text
    assert second not in assistant.ask("/sessions").text
    for wrong in ("/sessions load", "/sessions drop x", "/sessions list x"):
        with pytest.raises(SettingsError, match=r"/sessions \[list"):
            assistant.ask(wrong)


@pytest.mark.parametrize("command", CASES["other_commands_say_something"])
def test_other_commands_say_something(edited, command):
    answer = edited.ask(command)
    assert answer.text
    assert answer.ended == "done"


def test_a_graph_of_nothing_is_told_with_what_to_do(edited):
    with pytest.raises(SettingsError, match=r"Did you mean src/fee\.ts"):
        edited.ask("/graph src/fees.ts")


def test_the_last_answer_is_checked_against_the_code(open_assistant, project):
    replies = ["`fee` is in src/fee.ts, `tax` in src/nothing.ts.", "It is half right."]
    assistant = open_assistant(project, replies)
    with pytest.raises(SettingsError, match="no answer"):
        assistant.ask("/eval")
    assistant.ask("Where is fee?")
    told = assistant.ask("/eval").text
    assert "wrong: src/nothing.ts" in told
    assert "It is half right." in told


def test_help_names_every_command(edited):
    told = edited.ask("/help").text
    assert all(f"/{name}" in told for name in COMMANDS)


def test_an_unknown_command_is_answered_with_the_closest(open_assistant, project):
    model = ScriptedModel([])
    answer = open_assistant(project, model).ask("/udno")
    assert "/undo" in answer.text
    assert not model.requests


@pytest.mark.parametrize("message", ["/bogus", "/bogus arg", "/bogus src/fee.ts is it"])
def test_an_unknown_command_is_one_with_and_without_words(open_assistant, project, message):
    model = ScriptedModel([])
    assert "There is no command /bogus." in open_assistant(project, model).ask(message).text
    assert not model.requests


def test_a_removed_command_says_what_to_do_instead(open_assistant, project):
    model = ScriptedModel([])
    told = open_assistant(project, model).ask("/unused src").text
    assert told.startswith("/unused no longer exists and is ignored: knip, vulture or")
    assert not model.requests


def test_what_is_for_a_cell_is_said_as_it_is_written_there(edited):
    assert "%ipuaro config llm.model" in edited.ask("/config llm.model").text


def test_every_subcommand_works_or_is_for_a_cell(edited):
    names = set(command_names())
    assert "undo" in names
    for name in names - set(COMMANDS):
        assert f"%ipuaro {name}" in edited.ask(f"/{name}").text


def test_every_command_is_a_subcommand_in_a_cell():
    for name, command in COMMANDS.items():
        if name == "edit":  # it goes before a message
            continue
        subcommand, *words = (command.subcommand or name).split()
        usage = find_command(subcommand).parser.format_usage()
        assert all(word in usage for word in words)


def test_export_writes_the_session(edited, tmp_path):
    path = tmp_path / "talk.ipynb"
    assert str(path) in edited.ask(f"/export {path}").text
    assert len(list(read_notebook(path).turns())) == 1
    path.write_text("mine")
    with pytest.raises(SettingsError, match="--force"):
        edited.ask(f"/export {path}")
    edited.ask(f"/export {path} --force")
    assert read_notebook(path).session == edited.session.id
    with pytest.raises(SettingsError, match="/export FILE"):
        edited.ask("/export")


def test_allow_lists_what_was_allowed(open_assistant, project):
    always = Decision(action="apply", remember=True)
    assistant = open_assistant(project, [EDIT, "Done."], confirm=lambda _: always)
    assert "Nothing" in assistant.ask("/allow").text
    assistant.ask("Make it 3")
    assert "1. edit_lines " in assistant.ask("/allow").text


def test_a_command_that_is_used_wrongly_says_how_it_is_used(edited):
    with pytest.raises(SettingsError, match=r"/auto-apply \[on\|off\]"):
        edited.ask("/auto-apply maybe")
    *_, noticed, last = edited.stream("/undo everything please")
    assert isinstance(noticed, Noticed)
    assert last.answer.ended == "error"
    assert "/undo [turn|skip|list]" in last.answer.notice


@pytest.mark.parametrize("message", CASES["paths_and_text_are_messages"])
def test_paths_and_text_are_messages(open_assistant, project, message):
    model = ScriptedModel(["I see."])
    assert open_assistant(project, model).ask(message).text == "I see."
    assert model.requests[0].messages[-1].words == message


@pytest.mark.parametrize(
    "message",
    [
        *(
            "/undo ",
            "/UNDO",
            "/undo\n",
            "/staus",
            "/foo",
            "/clera now",
            "/bogus arg",
            "/auto-bogus x",
        ),
        *("/export x.ipynb", "/diff src", "/auto_apply on", "/config llm.model"),
    ],
)
def test_these_are_commands(project, message):
    assert typed_command(message, project) is not None
