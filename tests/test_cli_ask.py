"""``ipuaro ask``: a message from the shell."""

import json
import os
import pty
import select
import signal
import subprocess
import time
from contextlib import contextmanager
from functools import partial

import pytest

EDIT = (
    '<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>'
    "<content>export const a = 2</content></tool_call>"
)
TURNS = {
    "Read it": ['<tool_call name="get_lines"><path>a.ts</path></tool_call>', "It is *one*."],
    "Raise it": [EDIT, "Done."],
}


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": "export const a = 1\n"})


@pytest.fixture
def options(project, tmp_path):
    recording = tmp_path / "recording.json"
    turns = [{"message": message, "replies": replies} for message, replies in TURNS.items()]
    recording.write_text(json.dumps({"version": 1, "turns": turns}))
    return ["--project", str(project), "--model", f"recorded:{recording}"]


@pytest.fixture
def ask(ipuaro):
    """Return a function that runs ``ipuaro ask`` to its end."""
    return partial(ipuaro, "ask")


def test_the_answer_and_its_calls_are_printed(ask, options):
    done = ask("Read", "it", *options)
    assert done.returncode == 0, done.stderr
    assert "get_lines" in done.stdout
    assert "It is *one*." in done.stdout


def test_the_message_may_come_from_standard_input(ask, options):
    assert "It is *one*." in ask("-", *options, stdin="Read it\n").stdout


def test_json_is_one_object_with_the_calls_and_nothing_else(ask, options):
    done = ask("Read it", "--json", *options)
    answer = json.loads(done.stdout)
    assert (answer["text"], answer["ended"]) == ("It is *one*.", "done")
    (call,) = answer["toolCalls"]
    assert call["tool"] == "get_lines"
    assert call["result"]["success"]


@pytest.mark.parametrize(("approve", "written"), [(None, 1), ("never", 1), ("edits", 2)])
def test_without_a_terminal_only_what_was_approved_is_applied(
    ask, options, project, approve, written
):
    given = ["--approve", approve] if approve else []
    done = ask("Raise it", *given, *options)
    assert done.returncode == 0, done.stderr
    assert (project / "a.ts").read_text() == f"export const a = {written}\n"


def test_a_rejection_names_the_option_that_allows_it(ask, options):
    (call,) = json.loads(ask("Raise it", "--json", *options).stdout)["toolCalls"]
    assert call["result"]["error"]["suggestion"].endswith(": --approve edits allows it.")


def test_an_edit_that_was_applied_unasked_is_shown(ask, options):
    told = ask("Raise it", "--approve", "edits", *options).stdout
    assert "Edited a.ts" in told
    assert "-export const a = 1" in told
    assert "+export const a = 2" in told
    assert "Edited" not in ask("Read it", "--approve", "edits", *options).stdout


def test_the_session_is_told_and_can_be_resumed(ask, options):
    first = ask("Read it", *options)
    last = first.stderr.splitlines()[-1]
    session = last.rpartition(" ")[2]
    assert last == f"session {session}: go on with --session {session}"
    again = ask("Read it", "--json", "--session", session, *options)
    assert json.loads(again.stdout)["session"] == session


@pytest.fixture
def in_terminal(program):
    """Return a context of a process that has a terminal, and the terminal; then it is gone."""

    @contextmanager
    def run(*words):
        master, slave = pty.openpty()
        running = subprocess.Popen([program, *words], stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        try:
            yield running, master
        finally:
            running.kill()
            running.wait(60)
            os.close(master)

    return run


def test_in_a_terminal_the_edit_is_asked_about(in_terminal, options, project):
    with in_terminal("ask", "Raise it", *options) as (running, master):
        printed = _until(master, b"y to apply")
        assert b"+export const a = 2" in printed
        os.write(master, b"y\n")
        _until(master, b"Done.")
        assert running.wait(60) == 0
    assert (project / "a.ts").read_text() == "export const a = 2\n"


def test_ctrl_c_at_a_question_stops(in_terminal, options, project):
    with in_terminal("ask", "Raise it", *options) as (running, master):
        _until(master, b"y to apply")
        for _ in range(5):  # Python misses one that comes after the prompt and before it reads
            running.send_signal(signal.SIGINT)
            if b"ipuaro: stopped" in _printed(master, b"ipuaro: stopped", within_s=10):
                break
        assert running.wait(60) == 130
    assert (project / "a.ts").read_text() == "export const a = 1\n"


def _until(master, text):
    printed = _printed(master, text, within_s=60)
    assert text in printed, printed.decode()
    return printed


def _printed(master, text, *, within_s):
    """Return what comes until a text, at the most for so long."""
    printed, until_s = b"", time.monotonic() + within_s
    while text not in printed:
        left_s = until_s - time.monotonic()
        if left_s <= 0 or not select.select([master], [], [], left_s)[0]:
            break
        printed += os.read(master, 4096)
    return printed


def test_each_question_is_a_session_of_its_own_unless_one_is_named(ask, options):
    first = ask("Read it", "--json", *options)
    assert first.returncode == 0
    done = ask("Read it", "--session", "nothing", *options)
    assert done.returncode == 2
    assert "nothing" in done.stderr


def test_a_model_that_cannot_be_reached_is_told_with_the_remedy(ask, project):
    done = ask("Hello", "--project", project, env={"OLLAMA_HOST": "127.0.0.1:9"})
    assert done.returncode == 4
    assert "ollama serve" in done.stderr.splitlines()[-1]
    assert (done.stdout + done.stderr).count("ollama serve") == 1
    assert "Ended by an error" not in done.stdout
    assert "--session" not in done.stderr


def test_only_a_new_session_in_which_nothing_was_said_is_not_kept(
    ask, options, project, open_assistant
):
    kept = json.loads(ask("Read it", "--json", *options).stdout)["session"]
    failed = ask("No such message", "--json", *options)
    assert failed.returncode == 4
    assert json.loads(failed.stdout)["session"] is None
    assert ask("No such message", "--session", kept, *options).returncode == 4
    (session,) = open_assistant(project, []).sessions()
    assert (session.id, session.title, session.messages) == (kept, "Read it", 6)


def test_a_limit_that_ends_the_turn_is_told_by_the_exit_status(ask, options, project):
    (project / ".ipuaro.json").write_text('{"context": {"maxRounds": 1}}')
    done = ask("Read it", *options)
    assert done.returncode == 1
    assert "1 round" in done.stdout


def test_nothing_to_ask_is_said(ask, options):
    done = ask("-", *options, stdin=" \n")
    assert done.returncode == 2
    assert "nothing to ask" in done.stderr
