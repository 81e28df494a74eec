"""A process that is killed at each step of a turn, and what the next one finds."""

import os
import subprocess
import sys

import pytest

FILES = {"a.ts": "export const a = 1\n"}
SCRIPT = """
import os, sys
import ipuaro_jupyter
from ipuaro_jupyter.records.events import CallFinished, CallStarted, TextAdded, UsageReported

root, step = sys.argv[1:]
read = '<tool_call name="get_lines"><path>a.ts</path></tool_call>'
edit = (
    '<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>'
    "<content>export const a = 2</content></tool_call>"
)

def at(name):
    if name == step:
        os._exit(9)
    return True

def replies():
    yield lambda _: at("asked") and "I look. " + read
    yield lambda _: at("read") and "I edit. " + edit
    yield lambda _: at("edited") and "It is 2 now."

assistant = ipuaro_jupyter.start(
    root, model=ipuaro_jupyter.ScriptedModel(list(replies())), confirm=lambda _: at("asking")
)
seen = []
for event in assistant.stream("Make it 2"):
    seen.append(type(event))
    for kind in (TextAdded, UsageReported, CallStarted, CallFinished):
        at(f"{kind.__name__} {seen.count(kind)}") if isinstance(event, kind) else None
at("answered")
"""
INTERRUPTED = ["user", "assistant"]
READ = ["user", "assistant", "get_lines"]
EDITED = [*READ, "assistant", "edit_lines"]
STEPS = {
    "asked": INTERRUPTED,
    "TextAdded 1": INTERRUPTED,
    "UsageReported 1": [*READ, "assistant"],
    "CallStarted 1": [*READ, "assistant"],
    "CallFinished 1": [*READ, "assistant"],
    "read": [*READ, "assistant"],
    "asking": [*EDITED, "assistant"],
    "CallFinished 2": [*EDITED, "assistant"],
    "edited": [*EDITED, "assistant"],
    "UsageReported 3": [*EDITED, "assistant"],
    "answered": [*EDITED, "assistant"],
}


@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_is_killed_leaves_a_whole_history(
    step, make_project, open_assistant, tmp_path
):
    root = make_project(FILES)
    command = [sys.executable, "-c", SCRIPT, str(root), step]
    killed = subprocess.run(
        command, env=dict(os.environ), capture_output=True, check=False, timeout=120
    )
    assert killed.returncode == 9, killed.stderr
    is_edited = (root / "a.ts").read_text() == "export const a = 2\n"
    assert is_edited == (step in {"CallFinished 2", "edited", "UsageReported 3", "answered"})

    assistant = open_assistant(root, ["So it goes on."])
    assert assistant.session.title == "Make it 2", "it is resumed"
    (turn,) = assistant.transcript().turns
    is_whole = step in {"UsageReported 3", "answered"}
    assert turn.ended == ("done" if is_whole else "stopped")
    assert turn.text == ("It is 2 now." if is_whole else "[interrupted]")

    assert assistant.ask("Go on").text == "So it goes on."
    sent = [message.tool or message.role for message in assistant.model.requests[0].messages[1:]]
    assert sent == [*STEPS[step], "user"]
    assert assistant.undo().success == is_edited
    assert (root / "a.ts").read_text() == "export const a = 1\n"
    assistant.export(tmp_path / "talk.ipynb")
