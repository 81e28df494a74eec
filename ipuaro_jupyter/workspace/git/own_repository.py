"""The project's own repository, told apart from one that its files lead git to.

Git believes what it finds: a ``.git`` that is a file or a symlink, ``commondir``, ``core.worktree``
and a tracked folder that looks like a bare repository can each lead it to data of somebody else.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.workspace.git.git_program import (
    environment,
    failed,
    output_text,
    without_programs,
)
from ipuaro_jupyter.workspace.processes.subprocesses import run

_TIMEOUT_S = 60.0
_MOST_ALTERNATES = 100
_WHERE = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
_ADVICE = (
    "Work without git, or tell the user. A git directory that is kept apart counts as the "
    "project's once it names this folder: git config core.worktree FOLDER."
)
_OWN_OBJECTS = (
    "Work without git, or tell the user. Once git repack -a -d has copied the objects and "
    "objects/info/alternates of the git directory is deleted, the repository counts as the "
    "project's."
)
# What git does not read when it looks, or does not show; people link some of it. Of all else it
# may show lines, as errors. Names in a git directory and in those of its working trees:
_UNREAD = frozenset(
    {
        *("annex", "branches", "description", "hooks", "info/exclude", "lfs", "modules"),
        *("remotes", "rr-cache", "svn"),
    }
)
_OF_A_WORKTREE = re.compile(r"\Aworktrees/[^/]+/")
_FAN_OUT = re.compile(r"objects/[0-9a-f]{2}")  # which may hold a million files
# Git shows lines of these files, also when they make no sense to it.
_FILE_KEYS = frozenset({"blame.ignorerevsfile", "commit.template", "core.attributesfile"})
_FILE_KEYS |= {"diff.orderfile", "format.signaturefile", "fsck.skiplist", "mailmap.file"}
_READS_FILES = re.compile(
    rb"include|ignorerevsfile|template|attributesfile|orderfile|signature|skiplist|mailmap"
)
_GITDIR = "gitdir:"
_INCLUDES = re.compile(r"include(?:if\..*)?\.path", re.DOTALL)
_LOOKS_AGAIN = 1000  # entries, after which the cancel token is looked at again
_shared: dict[Path, Path] = {}


@dataclass(frozen=True, slots=True)
class OwnRepository:
    """A repository that nothing leads elsewhere, all paths real.

    ``folder`` is the git directory of this working tree, and ``common`` the one that it shares with
    others; mostly both are ``.git`` in ``top``.
    """

    top: Path
    folder: Path
    common: Path

    def holds(self, place: Path) -> bool:
        """Whether a real path is in one of them."""
        return any(map(place.is_relative_to, (self.top, self.folder, self.common)))


def own_repository(
    root: Path,
    folder: Path | None = None,
    *,
    variables: Mapping[str, str] | None = None,
    cancel: CancelToken | None = None,
) -> OwnRepository:
    """The repository that git finds, if it is the project's own.

    Args:
        root: The project's folder, free of symlinks.
        folder: Where git would run, in the project; None is the root.
        variables: The environment in which git would run.
        cancel: Ends git when the user stops.

    Raises:
        ToolError: "command" when there is no repository, or not the project's own; the message says
            where it leads.
    """
    found = _found(root, variables, cancel)
    if folder is not None and folder != root:
        if _found(folder, variables, cancel) != found:
            raise _foreign(f"{folder.relative_to(root)} is in another repository")
        _check_between(root, folder)
    if not root.is_relative_to(found.top):
        raise _foreign(f"its working tree is {found.top}, not the project")
    if _git_directory(found.top) != found.folder:
        raise _foreign(f"its working tree is {found.top}, which has another git directory")
    outside = next(
        (p for p in (found.folder, found.common) if not p.is_relative_to(found.top)), None
    )
    if outside is not None and not (_is_linked(found) or _is_named_back(found)):
        raise _foreign(f"its git directory is {outside}, which does not name the project")
    if objects := _foreign_objects(found):
        raise _foreign(f"it reads the objects of another one, {objects}", _OWN_OBJECTS)
    inner = _inner_directories(found, variables, cancel)
    if reason := _foreign_settings(found, cancel) or _way_out(found, inner, cancel):
        raise _foreign(reason)
    return found


def repository_of(folder: Path, *, cancel: CancelToken | None = None) -> OwnRepository | None:
    """The repository that contains a folder; None where there is none, or it leads elsewhere."""
    with suppress(ToolError):
        return own_repository(folder, cancel=cancel)
    return None


def _check_between(root: Path, folder: Path) -> None:
    """Raise ToolError if a folder above, where a script of package.json may run, is another's."""
    for between in takewhile(root.__ne__, folder.parents):
        if os.path.lexists(between / ".git"):
            raise _foreign(f"{between.relative_to(root)} is another repository")


def _foreign_objects(repository: OwnRepository) -> str:
    """Where the objects of another repository are that this one reads; "" without one.

    Git reads the objects of those that such a folder names in turn. A text that names no folder is
    not told: it may be a line of any file, by a symlink.
    """
    shared = _shared.get(repository.common)
    folders, seen = [repository.common / "objects"], set[Path]()
    while folders and len(seen) < _MOST_ALTERNATES:
        folder = folders.pop()
        seen.add(folder)
        file = Path(os.path.realpath(folder / "info" / "alternates"))
        if not repository.holds(file):
            return "named in a file elsewhere"
        for line in filter(None, _bytes(file).split(b"\n")):
            if line.startswith(b"#"):
                continue
            named = os.fsdecode(line)
            place = Path(os.path.realpath(folder / named.strip('"')))
            if place == shared:
                continue  # ours, of a repository that has been looked at
            if not repository.holds(place):
                return f"in {place}" if place.is_dir() else "in a folder that is not there"
            if place not in seen:
                folders.append(place)
    return f"in {folders[-1]}" if folders else ""


def _foreign_settings(found: OwnRepository, cancel: CancelToken | None) -> str:
    """Which file outside the repository its settings make git read; "" for none.

    Git shows what stands in such a file: as settings, as a signature, or in an error about a line.
    """
    files = {found.common / "config", found.folder / "config.worktree"}
    if not any(_READS_FILES.search(_bytes(file).lower()) for file in files):
        return ""
    done = run(
        ["git", "config", "--show-scope", "--show-origin", "--includes", "-z", "--list"],
        cwd=found.top,
        timeout_s=_TIMEOUT_S,
        cancel=cancel,
        env=environment(),
    )
    fields = map(os.fsdecode, done.stdout.split(b"\0"))
    for scope, origin, setting in zip(fields, fields, fields, strict=False):
        key, _, value = setting.partition("\n")
        names_file = key in _FILE_KEYS or _INCLUDES.fullmatch(key)
        if scope not in {"local", "worktree"} or not names_file or not value:
            continue
        source = found.top / origin.removeprefix("file:")
        base = source.parent if _INCLUDES.fullmatch(key) else found.top
        named = os.path.realpath(base / os.path.expanduser(value))  # noqa: PTH111 - of any text
        if value.startswith("%(") or not found.holds(Path(named)):  # where git is installed
            return f"its setting {key} names {value}"
    return ""


def share_objects(git_directory: Path, objects: Path) -> None:
    """Note that we have made a git directory which reads the objects of another."""
    _shared[git_directory.resolve()] = objects.resolve()


def _found(
    folder: Path, variables: Mapping[str, str] | None, cancel: CancelToken | None
) -> OwnRepository:
    """What git finds in a folder."""
    env = (environment() if variables is None else dict(variables)) | without_programs()
    done = run(
        ["git", "rev-parse", "--path-format=absolute", *_WHERE],
        cwd=folder,
        timeout_s=_TIMEOUT_S,
        cancel=cancel,
        env=env,
    )
    if done.exit_code:
        raise failed(["rev-parse"], output_text(done))
    places = os.fsdecode(done.stdout).splitlines()
    if len(places) != len(_WHERE):
        raise _foreign("its path holds a line end")
    return OwnRepository(*(Path(os.path.realpath(place)) for place in places))


def _foreign(why: str, advice: str = _ADVICE) -> ToolError:
    message = f"This is not the project's own repository: {why}."
    return ToolError("command", message, suggestion=advice)


def _git_directory(top: Path) -> Path | None:
    """The git directory that ``.git`` in a folder is, or names."""
    mark = top / ".git"
    if mark.is_dir():
        return Path(os.path.realpath(mark))
    told = _line(mark)
    if not told.startswith(_GITDIR):
        return None
    return Path(os.path.realpath(top / told.removeprefix(_GITDIR).strip()))


def _is_linked(found: OwnRepository) -> bool:
    """Whether the other repository knows this as a working tree that was added to it."""
    back = _line(found.folder / "gitdir")
    named = os.path.realpath(found.folder / back) if back else None
    at_its_place = found.folder.parent == found.common / "worktrees"
    return at_its_place and named == os.path.realpath(found.top / ".git")


def _is_named_back(found: OwnRepository) -> bool:
    """Whether the git directory names the folder as its working tree, as that of a submodule."""
    if found.folder != found.common:
        return False
    for name in ("config", "config.worktree"):
        done = run(
            ["git", "config", "-f", str(found.folder / name), "core.worktree"],
            cwd=found.folder,
            timeout_s=_TIMEOUT_S,
            env=environment(),
        )
        named = os.fsdecode(done.stdout).strip()
        if named and os.path.realpath(found.folder / named) == str(found.top):
            return True
    return False


def _inner_directories(
    found: OwnRepository, variables: Mapping[str, str] | None, cancel: CancelToken | None
) -> set[Path]:
    """The git directories of the folders that stand in the index, as those of submodules do.

    Git reads the last commit of each, whatever the index takes the folder for.
    """
    env = (environment() if variables is None else dict(variables)) | without_programs()
    done = run(
        ["git", "ls-files", "-z"], cwd=found.top, timeout_s=_TIMEOUT_S, cancel=cancel, env=env
    )
    if done.exit_code or done.truncated:
        why = "the list of files is too long" if done.truncated else output_text(done)
        raise failed(["ls-files"], why)
    inner: set[Path] = set()
    for name in map(os.fsdecode, done.stdout.split(b"\0")):
        place = os.path.join(found.top, name)  # noqa: PTH118 - there may be a hundred thousand
        if not name or not os.path.lexists(f"{place}/.git") or os.path.islink(place):  # noqa: PTH114
            continue
        told = _git_directory(Path(place))
        if told is None:
            continue
        shared = Path(os.path.realpath(told / (_line(told / "commondir") or ".")))
        for each in (told, shared):
            if not found.holds(each):
                raise _foreign(f"{name} is another repository, whose git directory is {each}")
        inner |= {told, shared}
    return inner


def _line(file: Path) -> str:
    """The text of a file that holds a path; "" when it cannot be read."""
    return os.fsdecode(_bytes(file)).strip().replace("\0", "")


def _bytes(file: Path) -> bytes:
    """The content of a file; none when it cannot be read."""
    try:
        return read_small(file)
    except OSError:
        return b""


def _way_out(found: OwnRepository, inner: Collection[Path], cancel: CancelToken | None) -> str:
    """What among that which git reads leads out of the repository; "" when nothing does."""
    for count, entry in enumerate(_entries({found.folder, found.common, *inner})):
        if cancel is not None and not count % _LOOKS_AGAIN:
            cancel.check()
        if entry.is_symlink():
            real = Path(os.path.realpath(entry.path))
            if not found.holds(real):
                return f"{entry.path} leads out of its git directory"
    return ""


def _entries(bases: Collection[Path]) -> Iterator["os.DirEntry[str]"]:
    """Yield what git reads in git directories; of single objects, their folders only."""
    folders = [(str(base), "") for base in bases]
    while folders:
        folder, inside = folders.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                path = f"{inside}{entry.name}"
                if _OF_A_WORKTREE.sub("", path, count=1) in _UNREAD:
                    continue
                yield entry
                if entry.is_dir(follow_symlinks=False) and not _FAN_OUT.fullmatch(path):
                    folders.append((entry.path, f"{path}/"))
