"""Commands that run other commands: what `env`, `xargs`, `find -exec` or `sh -c` would run."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ipuaro_jupyter.workspace.commands.command_options import long_spellings, read_options
from ipuaro_jupyter.workspace.commands.commands_in_code import code_texts
from ipuaro_jupyter.workspace.commands.commands_in_options import option_texts
from ipuaro_jupyter.workspace.commands.shell_words import UNKNOWN, program_name

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inner:
    """What a command runs: ``argvs`` as they are, ``texts`` through a shell.

    A text comes with its ``$0``, ``$1`` and so on.
    """

    argvs: list[Argv] = field(default_factory=list)
    texts: list[tuple[str, Argv]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """How to find the command behind a wrapper's own options and ``skip`` operands."""

    short_values: str = ""
    long_values: tuple[str, ...] = ()
    skip: int = 0


_ASSIGNMENT = re.compile(r"\w+\+?=")
_SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"}
_SHELL_LONG = {"--rcfile", "--init-file", "--command", "--init-command"}
_XARGS_LONG = ("arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var")
_STANDARD_INPUT = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}
_WRAPPERS = {
    "builtin": _Wrapper(),
    "busybox": _Wrapper(),
    "caffeinate": _Wrapper("tw"),
    "chroot": _Wrapper(skip=1),
    "chrt": _Wrapper("TPD", skip=1),
    "command": _Wrapper(),
    "coproc": _Wrapper(),
    "corepack": _Wrapper(),
    "dbus-run-session": _Wrapper(),
    "entr": _Wrapper(),
    "exec": _Wrapper("a"),
    "faketime": _Wrapper("f", skip=1),
    "gosu": _Wrapper(skip=1),
    "gtimeout": _Wrapper("ks", ("--kill-after", "--signal"), skip=1),
    "ionice": _Wrapper("cnpPu"),
    "linux32": _Wrapper(),
    "linux64": _Wrapper(),
    "ltrace": _Wrapper("aADeFlnopsuwx"),
    "nice": _Wrapper("n", ("--adjustment",)),
    "noglob": _Wrapper(),
    "nohup": _Wrapper(),
    "nsenter": _Wrapper("tSG", ("--target",)),
    "pipx": _Wrapper(skip=1),
    "rlwrap": _Wrapper(),
    "screen": _Wrapper("cehpsStT"),
    "runuser": _Wrapper("ugG", ("--user", "--group")),
    "setarch": _Wrapper(skip=1),
    "setpriv": _Wrapper(
        long_values=(
            "--reuid",
            "--regid",
            "--groups",
            "--ruid",
            "--euid",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--securebits",
            "--pdeathsig",
        )
    ),
    "setsid": _Wrapper(),
    "stdbuf": _Wrapper("ioe", ("--input", "--output", "--error")),
    "strace": _Wrapper("eoEpPsaubIOSX"),
    "su-exec": _Wrapper(skip=1),
    "systemd-run": _Wrapper("puEMH", ("--property", "--unit", "--uid", "--gid")),
    "taskset": _Wrapper(skip=1),
    "time": _Wrapper("fo", ("--format", "--output")),
    "timeout": _Wrapper("ks", ("--kill-after", "--signal"), skip=1),
    "toybox": _Wrapper(),
    "unbuffer": _Wrapper(),
    "unshare": _Wrapper("SGRw"),
    "xvfb-run": _Wrapper("efnps"),
}
_RUN_BEHIND = dict.fromkeys(("asdf", "bundle", "direnv", "mise", "nvm"), "exec") | dict.fromkeys(
    ("conda", "doppler", "hatch", "op", "pdm", "pipenv", "poetry", "rye", "uv", "volta"), "run"
)
_FOR_THEMSELVES = {"direnv": 1, "nvm": 1}  # the operands before the command


def inner_commands(argv: Argv, inputs: Sequence[str]) -> Inner:
    """Return what ``argv`` runs, where ``inputs`` may come from its standard input."""
    name, arguments = program_name(argv), argv[1:]
    if name in _WRAPPERS:
        return _wrapped(name, arguments)
    if name in _SHELLS:
        return shell_text(arguments, inputs)
    if name in _RUN_BEHIND and _RUN_BEHIND[name] in arguments:
        return _behind(name, arguments[arguments.index(_RUN_BEHIND[name]) + 1 :])
    in_options = option_texts(name, arguments)
    if in_options:
        return Inner(texts=[(text, ()) for text in in_options])
    in_code = code_texts(name, arguments, inputs)
    if in_code is not None:
        return Inner(texts=[(text, ()) for text in in_code])
    special = _SPECIAL.get(name)
    return special(arguments, inputs) if special else Inner()


def _behind(name: str, arguments: Argv) -> Inner:
    """Read what follows ``run`` or ``exec``, with the wrapper's options in front of it."""
    if "--" in arguments:
        arguments = arguments[arguments.index("--") + 1 :]
    else:
        arguments = tuple(itertools.dropwhile(lambda a: a.startswith("-"), arguments))
        arguments = arguments[_FOR_THEMSELVES.get(name, 0) :]
    return Inner(argvs=[arguments])


def _wrapped(name: str, arguments: Argv) -> Inner:
    wrapper = _WRAPPERS[name]
    options = read_options(
        arguments,
        short_values=wrapper.short_values,
        long_values=wrapper.long_values,
        permute=False,
    )
    if name == "command" and options.names & {"v", "V"}:
        return Inner()
    return Inner(argvs=[options.operands[wrapper.skip :]])


def shell_text(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """Return what a shell runs: the text behind ``-c``, or its standard input."""
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
    """Return a shell's option letters, the commands behind long options, and the operands."""
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


def _env(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    options = read_options(
        arguments,
        short_values="uCS",
        long_values=("--unset", "--chdir", "--split-string"),
        permute=False,
    )
    command = tuple(itertools.dropwhile(_not_yet_the_command, options.operands))
    texts = options.values("S", "--split-string")
    return Inner(
        argvs=[command], texts=[(" ".join((text, *options.operands)), ()) for text in texts]
    )


def _not_yet_the_command(word: str) -> bool:
    return word == "-" or _ASSIGNMENT.match(word) is not None


def _xargs(arguments: Argv, inputs: Sequence[str]) -> Inner:
    options = read_options(
        arguments,
        short_values="InPLsdaEJRS",
        long_values=long_spellings(*_XARGS_LONG),
        short_optional="iel",
        permute=False,
    )
    command = options.operands
    default = ["{}"] if options.names & {"i", "--replace"} else []
    places = options.values("I", "i", "J", "--replace") or default
    inner = Inner(argvs=[command])
    for text in inputs:
        if places:
            put = tuple(word.replace(places[0], text.strip()) for word in command)
            inner.argvs.append(put)
        else:
            inner.argvs.append((*command, *re.split(r"[\s\0]+", text.strip())))
            inner.argvs.append((*command, text))
    return inner


def _find(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    return _between(arguments, {"-exec", "-execdir", "-ok", "-okdir"}, {";", "+"})


def _fd(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    return _between(arguments, {"-x", "-X", "--exec", "--exec-batch"}, {";"})


def _between(arguments: Argv, starts: set[str], ends: set[str]) -> Inner:
    """Read the commands that begin behind one of ``starts`` and end before one of ``ends``."""
    inner = Inner()
    rest = iter(arguments)
    for argument in rest:
        if argument in starts:
            inner.argvs.append(tuple(itertools.takewhile(lambda word: word not in ends, rest)))
    return inner


def _as_text(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """Read what joins its operands to a command text: `eval`, `watch`, `parallel`."""
    del inputs
    options = read_options(arguments, short_values="njI", permute=False)
    return Inner(texts=[(" ".join(options.operands), ())])


def _each_as_text(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """Read what runs each of its operands as a command text: `hyperfine`, `concurrently`."""
    del inputs
    return Inner(texts=[(text, ()) for text in read_options(arguments).operands])


def _first_as_text(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    return Inner(texts=[(text, ()) for text in read_options(arguments).operands[:1]])


def _input_as_text(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """Read what takes commands from its input: `source <(…)`, `at`."""
    first = arguments[0] if arguments else "-"
    known = first not in _STANDARD_INPUT and UNKNOWN not in first and not inputs
    return Inner(texts=[] if known else [(text, ()) for text in inputs])


def _option_c(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """Read what has a command text behind ``-c`` or a command behind a file: `script`, `flock`."""
    del inputs
    options = read_options(arguments, short_values="cwE", long_values=("--command",))
    texts = [(text, ()) for text in options.values("c", "--command")]
    behind = read_options(arguments, short_values="cwE", permute=False).operands[1:]
    return Inner(argvs=[behind], texts=list(texts))


def _alias(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    return Inner(texts=[(argument.partition("=")[2], ()) for argument in arguments])


def _cross_env(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    return Inner(argvs=[tuple(itertools.dropwhile(_ASSIGNMENT.match, arguments))])


def _behind_dashes(arguments: Argv, inputs: Sequence[str]) -> Inner:
    del inputs
    at = arguments.index("--") + 1 if "--" in arguments else 0
    return Inner(argvs=[arguments[at:]])


def _multiplexer(arguments: Argv, inputs: Sequence[str]) -> Inner:
    """Read what a terminal multiplexer starts: an argument of several words is a shell text."""
    del inputs
    return Inner(texts=[(argument, ()) for argument in arguments if " " in argument])


def _ssh(arguments: Argv, inputs: Sequence[str]) -> Inner:
    options = read_options(arguments, short_values="bcDEeFIiJLlmOopQRSWw", permute=False)
    remote = " ".join(options.operands[1:])
    return Inner(texts=[(remote, ())] if remote else [(text, ()) for text in inputs])


_SPECIAL: dict[str, Callable[[Argv, Sequence[str]], Inner]] = {
    ".": _input_as_text,
    "alias": _alias,
    "at": _input_as_text,
    "batch": _input_as_text,
    "concurrently": _each_as_text,
    "cross-env": _cross_env,
    "cross-env-shell": _cross_env,
    "dotenv": _behind_dashes,
    "env": _env,
    "eval": _as_text,
    "fd": _fd,
    "fdfind": _fd,
    "find": _find,
    "flock": _option_c,
    "hyperfine": _each_as_text,
    "parallel": _as_text,
    "script": _option_c,
    "source": _input_as_text,
    "ssh": _ssh,
    "sg": _option_c,
    "tmux": _multiplexer,
    "trap": _first_as_text,
    "watch": _as_text,
    "xargs": _xargs,
}
