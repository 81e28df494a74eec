"""Commands that run other commands: the ones inside `env`, `xargs`, `find -exec` or `sh -c`."""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ipuaro_jupyter.workspace.commands.command_options import read_options, spellings
from ipuaro_jupyter.workspace.commands.commands_in_code import code_texts
from ipuaro_jupyter.workspace.commands.commands_in_options import option_texts, sed_texts
from ipuaro_jupyter.workspace.commands.program import Starts, program
from ipuaro_jupyter.workspace.commands.shell_words import UNKNOWN, program_name

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inner:
    """The inner commands: ``argvs`` as they are, ``texts`` through a shell.

    A text comes with its ``$0``, ``$1`` and so on.
    """

    argvs: list[Argv] = field(default_factory=list)
    texts: list[tuple[str, Argv]] = field(default_factory=list)


_ASSIGNMENT = re.compile(r"\w+\+?=")
_VERSION = re.compile(r"-?[\d.]+$")
_SHELL_LONG = {"--rcfile", "--init-file", "--command", "--init-command"}
_STANDARD_INPUT = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}


def inner_commands(argv: Argv, inputs: Sequence[str]) -> Inner:
    """The commands that ``argv`` runs, where ``inputs`` may come from its standard input."""
    name = program_name(argv)
    starts = program(name).starts
    if starts is None:  # `python3.11` runs code as `python` does
        starts = program(_VERSION.sub("", name)).starts
        if starts is None or starts.how != "code":
            return Inner()
    if starts.how in _TEXTS:
        return _inner_texts(_TEXTS[starts.how](starts, argv[1:], inputs))
    return _READERS[starts.how](starts, argv[1:], inputs)


def _inner_texts(texts: Iterable[str]) -> Inner:
    return Inner(texts=[(text, ()) for text in texts])


def _command(starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    options = read_options(arguments, starts.values, permute=False)
    if options.names & {*starts.nothing}:
        return Inner()
    return Inner(argvs=[options.operands[starts.operands :]])


def _behind(starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    """Read the words after ``run`` or ``exec``, with the program's options before them."""
    if starts.word not in arguments:
        return Inner()
    arguments = arguments[arguments.index(starts.word) + 1 :]
    if "--" in arguments:
        return Inner(argvs=[arguments[arguments.index("--") + 1 :]])
    arguments = tuple(itertools.dropwhile(lambda a: a.startswith("-"), arguments))
    return Inner(argvs=[arguments[starts.operands :]])


def _between(starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    """Read the commands of ``find -exec`` and the like."""
    inner = Inner()
    rest = iter(arguments)
    for argument in rest:
        if argument in starts.starts:
            inner.argvs.append(tuple(itertools.takewhile(lambda w: w not in starts.ends, rest)))
    return inner


def shell_text(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """The text that a shell runs: the one after ``-c``, or its standard input."""
    letters, texts, operands = _shell_options(arguments)
    inner = Inner(texts=[(text, operands) for text in texts])
    if "c" in letters and operands:
        text, *positional = operands
        inner.texts.append((text, tuple(positional)))
        return inner
    script = operands[0] if operands else "-"
    if "s" in letters or script in _STANDARD_INPUT or UNKNOWN in script:
        inner.texts.extend((text, ()) for text in inputs)
    return inner


def _shell_options(arguments: Argv) -> tuple[str, list[str], Argv]:
    """A shell's option letters, the commands after long options, and the operands."""
    rest = list(arguments)
    letters, texts = "", []
    while rest and re.match(r"-.|\+[A-Za-z]", rest[0]):
        option = rest.pop(0)
        name, equals, value = option.partition("=")
        if option == "--":
            break
        if option.startswith("--"):
            if name in _SHELL_LONG and not equals and rest:
                value = rest.pop(0)
            texts += [value] if name in {"--command", "--init-command"} else []
            continue
        before, named, attached = option[1:].partition("o" if "o" in option else "O")
        whole = named and len(attached) > 2  # noqa: PLR2004 - a name as in -opipefail, not letters
        letters += before if whole else before + attached
        if named and not whole and rest:
            rest.pop(0)
    return letters, texts, tuple(rest)


def _env(starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    options = read_options(arguments, (*starts.commands, *starts.values), permute=False)
    command = tuple(itertools.dropwhile(_not_yet_the_command, options.operands))
    texts = (" ".join((text, *options.operands)) for text in options.values(*starts.commands))
    return replace(_inner_texts(texts), argvs=[command])


def _not_yet_the_command(word: str) -> bool:
    return word == "-" or _ASSIGNMENT.match(word) is not None


def _xargs(starts: Starts, arguments: Argv, inputs: Sequence[str]) -> Inner:
    options = read_options(
        arguments, spellings(starts.values), attached=starts.attached, permute=False
    )
    command = options.operands
    default = ["{}"] if options.names & {"-i", "--replace"} else []
    places = options.values("-I", "-i", "-J", "--replace") or default
    inner = Inner(argvs=[command])
    for text in inputs:
        if places:
            put = tuple(word.replace(places[0], text.strip()) for word in command)
            inner.argvs.append(put)
        else:
            inner.argvs.append((*command, *re.split(r"[\s\0]+", text.strip())))
            inner.argvs.append((*command, text))
    return inner


def _joined(starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> list[str]:
    return [" ".join(read_options(arguments, starts.values, permute=False).operands)]


def _input(_starts: Starts, arguments: Argv, inputs: Sequence[str]) -> Sequence[str]:
    """Read a program that takes commands from its input: `source <(…)`, `at`."""
    first = arguments[0] if arguments else "-"
    known = first not in _STANDARD_INPUT and UNKNOWN not in first and not inputs
    return () if known else inputs


def _ssh(starts: Starts, arguments: Argv, inputs: Sequence[str]) -> Sequence[str]:
    remote = " ".join(read_options(arguments, starts.values, permute=False).operands[1:])
    return [remote] if remote else inputs


def _script(starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    """Read a program with a text after ``-c`` or a command after a file: `script`, `flock`."""
    takers = (*starts.commands, *starts.values)
    texts = read_options(arguments, takers).values(*starts.commands)
    short = [option for option in takers if not option.startswith("--")]
    behind = read_options(arguments, short, permute=False).operands[1:]
    return replace(_inner_texts(texts), argvs=[behind])


def _assignments(_starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    return Inner(argvs=[tuple(itertools.dropwhile(_ASSIGNMENT.match, arguments))])


def _dashes(_starts: Starts, arguments: Argv, _inputs: Sequence[str]) -> Inner:
    return Inner(argvs=[arguments[arguments.index("--") + 1 if "--" in arguments else 0 :]])


_TEXTS: dict[str, Callable[[Starts, Argv, Sequence[str]], Iterable[str]]] = {
    "alias": lambda _, arguments, __: (word.partition("=")[2] for word in arguments),
    "blanks": lambda _, arguments, __: (word for word in arguments if " " in word),
    "code": code_texts,
    "each": lambda _, arguments, __: read_options(arguments).operands,
    "eval": code_texts,
    "first": lambda _, arguments, __: read_options(arguments).operands[:1],
    "git": lambda *_: (),  # see `Denier`, which knows its settings
    "input": _input,
    "joined": _joined,
    "option": option_texts,
    "sed": sed_texts,
    "ssh": _ssh,
}
_READERS: dict[str, Callable[[Starts, Argv, Sequence[str]], Inner]] = {
    "assignments": _assignments,
    "behind": _behind,
    "between": _between,
    "command": _command,
    "dashes": _dashes,
    "env": _env,
    "script": _script,
    "shell": lambda _, arguments, inputs: shell_text(arguments, inputs),
    "xargs": _xargs,
}
