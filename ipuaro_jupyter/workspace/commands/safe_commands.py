"""The commands that run without a question: they only look, check or run the project's tests.

What is listed is allowed and everything else asks, so that an option that nobody thought of asks.
"""

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ipuaro_jupyter.workspace.commands.command_options import read_options
from ipuaro_jupyter.workspace.commands.package_scripts import (
    ReadScript,
    package_commands,
    script_texts,
)
from ipuaro_jupyter.workspace.commands.programs import FindProgram
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv, parse

_DEEPEST = 4  # scripts that run scripts
PACKAGE_FILES = (
    *("package.json", ".npmrc", ".yarnrc", ".yarnrc.*", ".pnp.*", ".pnpmfile.*"),
    "pnpm-workspace.yaml",
)
CHECKERS = {"eslint", "prettier", "tsc"}
_SILENT = {"--silent", "-s", "--if-present"}
_REPORTERS = {
    "basic", "default", "dot", "json", "junit", "list", "min", "nyan", "progress", "spec", "tap",
    "tap-flat", "tree", "verbose",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Runner:
    """What a program may be given: option letters and names, with and without a value."""

    letters: str = ""
    value_letters: str = ""
    names: frozenset[str] = frozenset()
    value_names: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    relies_on: tuple[str, ...] = ()


def _names(text: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in text.split())


_RUNNERS = {
    "eslint": _Runner(
        letters="hv",
        value_letters="f",
        names=_names("quiet color no-color no-error-on-unmatched-pattern no-warn-ignored "
                     "no-inline-config report-unused-disable-directives env-info"),
        value_names=_names("ext format max-warnings ignore-pattern"),
        relies_on=("eslint.config.*", ".eslintrc*", "package.json"),
    ),
    "jest": _Runner(
        letters="bieo",
        value_letters="tw",
        names=_names("bail ci color colors no-color no-colors detectOpenHandles expand forceExit "
                     "json lastCommit listTests no-cache no-coverage no-watchman onlyChanged "
                     "passWithNoTests runInBand runTestsByPath silent verbose findRelatedTests"),
        value_names=_names("maxWorkers selectProjects testNamePattern testPathPattern "
                           "testPathPatterns testTimeout"),
        relies_on=("jest.config.*", "babel.config.*", ".babelrc*", "package.json"),
    ),
    "mocha": _Runner(
        letters="bicp",
        value_letters="fgjRst",
        names=_names("bail check-leaks color no-color dry-run exit forbid-only forbid-pending "
                     "full-trace inline-diffs invert parallel recursive"),
        value_names=_names("fgrep grep jobs reporter retries slow timeout"),
        relies_on=(".mocharc*", "package.json"),
    ),
    "prettier": _Runner(
        letters="clu",
        names=_names("check list-different no-color ignore-unknown no-error-on-unmatched-pattern"),
        value_names=_names("log-level loglevel"),
        needs=frozenset({"c", "l", "--check", "--list-different"}),
        relies_on=(".prettierrc*", "prettier.config.*", "package.json"),
    ),
    "pytest": _Runner(
        letters="hlqsvx",
        value_letters="kmnr",
        names=_names("co collect-only exitfirst failed-first ff last-failed lf new-first nf "
                     "no-header no-summary quiet showlocals verbose sw stepwise"),
        value_names=_names("capture color durations maxfail tb timeout"),
        relies_on=("conftest.py", "*pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"),
    ),
    "vitest": _Runner(
        value_letters="t",
        names=_names("run globals hideSkippedTests no-color no-coverage no-watch passWithNoTests "
                     "silent"),
        value_names=_names("bail maxWorkers project reporter retry testNamePattern testTimeout"),
        commands=frozenset({"init", "dev", "watch", "bench", "related", "typecheck"}),
        relies_on=("vitest.config.*", "vitest.workspace.*", "vite.config.*", "package.json"),
    ),
}  # fmt: skip
_SWITCHED_OFF = ("--watch", "--watchAll", "--coverage")  # with the value false
_FORMATS = {"stylish", "json", "compact", "unix", "tap", "junit", "checkstyle", "visualstudio"}
_TSC_FLAGS = {
    "allowjs", "checkjs", "diagnostics", "esmoduleinterop", "explainfiles", "extendeddiagnostics",
    "isolatedmodules", "listfiles", "noemit", "noerrortruncation", "noimplicitany",
    "nounusedlocals", "nounusedparameters", "pretty", "resolvejsonmodule", "skiplibcheck", "strict",
    "strictnullchecks", "traceresolution",
}  # fmt: skip
_TSC_VALUES = {"p", "project", "jsx", "target", "t", "module", "m", "moduleresolution", "lib"}
_GIT_BRANCH = _names(
    "all remotes list show-current verbose no-color color column no-column ignore-case "
    "contains no-contains merged no-merged points-at sort format"
)
_PYTHON = re.compile(r"python[\d.]*")
_MANAGERS = {"npm", "pnpm", "yarn"}
_SHORT_VERSIONS = {"node", "npm", "pnpm", "yarn", "npx", "tsc", "eslint", "vitest", "jest"}
_IN_PROJECTS = {*_RUNNERS, *_SHORT_VERSIONS, "pip", "pip3"}  # where projects install them


def known_safe(
    argv: Argv,
    read_script: ReadScript,
    find_program: FindProgram,
    depth: int = 0,
    *,
    tests: bool = False,
) -> tuple[str, ...] | None:
    """Return the files that a safe command relies on, None when it is not known safe.

    They are patterns of names like ``eslint.config.*``, and paths like ``node_modules/.bin/eslint``
    with a slash; when one of those files has been changed, the command may no longer be what it
    was. Only programs found on the PATH are safe, and inside of the project only well-known ones.

    With ``tests`` the command was found by looking how the project runs its tests. Then a script
    that gives a file of the project to node is one that runs them, as `pytest` is.
    """
    name = argv[0]
    if not re.fullmatch(r"[A-Za-z][\w.+-]*", name) or depth > _DEEPEST:
        return None
    program = find_program(name, depth > 0)
    if program and not (name in _IN_PROJECTS or _PYTHON.fullmatch(name)):
        return None
    if tests and depth > 0 and name == "node":
        files = _node_tests(argv[1:])
    else:
        files = _relied_on(argv, program, read_script, find_program, depth, tests=tests)
    return None if files is None else tuple(dict.fromkeys((*files, *(program or ()))))


def starts_git(argv: Argv, read_script: ReadScript, depth: int = 0) -> bool:
    """Return whether a safe command is git, or a script of package.json that runs it."""
    if argv[0] == "git" or depth > _DEEPEST:
        return True
    commands = [command for command in package_commands(argv)[:1] if command.kind == "script"]
    plain = [parse(text).plain for c in commands for text in script_texts(c, read_script)]
    return any(inner and starts_git(inner, read_script, depth + 1) for inner in plain)


def _relied_on(
    argv: Argv,
    program: tuple[str, ...] | None,
    read_script: ReadScript,
    find_program: FindProgram,
    depth: int,
    *,
    tests: bool,
) -> tuple[str, ...] | None:
    name, arguments = argv[0], argv[1:]
    well_known = name in {*_IN_PROJECTS, "git"} or _PYTHON.fullmatch(name)
    short = name in _SHORT_VERSIONS or _PYTHON.fullmatch(name)
    if arguments in (("--version",), ("--help",)) and (well_known or program is not None):
        return PACKAGE_FILES if name in _MANAGERS else ()
    if arguments in (("-v",), ("-V",)) and short:
        return PACKAGE_FILES if name in _MANAGERS else ()
    if name in _MANAGERS:
        return _package_script(argv, read_script, find_program, depth, tests=tests)
    if _PYTHON.fullmatch(name) and arguments[:2] == ("-m", "pytest"):
        name, arguments = "pytest", arguments[2:]
    if name in _RUNNERS:
        return _RUNNERS[name].relies_on if _runs(_RUNNERS[name], arguments) else None
    rule = {"git": _git, "tsc": _tsc}.get(name)
    return () if rule is not None and rule(arguments) else None


def _runs(runner: _Runner, arguments: Argv) -> bool:
    options = read_options(
        arguments, short_values=runner.value_letters, long_values=runner.value_names
    )
    for name, value in options.given:
        if name in _SWITCHED_OFF and value == "false":
            continue
        known = (runner.names, runner.value_names) if len(name) > 1 else (runner.letters,)
        known = (*known, runner.value_letters)
        if not any(name in place for place in known):
            return False
        if name in {"--reporter", "R"} and value not in _REPORTERS:
            return False
        formats = "--format" in runner.value_names and name in {"--format", "f"}
        if formats and value not in _FORMATS:
            return False
    if runner.needs and not runner.needs & options.names:
        return False
    return _inside(options.operands) and not runner.commands & set(options.operands[:1])


def _inside(operands: Sequence[str]) -> bool:
    """Whether none of the operands can name something outside of the project."""
    return not any(
        operand.startswith(("/", "~", "@")) or ".." in operand.split("/") for operand in operands
    )


def _git(arguments: Argv) -> bool:
    rest = list(arguments)
    while rest and rest[0] in {"--no-pager", "-P"}:
        del rest[0]
    name = rest[0] if rest else ""
    if name == "branch":
        return _git_branch(rest[1:])
    if name not in {"status", "diff", "log", "show"}:
        return False
    options = read_options(rest[1:])
    writing = [("output", 1), ("ext-diff", 2), ("no-index", 4), ("open-files-in-pager", 2)]
    writing += [("submodule", 3), ("ignore-submodules", 9)]  # looks into them, by their settings
    if any(options.has_long(option, shortest=shortest) for option, shortest in writing):
        return False
    return "--output-directory" not in options.names and _inside(options.operands)


def _git_branch(arguments: Sequence[str]) -> bool:
    """Whether `git branch` only lists."""
    values = ("--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--sort")
    options = read_options(arguments, long_values=(*values, "--format"))
    listing = options.names & {"l", "--list"} or not options.operands
    return bool(listing) and options.names <= {*_GIT_BRANCH, "a", "r", "v", "l", "i"}


def _tsc(arguments: Argv) -> bool:
    names: list[str] = []
    operands: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-"):
            operands.append(argument)
            continue
        name = argument.lstrip("-").lower()
        if name in _TSC_VALUES and rest:
            operands.append(rest.pop(0))
        elif name not in _TSC_FLAGS:
            return False
        names.append(name)
    settled = not {"true", "false"} & {operand.lower() for operand in operands}
    return "noemit" in names and settled and _inside(operands)


def _node_tests(arguments: Argv) -> tuple[str, ...] | None:
    """Return the files that node would run as tests; None when it would do anything else."""
    rest = arguments[1:] if arguments[:1] == ("--test",) else arguments
    is_plain = rest != () and not rest[0].startswith("-")
    if not (is_plain or arguments == ("--test",)) or not _inside(rest):
        return None
    return tuple(glob.escape(word.rpartition("/")[2]) for word in rest)


def _package_script(
    argv: Argv, read_script: ReadScript, find_program: FindProgram, depth: int, *, tests: bool
) -> tuple[str, ...] | None:
    command = package_commands(argv)[0]
    if command.kind != "script" or not set(command.options) <= _SILENT:
        return None
    relied: list[str] = list(PACKAGE_FILES)
    texts = script_texts(command, read_script)
    if read_script(command.name) is None:
        return None
    for text in texts:
        plain = parse(text).plain
        files = None
        if plain:
            files = known_safe(plain, read_script, find_program, depth + 1, tests=tests)
        if files is None:
            return None
        relied += files
    return tuple(dict.fromkeys(relied))
