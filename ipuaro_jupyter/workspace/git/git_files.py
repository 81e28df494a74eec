"""The files that git tracks or would track."""

import os
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.small_file import read_small_text
from ipuaro_jupyter.workspace.git.git_program import environment
from ipuaro_jupyter.workspace.processes.subprocesses import run

UNREADABLE = "unreadable: "
"""The reason why a folder that cannot be read is left out begins so."""
_TIMEOUT_S = 60.0
_OUTPUT_LIMIT = 512 * 1024 * 1024
_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")
_READ_BY_GIT = (
    *("HEAD", "commondir", "config", "config.worktree", "index", "packed-refs"),
    *("info/attributes", "info/exclude", "objects/info/alternates"),
)
_SETTINGS_FILES: dict[str, tuple[object, tuple[str, ...]]] = {}
WORKTREE = re.compile(r"(.+)/worktrees/[^/]+", re.DOTALL)
"""Where the data of a worktree lie: in those of the repository."""
_UNREADABLE = re.compile(rb"could not open directory '(.*)/': (.*)")


class GitPath(NamedTuple):
    """A path relative to the listed folder; also git's name for a nested repository."""

    path: bytes
    tracked: bool


class GitFiles(NamedTuple):
    """The files that git lists; one with a merge conflict is listed more than once.

    ``sparse`` are the tracked ones that need not be checked out.
    """

    paths: list[GitPath]
    unreadable: dict[str, str]
    sparse: list[str]


def git_files(folder: Path, *, cancel: CancelToken | None = None) -> GitFiles | None:
    """The files in ``folder`` that git tracks, and those that it does not ignore.

    None when it is not a folder of a repository, is ignored as a whole, or git does not work. Files
    that are tracked but deleted are listed.

    Raises:
        Cancelled: ``cancel`` was set.
    """
    if not _is_in_repository(folder):
        return None
    found = _git(folder, "ls-files", "-coz", "-t", "--exclude-standard", cancel=cancel)
    if found is None or found[0] != 0:
        return None
    lines = [line for line in found[1].split(b"\0") if line]
    paths = [GitPath(line[2:], line[:1] != b"?") for line in lines]
    sparse = [os.fsdecode(line[2:]) for line in lines if line[:1] == b"S"]
    unreadable = {
        os.fsdecode(path): f"{UNREADABLE}{reason.decode(errors='replace')}"
        for path, reason in _UNREADABLE.findall(found[2])
    }
    return GitFiles(paths, unreadable, sparse)


def listed_by_git(folder: Path, paths: Collection[str]) -> Collection[str] | None:
    """Those of some files in ``folder`` that `git_files` would list; None where that is None.

    They have to be in no repository inside of ``folder``.
    """
    if not _is_in_repository(folder):
        return None
    options = ("--literal-pathspecs", "ls-files", "-coz", "--exclude-standard", "--")
    found = _git(folder, *options, *paths)
    if found is None or found[0] != 0:
        return None
    return frozenset(os.fsdecode(path) for path in found[1].split(b"\0"))


def ignored_folders(folder: Path) -> frozenset[str] | None:
    """The folders in ``folder`` that git ignores by a rule, without those in them.

    Git also lists folders with nothing but ignored files, each followed by what is in it. Another
    file may appear in those, and so may one when their own ``.gitignore`` changes.
    None where `git_files` returns None.
    """
    if not _is_in_repository(folder):
        return None
    found = _git(folder, "ls-files", "-oiz", "--directory", "--exclude-standard")
    if found is None or found[0] != 0:
        return None
    names = [os.fsdecode(line) for line in found[1].split(b"\0")]
    entered = {name[:-1].rpartition("/")[0] for name in names}
    return frozenset(name[:-1] for name in names if name.endswith("/")) - entered


def rules_stamp(folder: str) -> tuple[object, ...]:
    """Differs once git may list other files in ``folder`` for a reason that lies outside of it.

    That is what it tracks and excludes, git's settings, the ``.gitignore`` of folders above and the
    user's own. Not covered are repositories inside ``folder``.
    """
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - fast
    places = [f"{config}/git/ignore"]
    settings = [f"{config}/git/config", os.path.expanduser("~/.gitconfig")]  # noqa: PTH111 - fast
    above = folder
    while (repository := _inode(f"{above}/.git")) is None and above != "/":
        above = os.path.dirname(above)  # noqa: PTH120 - fast
        places.append(f"{above}/.gitignore")
    if repository is not None:
        own, common = _data_folders(f"{above}/.git")
        places += [f"{own}/index", f"{common}/info/exclude"]
        settings += [f"{common}/config", f"{own}/config.worktree"]
        places += [*settings, *_named_by_settings(above, tuple(map(_state, settings)))]
    return (repository, *map(_state, places))


def _named_by_settings(folder: str, states: tuple[object, ...]) -> tuple[str, ...]:
    """The files with git's settings for a repository, and the one with rules that they name.

    Git is asked again once a file has changed that had settings before, or whose state is given.
    """
    known = _SETTINGS_FILES.get(folder)
    if known is None or known[0] != (states, tuple(map(_state, known[1]))):
        found = _git(Path(folder), "config", "--list", "--show-origin", "-z")
        told = [] if found is None else list(map(os.fsdecode, found[1].split(b"\0")))
        named = map(_named_by, told[::2], told[1::2])
        places = tuple(os.path.join(folder, place) for place in sorted({*chain(*named)}))  # noqa: PTH118 - fast
        known = (states, tuple(map(_state, places))), places
        _SETTINGS_FILES[folder] = known
    return known[1]


def _named_by(origin: str, setting: str) -> Iterator[str]:
    """Yield the file that a setting is in, and the one that it names."""
    if origin.startswith("file:"):
        yield (own := origin.removeprefix("file:"))
        name, _, path = setting.partition("\n")
        if path and (name == "core.excludesfile" or name.startswith("include")):
            above = os.path.dirname(own) if name.startswith("include") else ""  # noqa: PTH120 - fast
            yield os.path.join(above, os.path.expanduser(path))  # noqa: PTH111, PTH118 - the same


def _is_in_repository(folder: Path) -> bool:
    """Whether a folder is in a repository, which does not ignore it as a whole."""
    if os.path.lexists(folder / ".git"):
        return True
    if not any(os.path.lexists(parent / ".git") for parent in folder.parents):
        return False
    return _git(folder, "check-ignore", "-q", ".") == (1, b"", b"")


def _data_folders(mark: str) -> tuple[str, str]:
    """The folders of a worktree's and of the whole repository's data."""
    place = mark
    if not os.path.isfile(mark):  # noqa: PTH113 - fast; who opens a pipe waits
        return place, place
    with suppress(OSError):
        told = read_small_text(mark, "replace").removeprefix("gitdir:").strip()
        place = os.path.normpath(f"{os.path.dirname(mark)}/{told}" if told[:1] != "/" else told)  # noqa: PTH120
    linked = WORKTREE.fullmatch(place) if os.path.lexists(f"{place}/commondir") else None
    return place, place if linked is None else linked[1]


def _inode(place: str) -> int | None:
    try:
        return os.lstat(place).st_ino
    except OSError:
        return None


def _state(place: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(place)  # noqa: PTH116 - fast
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _git(
    folder: Path, *arguments: str, cancel: CancelToken | None = None
) -> tuple[int, bytes, bytes] | None:
    """Git's exit code and outputs; None when it cannot be run.

    A repository may name a program for git to start when it lists files (core.fsmonitor), so that
    is off. Its working tree is where it lies, whatever it says (core.worktree).
    """
    tops = (place for place in (folder, *folder.parents) if os.path.lexists(place / ".git"))
    top = str(next(tops, folder))
    if _would_wait(top):
        return None
    env = environment() | {"GIT_OPTIONAL_LOCKS": "0", "GIT_WORK_TREE": top}
    try:
        done = run(
            ["git", *_SETTINGS, *arguments],
            cwd=folder,
            timeout_s=_TIMEOUT_S,
            cancel=cancel,
            env=env,
            output_limit=_OUTPUT_LIMIT,
        )
    except ToolError:
        return None
    return None if done.truncated else (done.exit_code, done.stdout, done.stderr)


def _would_wait(top: str) -> bool:
    """Whether a file that git reads is a pipe or a device, whose reading may never end."""
    places = [f"{top}/.gitignore", f"{top}/.gitattributes"]
    for data in {*_data_folders(f"{top}/.git")}:
        places += [f"{data}/{name}" for name in _READ_BY_GIT]
    return any(map(_is_odd, places))


def _is_odd(place: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(place).st_mode)  # noqa: PTH116 - fast
    except (OSError, ValueError):
        return False
