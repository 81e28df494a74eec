"""The commands that another one starts, where its arguments leave no doubt about them."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ipuaro_jupyter.workspace.commands.certain_arguments import check_arguments, check_options
from ipuaro_jupyter.workspace.commands.plain_text import PlainWord, Uncertain, WordKnown
from ipuaro_jupyter.workspace.commands.program import Starts

_NOT_KNOWN = PlainWord("", WordKnown.NOTHING)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)
_MODULES = re.compile(
    r"black|build|compileall|coverage|ensurepip|flake8|http\.server|isort|json\.tool|mypy|pip|pylint"
    r"|py_compile|pytest|ruff|tox|unittest|venv"
)
# Several of them: no sign that ends a part may be in brackets, which not every sed reads alike.
_SED_BRACKETS = r"\[(?!\^?\])(?:\[:\w+:\]|(?!(?P=delimiter))[^\][\\\n])+\]"
_SED_PART = rf"(?:\\[^\n]|{_SED_BRACKETS}|(?!(?P=delimiter))[^\\\n\[\]])*(?P=delimiter)"
_SED_PLAIN = r"(?:\d+|\$|/[^/\\\[\n]*/)?"
_SED_ONE = re.compile(
    rf"\s*{_SED_PLAIN}(?:,{_SED_PLAIN})?\s*(?:[pdqDGHNPghlnx=]"
    rf"|s(?P<delimiter>[/|#,:@]){_SED_PART}{_SED_PART}[gpiI0-9]*)[ \t]*(?:[;\n]|$)"
)
_DATA_MODULES = frozenset(("http.server", "json.tool", "py_compile", "compileall"))
_FIND_ACTS = re.compile(r"-(?:delete|fprint.*|fls|ok|okdir|files0-from)")
_SED_ADDRESS = r"(?:\d+|\$|/[^/\\]*/)?"
_SED_COMMAND = re.compile(
    rf"\s*{_SED_ADDRESS}(?:,{_SED_ADDRESS})?\s*(?:[pdqDGHNPghlnx=]"
    r"|s(?P<sign>[/|#,:@])(?:\\.|(?!(?P=sign))[^\\\n])*(?P=sign)(?:\\.|(?!(?P=sign))[^\\\n])*(?P=sign)[gpiI0-9]*"
    r")\s*"
)
_AWK_CALLS = {
    *("if", "while", "for", "print", "printf", "length", "substr", "split", "tolower", "toupper"),
    *("int", "index", "match", "gsub", "sub", "sprintf"),
}


class StartedReader(Protocol):
    """The reader of what is started."""

    def argv(self, words: Sequence[PlainWord], *, is_fed: bool) -> bool:
        """Read a command; whether it starts nothing."""

    def text(self, text: str) -> None:
        """Read a shell text."""

    def variable(self, name: str, value: PlainWord) -> None:
        """Read a variable for what is started."""

    def file(self, name: str, words: Sequence[PlainWord]) -> None:
        """Read a file that ``name`` runs, and its arguments."""

    def inside(self, name: str, arguments: Sequence[PlainWord]) -> None:
        """Check that a program that runs code is given none from outside of the project."""


@dataclass(frozen=True, slots=True)
class StartingUse:
    """A use of a program that starts others; ``is_fed`` as in `PlainCommand`."""

    starts: Starts
    name: str
    arguments: Sequence[PlainWord]
    is_fed: bool


def _options(starts: Starts, arguments: Sequence[PlainWord], name: str) -> Sequence[PlainWord]:
    """What follows the options, all of which leave no doubt."""
    rest = [*arguments]
    while rest:
        option = rest[0].literal
        if option is None or not option.startswith("-") or option == "-":
            return rest
        rest.pop(0)
        if option == "--":
            return rest
        key, equals, _ = option.partition("=")
        if option in (starts.flags or ()):
            continue
        if option in starts.values:
            if not rest or rest.pop(0).literal is None:
                raise Uncertain(f"an option of {name} is only known at run time")
        elif not (equals and key.startswith("--") and key in starts.values):
            short = option[:2] in starts.values and not option.startswith("--")
            if not short and not (name == "nice" and re.fullmatch(r"-\d+", option)):
                raise Uncertain(f"it is not known what {name} does with {option}")
    return rest


def _command(use: StartingUse, rest: StartedReader) -> bool:
    given = {word.literal for word in use.arguments[:1]}
    if given & {*use.starts.nothing}:
        return True
    behind = _options(use.starts, use.arguments, use.name)
    if any(word.literal is None for word in behind[: use.starts.operands]):
        raise Uncertain(f"an argument of {use.name} is only known at run time")
    return rest.argv(behind[use.starts.operands :], is_fed=use.is_fed)


def _env(use: StartingUse, rest: StartedReader) -> bool:
    words = list(_options(use.starts, use.arguments, use.name))
    own = use.arguments[: len(use.arguments) - len(words)]
    if any(word.text.startswith(("-C", "--chdir")) for word in own):
        raise Uncertain(f"{use.name} enters another folder")
    while words and (found := _ASSIGNED.fullmatch(words[0].text)):
        rest.variable(found[1], PlainWord(found[2], words.pop(0).known))
    return not words or rest.argv(words, is_fed=use.is_fed)


def _xargs(use: StartingUse, rest: StartedReader) -> bool:
    words = list(_options(use.starts, use.arguments, use.name))
    own = [word.text for word in use.arguments[: len(use.arguments) - len(words)]]
    for at, option in enumerate(own):
        if option.startswith("-I"):
            place = option[2:] or own[at + 1]
            words = [_NOT_KNOWN if place in word.text else word for word in words]
    return not words or rest.argv([*words, _NOT_KNOWN], is_fed=False)


def _find(use: StartingUse, rest: StartedReader) -> bool:
    words, is_plain = list(use.arguments), True
    while words:
        word = words.pop(0)
        if word.literal is None or _FIND_ACTS.fullmatch(word.text):
            raise Uncertain(f"{use.name} deletes, writes, or does what is only known at run time")
        if word.text in use.starts.starts:
            inner = list(itertools.takewhile(lambda w: w.literal not in use.starts.ends, words))
            words = words[len(inner) + 1 :]
            # A path that is found begins with one that is given, so never with a dash.
            shown = [PlainWord("./", WordKnown.NAMES) if w.literal == "{}" else w for w in inner]
            if any("{}" in w.text for w in shown):
                raise Uncertain(f"{use.name} puts names of files into an argument")
            inner_plain = rest.argv(shown, is_fed=False)
            if not inner_plain and word.text.endswith("dir"):
                raise Uncertain(f"{use.name} enters other folders")
            is_plain = inner_plain and is_plain
    return is_plain


def _shell(use: StartingUse, rest: StartedReader) -> bool:
    words, letters = list(use.arguments), ""
    while words and (option := words[0].literal or "").startswith("-"):
        words.pop(0)
        if option == "-o" and words and words[0].literal in ("pipefail", "errexit", "nounset"):
            words.pop(0)
        elif not {f"-{letter}" for letter in option[1:]} <= {*(use.starts.flags or ())}:
            raise Uncertain(f"it is not known what {use.name} does with {option}")
        letters += option[1:]
    first = words[0].literal if words else None
    if first is None:
        raise Uncertain(f"{use.name} gets commands that are only known at run time")
    if "c" in letters:
        rest.text(first)
    else:
        rest.file(use.name, words)
    return False


def _code(use: StartingUse, rest: StartedReader) -> bool:
    if use.starts.operands:
        return _awk(use)
    first = use.arguments[0].literal if use.arguments else None
    second = use.arguments[1].literal if len(use.arguments) > 1 else None
    if use.name.startswith("python") and first == "-m" and _MODULES.fullmatch(second or ""):
        check_arguments(use.name, use.arguments[2:])
        rest.inside(use.name, () if second in _DATA_MODULES else use.arguments[2:])
        return False
    words = _options(use.starts, use.arguments, use.name)
    if not words and "--test" in (first, second):
        return False
    if not words or words[0].literal is None:
        raise Uncertain(f"{use.name} gets code that is not read")
    check_arguments(use.name, use.arguments[: len(use.arguments) - len(words)])
    rest.file(use.name, words)
    return False


def _awk(use: StartingUse) -> bool:
    words = _options(use.starts, use.arguments, use.name)
    if any(
        re.match("-[fE]", word.text) for word in use.arguments[: len(use.arguments) - len(words)]
    ):
        raise Uncertain(f"{use.name} runs code that is not read")
    code = words[0].literal if words else None
    if code is None or re.search(r"[|>@`]|getline", _unquoted(code)) or "\\\n" in code:
        raise Uncertain(f"{use.name} runs code that is not read")
    if not {*re.findall(r"(\w+)\s*\(", code)} <= _AWK_CALLS:
        raise Uncertain(f"{use.name} runs code that is not read")
    return True


def _unquoted(code: str) -> str:
    return re.sub(r'"[^"\\\n|>@]*"', "", code)


def _sed(use: StartingUse, _rest: StartedReader) -> bool:
    words, scripts, flags = list(use.arguments), [], {*(use.starts.flags or ())}
    while words and (option := words[0].literal or "").startswith("-"):
        words.pop(0)
        if option in use.starts.commands and words:
            scripts.append(words.pop(0).literal)
        elif option not in flags and not re.fullmatch(
            r"-i(\.\w+)?|--in-place=\.\w+|-[nErsuz]+", option
        ):
            raise Uncertain(f"it is not known what {use.name} does with {option}")
    scripts = scripts or [word.literal for word in words[:1]]
    if any(word.text.startswith("-") or not _is_name(word) for word in words):
        raise Uncertain(f"an argument of {use.name} is only known at run time")
    for script in scripts:
        commands = re.split(r"[;\n]", script or "\0") if "s" not in (script or "") else [script]
        is_read = all(_SED_COMMAND.fullmatch(command or "") for command in commands if command)
        if not is_read and not _are_sed_commands(script or ""):
            raise Uncertain(f"{use.name} runs a script that is not read")
    return True


def _are_sed_commands(script: str) -> bool:
    rest = script
    while rest and (found := _SED_ONE.match(rest)):
        rest = rest[found.end() :]
    return script != "" and not rest.strip()


def _is_name(word: PlainWord) -> bool:
    return word.known is not WordKnown.NOTHING and bool(word.text or word.literal is not None)


def _option(use: StartingUse, _rest: StartedReader) -> bool:
    check_arguments(use.name, use.arguments)
    check_options(use.name, use.arguments, use.starts.commands, dashless=use.starts.dashless)
    return True


def _behind(use: StartingUse, rest: StartedReader) -> bool:
    words = [word.literal for word in use.arguments]
    if words[:1] != [use.starts.word]:
        check_arguments(use.name, use.arguments)
        rest.inside(use.name, use.arguments)
        return False
    behind = list(use.arguments[1 + use.starts.operands :])
    if behind and behind[0].literal == "--":
        del behind[0]
    if behind and behind[0].text.startswith("-"):
        raise Uncertain(f"it is not known what {use.name} does with {behind[0].text}")
    return rest.argv(behind, is_fed=use.is_fed)


def _dashes(use: StartingUse, rest: StartedReader) -> bool:
    words = [word.literal for word in use.arguments]
    if "--" not in words:
        raise Uncertain(f"it is not known what {use.name} starts")
    at = words.index("--")
    check_arguments(use.name, use.arguments[:at])
    rest.inside(use.name, use.arguments[:at])
    return rest.argv(use.arguments[at + 1 :], is_fed=use.is_fed)


Reader = Callable[[StartingUse, StartedReader], bool]
READERS: dict[str, Reader] = {
    "assignments": _env,
    "behind": _behind,
    "between": _find,
    "code": _code,
    "command": _command,
    "dashes": _dashes,
    "env": _env,
    "option": _option,
    "sed": _sed,
    "shell": _shell,
    "xargs": _xargs,
}
FED = frozenset(
    ("between", "command", "env", "assignments", "behind", "dashes", "option", "sed", "xargs")
)
"""The ways in which the standard input is data, or is passed on."""
