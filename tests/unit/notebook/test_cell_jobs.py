"""What is left of a job that was stopped."""

import sys
import threading

import pytest

from ipuaro_jupyter.errors import ProjectError, SettingsError
from ipuaro_jupyter.notebook.cell_jobs import AskJob, CommandJob, ToolJob
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.events import CallFinished, CallStarted
from ipuaro_jupyter.records.outputs import ToolResult


class StopsAfterCall(CellThread):
    """Presses stop when the first tool has run, as somebody who watches would."""

    def post(self, event):
        super().post(event)
        if isinstance(event, CallFinished):
            self.cancel.cancel()


def test_the_record_of_a_stopped_turn_has_its_changes_and_tokens(open_project):
    open_project.assistant.call("get_lines", {"path": "src/retry.ts"}, by_user=False)
    job = AskJob(open_project, "Raise it", [])
    assert job.run(StopsAfterCall(job.run)).ended == "stopped"
    partial = job.partial()
    assert [change.path for change in partial.edits] == ["src/retry.ts"]
    assert partial.usage.completion_tokens > 0
    assert [called.said for called in partial.tool_calls] == ["I will raise it."]


@pytest.fixture
def switches_often():
    """Threads take turns at nearly every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switches_often")
def test_a_stopped_turn_is_told_while_its_calls_begin_and_end(open_project):
    job = AskJob(open_project, "Read it", [])
    told = threading.Event()

    def thread():
        number = 0
        while number < 300 and not told.is_set():
            calls = [ToolCall(name="get_lines", arguments={}, id=f"{number}-{i}") for i in range(9)]
            for call in calls:
                job._note(CallStarted(call=call))
            for call in calls[1:]:
                job._note(CallFinished(call=call, result=ToolResult(tool="get_lines")))
            number += 1

    worker = threading.Thread(target=thread)
    worker.start()
    try:
        for _ in range(50):
            ids = [called.call.id for called in job.partial().tool_calls]
            assert len(ids) == len(set(ids))
    finally:
        told.set()
        worker.join()


def test_a_job_works_for_the_project_that_is_open_when_it_runs(
    open_project, make_project, recording
):
    job = ToolJob(open_project, "get_lines only.ts")
    other = make_project({"only.ts": "1\n"}, name="other")
    open_project.open(str(other), model=f"recorded:{recording}")
    assert job.run(CellThread(job.run)).success


def test_where_there_is_no_project_nothing_is_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    job = AskJob(OpenProject(), "Explain", [])
    thread = CellThread(job.run)
    with pytest.raises(ProjectError, match=r"Run %ipuaro start PATH first\."):
        job.run(thread)
    assert thread.question() is None


def test_a_misspelt_key_of_a_tool_writes_nothing(open_project, project):
    before = (project / "src/retry.ts").read_text()
    line = 'edit_lines path=src/retry.ts start=1 end=0 contnet="// BAD"'
    with pytest.raises(SettingsError, match="Did you mean content="):
        ToolJob(open_project, line)
    assert (project / "src/retry.ts").read_text() == before
    job = ToolJob(open_project, line.replace("contnet", "content"))
    assert job.run(CellThread(job.run)).success
    assert (project / "src/retry.ts").read_text().startswith("// BAD\n")


@pytest.mark.parametrize("line", ["start --help", "start -h", "start . --new --help", "help start"])
def test_help_of_a_command_is_shown_and_nothing_opened(line):
    open_project = OpenProject()
    job = CommandJob(open_project, line)
    told = job.run(CellThread(job.run)).text
    assert told.startswith("%ipuaro start")
    assert "--session" in told
    assert not open_project.is_open


def test_help_of_a_tool_names_its_arguments_also_without_a_project(open_project):
    for some in (OpenProject(), open_project):
        job = ToolJob(some, "edit_lines --help")
        told = job.run(CellThread(job.run)).text
        assert told.startswith("%tool edit_lines path=… start=… end=… content=…\n")
        assert "start (integer) " in told
        assert told.endswith(r"""  %tool edit_lines {"content": "one\ntwo", …}""")
    for line in ("get_lines -h", "get_lines?", "get_lines??"):
        job = ToolJob(open_project, line)
        assert "[start=…]" in job.run(CellThread(job.run)).text


def test_help_is_a_value_when_it_is_not_alone(open_project):
    job = ToolJob(open_project, "grep --help src")
    assert job.run(CellThread(job.run)).tool == "grep"
