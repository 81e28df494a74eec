"""``%ipuaro sessions``, ``clear``, ``export``, ``auto-apply``, ``model`` and ``tools``."""

import json
import time

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.errors import ModelError, SettingsError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.views.drawing import mimebundle


def run(open_project, line):
    name, _, rest = line.partition(" ")
    command = find_command(name)
    return command.run(open_project, CellThread(lambda _: None), command.read(rest))


def begin_another(open_project, project, recording):
    """Close the session and open the project with a new one; return the id of the first."""
    first = open_project.assistant.session.id
    open_project.open(str(project), model=f"recorded:{recording}", new=True)
    return first


def test_the_list_tells_title_messages_tokens_and_edits(open_project, project, recording):
    open_project.assistant.call("get_lines", {"path": "src/retry.ts"}, by_user=False)
    open_project.assistant.ask("Raise it")
    tokens = (
        open_project.assistant.session.prompt_tokens
        + open_project.assistant.session.completion_tokens
    )
    first = begin_another(open_project, project, recording)
    assert open_project.assistant.session.id not in [
        row[0] for row in run(open_project, "sessions").rows
    ]
    open_project.assistant.ask("Explain")
    table = run(open_project, "sessions list")
    assert table.columns == ("ID", "Title", "Last used", "Messages", "Tokens", "Edits")
    (latest, other) = table.rows
    assert (latest[0], latest[1]) == (open_project.assistant.session.id, "Explain")
    assert (other[0], other[1], other[3:]) == (first, "Raise it", (4, tokens, 1))
    assert open_project.assistant.session.id in table.note


def test_a_session_that_is_loaded_is_shown_and_its_edit_undone(open_project, project, recording):
    open_project.assistant.call("get_lines", {"path": "src/retry.ts"}, by_user=False)
    open_project.assistant.ask("Raise it")
    open_project.assistant.ask("Explain")
    first = begin_another(open_project, project, recording)
    shown = run(open_project, f"sessions load {first[:-2]}")
    assert open_project.assistant.session.id == first
    drawn = mimebundle(shown)
    for form in drawn.values():
        for said in ("Raise it", "edit_lines", "five times now", "retries", first):
            assert said in form
    assert run(open_project, "undo").success
    assert "attempts = 3" in (project / "src/retry.ts").read_text()


@pytest.mark.parametrize("notebook", ["", "/n/a.ipynb"])
def test_a_session_that_goes_on_is_told_with_its_name_messages_and_time(
    monkeypatch, open_project, project, recording, notebook
):
    """And why it is this one, and how to begin another: nobody may have asked for it."""
    monkeypatch.setenv("JPY_SESSION_NAME", notebook)
    start = f"start {project} --model recorded:{recording}"
    assert "goes on" not in str(run(open_project, start))
    open_project.assistant.ask("Explain")
    info = open_project.assistant.session
    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated_at))
    told = f"Session {info.id} goes on: Explain (2 messages, last used {used})."
    whose = "the last one of a.ipynb" if notebook else "the latest of the project"
    why = f"It is {whose}; to begin another, add --new to %ipuaro start."
    for form in mimebundle(run(open_project, start)).values():
        assert f"{told} {why}" in form
    assert "goes on" not in str(run(open_project, "status"))
    assert "goes on" not in str(run(open_project, f"{start} --new"))
    assert open_project.assistant.ask(f"/load {info.id}").text == told


def test_a_session_without_messages_is_not_told(open_project, project, recording):
    """There is nothing to go on with."""
    start = f"start {project} --model recorded:{recording}"
    open_project.assistant.ask("Explain")
    assert "goes on" in str(run(open_project, start))
    open_project.assistant.ask("/clear")
    info = open_project.assistant.session
    assert (info.messages, bool(info.updated_at)) == (0, True)
    assert "goes on" not in str(run(open_project, start))


def test_a_long_session_is_shown_from_its_end(open_project):
    for _ in range(3):
        open_project.assistant.ask("Explain")
    shown = open_project.assistant.transcript(turns=2)
    assert (len(shown.turns), shown.earlier) == (2, 1)
    assert "1 earlier message not shown" in mimebundle(shown)["text/plain"]


def test_the_open_session_is_not_deleted_others_are(open_project, project, recording):
    open_project.assistant.ask("Explain")
    with pytest.raises(SettingsError, match="is the open one"):
        run(open_project, f"sessions delete {open_project.assistant.session.id}")
    first = begin_another(open_project, project, recording)
    assert first in run(open_project, f"sessions delete {first[:-1]}").text
    assert open_project.assistant.sessions() == ()
    with pytest.raises(SettingsError, match="is no session of this project"):
        run(open_project, f"sessions load {first}")


def test_that_no_session_is_stored_yet_is_said(open_project):
    with pytest.raises(SettingsError, match=r"'nosuch' is no session .* stored with its first"):
        run(open_project, "sessions load nosuch")


@pytest.mark.parametrize("line", ["load", "delete", "list x", "open x", "load a b"])
def test_wrong_arguments_are_said(open_project, line):
    with pytest.raises(SettingsError, match="%ipuaro sessions"):
        run(open_project, f"sessions {line}")


def test_clear_forgets_the_messages_and_keeps_the_undo(open_project, project):
    open_project.assistant.call("get_lines", {"path": "src/retry.ts"}, by_user=False)
    open_project.assistant.ask("Raise it")
    assert "Forgot 4 messages" in run(open_project, "clear").text
    assert open_project.assistant.session.messages == 0
    assert open_project.assistant.inputs() == ("Raise it",)
    open_project.assistant.ask("Explain")
    assert open_project.assistant.session.title == "Explain"
    assert run(open_project, "undo").success
    assert "attempts = 3" in (project / "src/retry.ts").read_text()


def test_auto_apply_is_told_and_turned(open_project):
    assert "on: edits without a question" in run(open_project, "auto-apply").text
    assert "off: asks before every change" in run(open_project, "auto-apply off").text
    assert open_project.assistant.approve == "ask"
    assert "on" in run(open_project, "auto-apply on").text
    assert open_project.assistant.approve == "edits"


@pytest.mark.parametrize(
    ("approve", "state", "after"),
    [("never", "off", "never"), ("all", "on", "all"), ("all", "off", "ask")],
)
def test_auto_apply_never_goes_further_than_it_says(open_project, approve, state, after):
    open_project.assistant.approve = approve
    run(open_project, f"auto-apply {state}")
    assert open_project.assistant.approve == after


def test_auto_apply_holds_when_a_session_is_loaded(open_project, project, recording):
    open_project.assistant.ask("Explain")
    first = begin_another(open_project, project, recording)
    run(open_project, "auto-apply on")
    run(open_project, f"sessions load {first}")
    assert open_project.assistant.approve == "edits"


def test_model_shows_and_switches(open_project, tmp_path):
    assert open_project.assistant.model.name in mimebundle(run(open_project, "model"))["text/plain"]
    other = tmp_path / "other.json"
    turns = [{"message": "Explain", "replies": ["Otherwise."]}]
    other.write_text(json.dumps({"version": 1, "turns": turns}))
    assert str(other) in run(open_project, f"model recorded:{other}").text
    assert open_project.assistant.ask("Explain").text == "Otherwise."


def test_a_model_that_cannot_be_asked_leaves_the_one_before(open_project, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")
    before = open_project.assistant.model
    for name in ("recorded:none.json", "some-model"):
        with pytest.raises(ModelError):
            run(open_project, f"model {name}")
    assert open_project.assistant.model is before
    assert open_project.assistant.ask("Explain").text


def test_model_says_which_is_set_and_what_to_do_when_ollama_does_not_answer(project, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")
    opened = OpenProject()
    opened.open(str(project), model="some-model")
    try:
        told = run(opened, "model").text
    finally:
        opened.close()
    assert told.startswith("The model is set to some-model, which cannot be asked now. Ollama does")
    assert "ollama serve" in told


def test_nothing_to_undo_is_a_sentence_and_a_result_for_python(open_project):
    assert run(open_project, "undo").text == "There is nothing to undo."
    assert run(open_project, "undo --turn").text == "There is nothing to undo."
    assert open_project.assistant.undo().error.type == "validation"


def test_tools_says_which_ask_first(open_project):
    table = run(open_project, "tools")
    asks = {row[0].partition("(")[0]: row[1] for row in table.rows}
    assert asks["edit_lines"]
    assert not asks["get_lines"]
    assert all(row[2] for row in table.rows)


def test_tools_says_which_the_model_does_not_see(project, recording):
    opened = OpenProject()
    settings = {"tools": {"enabled": ["get_*"]}}
    opened.open(str(project), model=f"recorded:{recording}", settings=settings)
    seen = {row[0].partition("(")[0]: row[2] for row in run(opened, "tools").rows}
    assert seen["get_lines"] == "shown"
    assert seen["grep"] == "off"
    opened.close()


def test_a_notebook_goes_on_with_its_own_conversation_and_can_take_another(
    monkeypatch, tmp_path, open_assistant, project
):
    from_python = open_assistant(project, ["From Python."])
    from_python.ask("Explain")
    from_python.close()
    here, opened = OpenProject(), []
    for name in ("a.ipynb", "b.ipynb", "a.ipynb"):
        monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / name))
        here.open(str(project), model=ScriptedModel(["Yes."]))
        opened.append(here.assistant.session.id)
        told = " ".join(here.assistant.notices)
        assert ("Continue the last one" in told) == (len(opened) < 3)
        here.assistant.ask("Explain")
        here.close()
    assert opened[0] == opened[2] != opened[1]
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "c.ipynb"))
    here.open(str(project), model=ScriptedModel(["Yes."]))
    here.assistant.load(opened[1])
    here.assistant.ask("Explain")
    here.close()
    here.open(str(project), model=ScriptedModel([]))
    assert here.assistant.session.id == opened[1]
    here.close()
