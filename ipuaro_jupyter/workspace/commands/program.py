"""The policy's data about programs: the tables in ``programs/*.toml``.

A file holds one program or a family of them, each as a ``[[program]]``; ``[every]`` holds the
values they share, and ``[examples]`` commands with their verdicts. The keys are the fields of
`Program`. A text that stands for several words is split at blanks; options are written as typed. A
file is read when a command names one of its programs.
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import core_schema

PROGRAMS = Path(__file__).parent / "programs"
_NAMES = re.compile(r'^names = "{1,3}([^"]*)"', re.MULTILINE)


class ProgramError(ValueError):
    """A file of programs is wrong; the message names the file and the key."""


class _SplitAtBlanks:
    """Splits a text into words; pydantic builds this schema faster than that of a tuple."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:
        del source, handler
        return core_schema.no_info_plain_validator_function(_words)


def _words(text: object) -> tuple[str, ...]:
    if not isinstance(text, str):
        raise ValueError("should be a text of words")  # noqa: TRY004 - what pydantic reports
    return tuple(text.split())


Words = Annotated[tuple[str, ...], _SplitAtBlanks()]


class _ProgramData(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Starts(_ProgramData):
    """The arguments with commands that the program starts.

    ``how`` is one of

        command     the command follows ``operands`` operands and the program's own options
        behind      the command follows the word ``word``, and then ``operands`` operands
        between     commands follow the words ``starts``, up to one of ``ends``
        option      options hold shell texts
        code        options or the first ``operands`` operands hold code of another language, or
                    the standard input does
        joined      the operands are the words of a shell text
        each, first every operand, or the first one, is a shell text
        blanks      every argument with a blank in it is a shell text
        eval        everything after the word ``word`` is code
        input       the standard input is a shell text
        and shell, alias, assignments, dashes, env, git, script, sed, ssh, xargs: as these do it

    ``commands`` are the options whose values are shell texts or code, ``values`` other options with
    a value, ``attached`` those that have one only when it is attached.
    """

    how: Literal[
        "alias", "assignments", "behind", "between", "blanks", "code", "command", "dashes", "each",
        "env", "eval", "first", "git", "input", "joined", "option", "script", "sed", "shell", "ssh",
        "xargs",
    ]  # fmt: skip
    commands: Words = ()
    values: Words = ()
    attached: Words = ()
    flags: Words | None = None
    """The options without a value that leave no doubt about what it starts; None: there always is.
    """
    operands: int = 0
    word: str = ""
    starts: Words = ()
    ends: Words = ()
    nothing: Words = ()
    """Options with which it starts nothing."""
    printed: Words = ()
    """Options that make the first operand code."""
    dashless: bool = False
    """Whether the first argument may be option letters without a dash, as tar has it."""
    of_subcommands: dict[str, Words] = {}
    """Options whose values are commands after one subcommand only."""


class Denied(_ProgramData):
    """A use that never runs: by its options or operands, or any use where none are given.

    Options may be abbreviated: ``--for[ce]`` stands for ``--for``, ``--forc`` and ``--force``, and
    ``--force-*`` for all with this prefix.
    """

    reason: str
    subcommands: Words = ()
    values: Words = ()
    options: Words = ()
    operands: str = ""
    """The prefix of a denied operand."""
    settings: dict[str, Words] = {}
    """Settings of git, in lower case, with the values that count as an option."""
    unless: Words = ()
    """Options with which the use is not denied."""
    valued: bool = False
    """Whether an option counts only with its value."""
    one_dash: bool = False
    """Whether long options have one dash, as those of find."""


class Safe(_ProgramData):
    """A use that runs without a question: only listed options, no operands outside the project.

    For a package manager this is a script of package.json that is safe. ``tsc`` says that options
    are read as tsc does, and ``modules`` that a safe use of one of these programs follows.
    """

    says: str
    tsc: bool = False
    modules: Words = ()
    before: Words = ()
    """Options that may precede the subcommand."""
    subcommands: Words = ()
    flags: Words = ()
    values: Words = ()
    attached: Words = ()
    """Short options of which only what is attached counts as their value."""
    choices: dict[str, Words] = {}
    """Options, and their allowed values."""
    off: Words = ()
    """Options that are allowed with the value "false"."""
    needs: Words = ()
    """Options of which one must be given."""
    lists: Words = ()
    """Options of which one must be given when there are operands; these are then patterns."""
    any_option: bool = False
    refused: Words = ()
    """Options that are not allowed, written as in `Denied`."""
    refused_first: Words = ()
    """Words that the first operand must not be."""
    refused_text: str = ""
    """A regular expression: no argument may hold what it matches."""
    tests: Words = ()
    """The ends of the paths that it collects as tests by itself; no other operand is safe.

    A name that begins with a slash is a folder at the package's root, with all below it.
    """
    folders: bool = False
    """Whether folders are safe operands too."""
    relies_on: Words = ()
    """Patterns of the names of the files that decide what the program does."""


class RememberedUse(_ProgramData):
    """A use of which "don't ask again" remembers the subcommand and the names of the options.

    Another use of the same sort does the same to other files of the project. Any other option, a
    pattern of file names and a path outside the project make it a command of its own.
    """

    subcommands: Words = ()
    flags: Words = ()
    values: Words = ()
    operands: bool = True
    """Whether there may be operands."""


class Manager(_ProgramData):
    """The subcommands and options of a package manager."""

    run: Words = ()
    execute: Words = ()
    lifecycle: dict[str, str] = {}
    """Subcommands that run a script, and its name."""
    built_in: Words = ()
    values: Words = ()
    quiet: Words = ()
    """Options without an effect on a script."""
    elsewhere: Words = ()
    """Options that select the scripts of another folder."""
    folder: Words = ()
    """Those of them whose value is the folder where the script is, and runs."""
    passing_on: Words = ()
    """Subcommands that are followed by another one."""
    commands: Words = ()
    """Options of ``execute`` whose value is a shell text."""
    execute_values: Words = ()
    executes: bool = False
    """Whether it has no subcommands and runs the program named in its arguments."""
    implicit: bool = False
    """Whether an unknown subcommand is the name of a script."""
    keeps_options: bool = False
    """Whether options after a script's name are its own, up to ``--``."""


class RunnerOptions(_ProgramData):
    """The options of a test runner that count when a script of the project gives them."""

    values: Words = ()
    names: Words = ()
    """Options that select tests by their names."""


class Program(_ProgramData):
    """The data about a program; most have none."""

    names: Words = ()
    plain: bool = False
    """Whether it starts no other program, whatever its arguments are."""
    writes: bool = False
    """Whether it may write a file that its arguments name."""
    writing: Words = ()
    """Subcommands that may write files of the project."""
    code: Words = ()
    """Options, or starts of arguments as in ``-exec*``, with which it runs what they name."""
    loads: Words = ()
    """Options whose value is a file or a folder with code that it runs."""
    data: bool = False
    """Whether it runs nothing from the files and addresses among its arguments, ``loads`` aside."""
    asks: str = ""
    """The reason why it asks even where the user has approved everything."""
    place: Literal["project", "system"] | None = None
    """Where a well-known program is installed; only these may be in the project and safe."""
    version: Words = ()
    """Options with which it only tells its version or its use, whatever the project contains."""
    settings: dict[str, Words] = {}
    """Files of the project that may decide what runs under its name, and the keys that do not."""
    registry: bool = False
    """Whether it never fetches itself, so that the keys of registries never count."""
    remembered: tuple[RememberedUse, ...] = ()
    """The uses of which "don't ask again" remembers less than the whole command."""
    runs_file: bool = False
    """Whether its first argument is a file that it runs."""
    files: Words = ()
    """Patterns of the names of the files that contain what it runs."""
    built_in: Words = ()
    """Subcommands that no alias can replace."""
    starts: Starts | None = None
    denied: tuple[Denied, ...] = ()
    safe: tuple[Safe, ...] = ()
    manager: Manager | None = None
    tests: RunnerOptions = RunnerOptions.model_construct()


class Family(_ProgramData):
    """The content of a file."""

    program: tuple[Program, ...]
    examples: dict[Literal["denied", "safe", "asks"], tuple[str, ...]]
    """Commands, by their verdict."""


@lru_cache(maxsize=1024)
def program(name: str) -> Program:
    """The data about the program ``name``, in lower case; an empty `Program` when there is none."""
    path = _index().get(name)
    programs = load(path).program if path else ()
    return next((known for known in programs if name in known.names), _UNKNOWN)


@cache
def denied_programs() -> tuple[str, ...]:
    """The names of the programs with denied uses, in their order, those with subcommands last."""
    names = [
        (any(use.subcommands for use in known.denied), name)
        for path in dict.fromkeys(_index().values())
        for known in load(path).program
        for name in known.names
        if known.denied
    ]
    return tuple(name for _, name in sorted(names))


@cache
def load(path: Path) -> Family:
    """Read a file of programs.

    Raises:
        ProgramError: It is not TOML, or a key is unknown or has a wrong value.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        every = data.pop("every", {})
        programs = [_merged(every, own) for own in data.pop("program", ())]
        return Family.model_validate({**data, "program": programs})
    except ValidationError as error:
        wrong = "; ".join(f"{_key(each['loc'])}: {each['msg']}" for each in error.errors())
        raise ProgramError(f"{path.name}: {wrong}") from error
    except tomllib.TOMLDecodeError as error:
        raise ProgramError(f"{path.name}: {error}") from error


def _key(place: Iterable[str | int]) -> str:
    return ".".join(map(str, place))


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    tables = {
        key: _merged(below[key], above[key])
        for key in below.keys() & above.keys()
        if isinstance(below[key], dict)
    }
    return {**below, **above, **tables}


@cache
def _index() -> dict[str, Path]:
    """The files by the names in them, found without parsing: parsing all takes milliseconds."""
    return {
        name: path
        for path in sorted(PROGRAMS.glob("*.toml"))
        for names in _NAMES.findall(path.read_text("utf-8"))
        for name in names.split()
    }


_UNKNOWN = Program.model_construct()
