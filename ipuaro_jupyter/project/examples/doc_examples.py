"""Runs the examples of a declaration with a new text of its file."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ipuaro_jupyter.cancellation import watched
from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.project.project_tests.test_results import printed
from ipuaro_jupyter.workspace.checked_decisions import agreed
from ipuaro_jupyter.workspace.running import CommandOutcome, run_program
from ipuaro_jupyter.workspace.scratch.scratch import Scratch, scratch_copy
from ipuaro_jupyter.workspace.workspace import Workspace

_RUN_S = 10.0
_FAILED = 4
"""The exit status that says that an example fails; any other but 0 says nothing of them."""
_MOST_TOLD = 1200
_MOST_EXAMPLES = 20
_ENVIRONMENTS = (".venv/bin", "venv/bin", "env/bin")
_SESSION = re.compile(r"^[\s*/]*>>> (?P<said>.+)\n[\s*/]*(?P<meant>[^\s>*/].*)$", re.MULTILINE)
_MARKED = re.compile(r"@example\b(?P<body>.*?)(?=^[\s*/]*@\w|\*/|\Z)", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(
    r"^[\s*/]*(?P<said>\S.*?)[ \t]*//[ \t]*(?:=>|->|→)?[ \t]*(?P<meant>.+)$", re.MULTILINE
)
_MODULE = re.compile(r"^(?:export|import)\b", re.MULTILINE)


def failed_examples(
    workspace: Workspace, path: str, after: bytes, *, name: str, documentation: str
) -> str:
    """What the examples of a function say of a new text of its file: those that fail.

    Args:
        workspace: The project.
        path: The file.
        after: Its new text.
        name: The function, with the class that it is in.
        documentation: The function as it was, with the comments above it.

    Returns:
        The examples with what they give instead; "" where all hold, there are none, or they cannot
        be run: nothing is known then.

    Raises:
        Cancelled: The user pressed stop.
    """
    is_python, is_script = path.endswith(".py"), path.endswith((".js", ".mjs", ".cjs"))
    examples = examples_in(documentation) if is_script else []
    if not examples and not (is_python and ">>>" in documentation):
        return ""
    if workspace.sandbox.program is None:
        return ""
    try:
        with scratch_copy(workspace.root, cancel=watched()) as copy:
            copy.put(path, after, mode=None)
            if is_python:
                done = _run_python(workspace, copy, path, name)
            else:
                done = _run_script(workspace, copy, path, after, examples)
    except ToolError as error:
        return f"It does not end within {_RUN_S:g} s." if error.type == "timeout" else ""
    except ProjectError:
        return ""
    return printed(done.stdout).strip()[:_MOST_TOLD] if done.exit_code == _FAILED else ""


def examples_in(documentation: str) -> list[tuple[str, str]]:
    """The examples in comments of JavaScript: an expression, and what it gives, both as code."""
    found = [*_SESSION.finditer(documentation)]
    for marked in _MARKED.finditer(documentation):
        found += _RESULT.finditer(marked["body"])
    told = [(one["said"].strip(), one["meant"].strip()) for one in found]
    return [(said.rstrip(";"), meant) for said, meant in told][:_MOST_EXAMPLES]


def _run_python(workspace: Workspace, copy: Scratch, path: str, name: str) -> CommandOutcome:
    """Run doctest on one function, in the project's environment, else in this kernel's."""
    script = str(Path(__file__).with_name("run_examples.py"))
    places = [workspace.root / place for place in _ENVIRONMENTS]
    first = [*(place for place in places if place.is_dir()), Path(sys.executable).parent]
    return _run(workspace, copy, ["python", script, path, name], path, first=first)


def _run_script(
    workspace: Workspace, copy: Scratch, path: str, after: bytes, examples: list[tuple[str, str]]
) -> CommandOutcome:
    """Run the file with the examples at its end, where they see what is declared in it."""
    source = after.decode(errors="replace")
    ending = "mjs" if _MODULE.search(source) else PurePosixPath(path).suffix.removeprefix(".")
    check = Path(__file__).with_name("run_examples.js").read_text("utf-8")
    check = check.replace("EXAMPLES", json.dumps(examples))
    name = f"{PurePosixPath(path).with_suffix('')}.examples.{ending}"
    copy.put(name, f"{source}\n{check}".encode(), mode=None)
    return _run(workspace, copy, ["node", name], name)


def _run(
    workspace: Workspace,
    copy: Scratch,
    words: list[str],
    path: str,
    *,
    first: list[Path] | None = None,
) -> CommandOutcome:
    context = replace(agreed(workspace.execution_context), root=copy.root, proposed=(path,))
    return run_program(
        context,
        words,
        tool="check",
        timeout_s=_RUN_S,
        cwd=str(copy.root),
        quietly={"PYTHONDONTWRITEBYTECODE": "1"},
        first=[*map(str, first or ())],
        cancel=watched(),
    )
