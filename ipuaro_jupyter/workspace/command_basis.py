"""What a command does beyond its own words: the texts and files that decide what will run.

They are looked at before the user is asked, and again after the answer: what was allowed is what
was shown.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from ipuaro_jupyter.errors import ToolError

_WORD = re.compile(r"[^\s'\"=:;|&()<>`$]{1,400}")
_MOST_WORDS, _MOST_FILES = 400, 100
_LARGEST_BYTES = 20_000_000
_CODE = re.compile(
    r".*\.(?:[cm]?[jt]sx?|py[wz]?|ipynb|sh|bash|zsh|fish|rb|pl|php|ps1|lua|r|jl|awk|sed|sql|mk|bat"
    r"|cmd|jar|gradle|kts)",
    re.IGNORECASE | re.DOTALL,
)
_TAKES_CONTENTS = re.compile(r"\bgit\b(?!\s+(?:push|fetch|pull|clone|remote|switch|checkout)\b)")
_RECIPES = (
    *("Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml", "Rakefile"),
    *("noxfile.py", "tox.ini", "Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"),
)

Read = Callable[[str], str | None]


class ReadTexts:
    """Readers of scripts and aliases that keep what they have read."""

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], str | None] = {}

    def keeping(self, kind: str, read: Read) -> Read:
        """``read``, of which each answer is kept."""

        def kept(name: str) -> str | None:
            text = self.texts[kind, name] = read(name)
            return text

        return kept


def code_files(texts: Iterable[str], folders: Iterable[Path]) -> Mapping[str, str]:
    """The hashes of the files of code that some texts name, and of the recipes beside them.

    Args:
        texts: Commands and scripts.
        folders: Those in which they may run.
    """
    words = {word for text in texts for word in islice(_words(text), _MOST_WORDS)}
    found: dict[str, str] = {}
    for folder in folders:
        for name in sorted({*words, *_RECIPES}):
            path = os.path.join(folder, name)  # noqa: PTH118 - an absolute word stays
            if len(found) < _MOST_FILES and path not in found and _is_code(path):
                found[path] = _hash(path)
    return found


def takes_contents(command: str) -> bool:
    """Whether git may keep the contents of files of any kind, as in a commit."""
    return _TAKES_CONTENTS.search(command) is not None


def unchanged(before: object, after: object, told: str = "") -> None:
    """Check that what a command does is what was shown; ``told`` names what has changed.

    Raises:
        ToolError: "conflict" when it is not.
    """
    if before != after:
        raise ToolError(
            "conflict",
            f"Not run: what the command would do has changed since the user was asked{told}.",
            suggestion="Call it again; the user is then asked about what it does now.",
        )


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in _WORD.finditer(text))


def _is_code(path: str) -> bool:
    is_code = _CODE.fullmatch(path) or os.path.basename(path) in _RECIPES  # noqa: PTH119 - a word
    return os.path.isfile(path) and bool(is_code or os.access(path, os.X_OK))  # noqa: PTH113


def _hash(path: str) -> str:
    try:
        state = os.stat(path)  # noqa: PTH116 - a word
        if state.st_size > _LARGEST_BYTES:
            return f"{state.st_size} {state.st_mtime_ns} {state.st_ino}"
        with open(path, "rb") as file:  # noqa: PTH123 - a word
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(error.errno)
