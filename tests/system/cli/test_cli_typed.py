"""A message such as "/undo" behind ``ipuaro ask``."""

import json
import os
import signal
import subprocess
from functools import partial

import pytest

EDIT = (
    '<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>'
    "<content>export const a = 2</content></tool_call>"
)
BEFORE, AFTER = "export const a = 1\n", "export const a = 2\n"


@pytest.fixture
def project(make_project):
    return make_project({"a.ts": BEFORE})


@pytest.fixture
def ask(ipuaro, project):
    """Return a function that runs ``ipuaro ask`` in the project."""
    (project / "recording.json").write_text('{"version": 1, "turns": []}')
    return partial(ipuaro, "ask", "--model", "recorded:recording.json", cwd=project)


@pytest.fixture
def session(project, open_assistant):
    """The id of a session in which the file was changed."""
    assistant = open_assistant(project, [EDIT, "It is two."], auto_apply=True)
    assistant.call("get_lines", {"path": "a.ts"}, by_user=False)
    assistant.ask("Raise it")
    used = assistant.session.id
    assistant.close()
    return used


@pytest.mark.parametrize("message", ["/undo", "/undo turn", "/clear", "/eval", "/export a.ipynb"])
def test_what_is_about_a_session_says_how_one_is_named(ask, project, session, message):
    done = ask(message)
    assert done.returncode == 1
    assert done.stdout == ""
    told = done.stderr.splitlines()[-1]
    assert told.startswith("ipuaro: This session is new, and there is nothing to ")
    assert f"--session {session} is about the latest" in told
    assert (project / "a.ts").read_text() == AFTER
    assert not (project / "a.ipynb").exists()


def test_where_there_is_no_session_none_is_named(ask):
    done = ask("/undo")
    assert done.returncode == 1
    assert "nothing to undo. The project has no other session yet." in done.stderr


def test_undo_in_a_session_that_is_named_takes_its_change_back(ask, project, session):
    done = ask("/undo", "--session", session)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Undone: a.ts was changed back.\n"
    assert f"Session {session} goes on: Raise it (4 messages, last used 2" in done.stderr
    assert (project / "a.ts").read_text() == BEFORE
    again = ask("/undo", "--session", session)
    assert again.returncode == 1
    assert again.stderr.splitlines()[-1] == "ipuaro: There is nothing to undo."


def test_other_commands_work_in_a_session_that_is_named(ask, project, session):
    named = partial(ask, "--session", session)
    assert named("/export talk.ipynb").returncode == 0
    assert "It is two." in (project / "talk.ipynb").read_text()
    assert "The conversation is empty" in named("/clear").stdout
    assert "(0 messages" in named("/status").stderr


def test_json_tells_what_was_said_and_why_nothing_was(ask, session):
    done = ask("/undo", "--json", "--session", session)
    answer = json.loads(done.stdout)
    assert (answer["session"], answer["ended"]) == (session, "done")
    assert answer["text"] == "Undone: a.ts was changed back."
    failed = ask("/undo", "--json", "--session", session)
    answer = json.loads(failed.stdout)
    assert (failed.returncode, answer["ended"]) == (1, "error")
    assert answer["notice"] == "There is nothing to undo."


@pytest.mark.parametrize(
    ("message", "option"),
    [
        ("/auto-apply on", "--approve edits"),
        ("/auto-apply off", "--approve ask"),
        ("/load 2", "--session ID"),
        ("/model llama", "--model NAME"),
    ],
)
def test_what_would_be_gone_at_once_names_the_option(ask, message, option):
    done = ask(message)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f"Write {option} with the question instead.")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("/udno", "There is no command /udno."),
        ("/stop", "/stop is for a notebook; in a shell, Ctrl-C stops what runs."),
        ("/todos a b", "Write /todos [PATH]: "),
        ("/undo foo", "Write /undo [turn|skip|list]: "),
        ("/auto-apply perhaps", "Write /auto-apply [on|off]: "),
        ("/load", "Write /load ID: "),
        (f"/{'x' * 300}", "There is no command /xxx"),
    ],
)
def test_a_command_that_is_typed_wrongly_is_a_wrong_argument(ask, message, told):
    done = ask(message)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(f"ipuaro: {told}")


@pytest.mark.parametrize("message", ["/graph nope", "/todos nope"])
def test_a_command_that_is_typed_well_and_cannot_be_done_has_failed(ask, message):
    done = ask(message)
    assert done.returncode == 1
    assert "nope does not exist" in done.stderr.splitlines()[-1]


WAITS = """\
import os
import sys

if "ipuaro_jupyter.index.storage.worker" in sys.orig_argv:
    import time
    from ipuaro_jupyter.index.extract import parse

    def waiting(path, data):
        with open(os.environ["READS"], "w"):
            time.sleep(60)

    parse.parse_file = waiting
"""


def test_json_says_that_a_command_was_stopped(ask, program, project, tmp_path):
    (project / "large.ts").write_text("export const large = 1\n" * 2000)
    assert ask("/status").returncode == 0
    (tmp_path / "sitecustomize.py").write_text(WAITS)
    os.mkfifo(tmp_path / "reads")
    with subprocess.Popen(
        [program, "ask", "/reindex", "--json", "--model", "recorded:recording.json"],
        cwd=project,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "READS": str(tmp_path / "reads")},
    ) as running:
        with (tmp_path / "reads").open():  # until a file is read
            running.send_signal(signal.SIGINT)
        answer = json.loads(running.communicate(timeout=60)[0])
    assert (running.returncode, answer["ended"]) == (130, "stopped")


def test_commands_that_are_about_the_project_need_no_session(ask):
    done = ask("/status")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("- Project: project (")
    assert ask("/sessions").stdout == "There are no sessions yet.\n"
