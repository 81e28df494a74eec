"""Commands in foreign code: `python -c`, `node -e`, `awk`, and code on the standard input.

No language is parsed. Where code seems to start a program, each of its strings, and all of them
in a row, count as shell texts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ipuaro_jupyter.workspace.commands.command_options import read_options

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """The letters of options that hold code, and of others that take a value.

    ``operands`` says that the first operand is code, ``prints`` that it is behind ``-p``.
    """

    letters: str = ""
    value_letters: str = ""
    operands: bool = False
    prints: bool = False


_JAVASCRIPT = _Interpreter("e", "rC", prints=True)
_AWK = _Interpreter(value_letters="fFvE", operands=True)
_INTERPRETERS = {
    "awk": _AWK,
    "bun": _JAVASCRIPT,
    "gawk": _AWK,
    "lua": _Interpreter("e", "l"),
    "luajit": _Interpreter("e", "l"),
    "mawk": _AWK,
    "nawk": _AWK,
    "node": _JAVASCRIPT,
    "nodejs": _JAVASCRIPT,
    "osascript": _Interpreter("e", "ls"),
    "perl": _Interpreter("eE", "I"),
    "php": _Interpreter("rBRE", "dcz"),
    "pypy": _Interpreter("c", "WX"),
    "python": _Interpreter("c", "WX"),
    "ruby": _Interpreter("e", "rIC"),
    "ts-node": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
}
_VERSION = re.compile(r"-?[\d.]+$")
_STARTS = re.compile(
    r"system|exec|spawn|popen|subprocess|Command|shell|\bsh\b|`|%x|qx|getline|\$\("
)
_STRINGS = re.compile(
    r"'([^']+)'|\"([^\"]+)\"|`([^`]+)`|(?:\bq[qwx]?|%[wx])\s?[(\[{|/]([^)\]}|/]+)"
)


def code_texts(name: str, arguments: Argv, inputs: Sequence[str]) -> list[str] | None:
    """Return the shell texts in the code that the program ``name`` would run.

    None when it is no program that runs code; ``inputs`` may come from its standard input.
    """
    if name == "deno" and arguments[:1] == ("eval",):
        return _shell_texts(arguments[1:])
    interpreter = _INTERPRETERS.get(name) or _INTERPRETERS.get(_VERSION.sub("", name))
    if interpreter is None:
        return None
    options = read_options(
        arguments,
        short_values=interpreter.letters + interpreter.value_letters,
        long_values=("--eval", "--require", "--import"),
        permute=False,
    )
    codes = options.values(*interpreter.letters, "--eval", "--print")
    printed = interpreter.prints and options.names & {"p", "--print"}
    if not codes and (interpreter.operands or printed):
        codes = list(options.operands[:1])
    elif not codes and options.operands[:1] in ((), ("-",)):
        codes = list(inputs)
    return _shell_texts(codes)


def _shell_texts(codes: Sequence[str]) -> list[str]:
    texts: list[str] = []
    for code in codes:
        if not _STARTS.search(code):
            continue
        strings = [next(filter(None, match)) for match in _STRINGS.findall(code)]
        texts += [*strings, " ".join(strings)]
    return texts
