"""Commands in the options of other programs: `tar --to-command`, `split --filter`, `sed`."""

import re
from collections.abc import Iterator

from ipuaro_jupyter.workspace.commands.command_options import read_options, spellings
from ipuaro_jupyter.workspace.commands.program import Starts

Argv = tuple[str, ...]


_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\]){0,2000}/[IM]*|\\(.)(?:\\.|(?!\1).){0,2000}\1[IM]*)"
_EXECUTE = re.compile(
    rf"(?:^|[;{{}}\n])\s*(?:{_ADDRESS}\s*(?:,\s*[+~]?{_ADDRESS.replace('1', '2')}\s*)?)?"
    r"(?:!\s*)*e([^\n]+)"
)
_SUBSTITUTE = re.compile(
    r"(?=s([^\n\\])((?:\\.|(?!\1).){0,2000})\1((?:\\.|(?!\1).){0,2000})\1[gpiImM0-9]*e)", re.DOTALL
)


def option_texts(starts: Starts, arguments: Argv, _inputs: object) -> list[str]:
    """The commands that options of a program hold, as shell texts."""
    if starts.dashless:
        arguments = _with_dashes(starts, arguments)
    options = read_options(arguments, spellings((*starts.commands, *starts.values)))
    texts = options.values(*spellings(starts.commands))
    return [re.sub(r"^(exec=|:?!)", "", text) for text in texts]


def _with_dashes(starts: Starts, arguments: Argv) -> Argv:
    """Return the arguments of tar with old-style letters, as in ``tar cIf xz a``, as options."""
    if not arguments or arguments[0].startswith("-"):
        return arguments
    letters, *rest = arguments
    found: list[str] = []
    for letter in letters:
        takes_value = f"-{letter}" in (*starts.commands, *starts.values) and rest
        found.append(f"-{letter}" + (rest.pop(0) if takes_value else ""))
    return (*found, *rest)


def sed_texts(starts: Starts, arguments: Argv, _inputs: object) -> Iterator[str]:
    """Yield what the command ``e`` of sed, and ``s`` with the flag ``e``, run."""
    options = read_options(
        arguments, spellings((*starts.commands, *starts.values)), attached=starts.attached
    )
    scripts = options.values(*spellings(starts.commands))
    scripted = scripts or options.names & spellings(("-f", "--file"))
    script = "\n".join(scripts if scripted else options.operands[:1])
    for match in _EXECUTE.finditer(script):
        yield match.groups()[-1]
    for match in _SUBSTITUTE.finditer(script):
        yield re.sub(r"\\(.)", r"\1", match[3], flags=re.DOTALL)
