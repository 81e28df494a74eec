"""Whether a command's text leaves no doubt about the programs that it starts.

Where it leaves one, no setting may answer for the user. All that counts as certain is listed: the
plain words of `plain_shell`, and programs of which ``programs/*.toml`` says how they take commands,
or that they take none. Files that a program runs, of the project and its own, are not read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ipuaro_jupyter.workspace.commands.certain_arguments import (
    check_arguments,
    check_git,
    check_options,
    loaded_files,
    repositories,
    restricted,
)
from ipuaro_jupyter.workspace.commands.certain_starts import FED, READERS, StartingUse
from ipuaro_jupyter.workspace.commands.entered_folders import OUTSIDE, folder_in, folders_of
from ipuaro_jupyter.workspace.commands.outside_code import is_tool, leads_outside
from ipuaro_jupyter.workspace.commands.package_scripts import (
    PackageCommand,
    is_elsewhere,
    package_commands,
)
from ipuaro_jupyter.workspace.commands.plain_shell import read_plain
from ipuaro_jupyter.workspace.commands.plain_text import (
    PlainCommand,
    PlainText,
    PlainWord,
    Uncertain,
)
from ipuaro_jupyter.workspace.commands.program import Manager, Program, program
from ipuaro_jupyter.workspace.commands.program_files import FindProgram
from ipuaro_jupyter.workspace.commands.shell_syntax import Argv
from ipuaro_jupyter.workspace.commands.shell_words import program_name

_NAME = re.compile(r"[A-Za-z0-9_./@\[:-][\w.+/@:-]*", re.ASCII)
_OF_THE_SYSTEM = re.compile(r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/[^/]+")
_VERSION = re.compile(r"-?[\d.]+$")
_DATA = re.compile(r"[\w./-]+\.(?:md|txt|rst|log|csv|tsv|html|css|svg|out)", re.ASCII)
_PASSES_ON = frozenset(("tee", "cat", "head", "tail", "grep", "wc", "sort", "uniq"))
_OTHER = re.compile(
    r"install|i|ci|add|uninstall|remove|un|update|up|upgrade|outdated|ls|list|view|info|audit|why"
    r"|dedupe|rebuild|prune"
)
_DEEPEST = 12
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


@dataclass(frozen=True, slots=True)
class Certainty:
    """What is certain of a text: ``doubt`` says why not all is, and is "" when it is.

    ``argvs`` are the commands whose words are all certain. ``scripts`` are those that run a script
    of package.json, each with a folder in which it may run, such as ``sub/``; ``""`` is the text's.
    """

    doubt: str
    argvs: tuple[Argv, ...]
    scripts: tuple[tuple[str, Argv], ...] = ()


def certainty(
    text: str,
    *,
    find_program: FindProgram,
    is_inside: Callable[[str], bool],
    starts_code: StartsCode,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Certainty:
    """Read which programs a shell text starts.

    Args:
        text: The text as a shell would get it.
        find_program: Returns the files of the project that a program is; see `FindProgram`.
        is_inside: Whether a path, as the command would see it, stays in the project.
        starts_code: See `StartsCode`.
        variables: Those that the text gets.
    """
    reader = _Certain(find_program, is_inside, starts_code)
    try:
        for name, value in variables.items():
            reader.variable(name, PlainWord(value))
        reader.text(text)
    except Uncertain as unread:
        return Certainty(str(unread), tuple(reader.argvs))
    return Certainty("", tuple(reader.argvs), tuple(reader.scripts))


class _Certain:
    """Reads commands, and raises `Uncertain` at the first doubt."""

    def __init__(
        self,
        find_program: FindProgram,
        is_inside: Callable[[str], bool],
        starts_code: StartsCode,
    ) -> None:
        self._starts_code = starts_code
        self._find_program = find_program
        self._is_inside = is_inside
        self.argvs: list[Argv] = []
        self.scripts: list[tuple[str, Argv]] = []
        self._folders: tuple[str, ...] = ("",)
        self._depth = 0

    def text(self, text: str) -> None:
        """Read a shell text."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Uncertain("it is too intricate")
        read = read_plain(text)
        if read.counts and self._find_program("nproc", False):  # noqa: FBT003
            raise Uncertain("the project has a nproc of its own")
        start, plain = self._folders, []
        for command, folders in zip(read.commands, folders_of(read, start), strict=True):
            self._folders = folders
            plain.append(self._command(command))
        self._folders = start
        self._check_written(read, plain)
        self._depth -= 1

    def _command(self, command: PlainCommand) -> bool:
        for name, value in command.assignments:
            if command.words:
                self.variable(name, value)
            else:
                check_assignment(name, value, self._starts_code, is_exported=False)
        return not command.words or self.argv(command.words, is_fed=command.is_fed)

    def argv(self, words: Sequence[PlainWord], *, is_fed: bool) -> bool:
        """Read a command; whether it starts nothing."""
        name = words[0].literal if words else None
        if name is None:
            raise Uncertain("the program is only known at run time")
        if not _NAME.fullmatch(name):
            raise Uncertain(f"{name!r} is no usual name of a program")
        self._note(words)
        if name in BUILTINS:
            check_builtin(name, words[1:], self._starts_code)
            return True
        if "/" in name and not _OF_THE_SYSTEM.fullmatch(name):
            if restricted(name) or is_fed:
                raise Uncertain(f"it is not known what {name} does with its arguments or input")
            self.file(name, words)
            return False
        short = program_name((name,))
        own = () if "/" in name else self._find_program(name, False) or ()  # noqa: FBT003
        known = program(short)
        known = known if known.names else program(_VERSION.sub("", short))
        return self._program(short, known, own, words[1:], is_fed=is_fed)

    def _program(
        self,
        name: str,
        known: Program,
        own: Sequence[str],
        arguments: Sequence[PlainWord],
        *,
        is_fed: bool,
    ) -> bool:
        if known.asks:
            raise Uncertain(f"{name} was named, and {known.asks}")
        self._options(name, known, arguments)
        version = len(arguments) == 1 and arguments[0].literal in known.version
        if (known.plain or version) and not own:
            return True
        starts = known.starts
        reader = READERS.get(starts.how) if starts and starts.flags is not None else None
        passes_on = reader and starts and (starts.how in FED or starts.operands)
        if not known.data and not reader:
            self.inside(name, repositories(arguments) if name == "git" else arguments)
        if is_fed and not passes_on:
            raise Uncertain(f"{name} may run what another part of the text writes")
        if name == "git":
            check_git(arguments)
        elif known.manager:
            self._manager(name, arguments)
        elif reader and starts:
            return reader(StartingUse(starts, name, arguments, is_fed), self) and not own
        elif starts:
            raise Uncertain(f"it is not certain what {name} starts")
        elif not known.names and not own:
            raise Uncertain(f"it is not known what {name} starts")
        else:
            _check_alone(name, known, arguments)
        return False

    def _options(self, name: str, known: Program, arguments: Sequence[PlainWord]) -> None:
        """Check the options that name other programs, or code."""
        if known.code and not known.manager:
            check_options(name, arguments, known.code)
        for file in loaded_files(arguments, known.loads):
            if file.literal != "":
                self.file(name, [file])

    def variable(self, name: str, value: PlainWord) -> None:
        """Read a variable for what is started."""
        check_assignment(name, value, self._starts_code, is_exported=True)
        addresses = "://" in value.text and not value.text.startswith("file:")
        outside = not addresses and leads_outside([value], self._is_inside, self._folders)
        if outside:
            raise Uncertain(f"{name} may make programs run {outside!r}, which is not the project's")

    def _note(self, words: Sequence[PlainWord]) -> None:
        argv = tuple(word.text for word in words if word.literal is not None)
        if len(argv) == len(words):
            self.argvs.append(argv)

    def inside(self, name: str, arguments: Sequence[PlainWord]) -> None:
        """Check that a program that runs code is given none from outside of the project."""
        here = [folder for folder in self._folders if folder]
        if OUTSIDE in here or not all(map(self._is_inside, here)):
            raise Uncertain(f"{name} may run in another folder than the project's")
        outside = leads_outside(arguments, self._is_inside, self._folders)
        if outside is not None:
            raise Uncertain(f"{name} may run {outside!r}, which is not the project's")

    def file(self, name: str, words: Sequence[PlainWord]) -> None:
        """Read a file that ``name`` runs, and its arguments."""
        path = words[0].literal
        if path is None or path.startswith(("-", "/", "~")):
            raise Uncertain(f"{name} runs what is no file of the project")
        places = [f"{folder}{path}" for folder in self._folders]
        if OUTSIDE in self._folders or not all(map(self._is_inside, places)):
            raise Uncertain(f"{name} runs what is no file of the project")
        if is_tool(path):
            self.inside(name, words[1:])
        check_arguments(name, words[1:], is_data=True)

    def _manager(self, name: str, arguments: Sequence[PlainWord]) -> None:
        if any(word.literal is None for word in arguments):
            raise Uncertain(f"an argument of {name} is only known at run time")
        words = (name, *(word.text for word in arguments))
        for command in package_commands(words):
            passed = 0 if command.kind == "other" else len(command.arguments)
            own = arguments[: len(arguments) - passed]
            check_options(name, own, program(name).code)
            self._package(name, command)

    def _package(self, name: str, command: PackageCommand) -> None:
        check_arguments(name, [PlainWord(option) for option in command.options])
        manager = program(name).manager
        if command.kind == "execute":
            if manager and is_elsewhere(manager, command.options):
                raise Uncertain("it runs in another folder")
            if command.name:
                self.text(command.name)
                return
            first = command.arguments[0] if command.arguments else ""
            is_package = program(first).place == "project" or self._find_program(first, True)  # noqa: FBT003
            if not is_package or "/" in first:
                raise Uncertain(f"it is not known what {first!r} starts")
            self.argv([PlainWord(word) for word in command.arguments], is_fed=False)
        elif command.kind == "script":
            there = self._script_folders(manager, command.options) if manager else self._folders
            if manager and any(
                each.partition("=")[0] in manager.folder for each in command.arguments
            ):
                raise Uncertain(f"it is not certain whether {name} or the script takes the folder")
            run = (name, "run", command.name, "--", *command.arguments)
            self.scripts += [(folder, run) for folder in there]
            check_arguments(name, [PlainWord(word) for word in command.arguments])
        elif not command.name and command.options:
            raise Uncertain(f"it is not certain what {name} takes for the value of an option")
        elif command.name and not _OTHER.fullmatch(command.name):
            raise Uncertain(f"it is not known what {name} {command.name} starts")
        else:
            check_arguments(name, [PlainWord(word) for word in command.arguments])

    def _script_folders(self, manager: Manager, options: Sequence[str]) -> tuple[str, ...]:
        """The possible folders of a script that is run with options of its manager."""
        folders: list[str] = []
        others: list[str] = []
        left = iter(options)
        for option in left:
            name, equals, value = option.partition("=")
            if name in manager.folder:
                folders.append(value if equals else next(left, ""))
            else:
                others.append(option)
        if len(folders) > 1 or not {*others} <= {*manager.quiet, "implicit"}:
            raise Uncertain("the script of another folder is not read")
        if not folders:
            return self._folders
        there = tuple(folder_in(folder, folders[0]) for folder in self._folders)
        if OUTSIDE in there or not all(self._is_inside(folder or ".") for folder in there):
            raise Uncertain("the script of another folder is not read")
        return there

    def _check_written(self, read: PlainText, plain: Sequence[bool]) -> None:
        """Check that nothing runs what another command of the text may have written."""
        for at, command in enumerate(read.commands):
            if plain[at]:
                continue
            for other_at, other in enumerate(read.commands):
                if other_at == at or not _writes(other):
                    continue
                name = program_name([word.text for word in other.words[:1]])
                later = other_at > at and read.in_order
                if later and (other.pipeline != command.pipeline or name in _PASSES_ON):
                    continue
                both = {name, program_name([word.text for word in command.words[:1]])}
                if both != {"git"} and not _is_data(other, command):
                    raise Uncertain("it writes a file that another part of it may run")


def _check_alone(name: str, known: Program, arguments: Sequence[PlainWord]) -> None:
    """Check the arguments of a program that its table says nothing more of."""
    if known.denied and any(word.literal is None for word in arguments):
        raise Uncertain(f"an argument of {name} is only known at run time")
    check_arguments(name, arguments, is_data=bool(known.safe))


def _writes(command: PlainCommand) -> bool:
    words = [word.text for word in command.words]
    known = program(program_name(words))
    return bool(command.writes) or known.writes or not {*known.writing}.isdisjoint(words)


def _is_data(writer: PlainCommand, runner: PlainCommand) -> bool:
    """Whether what is written is a document that the other command does not name."""
    if not writer.writes or program(program_name([w.text for w in writer.words])).writes:
        return False
    named = " ".join(word.text for word in runner.words)
    return all(
        _DATA.fullmatch(path) and path.rpartition("/")[2] not in named for path in writer.writes
    )


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
