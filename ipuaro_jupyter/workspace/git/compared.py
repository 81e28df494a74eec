"""The contents of files in two versions: of commits, of the disk, or in a unified diff."""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.views.diffs.patched_files import plain_name
from ipuaro_jupyter.workspace.git.git_program import Git

_MOST_FILES = 500
_LARGEST_BYTES = 32 * 1024 * 1024  # as large as files are read elsewhere
_NAMES = ("diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", "--no-ext-diff")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RENAME = re.compile(r"^rename (?P<way>from|to) (?P<path>.+)")
_FILE = re.compile(r"^(?:---|\+\+\+) (?P<path>[^\t\n]+)")


class ComparedVersions(NamedTuple):
    """The files that differ, and a sentence on each that differs and cannot be read on the disk."""

    changes: list[Change]
    unreadable: list[str]


def is_unified_diff(text: str) -> bool:
    """Whether a text is a diff, rather than the name of a revision."""
    return any(f"\n{start}" in f"\n{text}" for start in ("@@ ", "diff --git "))


def compared_versions(
    git: Git, revision: str, untracked: Callable[[], list[str]], *, env: Mapping[str, str]
) -> ComparedVersions:
    """The files that differ, each with its content in both versions.

    Args:
        git: The repository.
        revision: A commit to compare the disk with, or two as "A..B" or "A...B"; "" for the last.
        untracked: Returns the files that git does not know.
        env: Variables for git, which lead it to a copy of its index.

    Raises:
        ToolError: "validation" when there is no such revision, or too many files differ.
    """
    old, new = _versions(git, revision)
    compared = (old, *([new] if new else []), "--", ".")
    listed = git.run(*_NAMES, *compared, env=env).stdout.split(b"\0")
    names = sorted({git.name(name) for name in listed if name})
    names += [] if new else untracked()
    if len(names) > _MOST_FILES:
        raise ToolError(
            "validation",
            f"{len(names)} files differ, more than {_MOST_FILES}.",
            suggestion="Compare with a later revision.",
        )
    found, unreadable = list[Change](), list[str]()
    for name in dict.fromkeys(names):
        try:
            after = _content(git, new, name) if new else _on_disk(git.root, name)
        except ToolError as error:
            unreadable.append(
                f"{str(error).removesuffix('.')}: what has changed in it is not known"
            )
            continue
        before = _content(git, old, name)
        before = before if new else _with_ends_of(after, before)
        if before != after:
            found.append(Change(path=name, before=before, after=after))
    return ComparedVersions(found, unreadable)


def _versions(git: Git, revision: str) -> tuple[str, str]:
    """The hashes of the older and the newer version; "" for the disk."""
    if not revision:
        return git.base(), ""
    first, dots, second = revision.partition("...")
    if not dots:
        first, dots, second = revision.partition("..")
    old = _hash(git, first or "HEAD")
    new = _hash(git, second or "HEAD") if dots else ""
    if dots == "...":
        old = git.line("merge-base", old, new)
    return old, new


def _hash(git: Git, name: str) -> str:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    finished = git.run(*words, check=False)
    if finished.exit_code != 0:
        raise ToolError(
            "validation",
            f"There is no revision {name!r}.",
            suggestion="Name a commit, a branch or a range such as main..HEAD.",
        )
    return finished.stdout.decode().strip()


def _content(git: Git, version: str, name: str) -> bytes | None:
    finished = git.run("cat-file", "blob", f"{version}:./{name}", check=False)
    return finished.stdout if finished.exit_code == 0 else None


def _with_ends_of(disk: bytes | None, committed: bytes | None) -> bytes | None:
    """What was committed with LF, with the CRLF that git writes to the disk.

    As it is when nothing else differs: then git compares the line ends, too.
    """
    if disk is None or committed is None or b"\r" in committed or b"\r\n" not in disk:
        return committed
    even = committed.replace(b"\n", b"\r\n")
    return committed if even == disk else even


def _on_disk(root: Path, name: str) -> bytes | None:
    """The content of a file; None when there is none, or something else in its place.

    Raises:
        ToolError: "file" when it is too large or cannot be read, as what a commit calls "../a".
    """
    if ".." in name.split("/"):
        raise ToolError("file", f"Cannot read {name}: it is outside of the project.")
    if not _may_be_file(root, name):
        return None
    try:
        with (root / name).open("rb") as file:
            size_bytes = os.fstat(file.fileno()).st_size
            if size_bytes > _LARGEST_BYTES:
                raise ToolError("file", f"Cannot read {name}: it has {size_bytes / 1e6:.0f} MB.")
            return file.read()
    except OSError as error:
        raise ToolError("file", f"Cannot read {name}: {error.strerror or error}.") from error


def _may_be_file(root: Path, name: str) -> bool:
    """Whether a path leads to a regular file without links, as far as that can be seen."""
    *folders, _ = parts = name.split("/")
    try:
        for count in range(1, len(folders) + 1):
            if not stat.S_ISDIR(os.lstat(root.joinpath(*parts[:count])).st_mode):
                return False
        return stat.S_ISREG(os.lstat(root / name).st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True


class DiffChanges(NamedTuple):
    """What a unified diff changes.

    Attributes:
        changes: The changes of the contents of files.
        misfits: The files that the diff does not fit.
        renamed: The files that it says are renamed, by their old and their new paths.
    """

    changes: list[Change]
    misfits: list[str]
    renamed: list[tuple[str, str]]


def changes_in(diff: str, read: Callable[[str], bytes | None]) -> DiffChanges:
    """The changes of a unified diff, applied already or not.

    What is changed of a renamed file is the change of the one that is there.

    Args:
        diff: The text.
        read: Returns the present content of a file of the project; None where there is none.
    """
    found = DiffChanges([], [], [])
    files, renamed = _files(diff)
    for path, hunks in files:
        old, place, present = renamed.get(path), path, read(path)
        if old is not None and present is None:
            place, present = old, read(old)
        is_lost = old is not None and present is None
        change = None if is_lost else _change(place, present, hunks)
        if change is None:
            found.misfits.append(path)
        elif hunks:
            found.changes.append(change)
        if old is not None and not is_lost:
            found.renamed.append((old, path))
    return found


def exact_renames(changes: Iterable[Change]) -> list[tuple[str, str]]:
    """The files that went while another one with the same lines came: the old and the new paths.

    Of several with the same lines those of the same name belong together. Empty files never do.
    """
    gone = {one.path: _text(one.before) for one in changes if one.before and one.after is None}
    came = {one.path: _text(one.after) for one in changes if one.after and one.before is None}
    found: dict[str, str] = {}
    for has_name in (True, False):
        free: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for path in sorted(came.keys() - found.values(), reverse=True):
            free[came[path], _name(path) * has_name].append(path)
        for path in sorted(gone.keys() - found.keys()):
            if same := free[gone[path], _name(path) * has_name]:
                found[path] = same.pop()
    return list(found.items())


def _text(data: bytes | None) -> str:
    return "\n".join((data or b"").decode(errors="replace").splitlines())


def _name(path: str) -> str:
    return path.rpartition("/")[2]


_Lines = tuple[int, int, list[str], list[str]]
"""The first lines of a hunk in both versions, 1-based, and its lines in both."""


def _files(diff: str) -> tuple[list[tuple[str, list[_Lines]]], dict[str, str]]:
    """The files of a diff with their hunks, and the old paths of those that are renamed."""
    found: dict[str, list[_Lines]] = {}
    renamed: dict[str, str] = {}
    old = path = source = ""
    left_old = left_new = 0
    for line in diff.splitlines():
        if left_old > 0 or left_new > 0:
            hunk, sign, text = found[path][-1], line[:1], line[1:]
            if sign in {" ", "", "-"}:
                hunk[2].append(text)
                left_old -= 1
            if sign in {" ", "", "+"}:
                hunk[3].append(text)
                left_new -= 1
            continue
        header, name, moved = _HUNK.match(line), _FILE.match(line), _RENAME.match(line)
        if moved is not None and moved["way"] == "from":
            source = plain_name(moved["path"])
        elif moved is not None and source:
            target = plain_name(moved["path"])
            found.setdefault(target, [])
            renamed[target], source = source, ""
        elif name is not None and line.startswith("---"):
            old = _plain(name["path"])
        elif name is not None:
            path = _plain(name["path"]) or old
            found.setdefault(path, [])
        elif header is not None and path:
            left_old = int(header[2] or "1")
            left_new = int(header[4] or "1")
            found[path].append((int(header[1]), int(header[3]), [], []))
    return list(found.items()), renamed


def _plain(path: str) -> str:
    """A path of a diff without its prefix; "" for no file."""
    path = plain_name(path.strip())
    return "" if path == "/dev/null" else re.sub(r"^[ab]/", "", path)


def _change(path: str, present: bytes | None, hunks: list[_Lines]) -> Change | None:
    """The change of a file; None when neither side of the diff is what it has."""
    lines = (present or b"").decode(errors="replace").splitlines()
    forth = _replaced(lines, [(start, old, new) for start, _, old, new in hunks])
    back = _replaced(lines, [(start, new, old) for _, start, old, new in hunks])
    only_adds = any(not old for _, _, old, _ in hunks)  # which fits everywhere
    if forth is not None and not (only_adds and back is not None):
        return Change(path=path, before=present, after=_joined(forth))
    return None if back is None else Change(path=path, before=_joined(back), after=present)


def _joined(lines: list[str]) -> bytes | None:
    return "\n".join([*lines, ""]).encode() if lines else None


def _replaced(lines: list[str], hunks: list[tuple[int, list[str], list[str]]]) -> list[str] | None:
    """The lines with one side of each hunk replaced by the other; None where it is not there."""
    made: list[str] = []
    at = 0
    for start, old, new in hunks:
        begin = start - 1 if old else start
        if begin < at or lines[begin : begin + len(old)] != old:
            return None
        made += [*lines[at:begin], *new]
        at = begin + len(old)
    return [*made, *lines[at:]]
