"""Commands in the options of other programs: `tar --to-command`, `split --filter`, `sed`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ipuaro_jupyter.workspace.commands.command_options import long_spellings, read_options

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Program:
    """The options of a program: those with commands, and the letters of others with a value."""

    letters: str = ""
    names: tuple[str, ...] = ()
    value_letters: str = ""


_TAR = _Program(
    letters="IF",
    names=(
        *("checkpoint-action", "info-script", "new-volume-script", "rmt-command", "rsh-command"),
        *("to-command", "use-compress-program"),
    ),
    value_letters="bfgHKLNTVXC",
)
_EDITOR = _Program("c", ("cmd",))
_PROGRAMS = {
    "bsdtar": _TAR,
    "gtar": _TAR,
    "chokidar": _Program("c", ("command",)),
    "ex": _EDITOR,
    "man": _Program("P", ("pager",)),
    "nodemon": _Program("x", ("exec",), "ew"),
    "nvim": _EDITOR,
    "rsync": _Program("e", ("rsh", "rsync-path"), "fTBM"),
    "sort": _Program(names=("compress-program",), value_letters="koStT"),
    "split": _Program(names=("filter",), value_letters="abCln"),
    "tar": _TAR,
    "vi": _EDITOR,
    "vim": _EDITOR,
}
_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\]){0,2000}/[IM]*|\\(.)(?:\\.|(?!\1).){0,2000}\1[IM]*)"
_EXECUTE = re.compile(
    rf"(?:^|[;{{}}\n])\s*(?:{_ADDRESS}\s*(?:,\s*[+~]?{_ADDRESS.replace('1', '2')}\s*)?)?"
    r"(?:!\s*)*e([^\n]+)"
)
_SUBSTITUTE = re.compile(
    r"(?=s([^\n\\])((?:\\.|(?!\1).){0,2000})\1((?:\\.|(?!\1).){0,2000})\1[gpiImM0-9]*e)", re.DOTALL
)


def option_texts(name: str, arguments: Argv) -> list[str]:
    """Return the commands that options of the program ``name`` hold, as shell texts."""
    if name in {"sed", "gsed"}:
        return list(_sed(arguments))
    if name not in _PROGRAMS:
        return []
    program = _PROGRAMS[name]
    if program is _TAR:
        arguments = _with_dashes(arguments)
    options = read_options(
        arguments,
        short_values=program.letters + program.value_letters,
        long_values=long_spellings(*program.names),
    )
    names = {*program.letters, *long_spellings(*program.names)}
    return [re.sub(r"^(exec=|:?!)", "", text) for text in options.values(*names)]


def _with_dashes(arguments: Argv) -> Argv:
    """Return the arguments of tar with old-style letters, as in ``tar cIf xz a``, as options."""
    if not arguments or arguments[0].startswith("-"):
        return arguments
    letters, *rest = arguments
    found: list[str] = []
    for letter in letters:
        takes_value = letter in _TAR.letters + _TAR.value_letters and rest
        found.append(f"-{letter}" + (rest.pop(0) if takes_value else ""))
    return (*found, *rest)


def _sed(arguments: Argv) -> Iterator[str]:
    """Yield what the command ``e``, and ``s`` with the flag ``e``, run."""
    options = read_options(
        arguments,
        short_values="efl",
        long_values=long_spellings("expression", "file", "line-length"),
        short_optional="i",
    )
    scripts = options.values("e", *long_spellings("expression"))
    scripted = scripts or options.names & {"f", *long_spellings("file")}
    script = "\n".join(scripts if scripted else options.operands[:1])
    for match in _EXECUTE.finditer(script):
        yield match.groups()[-1]
    for match in _SUBSTITUTE.finditer(script):
        yield re.sub(r"\\(.)", r"\1", match[3], flags=re.DOTALL)
