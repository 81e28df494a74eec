"""Runs the examples of a declaration with a new text of its file."""

import json
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ipuaro_jupyter.cancellation import watched
from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.project.project_tests.runner_commands import python_places
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
_SESSION = re.compile(r"^[\s*/]*>>> (?P<said>.+)\n[\s*/]*(?P<meant>[^\s>*/].*)$", re.MULTILINE)
_MARKED = re.compile(r"@example\b(?P<body>.*?)(?=^[\s*/]*@\w|\*/|\Z)", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(
    r"^[\s*/]*(?P<said>\S.*?)[ \t]*//[ \t]*(?:=>|->|→)?[ \t]*(?P<meant>.+)$", re.MULTILINE
)
_MODULE = re.compile(r"^(?:export|import)\b", re.MULTILINE)


class DocExamples:
    """The examples of one function.

    Args:
        workspace: The project.
        path: The file.
        name: The function, with the class that it is in.
        documentation: The function as it is, with the comments above it.
    """

    def __init__(self, workspace: Workspace, path: str, *, name: str, documentation: str) -> None:
        self._workspace = workspace
        self._path = path
        self._name = name
        self._is_python = path.endswith(".py")
        is_known = self._is_python or path.endswith((".js", ".mjs", ".cjs"))
        last = name.rpartition(".")[2]
        self._examples = examples_in(documentation, last) if is_known else []
        if self._is_python:  # doctest reads the others
            self._examples = [one for one in self._examples if f">>> {one[0]}" not in documentation]
        self._has_doctests = self._is_python and ">>>" in documentation

    @property
    def can_tell(self) -> bool:
        """Whether there are some, and a sandbox to run them in."""
        is_confined = self._workspace.sandbox.program is not None
        return is_confined and (self._has_doctests or bool(self._examples))

    def failed(self, after: bytes) -> str:
        """What they say of a new text of the file: those that fail, with what they give instead.

        It is "" where all hold or cannot be run: nothing is known then.

        Raises:
            Cancelled: The user pressed stop.
        """
        if not self.can_tell:
            return ""
        workspace, path = self._workspace, self._path
        run = self._run_python if self._is_python else self._run_script
        try:
            with scratch_copy(workspace.root, cancel=watched()) as copy:
                copy.put(path, after, mode=None)
                done = run(copy, after)
        except ToolError as error:
            return f"It does not end within {_RUN_S:g} s." if error.type == "timeout" else ""
        except ProjectError:
            return ""
        return printed(done.stdout).strip()[:_MOST_TOLD] if done.exit_code == _FAILED else ""

    def _run_python(self, copy: Scratch, _after: bytes) -> CommandOutcome:
        """Run doctest on the function, in the project's environment, else in this kernel's."""
        script = str(Path(__file__).with_name("run_examples.py"))
        root = self._workspace.root
        first = python_places((root / self._path).parent, root)
        words = ["python", script, self._path, self._name, json.dumps(self._examples)]
        return self._run(copy, words, first)

    def _run_script(self, copy: Scratch, after: bytes) -> CommandOutcome:
        """Run the file with the examples at its end, where they see what is declared in it."""
        source, path = after.decode(errors="replace"), PurePosixPath(self._path)
        ending = ".mjs" if _MODULE.search(source) else path.suffix
        check = Path(__file__).with_name("run_examples.js").read_text("utf-8")
        check = check.replace("EXAMPLES", json.dumps(self._examples))
        name = f"{path.with_suffix('')}.examples{ending}"
        copy.put(name, f"{source}\n{check}".encode(), mode=None)
        return self._run(copy, ["node", name], [])

    def _run(self, copy: Scratch, words: list[str], first: list[Path]) -> CommandOutcome:
        context = agreed(self._workspace.execution_context)
        return run_program(
            replace(context, root=copy.root, proposed=(self._path,)),
            words,
            tool="check",
            timeout_s=_RUN_S,
            cwd=str(copy.root),
            quietly={"PYTHONDONTWRITEBYTECODE": "1"},
            first=[*map(str, first)],
            cancel=watched(),
        )


def examples_in(documentation: str, name: str) -> list[tuple[str, str]]:
    """The examples in a documentation: an expression, and what it gives, both as code.

    Those after ">>>", those of ``@example`` with a result in a comment, and calls of the function
    at the beginning of a line with an arrow and a result behind.
    """
    found = [*_SESSION.finditer(documentation)]
    for marked in _MARKED.finditer(documentation):
        found += _RESULT.finditer(marked["body"])
    call = rf"^[\s*/#]*(?P<said>{re.escape(name)}\(.*\))\s*(?:=+>|-+>|→|➞|➔|⇒)\s*(?P<meant>.+)$"
    found += re.finditer(call, documentation, re.MULTILINE)
    told = [(one["said"].strip(), one["meant"].strip()) for one in found]
    return [(said.rstrip(";"), meant) for said, meant in told][:_MOST_EXAMPLES]
