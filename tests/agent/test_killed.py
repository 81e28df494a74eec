"""A process that is killed at each step of a turn, and the one after it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

FEE = "export function fee(kg: number): number {\n  return kg * 2\n}\n"
NEW = FEE.replace("* 2", "* 3")
# What is in the file afterwards, and how many undos there are.
STEPS = {
    "loading": (FEE, 0),
    "streaming": (FEE, 0),
    "before a tool": (FEE, 0),
    "inside a tool": (FEE, 0),
    "after a tool": (FEE, 0),
    "asking": (FEE, 0),
    "writing, before the rename": (FEE, 0),
    "writing, after the rename": (NEW, 1),
    "between the write and the session": (NEW, 1),
    "after an edit": (NEW, 1),
    "undoing, before the rename": (NEW, 1),
    "undoing, after the rename": (FEE, 0),
}


@pytest.fixture
def project(make_project):
    return make_project({"src/fee.ts": FEE})


def kill_at(project, step):
    program = Path(__file__).with_name("killed_turn.py")
    done = subprocess.run(
        [sys.executable, program, project, step],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("step", STEPS)
def test_after_a_kill_session_files_and_undo_are_whole(open_assistant, project, step):
    content, undos = STEPS[step]
    kill_at(project, step)
    assert (project / "src/fee.ts").read_text() == content

    assistant = open_assistant(project, ["Here I am."])
    messages = assistant._conversation.session.messages
    assert messages[0].content == "Make it 3"
    assert messages[-1].role == "assistant"
    if step.startswith("undoing"):
        assert messages[-1].content == "It is 3 now."
    else:
        assert messages[-1].interrupted
        assert "interrupted" in messages[-1].content
    assert [c.id for m in messages for c in m.calls] == [m.call_id for m in messages if m.call_id]

    assert [assistant.undo().success for _ in range(3)].count(True) == undos
    assert (project / "src/fee.ts").read_text() == FEE
    assert assistant.ask("Still there?").text == "Here I am."
    assert assistant.call("get_lines", {"path": "src/fee.ts"}).text().count("kg * 2") == 1


def test_a_killed_process_leaves_the_session_free(open_assistant, project):
    kill_at(project, "asking")
    listed = open_assistant(project, []).sessions()
    assert [info.title for info in listed] == ["Make it 3"]
