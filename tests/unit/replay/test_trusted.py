"""What a replay never does: run what somebody else wrote, ask a model, leave anything behind."""

import tempfile

import nbformat
import pytest
from talks import READ, call, git, outcomes

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.replay import replay
from ipuaro_jupyter.sessions.ipynb import read_notebook, write_notebook


def foreign(path, **changes):
    recorded = read_notebook(path)
    write_notebook(recorded.model_copy(update=changes), path, force=True)


def test_a_recording_from_elsewhere_runs_nothing_unless_it_is_trusted(steady_talk, project):
    foreign(steady_talk, session="20200101-beef")
    with pytest.raises(SettingsError, match="was not recorded in this project") as error:
        replay(steady_talk, project)
    assert "edit_lines" in str(error.value)
    assert "--trust" in str(error.value)
    git(project, "checkout", "-q", ".")
    (project / "src/new.ts").unlink()
    assert replay(steady_talk, project, trust=True).differences == 0


def test_a_recording_that_was_changed_is_not_trusted(record, project, tmp_path):
    mark = tmp_path / "mark"
    talk = record([READ, "So."], ["Read"])
    recorded = read_notebook(talk)
    evil = call("run_command", command=f"touch {mark}")
    first, reply, *rest = recorded.messages
    for forged in (
        reply.model_copy(update={"raw": evil}),
        reply.model_copy(update={"raw": reply.raw + evil}),
    ):
        foreign(talk, messages=(first, forged, *rest))
        with pytest.raises(SettingsError, match="touch"):
            replay(talk, project)
    assert not mark.exists()


def test_a_recording_from_elsewhere_that_only_reads_is_replayed(record, project):
    talk = record([READ, "So."], ["Read"])
    foreign(talk, session="20200101-beef", root="/home/somebody/else")
    assert replay(talk, project).differences == 0


@pytest.mark.parametrize("in_place", [False, True])
def test_a_question_is_never_run_as_a_command(record, project, open_assistant, in_place):
    talk = record([READ, "So."], ["Read"])
    notebook = nbformat.read(talk, as_version=4)
    notebook.cells[2].source = "%%ask\n/clear"
    nbformat.write(notebook, talk)
    report = replay(talk, project, in_place=in_place)
    assert (outcomes(report), report.endings) == ([("get_lines", "same")], ())
    kept = open_assistant(project, []).sessions()
    assert [info.messages for info in kept] == [4] * (1 + in_place)


def test_servers_that_the_recording_does_not_call_are_not_started(record, project, tmp_path):
    talk = record([READ, "So."], ["Read"])
    mark = tmp_path / "mark"
    servers = {"toucher": {"command": "touch", "args": [str(mark)]}}
    assert replay(talk, project, settings={"mcpServers": servers}).differences == 0
    assert not mark.exists()


def test_a_model_is_never_asked(record, project, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")
    talk = record([READ, "So."], ["Read"])
    assert replay(talk, project).differences == 0


def test_nothing_is_left_of_the_copy(steady_talk, project, store, tmp_path, monkeypatch):
    def kept():
        return sorted(store.scan("ipuaro:v1:project:{app-*"))

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    before = kept()
    replay(steady_talk, project)
    assert kept() == before
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_sessions_of_the_project_stay_as_they_are(steady_talk, project, open_assistant):
    with_one = open_assistant(project, [])
    before = with_one.sessions()
    replay(steady_talk, project)
    assert with_one.sessions() == before
