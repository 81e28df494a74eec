"""The commands that run tests: all of them, those of a path, or those of a name."""

import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.found_programs import found_program
from ipuaro_jupyter.project.project_tests.runners import FoundRunner
from ipuaro_jupyter.project.project_tests.settings_files import text_of
from ipuaro_jupyter.project.project_tests.test_results import Runner
from ipuaro_jupyter.workspace.commands.program import program
from ipuaro_jupyter.workspace.processes.environment import local_tools, upwards

Words = tuple[str, ...]

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)
_WRAPPERS = {"cross-env", "npx", "env", "bunx"}
LOCAL_PYTHON = (".venv/bin", "venv/bin", "env/bin")
"""Where the programs of an environment are that lies in a project."""
_OPERATORS = re.compile(r"[$`|&;<>()\n]")
_NOT_WANTED = re.compile(r"--(watch|coverage|collectCoverage|(run|ui)$)")
_SELECT_PATHS = {"--testPathPattern", "--testPathPatterns", "--spec", "--runTestsByPath"}


@dataclass(frozen=True, slots=True)
class RunnerCommand:
    """A command that runs tests.

    ``argv`` runs them once; ``watching`` goes on and runs them again after changes, None where that
    is not possible. ``env`` are variables that the project's script sets, ``quietly`` harmless ones
    of ours. ``first`` are folders in which the program is looked for before those on the PATH.
    """

    argv: Words
    watching: Words | None
    env: Mapping[str, str] = field(default_factory=dict)
    quietly: Mapping[str, str] = field(default_factory=dict)
    first: Words = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """The tests to run: those of a path relative to the runner's folder, and of a name.

    "" as path and None as name stand for all. ``rest`` follows the path after ``::``. ``others``
    are further files, next to one as ``path``.
    """

    path: str = ""
    name: str | None = None
    rest: str = ""
    is_folder: bool = False
    others: Words = ()

    @property
    def safe_path(self) -> str:
        """The path, written so that it is not taken for an option or a file of arguments."""
        return _safe(self.path)

    @property
    def safe_others(self) -> Words:
        """The further files, written in the same way."""
        return tuple(map(_safe, self.others))


def runner_command(found: FoundRunner, root: Path, selection: Selection) -> RunnerCommand:
    """The command that runs ``selection``.

    Raises:
        ToolError: "validation" when the runner cannot select it.
    """
    if selection.rest and found.runner != "pytest":
        raise ToolError(
            "validation",
            f"Only pytest supports names after '::', and {found.runner} runs these tests.",
            suggestion="Give the file as path, and the name as filter.",
        )
    if found.runner == "pytest":
        return _pytest(found.folder, root, selection)
    if found.runner == "npm":
        return _npm(found, selection)
    return _direct(found, found.runner, root, selection)


def _direct(found: FoundRunner, runner: Runner, root: Path, selection: Selection) -> RunnerCommand:
    """The runner's own command, with the options that the project's script gives it."""
    env, words = _of_script(found.script or "", runner, selection)
    arguments = _ARGUMENTS[runner](found.folder, selection)
    modes = {"vitest": (("run",), ("watch",)), "jest": ((), ("--watchAll",))}
    once, watching = modes.get(runner, ((), ("--watch",)))
    return RunnerCommand(
        argv=(runner, *once, *words, *arguments),
        watching=(runner, *watching, *words, *arguments),
        env=env,
        first=tuple(local_tools(folder) for folder in upwards(found.folder, root)),
        note=_mocha_note(found) if runner == "mocha" and selection.path else "",
    )


def _vitest(_folder: Path, selection: Selection) -> Words:
    path = selection.safe_path + ("/" if selection.is_folder else "")
    named = _named("-t", "--testNamePattern", selection.name)
    return (*_given(path), *selection.safe_others, *named)


def _jest(folder: Path, selection: Selection) -> Words:
    """The arguments for jest, which takes paths for regular expressions on absolute paths."""
    name = _named("--testNamePattern", "--testNamePattern", selection.name)
    if selection.is_folder:
        return (*name, f"^{_escaped(folder / selection.path)}/")
    if not selection.path:
        return name
    return (*name, "--runTestsByPath", selection.safe_path, *selection.safe_others)


def _mocha(_folder: Path, selection: Selection) -> Words:
    recursive = ("--recursive",) if selection.is_folder else ()
    name = _named("-g", "--grep", selection.name)
    return (*recursive, *_given(selection.safe_path), *selection.safe_others, *name)


_ARGUMENTS: Mapping[str, Callable[[Path, Selection], Words]] = {
    "vitest": _vitest,
    "jest": _jest,
    "mocha": _mocha,
}


def _mocha_note(found: FoundRunner) -> str:
    for path in found.folder.glob(".mocharc.*"):
        if re.search(r"""\bspec["']?\s*:""", text_of(path)):
            return f"mocha adds the files that {path.name} names under `spec` to this path."
    return ""


def python_places(folder: Path, root: Path) -> list[Path]:
    """The folders with the programs of Python: the project's, the nearest first, then ours."""
    inside = [above / place for above in upwards(folder, root) for place in LOCAL_PYTHON]
    return [*filter(Path.is_dir, inside), Path(sys.executable).parent]


def _pytest(folder: Path, root: Path, selection: Selection) -> RunnerCommand:
    """The command of pytest: in the project's environment, else this kernel's, else on the PATH."""
    places = python_places(folder, root)
    first = tuple(str(place) for place in places if (place / "pytest").is_file())
    path = selection.safe_path + (f"::{selection.rest}" if selection.rest else "")
    arguments = (*_given(path), *selection.safe_others, *_named("-k", "-k", selection.name))
    watching = None
    program = next((f"{place}/pytest" for place in first), found_program("pytest"))
    if program is not None:
        again = shlex.join((program, *arguments))
        watcher = (sys.executable, "-P", "-m", "watchfiles", "--filter", "python")
        watching = (*watcher, "--target-type", "command", again, ".")
    return RunnerCommand(argv=("pytest", *arguments), watching=watching, first=first)


def _npm(found: FoundRunner, selection: Selection) -> RunnerCommand:
    """`npm test`, with the selection in the form that the script's last program takes."""
    script = found.script or ""
    kind = _script_kind(script)
    watching: Words | None = None
    if kind is None:
        if (selection.name or "").startswith("-"):
            raise ToolError(
                "validation",
                f"The filter {selection.name!r} would be an option of the script {script!r}.",
                suggestion="Give a filter that does not begin with a dash.",
            )
        paths = (*_given(selection.safe_path), *selection.safe_others)
        arguments = (*paths, *_given(selection.name or ""))
    elif kind == "node":
        option = "--test-name-pattern"
        paths = (*_given(selection.safe_path), *selection.safe_others)
        arguments = (*_named(option, option, selection.name), *paths)
        watching = ("--watch",)
    else:
        arguments = _ARGUMENTS[kind](found.folder, selection)
        if kind == "jest":
            watching = ("--watchAll",)
        elif kind == "mocha" or "run" not in script.split():  # `vitest run` never watches
            watching = ("--watch",)
    note = ""
    if kind is None and arguments:
        note = f"It is not known whether the script {script!r} heeds: {shlex.join(arguments)}"
    command = ("npm", "test")
    return RunnerCommand(
        argv=(*command, "--", *arguments) if arguments else command,
        watching=None if watching is None else (*command, "--", *watching, *arguments),
        quietly={"CI": "true"} if kind is None else {},  # some would watch without it
        note=note,
    )


def _of_script(script: str, runner: Runner, selection: Selection) -> tuple[dict[str, str], Words]:
    """The variables and arguments that a script gives to the runner, if that is all it does.

    Options for watching and coverage are dropped and, when there is a selection, those that select.
    """
    if _OPERATORS.search(script):
        return {}, ()
    env, words = _taken_apart(script)
    if not words or Path(words[0]).name != runner:
        return {}, ()
    known, arguments = program(runner).tests, words[1:]
    if runner == "vitest" and arguments[:1] and arguments[0] in {"run", "watch", "dev"}:
        arguments = arguments[1:]
    kept: list[str] = []
    for item in _items(arguments, known.values):
        option = item[0].partition("=")[0]
        watching = _NOT_WANTED.match(option) or (runner != "jest" and option == "-w")
        selects_paths = option in _SELECT_PATHS or not option.startswith("-")
        globbed = runner != "mocha" and "*" in item[0]  # the shell would have expanded the glob
        other_paths = selects_paths and (bool(selection.path) or globbed)
        other_names = bool(selection.name) and option in known.names
        if not (watching or other_paths or other_names):
            kept += item
    return env, tuple(kept)


def _taken_apart(text: str) -> tuple[dict[str, str], Words]:
    """The variables that a simple command sets, and its words."""
    try:
        words = shlex.split(text)
    except ValueError:
        return {}, ()
    env: dict[str, str] = {}
    for at, word in enumerate(words):
        if match := _ASSIGNMENT.fullmatch(word):
            env[match[1]] = match[2]
        elif word not in _WRAPPERS:
            return env, tuple(words[at:])
    return env, ()


def _items(arguments: Sequence[str], with_value: Words) -> list[Words]:
    """Operands, and options with their values."""
    items: list[Words] = []
    rest = list(arguments)
    while rest:
        item = rest.pop(0)
        items.append((item, rest.pop(0)) if item in with_value and rest else (item,))
    return items


def _script_kind(script: str) -> str | None:
    """The program that gets the arguments given to a script, if it is known."""
    last = re.split(r"&&|\|\||[;&|]", script)[-1]
    _, words = _taken_apart(last)
    program = Path(words[0]).name if words else ""
    if program == "react-scripts" and words[1:2] == ("test",):
        return "jest"
    if program == "node" and "--test" in words:
        return "node"
    return program if program in _ARGUMENTS else None


def _safe(path: str) -> str:
    return f"./{path}" if path.startswith(("-", "@")) else path


def _given(word: str) -> Words:
    return (word,) if word else ()


def _named(short: str, long: str, name: str | None) -> Words:
    """The option for a name, which may begin with a dash."""
    if not name:
        return ()
    return (f"{long}={name}",) if name.startswith("-") else (short, name)


def _escaped(path: Path) -> str:
    """A JavaScript regular expression for a path."""
    return re.sub(r"[\\^$.*+?()[\]{}|]", r"\\\g<0>", path.as_posix())
