"""Builtins and variables of a shell that leave no doubt about what it starts."""

import re
from collections.abc import Callable, Sequence

from ipuaro_jupyter.workspace.commands.certain_arguments import check_arguments
from ipuaro_jupyter.workspace.commands.plain_text import PlainWord, Uncertain

_HARMLESS = re.compile(
    r"CI|DEBUG|NODE_ENV|(?:NO|FORCE|CLI)_?COLOR\w*|LANG|LC_\w+|TZ|PORT|HOST|COLUMNS|LINES|VERBOSE"
    r"|RUST_(?:LOG|BACKTRACE)|CGO_ENABLED|GO(?:OS|ARCH)|SOURCE_DATE_EPOCH"
)
_OF_THE_SHELL = re.compile(
    r"BASH\w*|CDPATH|COMP_?\w*|DIRSTACK|EPOCH\w*|EXECIGNORE|FIGNORE|FUNC\w*|GLOB\w*|GROUPS|HIST\w*"
    r"|INPUTRC|LINENO|MAIL\w*|MAKEFLAGS|MAKEFILES|OPT\w*|PS\d|POSIX\w*|S?RANDOM|SECONDS|TIMEFORMAT|TMOUT"
    r"|histchars|auto_resume"
)
_OWN = re.compile(r"[a-z_][a-z0-9_]*")
_SUBSTITUTES = re.compile(r"[`\[]|\$\(|\$\{")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.ASCII | re.DOTALL)
_BINARY = re.compile(r"==?|!=|[<>]|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)")
_UNARY = re.compile(r"-[a-zA-QS-Za-uw-z]")
_OF_SET = re.compile(r"[-+][eux]+o?|-o|\+o|pipefail|errexit|nounset|xtrace")
_ANY_ARGUMENTS = {
    *("echo", "true", "false", ":", "cd", "pushd", "popd", "pwd"),
    *("exit", "return", "break", "continue", "umask"),
}
BUILTINS = _ANY_ARGUMENTS | {"[", "export", "printf", "read", "set", "test", "wait"}
StartsCode = Callable[[str], bool]
"""Whether a variable decides which code other programs run."""


def check_assignment(
    name: str, value: PlainWord, starts_code: StartsCode, *, is_exported: bool
) -> None:
    """Check a variable that is set.

    Args:
        name: Its name.
        value: Its value.
        starts_code: See `StartsCode`.
        is_exported: Whether other programs get it.

    Raises:
        Uncertain: It may decide what a shell or another program runs.
    """
    if starts_code(name) or _OF_THE_SHELL.fullmatch(name):
        raise Uncertain(f"{name} may decide what runs")
    if value.literal is not None and _SUBSTITUTES.search(value.text):
        raise Uncertain(f"the value of {name} may be code")
    if _HARMLESS.fullmatch(name) or (not is_exported and _OWN.fullmatch(name)):
        return
    check_arguments(name, [value])


def check_builtin(name: str, arguments: Sequence[PlainWord], starts_code: StartsCode) -> None:
    """Check a command that the shell runs itself.

    Raises:
        Uncertain: It may run something, or change what the shell runs later.
    """
    if name in _ANY_ARGUMENTS:
        return
    first = arguments[0].literal if arguments else ""
    if name in {"test", "["}:
        _check_test(arguments)
    elif name == "printf" and (first is None or first.startswith("-")):
        raise Uncertain("printf may set a variable")
    elif name == "export":
        _check_exports(arguments, starts_code)
    elif name == "set" and not all(_OF_SET.fullmatch(word.literal or "") for word in arguments):
        raise Uncertain("set changes what later commands get")
    elif name == "wait" and arguments:
        raise Uncertain("wait may set a variable")
    elif name == "read":
        for word in arguments:
            if word.literal not in ("-r", "--"):
                _check_own(word)


def _check_test(arguments: Sequence[PlainWord]) -> None:
    """Check that ``-v``, which runs what is in the brackets of a name, is no operator."""
    shown = [word.literal for word in arguments]
    words = shown[:-1] if shown[-1:] == ["]"] else shown
    binary = len(words) == 3 and words[1] is not None  # noqa: PLR2004 - an operator between two
    if {"-v", "-R"} & {*words} or (None in words and not _is_simple(arguments[: len(words)])):
        raise Uncertain("the shell may run what is in the brackets of a name")
    if not binary and words[:1] in (["!"], ["("]):
        raise Uncertain("it holds a condition that is not read")


def _is_simple(words: Sequence[PlainWord]) -> bool:
    """Whether a condition of unknown words has them where none can be an operator."""
    if any("[" in word.text or word.may_split for word in words):
        return False
    shown = [word.literal or "" for word in words]
    if shown[0] == "!" and len(shown) > 1:
        del shown[0]
    if len(shown) == 3:  # noqa: PLR2004 - an operator between two
        return _BINARY.fullmatch(shown[1]) is not None
    return len(shown) == 1 or (len(shown) == 2 and _UNARY.fullmatch(shown[0]) is not None)  # noqa: PLR2004


def _check_exports(arguments: Sequence[PlainWord], starts_code: StartsCode) -> None:
    for word in arguments:
        found = _ASSIGNED.fullmatch(word.text)
        if found:
            check_assignment(
                found[1], PlainWord(found[2], word.known), starts_code, is_exported=True
            )
        elif word.literal is None or not re.fullmatch(r"[A-Za-z_]\w*", word.text):
            raise Uncertain("it exports a variable whose name is not certain")
        else:
            check_assignment(word.text, PlainWord(""), starts_code, is_exported=True)


def _check_own(word: PlainWord) -> None:
    if word.literal is None or not _OWN.fullmatch(word.text):
        raise Uncertain("it reads a variable that may decide what runs")
