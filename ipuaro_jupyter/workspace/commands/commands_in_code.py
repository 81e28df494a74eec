"""Commands in embedded code: `python -c`, `node -e`, `awk`, and code on standard input.

No language is parsed. Where code seems to start a program, each of its strings, and all of them
joined, count as shell texts.
"""

import re
from collections.abc import Sequence

from ipuaro_jupyter.workspace.commands.command_options import read_options
from ipuaro_jupyter.workspace.commands.program import Starts

Argv = tuple[str, ...]

_OF_ALL = ("--eval", "--require", "--import")
_STARTS = re.compile(
    r"system|exec|spawn|popen|subprocess|Command|shell|\bsh\b|`|%x|qx|getline|\$\("
)
_STRINGS = re.compile(
    r"'([^']+)'|\"([^\"]+)\"|`([^`]+)`|(?:\bq[qwx]?|%[wx])\s?[(\[{|/]([^)\]}|/]+)"
)


def code_texts(starts: Starts, arguments: Argv, inputs: Sequence[str]) -> list[str]:
    """The shell texts in the code that a program would run.

    ``inputs`` may come from its standard input.
    """
    if starts.how == "eval":
        return _shell_texts(arguments[1:] if arguments[:1] == (starts.word,) else ())
    options = read_options(arguments, (*starts.commands, *starts.values, *_OF_ALL), permute=False)
    codes = options.values(*starts.commands, "--eval", "--print")
    printed = options.names & {*starts.printed}
    if not codes and (starts.operands or printed):
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
