"""The magics in IPython without a kernel."""

import io
import os
import pty
import subprocess
import sys

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.notebook.magics import quiet
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.terminal_turn import decide_in_terminal


@pytest.fixture
def terminal(project, recording):
    def run(*lines):
        typed = "\n".join(
            [
                "%load_ext ipuaro_jupyter",
                f"s = %ipuaro start {project} --model recorded:{recording}",
                *lines,
                "",
            ]
        )
        done = subprocess.run(
            [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"],
            input=typed,
            capture_output=True,
            text=True,
            cwd=project,
            env={**os.environ, "IPYTHONDIR": str(project.parent / "ipython")},
            timeout=60,
            check=False,
        )
        return done.stdout + done.stderr

    return run


def test_an_answer_is_printed_once_and_kept(terminal):
    printed = terminal("%ask Explain", "print('kept:', _.text)")
    assert printed.count("It **retries** three times.") == 2
    assert "kept: It **retries** three times." in printed


def test_a_question_is_asked_and_answered_with_input(terminal, project):
    printed = terminal("%ask Raise it", "y")
    assert "-  const attempts = 3;" in printed
    assert "attempts = 5" in (project / "src/retry.ts").read_text()


def test_anything_but_yes_rejects_with_it_as_the_reason(terminal, project):
    printed = terminal("%ask Raise it", "not today")
    assert "not today" in printed
    assert "attempts = 3" in (project / "src/retry.ts").read_text()


def test_the_end_of_input_means_no(terminal, project):
    terminal("%ask Raise it")
    assert "attempts = 3" in (project / "src/retry.ts").read_text()


def test_an_error_is_one_sentence(terminal):
    printed = terminal("%ask Nobody recorded this")
    assert "not in it" in printed
    assert "Traceback" not in printed


def test_a_question_mark_is_part_of_the_question(terminal):
    printed = terminal("%ask Explain?", "x = %ask Explain?", "%ask?")
    assert printed.count("It **retries** three times.") == 2
    assert "Send the cell" in printed


def test_more_of_a_long_change_is_shown_on_request(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("m\n" * 3 + "y\n"))
    text = "".join(f"line {n}\n" for n in range(1000))
    asked = Proposal(id="1", kind="create", tool="t", title="Create a", path="a", new_text=text)
    assert decide_in_terminal(asked) == Decision(action="apply")
    printed = capsys.readouterr().out
    assert [printed.count(f"+line {n}\n") for n in (0, 249, 250, 500, 749, 999)] == [1] * 6
    assert "y to apply (500 lines not seen), m to see more; anything else" in printed
    assert "y to apply (300 lines not seen)" in printed
    assert printed.endswith("y to apply; anything else rejects, as the reason: ")


def test_a_change_that_was_seen_in_part_can_be_decided(monkeypatch):
    text = "".join(f"line {n}\n" for n in range(1000))
    asked = Proposal(id="1", kind="create", tool="t", title="Create a", path="a", new_text=text)
    for typed, action in (("y\n", "apply"), ("more\nn\n", "reject"), ("m", "reject")):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert decide_in_terminal(asked).action == action


def test_nothing_that_is_asked_moves_the_cursor(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = Proposal(
        id="1", kind="command", tool="t", title="t", command="ls", pattern="ls \x1b[2K\u202e"
    )
    assert decide_in_terminal(asked).action == "reject"
    printed = capsys.readouterr().out
    assert "ls [U+001B][2K[U+202E]" in printed
    assert "\x1b" not in printed


ASKS = """\
from ipuaro_jupyter.records.trouble import Trouble
from ipuaro_jupyter.terminal_turn import decide_in_terminal

decide_in_terminal(Trouble(kind="model", message="It broke."))
"""


def test_a_question_is_whole_where_standard_error_goes_to_a_file(tmp_path):
    """`input` writes its prompt to standard error in a terminal without readline."""
    terminal, end = pty.openpty()
    with (tmp_path / "err").open("w") as err:
        asking = subprocess.Popen(
            [sys.executable, "-c", ASKS], cwd=tmp_path, stdin=end, stdout=end, stderr=err
        )
    os.close(end)
    try:
        printed = b""
        while b"It broke." not in printed:
            printed += os.read(terminal, 4096)
        os.write(terminal, b"a\n")
        assert asking.wait(60) == 0
        assert b"anything else aborts: " in printed + os.read(terminal, 4096)
        assert (tmp_path / "err").read_text() == ""
    finally:
        asking.kill()
        os.close(terminal)


def test_nothing_in_an_error_moves_the_cursor():
    shown = quiet(ToolError("file", "no \x1b[2Kfile"))._render_traceback_()
    assert shown == ["no [U+001B][2Kfile"]


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("y", Decision(action="apply")),
        ("2", Decision(action="apply", hunks=(2,))),
        ("2, 1", Decision(action="apply", hunks=(1, 2))),
        ("1,2,", Decision(action="apply", hunks=(1, 2))),
        ("3\n2", Decision(action="apply", hunks=(2,))),
        ("1 9\n0\n1234567890123\ny", Decision(action="apply")),
        ("1 9\nnot now", Decision(action="reject", reason="not now")),
        ("3\nn", Decision(action="reject")),
        ("no 2", Decision(action="reject", reason="no 2")),
    ],
)
def test_single_changes_are_chosen_by_their_numbers(monkeypatch, capsys, typed, decision):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "")
    edit = {"kind": "edit", "path": "a.ts", "old_text": old, "new_text": new, "editable": True}
    assert decide_in_terminal(Proposal(id="1", tool="t", title="t", **edit)) == decision
    printed = capsys.readouterr().out
    assert printed.count("The changes are 1 to 2.") == typed.count("\n")
    assert "change 2 of 2" in printed
    assert 'numbers such as "1 3" to apply only these changes' in printed


OLD = "".join(f"{number}\n" for number in range(30))
NEW = OLD.replace("3\n", "three\n", 1).replace("25\n", "")
SET = [
    {"path": "a.ts", "kind": "edit", "old_text": OLD, "new_text": NEW},
    {"path": "b.ts", "kind": "create", "old_text": None, "new_text": "x\n", "is_chosen": False},
]


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("y", Decision(action="apply")),
        ("1", Decision(action="apply", chosen=({"number": 1},))),
        ("2 1.2", Decision(action="apply", chosen=({"number": 1, "hunks": (2,)}, {"number": 2}))),
        ("3\n1.3\n2", Decision(action="apply", chosen=({"number": 2},))),
        ("1 9\nnot now", Decision(action="reject", reason="not now")),
        ("", Decision(action="reject")),
    ],
)
def test_files_of_a_set_are_chosen_by_their_numbers(monkeypatch, capsys, typed, decision):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
    asked = Proposal(id="1", kind="changes", tool="t", title="Rename n", changed=SET)
    assert decide_in_terminal(asked) == decision
    printed = capsys.readouterr().out
    assert printed.count("The files are 1 to 2.") == typed.count("\n")
    assert "  [x] 1 a.ts (edited, +1 \u22122)\n  [ ] 2 b.ts (new, +1 \u22120)" in printed
    assert 'y to apply 1 of 2 files, numbers such as "1 2.2" for only these files' in printed


def test_a_set_can_be_allowed_for_the_rest_of_the_session(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n"))
    fields = {"kind": "changes", "tool": "t", "title": "Rename n", "changed": SET}
    asked = Proposal(id="1", pattern="src/*", **fields)
    assert decide_in_terminal(asked) == Decision(action="apply", remember=True)
    assert "a to apply and not ask again for t src/*" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert decide_in_terminal(asked).by == "nobody"


@pytest.mark.parametrize(("typed", "action"), [("c", "check"), ("CHECK", "check"), ("y", "apply")])
def test_a_check_is_offered_where_there_is_one(monkeypatch, capsys, typed, action):
    edit = {"kind": "edit", "path": "a.ts", "old_text": "1\n", "new_text": "2\n"}
    asked = Proposal(id="1", tool="t", title="t", **edit)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n{typed}\n"))
    offered = asked.model_copy(update={"check": ("tsc --noEmit",)})
    assert decide_in_terminal(offered).action == action
    printed = capsys.readouterr().out
    assert "$ tsc --noEmit" in printed
    assert "c to check it first" in printed
    assert decide_in_terminal(asked).action == ("apply" if action == "apply" else "reject")
    assert "c to check" not in capsys.readouterr().out
