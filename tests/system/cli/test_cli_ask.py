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
READ = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
TURNS = {
    "Read it": [READ, "It is *one*."],
    "See it": ["See `lib/b.ts` and a.ts:7."],
    "Raise it": [EDIT, "Done."],
    "Weigh it": ["First a.ts, then the rest.\n</think>\nIt is two."],
    "Read and raise it": [READ, EDIT, "Done."],
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


def test_the_answer_is_printed_and_its_calls_beside_it(ask, options):
    done = ask("Read", "it", *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "It is *one*.\n"
    assert '\n✓ get_lines(path="a.ts")' in done.stderr
    assert "\nDone · 1 tool call" in done.stderr


def test_thinking_that_the_template_has_opened_is_not_printed(ask, options):
    assert ask("Weigh it", *options).stdout == "It is two.\n"


def test_what_is_not_in_the_code_is_told_beside_the_answer(ask, options):
    done = ask("See it", *options)
    assert done.stdout == "See `lib/b.ts` and a.ts:7.\n"
    assert "Not in the code:\n- a.ts:7: a.ts has 1 line\n" in done.stderr
    (mark,) = json.loads(ask("See it", "--json", *options).stdout)["receipt"]["marks"]
    assert (mark["named"], mark["word"]) == ("a.ts:7", "no such lines")


def test_what_is_no_terminal_gets_few_lines_and_no_control_characters(ask, make_project, options):
    many = make_project({f"{n}.ts": f"export const a{n} = {n}\n" for n in range(300)}, name="many")
    done = ask("Read it", "--model", options[-1], "--project", many)
    told = done.stdout + done.stderr
    assert done.returncode == 0, done.stderr
    assert "Reading files: 0 of 300 files" in done.stderr
    assert len(told.splitlines()) <= 10
    assert told.replace("\n", "").isprintable()


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
    done = ask("Read and raise it", *given, *options)
    assert done.returncode == 0, done.stderr
    assert (project / "a.ts").read_text() == f"export const a = {written}\n"


def test_a_rejection_names_the_option_that_allows_it(ask, options):
    (call,) = json.loads(ask("Raise it", "--json", *options).stdout)["toolCalls"]
    assert call["result"]["error"]["suggestion"].endswith(": --approve edits allows it.")


def test_an_edit_that_was_applied_unasked_is_shown(ask, options):
    told = ask("Read and raise it", "--approve", "edits", *options).stderr
    assert "Edited a.ts" in told
    assert "-export const a = 1" in told
    assert "+export const a = 2" in told
    assert "Edited" not in ask("Read it", "--approve", "edits", *options).stderr


def test_the_session_is_told_and_can_be_resumed(ask, options):
    first = ask("Read it", *options)
    last = first.stderr.splitlines()[-1]
    session = last.rpartition(" ")[2]
    assert last == f"session {session}: go on with --session {session}"
    again = ask("Read it", "--json", "--session", session, *options)
    assert json.loads(again.stdout)["session"] == session
    assert f"\nSession {session} goes on: Read it (4 messages, last used 2" in again.stderr
    assert "goes on" not in first.stderr


@pytest.fixture
def in_terminal(program):
    """Return a context of a process that has a terminal, and the terminal; then it is gone."""

    @contextmanager
    def run(*words, stdout=None, stderr=None):
        master, slave = pty.openpty()
        running = subprocess.Popen(
            [program, *words], stdin=slave, stdout=stdout or slave, stderr=stderr or slave
        )
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


def test_what_was_typed_before_a_question_is_no_answer_to_it(in_terminal, options, project):
    with in_terminal("ask", "Raise it", *options) as (running, master):
        os.write(master, b"y\n" * 3)
        _until(master, b"y to apply")
        os.write(master, b"not yet\n")
        _until(master, b"Done.")
        assert running.wait(60) == 0
    assert (project / "a.ts").read_text() == "export const a = 1\n"


def test_an_answer_that_goes_to_a_file_is_asked_about_in_the_terminal(
    in_terminal, options, project, tmp_path
):
    with (
        (tmp_path / "out").open("w") as out,
        in_terminal("ask", "Raise it", *options, stdout=out) as (running, master),
    ):
        assert b"+export const a = 2" in _until(master, b"y to apply")
        os.write(master, b"y\n")
        _until(master, b"Done \xc2\xb7 1 tool call")
        assert running.wait(60) == 0
    assert (project / "a.ts").read_text() == "export const a = 2\n"
    assert (tmp_path / "out").read_text() == "Done.\n"


@pytest.fixture
def told_elsewhere(in_terminal, tmp_path):
    """Return what a command says that is typed in a terminal and tells nothing there."""

    def run(*words):
        file = tmp_path / "told"
        with (
            file.open("w") as told,
            in_terminal(*words, stdout=told, stderr=told) as (running, _),
        ):
            running.wait(60)
        return file.read_text()

    return run


def test_a_question_that_nobody_would_see_is_not_asked(told_elsewhere, options, project):
    assert "Done." in told_elsewhere("ask", "Raise it", *options)
    delete = ("delete_file", '{"path": "a.ts"}', "--project", project)
    assert "--yes allows it" in told_elsewhere("tool", *delete)
    assert "nobody to ask" in told_elsewhere("forget", project)
    assert (project / "a.ts").read_text() == "export const a = 1\n"


def test_nothing_is_asked_in_a_terminal_when_questions_go_to_a_file(
    in_terminal, options, project, tmp_path
):
    with (
        (tmp_path / "err").open("w") as err,
        in_terminal("ask", "Raise it", *options, stderr=err) as (running, master),
    ):
        assert _until(master, b"Done.").rstrip() == b"Done."
        assert running.wait(60) == 0
    assert "Done \u00b7 1 tool call" in (tmp_path / "err").read_text()
    assert (project / "a.ts").read_text() == "export const a = 1\n"


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
    assert "1 round" in done.stderr


def test_nothing_to_ask_is_said(ask, options):
    done = ask("-", *options, stdin=" \n")
    assert done.returncode == 2
    assert "nothing to ask" in done.stderr


def test_who_deletes_the_oldest_sessions_is_told_and_a_tool_or_an_index_deletes_none(
    ipuaro, ask, options, project, home
):
    for _ in range(2):
        ask("Read it", *options)
    (home / "settings.json").write_text('{"sessions": {"maxKept": 1}}')
    for quiet in (("index", str(project)), ("tool", "get_lines", '{"path": "a.ts"}', *options[:2])):
        done = ipuaro(*quiet)
        assert done.returncode == 0, done.stderr
        assert "deleted" not in done.stderr
    told = ask("Read it", "--json", *options).stderr
    assert "The oldest 2 sessions were deleted with what could be undone in them" in told
    assert "The oldest session was deleted" in ask("Read it", *options).stderr
