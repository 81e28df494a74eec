import os
import signal
import subprocess
import sys

import pytest
from waiting import until

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.workspace.processes.jobs import Jobs
from ipuaro_jupyter.workspace.running import start_job

TREE = "echo started; sleep 60 & setsid sleep 61 & sleep 62"


@pytest.fixture
def jobs(tmp_path, running_in):
    opened = Jobs()
    yield opened
    opened.close()
    until(lambda: not running_in(tmp_path))


@pytest.fixture
def start(jobs, tmp_path):
    def start_now(text, **options):
        return jobs.start(["sh", "-c", text], command=text, cwd=tmp_path, **options)

    return start_now


def test_job_is_read_while_it_runs_and_when_it_has_ended(start, tmp_path):
    job = start("echo one; echo two >&2; while [ ! -e go ]; do sleep 0.05; done; exit 3")
    until(lambda: job.state().output == "one\ntwo\n")
    state = job.state()
    assert (state.id, state.state, state.exit_code) == ("job-1", "running", None)
    (tmp_path / "go").touch()
    assert job.wait(30)
    assert (job.state().state, job.state().exit_code) == ("ended", 3)
    job.stop()
    assert job.state().state == "ended"


def test_stopped_job_ends_with_its_whole_tree(start, tmp_path, running_in):
    job = start(TREE)
    until(lambda: len(running_in(tmp_path)) >= 4)
    job.stop()
    assert not job.running
    assert job.state().state == "stopped"
    assert job.state().exit_code > 128
    until(lambda: not running_in(tmp_path))


def test_long_output_keeps_both_ends(start):
    job = start("seq 100000")
    assert job.wait(30)
    output = job.state().output
    assert output.startswith("1\n2\n")
    assert output.endswith("99999\n100000\n")
    assert "bytes left out" in output
    assert len(output) < 60_000


def test_closing_stops_all_and_starts_nothing_more(jobs, start, tmp_path, running_in):
    running = [start(TREE) for _ in range(3)]
    jobs.close()
    assert [job.state().state for job in running] == ["stopped"] * 3
    until(lambda: not running_in(tmp_path))
    with pytest.raises(ToolError, match="closed"):
        start("touch made")
    assert not (tmp_path / "made").exists()


def test_jobs_are_found_by_id_and_number(jobs, start):
    first, second = start("sleep 60"), start("sleep 61")
    assert jobs.get("job-1") is first
    assert jobs.get("2") is second
    assert jobs.all() == (first, second)


@pytest.mark.parametrize("id_", ["job-9", "", "job", "1 "])
def test_unknown_job_names_those_that_there_are(jobs, start, id_):
    with pytest.raises(ToolError, match="no job") as caught:
        jobs.get(id_)
    assert caught.value.suggestion == "No job was started yet: run_tests with watch starts one."
    start("sleep 60")
    with pytest.raises(ToolError) as caught:
        jobs.get(id_)
    assert (caught.value.type, caught.value.recoverable) == ("validation", True)
    assert caught.value.suggestion == "There are: job-1 (sleep 60)."


def test_only_some_run_at_once(start):
    running = [start("sleep 60") for _ in range(8)]
    with pytest.raises(ToolError, match="8 jobs run already: job-1, job-2"):
        start("sleep 60")
    running[0].stop()
    start("sleep 60")


def test_jobs_that_ended_long_ago_are_forgotten(jobs, start):
    for _ in range(34):
        assert start("true").wait(30)
    assert len(jobs.all()) <= 32
    assert jobs.all()[-1].id == "job-34"


def test_change_of_a_file_stops_what_relies_on_it(jobs, start):
    relying = start("sleep 60", relies_on=("vitest.config.*", "node_modules/.bin/vitest"))
    other = start("sleep 60", relies_on=("package.json",))
    jobs.stop_relying_on("src/a.ts")
    assert relying.running
    jobs.stop_relying_on("sub/vitest.config.ts")
    assert not relying.running
    assert "sub/vitest.config.ts was changed" in relying.state().reason
    assert other.running


def test_missing_program_is_a_command_error(jobs, tmp_path):
    with pytest.raises(ToolError, match="no-such-program") as caught:
        jobs.start(["no-such-program"], command="x", cwd=tmp_path)
    assert caught.value.type == "command"
    assert not jobs.all()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_jobs_die_with_us(tmp_path, number, running_in):
    code = """
import sys, time
from pathlib import Path
from ipuaro_jupyter.workspace.processes.jobs import Jobs
Jobs().start(["sh", "-c", sys.argv[2]], command="x", cwd=Path(sys.argv[1]))
print("ready", flush=True)
time.sleep(60)
"""
    argv = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path), TREE]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as kernel:
        assert kernel.stdout.readline() == b"ready\n"
        until(lambda: len(running_in(tmp_path)) >= 4)
        os.kill(kernel.pid, number)
        kernel.wait()
        until(lambda: not running_in(tmp_path))


def test_workspace_stops_its_jobs_when_it_writes_what_they_rely_on(opened):
    opened.write("package.json", "{}")
    jobs = opened.workspace.jobs
    job = jobs.start(["sleep", "60"], command="x", cwd=opened.root, relies_on=("package.json",))
    opened.apply("other.json", None, b"{}")
    assert job.running
    opened.apply("package.json", b"{}", b"[]")
    assert not job.running


def test_closing_a_workspace_stops_its_jobs(opened):
    job = opened.workspace.jobs.start(["sleep", "60"], command="x", cwd=opened.root)
    opened.workspace.close()
    assert not job.running


def test_no_job_is_started_after_a_stop(opened):
    cancel = CancelToken()
    cancel.cancel()
    words = ["git", "--version"]
    with pytest.raises(Cancelled):
        start_job(
            opened.workspace.execution_context, words, judged=words, tool="run_tests", cancel=cancel
        )
    assert opened.workspace.jobs.all() == ()
    job = start_job(opened.workspace.execution_context, words, judged=words, tool="run_tests")
    assert job.wait(30)
    assert job.state().output.startswith("git version")
