"""Arguments that cannot make a program start another one that their words do not show."""

import itertools
import re
from collections.abc import Sequence

from ipuaro_jupyter.workspace.commands.command_options import any_like, read_options, spellings
from ipuaro_jupyter.workspace.commands.plain_text import PlainWord, Uncertain, WordKnown
from ipuaro_jupyter.workspace.commands.program import program

_VERSION = re.compile(r"-?[\d.]+$")
_MAY_BE_CODE = re.compile(r"[\s;&|<>()$`'\"\\]")
_BETWEEN = re.compile(r"[\s=:,;&|<>()$`'\"\\{}]+")
_DELETES = re.compile(r"--(?:dele|del$|rem(?!ot)|prune|purge)")
_LONGEST = 20_000  # characters of an argument

_GIT_CERTAIN = re.compile(
    r"add|am|apply|blame|branch|checkout|cherry|cherry-pick|clean|commit|config|describe|diff|fetch"
    r"|grep|init|log|ls-files|ls-remote|ls-tree|merge|merge-base|mv|pull|push|rebase|reflog|remote"
    r"|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|stash|status|switch|tag|version"
)
_GIT_KEYS = re.compile(
    r"(?:user\.(?:name|email)|core\.(?:quotepath|autocrlf)|color\.\w+|advice\.\w+|init\.defaultbranch"
    r"|commit\.gpgsign)=[^$`|;&<>!]*",
    re.IGNORECASE,
)
_GIT_TEXTS = re.compile(
    r"--(?:message|format|pretty|grep|author|date|since|until|after|before)(?:=|$)|-m$"
)
# git takes any start of an option that fits no other option of the subcommand.
_GIT_REFUSED = {
    "*": """
      -O --e[xec] --e[xt-diff] --te[xtconv] --o[pen-files-in-pager] --o[utput] --r[eceive-pack]
      --u[pload-pack] --t[emplate] --c[onfig] --b[uild-fake-ancestor] --se[parate-git-dir]
      --uns[afe-paths] --exec* --open* --output* --receive* --upload* --template* --config*""",
    "checkout": "-f --f[orce] --d[iscard-changes]",
    "clean": "-f --f[orce]",
    "fetch": "-u --upd*",
    "push": "-d --d[elete] -f --fo* --p[rune]",
    "rebase": "-x -i --i[nteractive] --e[dit-todo] -s --s[trategy]",
    "merge": "-s --s[trategy]",
    "pull": "-s --s[trategy]",
    "cherry-pick": "-s --s[trategy]",
    "revert": "-s --s[trategy]",
    "remote": "",
    "rm": "-r -f --f[orce]",
    "switch": "-f --f[orce] --d[iscard-changes]",
}
_GIT_READS_CONFIG = re.compile(r"--get|--get-all|--get-regexp|--list|-l|get|list")


def restricted(name: str) -> bool:
    """Whether a program starts others, or has uses that never run."""
    name = name.rpartition("/")[2].lower()
    known = program(name)
    known = known if known.names else program(_VERSION.sub("", name))
    is_folder = name == "."
    return not is_folder and bool(known.starts or known.denied or known.asks or known.manager)


def check_arguments(name: str, arguments: Sequence[PlainWord], *, is_data: bool = False) -> None:
    """Check the arguments of a program that may take a command among them.

    Args:
        name: The program.
        arguments: Its arguments.
        is_data: Whether it passes them to code of the project, which may get any text.

    Raises:
        Uncertain: One of them may be a command, or is only known at run time.
    """
    for word in arguments:
        if word.known is WordKnown.NOTHING or (
            word.literal is None and word.text[:1] in ("-", "+")
        ):
            raise Uncertain(f"an argument of {name} is only known at run time")
        if len(word.text) > _LONGEST or (not is_data and _MAY_BE_CODE.search(word.text)):
            raise Uncertain(f"an argument of {name} may be code")
        if _DELETES.match(word.text):
            raise Uncertain(f"{name} deletes files with {word.text}")
        parts = [word.text, *_BETWEEN.split(word.text)]
        if re.match(r"-[A-Za-z]", word.text):
            parts += [part[2:] for part in parts]
        for part in parts:
            if part and restricted(part):
                raise Uncertain(f"{part!r} among the arguments of {name} may be a command")


def check_options(
    name: str, arguments: Sequence[PlainWord], options: Sequence[str], *, dashless: bool = False
) -> None:
    """Check that a program gets no option that names another program or its code.

    What is in the place of another option's value counts too: only the program knows which it is.

    Args:
        name: The program.
        arguments: Its arguments.
        options: As `Program.code`; long ones may be cut short, letters may share a dash.
        dashless: See `Starts.dashless`.

    Raises:
        Uncertain: There is one, or may be one.
    """
    starts = [option for option in options if option.endswith("*")]
    letters = {option[1] for option in options if re.fullmatch("-[^-]", option)}
    for at, word in enumerate(arguments):
        unsure = word.known is WordKnown.NOTHING or word.text[:1] in ("", "-")
        if word.literal is None and unsure:
            raise Uncertain(f"an argument of {name} is only known at run time")
        given = word.text.partition("=")[0]
        is_cluster = re.match("-[^-]", given) or (dashless and at == 0)
        if (
            given in spellings(tuple(options))
            or any_like([word.text], starts)
            or (is_cluster and letters & {*given})
        ):
            raise Uncertain(f"{name} runs what {word.text} says")


def loaded_files(arguments: Sequence[PlainWord], options: Sequence[str]) -> list[PlainWord]:
    """The values of options, of which long ones may be cut short and letters share a dash."""
    found: list[PlainWord] = []
    long = spellings(tuple(option for option in options if option.startswith("--")))
    for word, behind in itertools.pairwise([*arguments, PlainWord("")]):
        name, equals, value = word.text.partition("=")
        if name in long:
            found.append(PlainWord(value) if equals else behind)
        elif re.match("-[^-]", word.text):
            at = next((i for i, sign in enumerate(word.text) if f"-{sign}" in options), None)
            if at is not None:
                value = word.text[at + 1 :]
                found.append(PlainWord(value) if value else behind)
    return found


def repositories(arguments: Sequence[PlainWord]) -> list[PlainWord]:
    """The folders that git is told to run in."""
    options = read_options([word.text for word in arguments], ("-C", "-c"), permute=False)
    return [PlainWord(folder) for folder in options.values("-C")]


def check_git(arguments: Sequence[PlainWord]) -> None:
    """Check that git does what its arguments say, and starts only what the user has set up.

    Raises:
        Uncertain: It may start something else, or delete what no rule keeps it from deleting.
    """
    check = [word.text for word in arguments if word.literal is not None]
    if len(check) != len(arguments) and any(
        word.known is WordKnown.NOTHING or word.text[:1] in "-+:" for word in arguments
    ):
        raise Uncertain("an argument of git is only known at run time")
    options = read_options([w.text for w in arguments], ("-C", "-c"), permute=False)
    for name, value in options.given:
        if name not in {"-C", "--no-pager", "-P", "--version", "--no-optional-locks"} and not (
            name == "-c" and _GIT_KEYS.fullmatch(value or "")
        ):
            raise Uncertain(f"git {name} may decide what git starts")
    if not options.operands:
        return
    name, *rest = options.operands
    if not _GIT_CERTAIN.fullmatch(name):
        raise Uncertain(f"it is not known what git {name} starts")
    _check_git_use(name, rest)
    kept = _without_texts(rest)
    if any("::" in word for word in kept):
        raise Uncertain("git starts a program to reach such a repository")
    check_arguments("git", [PlainWord(word) for word in kept if word.startswith("-")])


def _check_git_use(name: str, rest: Sequence[str]) -> None:
    options = read_options(rest, ("-m", "--message"))
    refused = f"{_GIT_REFUSED['*']} {_GIT_REFUSED.get(name, '')}".split()
    # An option before may take what looks like a message, or the "--", for its value.
    loose = read_options([word for word in rest if word != "--"], attached=("-m",))
    if any_like((options.names | loose.names) - {"--text"}, refused):
        raise Uncertain(f"git {name} with such an option starts programs or throws work away")
    if name == "push" and any(word.startswith(":") for word in options.operands):
        raise Uncertain("git push deletes a branch for everybody")
    if name == "clean" and not any_like(options.names, ("-n", "--d[ry-run]")):
        raise Uncertain("git clean deletes files that git cannot bring back")
    reads = rest != [] and _GIT_READS_CONFIG.fullmatch(rest[0]) is not None
    if name == "config" and not reads and rest[:1] not in (["user.name"], ["user.email"]):
        raise Uncertain("settings of git decide which programs it starts")


def _without_texts(words: Sequence[str]) -> list[str]:
    """The arguments of git that are no messages, formats or patterns."""
    kept: list[str] = []
    is_text = False
    for word in words:
        if not is_text and not _GIT_TEXTS.match(word):
            kept.append(word)
        is_text = not is_text and _GIT_TEXTS.fullmatch(word) is not None
    return kept
