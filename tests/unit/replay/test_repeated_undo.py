"""An undo or redo between two messages is exported, and a replay repeats it at its place."""

import json

import pytest
from talks import READ, edit, outcomes

from ipuaro_jupyter.replay import replay
from ipuaro_jupyter.sessions.ipynb import read_notebook
from ipuaro_jupyter.store.keys import Keys, project_id

REPLIES = [READ, edit(2, "  return 7"), "Done.", READ, edit(2, "  return kg * 5"), "Done again."]


@pytest.fixture
def talk(project, open_assistant, tmp_path):
    """Return a function that has two messages, with something done between them."""

    def make(between, replies=REPLIES):
        assistant = open_assistant(project, replies, confirm=lambda _: True)
        assistant.ask("Change it")
        between(assistant)
        assistant.ask("Change it otherwise")
        path = assistant.export(tmp_path / "talk.ipynb", force=True)
        assistant.close()
        return path

    return make


def test_an_undo_between_messages_is_repeated(talk, project):
    path = talk(lambda assistant: assistant.undo())
    report = replay(path, project)
    assert outcomes(report) == [(name, "same") for name in ("get_lines", "edit_lines") * 2]
    assert (report.differences, report.endings) == (0, ())


def test_undo_of_a_message_and_redo_are_repeated(talk, project):
    def between(assistant):
        assistant.undo(turn=True)
        assistant.redo()
        assistant.undo()

    path = talk(between)
    assert [one.act for one in read_notebook(path).actions] == ["turn", "redo", "undo"]
    assert replay(path, project).differences == 0


def test_an_undo_after_the_last_message_is_repeated(record, project, open_assistant, tmp_path):
    record([READ, edit(2, "  return 7"), "So."], ["Change it"], [True])
    again = open_assistant(project, [])
    again.undo()
    talk = again.export(tmp_path / "talk.ipynb", force=True)
    again.close()
    assert replay(talk, project).differences == 0


def test_the_export_shows_it_as_a_cell_where_it_was(talk):
    path = talk(lambda assistant: assistant.undo())
    cells = json.loads(path.read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert sources[2:] == ["%%ask\nChange it", "%ipuaro undo", "%%ask\nChange it otherwise"]
    assert "src/fee.ts was changed back" in json.dumps(cells[3]["outputs"])
    (action,) = read_notebook(path).actions
    assert (action.act, action.turns, action.files) == ("undo", 1, ("src/fee.ts",))


def test_a_cell_of_an_undo_that_is_removed_is_not_repeated(talk, project):
    path = talk(lambda assistant: assistant.undo())
    notebook = json.loads(path.read_text())
    del notebook["cells"][3]
    path.write_text(json.dumps(notebook))
    assert read_notebook(path).actions == ()
    assert replay(path, project).differences > 0


def test_the_users_own_change_and_its_undo_are_not_repeated(talk, project):
    """The change is none of the model's, so a replay does not make it."""

    def between(assistant):
        assistant.call("create_file", {"path": "own.ts", "content": "x"})
        assert assistant.undo().success

    path = talk(between)
    assert read_notebook(path).actions == ()
    assert replay(path, project).differences == 0


def test_a_repeated_undo_that_differs_is_told(talk, project):
    def between(assistant):
        place = project / "src/fee.ts"
        text = place.read_text()
        place.write_text("mine")
        assert not assistant.undo().success
        assert assistant.undo(skip=True).success
        place.write_text(text)

    report = replay(talk(between), project)
    (told,) = report.endings
    assert told.startswith("After message 1, undo --skip said 'Forgotten: the edit of src/fee.ts")


def test_what_was_redone_and_undone_by_hand_is_repeated_as_redo_and_undo(talk, project):
    """They are refused, since there is nothing to write, and the undo stack has moved on."""
    place = project / "src/fee.ts"
    before = place.read_text()

    def between(assistant):
        after = place.read_text()
        assert assistant.undo().success
        for act, text in ((assistant.redo, after), (assistant.undo, before)):
            place.write_text(text)
            assert "already" in act().text()

    path = talk(between)
    assert [one.act for one in read_notebook(path).actions] == ["undo", "redo", "undo"]
    report = replay(path, project)
    assert outcomes(report) == [(name, "same") for name in ("get_lines", "edit_lines") * 2]
    assert [told.partition(" said ")[0] for told in report.endings] == [
        "After message 1, redo",
        "After message 1, undo",
    ]


def test_an_undo_of_what_a_replay_does_not_make_is_told_and_left_out(talk, project):
    path = talk(lambda assistant: assistant.undo())
    notebook = json.loads(path.read_text())
    call = notebook["cells"][2]["metadata"]["ipuaro"]["calls"][1]
    call["decisions"] = [{"action": "reject"}]
    path.write_text(json.dumps(notebook))
    endings = replay(path, project, trust=True).endings
    assert endings == (
        "After message 1, undo took back a change of src/fee.ts; now there is none.",
    )


def test_clearing_a_session_forgets_its_undos(project, open_assistant, store):
    assistant = open_assistant(project, REPLIES, confirm=lambda _: True)
    assistant.ask("Change it")
    assistant.undo()
    key = Keys(project_id(project)).actions(assistant.session.id)
    assert store.llen(key) == 1
    assistant.clear()
    assert store.llen(key) == 0
