"""Holds a conversation and is killed at one step of it: python killed_turn.py ROOT STEP.

A step is a moment that is named below, or an event: "CallStarted 1" is when the first call starts.
"""

import os
import signal
import sys
from collections import Counter

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.llm import Chunk
from ipuaro_jupyter.records.outputs import TextOutput
from ipuaro_jupyter.tools.tool import Project, tool

READ = '<tool_call name="get_lines">\n<path>src/fee.ts</path>\n</tool_call>'
DIE_INSIDE = '<tool_call name="die_inside">\n</tool_call>'
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


def main(root, step):
    def at(name):
        if name == step:
            die()

    def edit(_messages):
        at("read")
        return DIE_INSIDE if step == "inside a tool" else EDIT

    def look(_messages):
        at("asked")
        return [Chunk(phase="loading"), Chunk(text="I look "), Chunk(text="three times.\n" + READ)]

    def end(_messages):
        at("edited")
        return "It is 3 now."

    def confirm(_proposal):
        at("asking")
        return True

    renaming, seen = Renaming(step), Counter()
    model = ScriptedModel([look, edit, end])
    with ipuaro_jupyter.start(root, model=model, confirm=confirm) as assistant:
        assistant._tools.replace("tests", [die_inside])
        if step.startswith("writing"):
            sys.addaudithook(renaming)
        for event in assistant.stream("Make it 3"):
            kind = type(event).__name__
            seen[kind] += 1
            at(f"{kind} {event.phase if kind == 'PhaseChanged' else seen[kind]}")
        at("answered")
        if step.startswith("undoing"):
            sys.addaudithook(renaming)
            assistant.undo()
    raise SystemExit(f"was not killed: {step}")


main(*sys.argv[1:])
