"""``%ipuaro fit``."""

import json
import threading

import pytest
from fit_models import right_replies, write_recording

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.demo.folder import DemoFolder
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.fit.tasks import tasks_of
from ipuaro_jupyter.notebook.cell_jobs import CommandJob
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.events import Noticed, PhaseChanged

FEW = "--tasks 2 --forms text --sizes 800"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The name of a model that knows the answers and the first two tasks."""
    folder = DemoFolder(tmp_path_factory.mktemp("demo"))
    folder.fill()
    with ipuaro_jupyter.start(folder.app, model=ScriptedModel([])) as assistant:
        replies = right_replies(tasks_of(assistant.project(), count=2))
    return f"recorded:{write_recording(folder.path / 'fit.json', replies)}"


@pytest.fixture
def settings_file(ipuaro_home):
    path = ipuaro_home / "settings.json"
    yield path
    path.unlink(missing_ok=True)


def run(line, decision):
    """Run the command until it has ended, deciding its question; return it with its events."""
    job = CommandJob(OpenProject(), f"fit {line}")
    thread = CellThread(job.run)
    asked, events, woken = [], [], threading.Event()
    thread.wake = woken.set
    thread.start()
    while not thread.ended:
        woken.wait(5)
        woken.clear()
        events += thread.take()
        question = thread.question()
        if question is not None:
            asked.append(question.asked)
            question.answer(Decision(action=decision))
    return thread.result(), events + thread.take(), asked


def test_the_best_way_is_written_once_it_has_been_agreed_to(recorded, settings_file):
    report, events, (asked,) = run(f"{recorded} {FEW}", "apply")
    assert report.best.right == 2
    notices = [event.text for event in events if isinstance(event, Noticed)]
    assert PhaseChanged(phase="running", detail="question 6 of 6") in events
    assert json.loads(asked.message) == report.settings() == json.loads(settings_file.read_text())
    assert any(str(settings_file) in text for text in notices)


def test_nothing_is_written_when_it_is_rejected(recorded, settings_file):
    _, _, asked = run(f"{recorded} {FEW}", "reject")
    assert len(asked) == 1
    assert not settings_file.exists()


def test_save_does_not_ask(recorded, settings_file):
    _, _, asked = run(f"{recorded} {FEW} --save", "reject")
    assert not asked
    assert settings_file.exists()


def test_the_stop_button_leaves_the_report_so_far(recorded):
    job = CommandJob(OpenProject(), f"fit {recorded} {FEW}")
    thread = CellThread(job.run)
    assert job.partial() is None
    thread.start()
    while job.partial() is None and not thread.ended:
        thread.wait(0.01)
    assert len(job.partial().rows[0].attempts) >= 1
    thread.cancel.cancel()
    thread.wait(10)
    assert thread.ended


def test_a_word_that_is_no_form_is_named():
    with pytest.raises(SettingsError, match="--forms: there is no 'words'"):
        run("x --forms words", "reject")
