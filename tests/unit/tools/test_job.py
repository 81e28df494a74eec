import time
from uuid import uuid4

import psutil
import pytest

FILES = {"vitest.config.ts": "export default {}\n"}


@pytest.fixture
def watch(make_project, open_assistant):
    """Return a function that starts a job whose runner is a shell script; gives `call` and id."""

    def start(text, **options):
        root = make_project({**FILES, "node_modules/.bin/vitest": f"#!/bin/sh\n{text}\n"})
        (root / "node_modules/.bin/vitest").chmod(0o755)
        assistant = open_assistant(root, [], **options)
        return assistant, assistant.call("run_tests", {"watch": True}).output.job

    return start


def wait_for(read, wanted):
    deadline = time.monotonic() + 30
    while wanted not in (output := read()):
        assert time.monotonic() < deadline, output
        time.sleep(0.02)


def test_a_job_is_read_and_stopped(watch):
    assistant, id_ = watch("echo '\033[31mone\033[0m'; sleep 60")
    wait_for(lambda: assistant.call("job", {"id": id_, "action": "read"}).text(), "one")
    result = assistant.call("job", {"id": id_})
    output = result.to_dict()["output"]
    assert output.pop("duration") >= 0
    assert output == {
        "id": "job-1",
        "state": "running",
        "output": "one\n",
        "command": "vitest watch",
    }
    assert result.text().startswith("job-1: running for ")
    assert result.text().endswith("\nCommand: vitest watch\n\none")
    assert result.output.shape().stdout == "one\n"
    stopped = assistant.call("job", {"id": id_, "action": "stop"})
    assert stopped.output.state == "stopped"
    assert stopped.output.exit_code > 128
    assert stopped.text().startswith("job-1: stopped after ")
    assert assistant.call("job", {"id": 1}).output.state == "stopped"


def test_a_job_that_ended_by_itself(watch):
    assistant, id_ = watch("exit 3")
    wait_for(lambda: assistant.call("job", {"id": id_}).text(), "ended by itself")
    text = assistant.call("job", {"id": id_}).text()
    assert text.partition("\n")[0].endswith(", exit code 3")
    assert text.endswith("It has printed nothing.")


def test_an_unknown_job_names_the_others(watch):
    assistant, _ = watch("sleep 60")
    error = assistant.call("job", {"id": "job-7", "action": "stop"}).error
    assert (error.type, error.recoverable) == ("validation", True)
    assert "'job-7'" in error.message
    assert "job-1 (vitest watch)" in error.suggestion


@pytest.mark.parametrize("arguments", [{}, {"id": "job-1", "action": "kill"}, {"id": "job-1"}])
def test_wrong_arguments(run, arguments):
    assert run({})("job", arguments).error.type == "validation"


def test_a_change_of_the_configuration_ends_the_job(watch):
    assistant, id_ = watch("sleep 60", confirm=lambda p: p.kind == "edit")
    edit = {"path": "vitest.config.ts", "start": 1, "end": 1, "content": "export default 1"}
    assert assistant.call("edit_lines", edit).success
    text = assistant.call("job", {"id": id_}).text()
    assert "vitest.config.ts was changed" in text
    assert assistant.call("run_tests", {"watch": True}).error.type == "cancelled"


def test_jobs_end_with_the_assistant(watch, tmp_path):
    seconds = f"60.{uuid4().int}"  # a number of its own, whatever the sandbox calls the process

    def is_running():
        return any(
            seconds in (one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])
        )

    assistant, _ = watch(f"echo begun > begun; exec sleep {seconds}")
    begun = tmp_path / "project/begun"
    wait_for(lambda: str(begun.exists() and is_running()), "True")
    assistant.close()
    wait_for(lambda: str(is_running()), "False")
