"""Runs the examples of a declaration with a new text of its file."""

import ast
import json
import re
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from uuid import uuid4

from ipuaro_jupyter.cancellation import watched
from ipuaro_jupyter.errors import ProjectError, ToolError
from ipuaro_jupyter.project.project_tests.runner_commands import python_places
from ipuaro_jupyter.project.project_tests.test_results import printed
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.checked_decisions import agreed
from ipuaro_jupyter.workspace.running import run_program
from ipuaro_jupyter.workspace.sandbox.sandbox import SandboxFolder
from ipuaro_jupyter.workspace.scratch.scratch import Scratch, scratch_copy
from ipuaro_jupyter.workspace.workspace import Workspace

_RUN_S = 10.0
_MOST_TOLD = 1200
_MOST_EXAMPLES = 20
_SESSION = re.compile(r"^[\s*/]*>>> (?P<said>.+)\n[\s*/]*(?P<meant>[^\s>*/].*)$", re.MULTILINE)
_MARKED = re.compile(
    r"(?<!\S)@example(?!\S)(?P<body>.*?)(?=^[\s*/]*@\w|\*/|\Z)", re.MULTILINE | re.DOTALL
)
_RESULT = re.compile(
    r"^[\s*/]*(?P<said>\S.*?)[ \t]*//[ \t]*(?:=>|->|→)?[ \t]*(?P<meant>.+)$", re.MULTILINE
)
_MODULE = re.compile(r"^(?:export|import)\b", re.MULTILINE)
_PROMPT = re.compile(r"^[\s*/#]*(?:>>>|\.\.\.)?", re.MULTILINE)

_Failed = list[tuple[str, str, str]]
"""Examples that fail: an expression, what it should give, and what it does instead."""


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
        self._is_python = path.endswith(".py")
        is_known = self._is_python or path.endswith((".js", ".mjs", ".cjs"))
        last = name.rpartition(".")[2]
        self._examples = examples_in(documentation, last) if is_known else []
        self._doctests = _docstring(documentation) if self._is_python else ""
        if self._is_python:  # doctest reads the others
            self._examples = [one for one in self._examples if f">>> {one[0]}" not in documentation]

    @property
    def can_tell(self) -> bool:
        """Whether there are some, and they may run, in a sandbox."""
        may_run = self._workspace.sandbox.program and self._workspace.settings.approve != "never"
        return bool(may_run) and (">>>" in self._doctests or bool(self._examples))

    def failed(self, after: bytes) -> str:
        """What they say of a new text of the file: those that fail, with what they give instead.

        It is "" where all hold or cannot be run: nothing is known then. An example that held and
        that the new text no longer has is one that was meant to change.

        Raises:
            Cancelled: The user pressed stop.
        """
        if not self.can_tell:
            return ""
        mark = uuid4().hex
        try:
            with scratch_copy(self._workspace.root, cancel=watched()) as copy:
                before = copy.read(self._path) or b""
                found = self._run(copy, after, mark)
                if found:  # at random, or by the clock, it would give something else
                    again = self._run(copy, after, mark)
                    found = [one for one in found if one in again]
                told = " ".join(_PROMPT.sub("", after.decode(errors="replace")).split())
                if changed := [one for one in found if not _is_told(one, told)]:
                    with suppress(ToolError):
                        wrong = {one[:2] for one in self._run(copy, before, mark)}
                        found = [one for one in found if one not in changed or one[:2] in wrong]
        except ToolError as error:
            is_slow = error.type == "timeout" and mark in error.message  # and not what it imports
            return f"It does not end within {_RUN_S:g} s." if is_slow else ""
        except ProjectError:
            return ""
        return "\n".join(told for _, _, told in found)[:_MOST_TOLD]

    def _run(self, copy: Scratch, source: bytes, mark: str) -> _Failed:
        """Run them with a text of the file: Python's by doctest, others at the end of a script."""
        copy.put(self._path, source, mode=None)
        root = self._workspace.root
        runner = Path(__file__).with_name("run_examples.py")
        first = [Path(sys.executable).parent]
        if self._is_python:  # in the project's environment, else in this kernel's
            first = python_places((root / self._path).parent, root)
            words = [self._path, json.dumps([self._doctests, self._examples])]
        else:
            text, path = source.decode(errors="replace"), PurePosixPath(self._path)
            ending = ".mjs" if _MODULE.search(text) else path.suffix
            check = runner.with_suffix(".js").read_text("utf-8").replace("MARK", mark)
            check = check.replace("EXAMPLES", json.dumps(self._examples))
            name = f"./{path.with_suffix('')}.examples{ending}"
            copy.put(name, f"{text}\n{check}".encode(), mode=None)
            words = ["-", "node", name]
        context = agreed(self._workspace.execution_context)
        assert context.sandbox is not None  # noqa: S101 - the workspace has one, which may be off
        folder = SandboxFolder()  # what nobody has looked at leaves nothing for other commands
        try:
            done = run_program(
                replace(
                    context,
                    root=copy.root,
                    proposed=(self._path,),
                    pass_environment=(),  # those are for commands that were looked at
                    decide=lambda _: Decision(action="apply", by="setting"),  # so no network
                    sandbox=replace(context.sandbox, mode="required", folder=folder),
                ),
                ["python", str(runner), mark, *words],
                tool="check",
                timeout_s=_RUN_S,
                cwd=str(copy.root),
                quietly={"PYTHONDONTWRITEBYTECODE": "1"},
                first=[*map(str, first)],
                cancel=watched(),
            )
        finally:
            folder.close()
        with suppress(ValueError, TypeError, RecursionError):  # the text can print what it likes
            found = json.loads(printed(done.stdout).rpartition(mark)[2])
            return [(f"{said}", f"{meant}", f"{told}"[:_MOST_TOLD]) for said, meant, told in found]
        return []


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


def _docstring(declaration: str) -> str:
    """The first documentation in a text of Python; "" for none, and for what cannot be read."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    for text in (declaration, f"if 1:\n{declaration}"):
        with suppress(SyntaxError, ValueError, RecursionError):
            nodes = (one for one in ast.walk(ast.parse(text)) if isinstance(one, kinds))
            return next(filter(None, map(ast.get_docstring, nodes)), "")
    return ""


def _is_told(example: tuple[str, str, str], text: str) -> bool:
    """Whether a text without prompts and line ends has an example with its result."""
    said, meant = (re.escape(" ".join(part[:_MOST_TOLD].split())) for part in example[:2])
    return re.search(rf"{said};?\W{{0,8}}{meant}(?![\w.])", text) is not None
