"""The commands that run without a question: they only read, check or run the project's tests.

Listed commands are allowed and all others ask, so that an unforeseen option asks.
"""

import glob
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from ipuaro_jupyter.workspace.commands.command_options import any_like, read_options
from ipuaro_jupyter.workspace.commands.package_scripts import (
    ReadScript,
    package_commands,
    script_texts,
)
from ipuaro_jupyter.workspace.commands.program import Manager, Program, Safe, program
from ipuaro_jupyter.workspace.commands.program_files import FindProgram
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv, parse

_DEEPEST = 4  # scripts that run scripts
_SOURCES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")  # operands of tsc
_PYTHON = re.compile(r"python[\d.]*")
# No part of it can become "..", as it can of "{a,..}".
_PLAIN_GLOB = re.compile(r"(?:[^{}\[\]()\\]|\{\w+(?:,\w+)*\})*")


def known_safe(
    argv: Argv,
    read_script: ReadScript,
    find_program: FindProgram,
    depth: int = 0,
    *,
    is_inside: Callable[[str], bool],
    is_inside_there: Callable[[str], bool],
    tests: bool = False,
) -> tuple[str, ...] | None:
    """The files that a safe command relies on; None when it is not known to be safe.

    They are patterns of names like ``eslint.config.*``, and paths like ``node_modules/.bin/eslint``
    with a slash; when one of those files has been changed, the command may no longer be what it
    was. Only programs found on the PATH are safe, and inside the project only well-known ones.

    ``is_inside`` says whether a path stays in the project as the command sees it, and
    ``is_inside_there`` as a script of package.json does, which runs in the folder of that file.

    With ``tests``, the command was found by detecting how the project runs its tests. Then a script
    that gives a file of the project to node counts as running them, as `pytest` does.
    """
    name = argv[0]
    if not re.fullmatch(r"[A-Za-z][\w.+-]*", name) or depth > _DEEPEST:
        return None
    found = find_program(name, depth > 0)
    if found and _known(name).place != "project":
        return None
    if tests and depth > 0 and name == "node":
        files = _node_tests(argv[1:], is_inside)
    elif (manager := _known(name).manager) and _known(name).safe and not _only_tells(argv, found):
        files = _package_script(
            manager, argv, read_script, find_program, depth, is_inside=is_inside_there, tests=tests
        )
    else:
        files = _relied_on(argv, found, is_inside)
    return None if files is None else tuple(dict.fromkeys((*files, *(found or ()))))


def reason_safe(argv: Argv) -> str:
    """The reason why a safe command is safe."""
    if argv[1:] in _telling(_known(argv[0])):
        return "it only tells its version or its use"
    return _known(argv[0]).safe[0].says


def only_looks(argv: Argv) -> bool:
    """Whether a safe command runs no code of the project and reads none of its settings."""
    known = _known(argv[0])
    if argv[1:] in _telling(known):
        return not any(use.relies_on for use in known.safe)
    return argv[0] == "git"


def started_commands(argv: Argv, read_script: ReadScript) -> frozenset[Argv]:
    """The commands that a safe command consists of: itself, and those of its script."""
    if argv == ("git", "--version"):
        return frozenset()
    commands = [command for command in package_commands(argv)[:1] if command.kind == "script"]
    plain = [parse(text).plain for c in commands for text in script_texts(c, read_script)]
    return frozenset([argv]).union(
        *(started_commands(inner, read_script) for inner in plain if inner)
    )


def _telling(known: Program) -> set[Argv]:
    """The arguments with which a program only tells its version or its use."""
    return {(option,) for option in known.version}


def _known(name: str) -> Program:
    return program("python" if _PYTHON.fullmatch(name) else name)


def _only_tells(argv: Argv, found: tuple[str, ...] | None) -> bool:
    """Whether a program that is there only tells its version or its use."""
    known = _known(argv[0])
    return (known.place is not None or found is not None) and argv[1:] in _telling(known)


def _relied_on(
    argv: Argv, found: tuple[str, ...] | None, is_inside: Callable[[str], bool]
) -> tuple[str, ...] | None:
    known = _known(argv[0])
    if _only_tells(argv, found):
        files = known.files if known.manager and known.safe else ()
        return (*files, *map(glob.escape, known.settings))
    return _safe_use(known, argv[1:], is_inside)


def _safe_use(
    known: Program, arguments: Argv, is_inside: Callable[[str], bool]
) -> tuple[str, ...] | None:
    """The files that a safe use of a program relies on; None when the use is not safe."""
    for use in known.safe:
        rest = tuple(itertools.dropwhile(use.before.__contains__, arguments))
        if use.subcommands:
            if not {*rest[:1]} & {*use.subcommands}:
                continue
            rest = rest[1:]
        if use.modules:
            is_module = {*rest[:1]} & {*use.modules}
            return _safe_use(program(rest[0]), rest[1:], is_inside) if is_module else None
        return use.relies_on if (_tsc if use.tsc else _options)(use, rest, is_inside) else None
    return None


def _options(use: Safe, arguments: Argv, is_inside: Callable[[str], bool]) -> bool:
    options = read_options(arguments, use.values, attached=use.attached)
    if use.refused_text and any(re.search(use.refused_text, word) for word in arguments):
        return False
    if not all(_option(use, name, value) for name, value in options.given):
        return False
    if any_like(options.names, use.refused) or (use.needs and options.names.isdisjoint(use.needs)):
        return False
    if use.lists:
        return not options.operands or not options.names.isdisjoint(use.lists)
    if use.tests and not all(_is_test(use, operand) for operand in options.operands):
        return False
    followed = () if use.any_option else (is_inside,)  # git follows no link
    is_ours = _inside(options.operands, *followed)
    return is_ours and not {*options.operands[:1]} & {*use.refused_first}


def _is_test(use: Safe, operand: str) -> bool:
    """Whether the runner itself would collect what an operand names."""
    path = PurePosixPath(operand.partition("::")[0])
    if not _PLAIN_GLOB.fullmatch(str(path)):
        return False
    is_folder = use.folders and not path.suffix and not re.search(r"[*?\[{]", str(path))
    return is_folder or any(
        path.parts[:1] == (known[1:],) if known.startswith("/") else path.match(known)
        for known in use.tests
    )


def _option(use: Safe, name: str, value: str | None) -> bool:
    if name in use.off and value == "false":
        return True
    allowed = next((known for keys, known in use.choices.items() if name in keys.split()), None)
    if allowed is not None and value not in allowed:
        return False
    return use.any_option or name in use.flags or name in use.values


def _inside(operands: Sequence[str], is_inside: Callable[[str], bool] = lambda _: True) -> bool:
    """Whether none of the operands can name anything outside the project.

    Args:
        operands: Paths, also with the name of a test behind them.
        is_inside: Whether a path stays in the project where links are followed.
    """
    return not any(
        operand.startswith(("/", "~", "@"))
        or ".." in operand.split("/")
        or not is_inside(operand.partition("::")[0])
        for operand in operands
    )


def _tsc(use: Safe, arguments: Argv, is_inside: Callable[[str], bool]) -> bool:
    names: list[str] = []
    operands: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-"):  # not "null" or "false", which revoke an option
            if not argument.lower().endswith(_SOURCES):
                return False
            operands.append(argument)
            continue
        name = argument.lstrip("-").lower()
        if name in use.values and rest:
            operands.append(value := rest.pop(0))
            if value.startswith("-") or value.strip().lower() in {"", "null", "true", "false"}:
                return False
        elif name not in use.flags:
            return False
        names.append(name)
    return not {*use.needs}.isdisjoint(names) and _inside(operands, is_inside)


def _node_tests(arguments: Argv, is_inside: Callable[[str], bool]) -> tuple[str, ...] | None:
    """The files that node would run as tests; None when it would do anything else."""
    rest = arguments[1:] if arguments[:1] == ("--test",) else arguments
    is_plain = rest != () and not rest[0].startswith("-")
    if not (is_plain or arguments == ("--test",)) or not _inside(rest, is_inside):
        return None
    return tuple(glob.escape(word.rpartition("/")[2]) for word in rest)


def _package_script(
    manager: Manager,
    argv: Argv,
    read_script: ReadScript,
    find_program: FindProgram,
    depth: int,
    *,
    is_inside: Callable[[str], bool],
    tests: bool,
) -> tuple[str, ...] | None:
    command = package_commands(argv)[0]
    if command.kind != "script" or not set(command.options) <= {*manager.quiet}:
        return None
    relied: list[str] = list(_known(argv[0]).files)
    texts = script_texts(command, read_script)
    if read_script(command.name) is None:
        return None
    for text in texts:
        plain = parse(text).plain
        files = None
        if plain:
            files = known_safe(
                plain,
                read_script,
                find_program,
                depth + 1,
                is_inside=is_inside,
                is_inside_there=is_inside,
                tests=tests,
            )
        if files is None:
            return None
        relied += files
    return tuple(dict.fromkeys(relied))
