"""The call that a request to run something asks for, and what is said of its result."""

import re

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.records.chat import ToolCall
from ipuaro_jupyter.records.outputs import Run, ToolResult
from ipuaro_jupyter.tools.tool import Project

_TESTS = re.compile(r"\btests?\b|\bprueba|\btester\b|тест|测试", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"[\w@./-]+\.\w+|[\w@.-]+(?:/[\w@.-]+)+")


def run_call(message: str, project: Project) -> ToolCall | None:
    """The call that a message asks for; None where that is not plain.

    A command has to stand in backticks; "tests" without one are the project's, of a file or folder
    if the message names one.
    """
    quoted = _QUOTED.findall(message)
    checker = Checker(project.index, project.workspace, places=())
    if len(quoted) == 1 and not checker.files(quoted[0]):
        return ToolCall(name="run_command", arguments={"command": quoted[0]}, id="asked")
    if not _TESTS.search(message):
        return None
    named = [path for word in _PATH.findall(message) for path in checker.files(word)]
    if len(named) > 1:
        return None
    arguments = {"path": named[0]} if named else {}
    return ToolCall(name="run_tests", arguments=arguments, id="asked")


def said_of_run(result: ToolResult) -> str:
    """A sentence on a run that did what it was to do; "" where it failed or was not made."""
    drawn = None if result.output is None else result.output.shape()
    if not isinstance(drawn, Run) or drawn.exit_code != 0 or drawn.failed:
        return ""
    counts = ", ".join(f"{count} {word}" for count, word in drawn.counts)
    return f"`{drawn.command}` has succeeded{f': {counts}' if counts else ''}."
