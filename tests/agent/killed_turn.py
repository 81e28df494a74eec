"""Holds a conversation and is killed at one step of it: python killed_turn.py ROOT STEP."""

import os
import signal
import sys

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.events import (
    CallFinished,
    CallStarted,
    PhaseChanged,
    ProposalDecided,
    TextAdded,
)
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.tool import Project, tool

READ = '<tool_call name="get_lines">\n<path>src/fee.ts</path>\n</tool_call>'
DIE = '<tool_call name="die">\n</tool_call>'
EDIT = (
    '<tool_call name="edit_lines">\n<path>src/fee.ts</path>\n<start>2</start>\n<end>2</end>\n'
    "<content>  return kg * 3</content>\n</tool_call>"
)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


@tool()
def die_inside(project: Project) -> TextOutput:
    """End in the middle of a tool."""
    del project
    die()
    return TextOutput(content="")


class Renaming:
    """Kills when a file is put in its place: just before that, or just after."""

    def __init__(self, step):
        self.step = step
        self.armed = step.endswith(("before the rename", "after the rename"))
        self.renamed = False

    def __call__(self, event, arguments):
        if not self.armed:
            return
        if self.renamed:
            self.armed = False  # killing is an event, too
            die()
        if event == "os.rename" and os.fsdecode(arguments[1]).endswith("fee.ts"):
            if self.step.endswith("before the rename"):
                die()
            self.renamed = True


STEPS = {
    "loading": lambda event: isinstance(event, PhaseChanged) and event.phase == "loading",
    "streaming": lambda event: isinstance(event, TextAdded) and "three" in event.text,
    "before a tool": lambda event: isinstance(event, CallStarted),
    "after a tool": lambda event: isinstance(event, CallFinished),
    "between the write and the session": lambda event: isinstance(event, ProposalDecided),
    "after an edit": lambda event: (
        isinstance(event, CallFinished) and event.call.name == "edit_lines"
    ),
}


def main(root, step):
    replies = [
        [Chunk(phase="loading"), Chunk(text="I look "), Chunk(text="three times.\n" + READ)],
        DIE.replace("die", "die_inside") if step == "inside a tool" else EDIT,
        "It is 3 now.",
    ]

    def confirm(_proposal):
        if step == "asking":
            die()
        return True

    renaming = Renaming(step)
    with ipuaro_jupyter.start(root, model=ScriptedModel(replies), confirm=confirm) as assistant:
        assistant._tools.replace("tests", [die_inside])
        if step.startswith("writing"):
            sys.addaudithook(renaming)
        for event in assistant.stream("Make it 3"):
            if step in STEPS and STEPS[step](event):
                die()
        if step.startswith("undoing"):
            sys.addaudithook(renaming)
            assistant.undo()
    raise SystemExit(f"was not killed: {step}")


main(*sys.argv[1:])
