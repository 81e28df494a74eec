"""Arguments that may name code outside of the project.

Programs that run code take it from wherever an argument says: a file, a folder, a setting, a
package, an address. Only the program knows which of its arguments do, so any that leads outside of
the project counts, except for programs whose table says that theirs are data.
"""

import itertools
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from ipuaro_jupyter.workspace.commands.plain_text import PlainWord
from ipuaro_jupyter.workspace.commands.program import program

_BETWEEN = re.compile(r"[\s=:,;@\"'{}()\[\]<>|&`]+")
_LETTERS = re.compile(r"-[A-Za-z]{2,}((?:/|~|\.\.(?:/|$)).*)", re.DOTALL)
_HOME = re.compile(r"~(?![\d^])")  # not the version ~1.2
# From the begin of a run of such letters only: from each of them a long run takes seconds.
_SCHEME = r"(?<![a-z0-9+.-])([0-9+.-]*)[a-z][a-z0-9+.-]*://"
_ADDRESS = re.compile(
    rf"{_SCHEME}(?!(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/|$))", re.IGNORECASE
)
_LOCAL = re.compile(rf"{_SCHEME}[^\s,;\"']*", re.IGNORECASE)
_DEVICES = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))
# Their values are patterns of the names of tests.
_NAMES_OF_TESTS = frozenset(
    ("--fgrep", "--grep", "--testNamePattern", "--test-name-pattern", "-k", "-t")
)
_OF_TOOLS = frozenset(("node_modules", "site-packages", ".venv", "venv"))
_SUFFIX = re.compile(r"\.(?:[cm]?js|py|sh|phar|pl|rb)$")


def leads_outside(
    arguments: Sequence[PlainWord], is_inside: Callable[[str], bool], folders: Sequence[str]
) -> str | None:
    """The first part of the arguments that names something outside of the project; None if none.

    Args:
        arguments: Those of a program that runs code.
        is_inside: Whether a path, as the command would see it, stays in the project.
        folders: Those in which the program may run, relative to that of the command.
    """
    for before, word in itertools.pairwise([PlainWord(""), *arguments]):
        name, equals, _ = word.text.partition("=")
        if before.text in _NAMES_OF_TESTS or (equals and name in _NAMES_OF_TESTS):
            continue
        if _ADDRESS.search(word.text):
            return word.text
        for part in _places(_LOCAL.sub(r"\1", word.text)):
            if not all(is_inside(posixpath.join(folder, part)) for folder in folders):
                return part
    return None


def outside_parts(text: str, is_inside: Callable[[str], bool]) -> bool:
    """Whether any part of a command's text may name something outside of the project."""
    return any(not is_inside(part) for word in text.split() for part in _places(word))


def _places(word: str) -> Iterator[str]:
    """Yield the parts of an argument that may be paths; those of the home begin with a slash."""
    parts = [word, *_BETWEEN.split(word)]
    parts += [part[2:] for part in parts if re.match(r"-[^-]", part)]
    parts += [found[1] for part in parts if (found := _LETTERS.match(part))]
    for part in parts:
        if part and part not in _DEVICES:
            yield f"/{part}" if _HOME.match(part) else part


def is_tool(path: str) -> bool:
    """Whether a file of the project, by its path, is a program that runs what arguments name."""
    *above, name = path.split("/")
    known = program(_SUFFIX.sub("", name).lower())
    return bool(known.names and not known.plain) or not _OF_TOOLS.isdisjoint(above)
