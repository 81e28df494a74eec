"""What a command does beyond its own words: the texts and files that decide what will run.

They are looked at before the user is asked, and again after the answer: what was allowed is what
was shown.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.file_states import States, changed_files, file_states
from ipuaro_jupyter.workspace.files.folders import inner_path
from ipuaro_jupyter.workspace.git.git_program import staged_content
from ipuaro_jupyter.workspace.unseen_files import is_never_code, told_files

_WORD = re.compile(r"[^\s'\"=:;|&()<>`$,]{1,400}")
_MOST_WORDS, _MOST_FOLDERS, _MOST_FILES = 400, 12, 100
_LARGEST_BYTES = 20_000_000
_OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")
_RECIPES = (
    *("Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml", "Rakefile"),
    *("noxfile.py", "tox.ini", "Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"),
    "package.json",
)
# What a word may stand for beside a file of this name: for node, python -m and their like.
_ENDS = (
    *("", ".js", ".cjs", ".mjs", ".ts", ".json", ".node", ".py", ".sh"),
    *("/index.js", "/index.ts", "/__main__.py", "/__init__.py", "/package.json"),
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_RUNS_FILES = re.compile(
    r"(?<![\w.-])(?:(?:ba|da|z|k|fi|tc|c)?sh|source|python[\d.]*|pypy\d*|node|nodejs|ts-node|tsx|deno|bun"
    r"|ruby|perl|php|lua|Rscript|julia|java|go|swift|osascript|pwsh|awk|gawk|make|just|uv|poetry|npx"
    r"|npm|pnpm|yarn)(?![\w-])|(?:^|[;&|(]\s*)\.\s|(?:^|[;&|('\"]\s*)\.{0,2}/"
)
_TAKES_CONTENTS = re.compile(
    r"(?<![\w.-])(?:git(?!\s+(?:push|fetch|pull|clone|remote|switch|checkout)\b)|hg|svn|jj|sl|tar|zip"
    r"|7z|rsync|scp|sftp|docker|podman|buildah|gh|vercel|netlify|firebase|aws|gsutil|gcloud|az|twine)"
    r"(?![\w-])"
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


def named_files(
    texts: Iterable[str], folders: Sequence[Path], *, recipes: Sequence[str] = ()
) -> Mapping[str, str]:
    """The hashes of the files that some texts name.

    A word may name a file relative to a folder that another one names, as after ``cd``, without its
    extension, or as a module.

    Args:
        texts: Commands and scripts.
        folders: Those in which they may run, the likely one first.
        recipes: More names.
    """
    texts = tuple(texts)
    words = {word for text in texts for word in islice(_words(text), _MOST_WORDS)}
    words |= {word.replace(".", "/") for word in words if _DOTTED.fullmatch(word)}
    runs_files = any(map(runs_named_files, texts))
    entered = [os.path.join(folders[0], word) for word in sorted(words) if word != "."]  # noqa: PTH118
    places = [*map(str, folders), *islice(filter(os.path.isdir, entered), _MOST_FOLDERS)]
    found: dict[str, str] = {}
    for place in dict.fromkeys(map(os.path.normpath, places)):
        for name in sorted({*words, *recipes}):
            for end in _ENDS:
                path = os.path.normpath(os.path.join(place, f"{name}{end}"))  # noqa: PTH118
                counts = runs_files or not path.endswith(".log")  # which may grow all the time
                if not counts or path in found or len(found) == _MOST_FILES:
                    continue
                if os.path.isfile(path):  # noqa: PTH113 - a word
                    found[path] = _hash(path)
    return found


def runs_named_files(text: str) -> bool:
    """Whether a command starts a program that runs what its arguments name."""
    return _RUNS_FILES.search(text) is not None


class Basis(NamedTuple):
    """What a command rests on, beside its own words.

    Attributes:
        files: The hashes of the files that it names.
        staged: What git would commit.
        states: The states of all files of the project; None when they do not matter.
    """

    files: Mapping[str, str]
    staged: str
    states: States | None

    def digest(self, texts: Sequence[str]) -> str:
        """A hash of what counts of it for a command; ``texts`` are as for `basis`."""
        states = self.states or {}
        counting = sorted((path, states[path]) for path in _counting(states, texts))
        parts = (sorted(self.files.items()), self.staged, counting)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Ground:
    """What a permitted command rests on, for the question whether it may run once more.

    Attributes:
        first: When it was permitted.
        texts: As for `basis`.
        root: The project's folder.
        look: Reads what it rests on now.
        is_same: Whether the policy still judges it as it did, with the same scripts and aliases.
    """

    first: Basis
    texts: Sequence[str]
    root: Path
    look: Callable[[], Basis]
    is_same: Callable[[], bool]

    def now(self) -> Basis | None:
        """What it rests on now; None when it would do something else."""
        return self.look() if self.is_same() else None

    def changes(self, before: Basis, after: Basis) -> list[str]:
        """What differs, by its path, for those in the project relative to it; sorted."""
        changed = {*_counting(changed_files(before.states or {}, after.states or {}), self.texts)}
        for path, _ in before.files.items() ^ after.files.items():
            changed.add(inner_path(self.root, path) or path)
        if before.staged != after.staged:
            changed.add("what git would commit")
        return sorted(changed)


def basis(texts: Sequence[str], folders: Sequence[Path], project: Path, *, walks: bool) -> Basis:
    """What a command rests on now.

    Args:
        texts: Its own words, and the scripts that it starts.
        folders: The folder that it runs in, and those above it up to its root.
        project: The project's folder.
        walks: Whether any file of the project may decide what it does.
    """
    takes = any(map(_TAKES_CONTENTS.search, texts))
    staged = staged_content(folders[0]) if walks and takes else ""
    states = file_states(project) if walks else None
    return Basis(named_files(texts, folders, recipes=_RECIPES), staged, states)


def files_it_runs(texts: Sequence[str], folders: Sequence[Path], project: Path) -> list[str]:
    """The files of the project that a command may run, going by its words."""
    texts = [text for text in texts if runs_named_files(text)]
    places = named_files(texts, folders) if texts else ()
    return [path for place in places if (path := inner_path(project, place)) is not None]


def check_unchanged(before: Basis, after: Basis, texts: Sequence[str]) -> None:
    """Check that a command rests on the same as when it was shown.

    Args:
        before: When it was shown.
        after: Now.
        texts: As for `basis`.

    Raises:
        ToolError: "conflict" when it does not; names the files.
    """
    changed = _counting(changed_files(before.states or {}, after.states or {}), texts)
    named = {path for path, _ in before.files.items() ^ after.files.items()}
    told = told_files(changed or sorted(named))
    unchanged(before[:2], after[:2], f": {told}" if told else "")
    unchanged([], changed, f": {told}")


def _counting(paths: Iterable[str], texts: Sequence[str]) -> list[str]:
    """The files that count for a command."""
    if any(map(_TAKES_CONTENTS.search, texts)):
        return list(paths)
    return [path for path in paths if not is_never_code(path)]


def unchanged(before: object, after: object, told: str = "") -> None:
    """Check that what a command does is what was shown; ``told`` says what has changed.

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


def _hash(path: str) -> str:
    if path.startswith(_OF_THE_SYSTEM):  # reading one may never end
        return ""
    try:
        state = os.stat(path)  # noqa: PTH116 - a word
        if state.st_size > _LARGEST_BYTES:
            return f"{state.st_size} {state.st_mtime_ns} {state.st_ino}"
        with open(path, "rb") as file:  # noqa: PTH123 - a word
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(error.errno)
