"""A process that is killed at each step of a turn, and what the next one finds."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

FEE = "export function fee(kg: number): number {\n  return kg * 2\n}\n"
NEW = FEE.replace("* 2", "* 3")
INTERRUPTED = ["user", "assistant"]
READ = ["user", "assistant", "get_lines", "assistant"]
INSIDE = [*READ, "die_inside", "assistant"]
EDITED = [*READ, "edit_lines", "assistant"]
# What is in the file afterwards, how many undos there are, and what the next model is told.
STEPS = {
    "asked": (FEE, 0, INTERRUPTED),
    "PhaseChanged loading": (FEE, 0, INTERRUPTED),
    "TextAdded 1": (FEE, 0, INTERRUPTED),
    "TextAdded 2": (FEE, 0, INTERRUPTED),
    "UsageReported 1": (FEE, 0, READ),
    "CallStarted 1": (FEE, 0, READ),
    "CallFinished 1": (FEE, 0, READ),
    "read": (FEE, 0, READ),
    "inside a tool": (FEE, 0, INSIDE),
    "asking": (FEE, 0, EDITED),
    "writing, before the rename": (FEE, 0, EDITED),
    "writing, after the rename": (NEW, 1, EDITED),
    "ProposalDecided 1": (NEW, 1, EDITED),
    "CallFinished 2": (NEW, 1, EDITED),
    "edited": (NEW, 1, EDITED),
    "UsageReported 3": (NEW, 1, EDITED),
    "answered": (NEW, 1, EDITED),
    "undoing, before the rename": (NEW, 1, EDITED),
    "undoing, after the rename": (FEE, 0, EDITED),
}
WHOLE = ("UsageReported 3", "answered", "undoing")


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
    content, undos, told = STEPS[step]
    kill_at(project, step)
    assert (project / "src/fee.ts").read_text() == content

    assistant = open_assistant(project, ["So it goes on."])
    assert assistant.session.title == "Make it 3", "it is resumed"
    (turn,) = assistant.transcript().turns
    is_whole = step.startswith(WHOLE)
    assert turn.ended == ("done" if is_whole else "stopped")
    assert turn.text == ("It is 3 now." if is_whole else "[interrupted]")
    messages = assistant._conversation.session.messages
    assert [c.id for m in messages for c in m.calls] == [m.call_id for m in messages if m.call_id]

    assert assistant.ask("Go on").text == "So it goes on."
    sent = [message.tool or message.role for message in assistant.model.requests[0].messages[1:]]
    assert sent == [*told, "user"]
    assert [assistant.undo().success for _ in range(3)].count(True) == undos
    assert (project / "src/fee.ts").read_text() == FEE
    assert assistant.call("get_lines", {"path": "src/fee.ts"}).text().count("kg * 2") == 1
    exported = assistant.export(project.parent / "talk.ipynb")
    assert "Make it 3" in exported.read_text()


def test_a_killed_process_leaves_the_session_free(open_assistant, project):
    kill_at(project, "asking")
    listed = open_assistant(project, []).sessions()
    assert [info.title for info in listed] == ["Make it 3"]
