"""The git repositories of a project: its own, and those in folders of it.

What they tell has the project's paths, and so has what they are asked.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.workspace.git.compared import ComparedVersions
from ipuaro_jupyter.workspace.git.earlier_texts import earlier_texts
from ipuaro_jupyter.workspace.git.git_program import COMMIT_S, configured_programs
from ipuaro_jupyter.workspace.git.late_changes import LateChanges, late_changes
from ipuaro_jupyter.workspace.git.own_repository import own_repository
from ipuaro_jupyter.workspace.git.repository import (
    CommitInfo,
    FileDiff,
    Repository,
    RepositoryDiff,
    RepositoryStatus,
)

_MOST = 50
_ASKED = "Run git in {} with run_command: the user is asked."
_MAY_START = re.compile("filter|settings")  # what comparing does not switch off
_PATHS = ("staged", "modified", "untracked", "conflicted")
_Told = TypeVar("_Told")


class Repositories:
    """The repositories of a project, by their folders: "" for the project's own.

    Args:
        root: The project's folder.
        files: Returns the project's files.
        cancel: Ends git when the user stops.
        commit_s: How long a commit may take with its hooks.
    """

    def __init__(
        self,
        root: Path,
        files: Callable[[], Iterable[str]],
        *,
        cancel: CancelToken | None = None,
        commit_s: float = COMMIT_S,
    ) -> None:
        self._commit_s = commit_s
        self._root = root
        self._files = files
        self._cancel = cancel
        self._opened: dict[str, Repository] = {}

    def states(self, path: str = "") -> dict[str, RepositoryStatus | ToolError]:
        """The states of the repository that a path is in, and of those in it.

        Raises:
            ToolError: "command" when no state can be told.
        """
        return _each(self._around(path), self._state)

    def diffs(
        self, path: str = "", *, staged: bool = False
    ) -> dict[str, RepositoryDiff | ToolError]:
        """The changes since the last commit below a path, by repository; see `Repository.diff`.

        Raises:
            ToolError: As `Repository.diff`; also when no changes can be told.
        """
        places = self._places(path)

        def diff(folder: str) -> RepositoryDiff:
            found = self._at(folder).diff(places[folder] or None, staged=staged)
            return RepositoryDiff(files=_placed(found.files, folder), diff=found.diff)

        return _each(places, diff)

    def versions(self, revision: str = "") -> ComparedVersions:
        """The files that differ between two versions; see `Repository.versions`.

        A revision is one of the project's own repository; where it has none, of all the others.
        """
        folders = self._around("")
        chosen = ("",) if revision and not folders[0] else folders
        both = ComparedVersions([], [])
        for folder, one in _each(chosen, lambda at: self._at(at).versions(revision)).items():
            where = f"in {folder}, " if folder else ""
            if isinstance(one, ToolError):
                both.unreadable.append(f"{where}what has changed is not known: {one}")
                continue
            for change in one.changes:
                path = _joined(folder, change.path)
                both.changes.append(change.model_copy(update={"path": path}))
            both.unreadable.extend(f"{where}{told}" for told in one.unreadable)
        return both

    def late_changes(self, wanted: Callable[[str], bool]) -> LateChanges:
        """What has changed lately in each; see `late_changes.late_changes`."""
        every = [
            late_changes(self._root / at, wanted, prefix=_joined(at, ""), cancel=self._cancel)
            for at in ("", *self._inner)
        ]  # with the same twice, where git takes the repository around a folder for that in it
        changes = dict.fromkeys(change for told in every for change in told.changes)
        return LateChanges([*changes], [*dict.fromkeys(n for told in every for n in told.notes)])

    def earlier_texts(self, command: str) -> Iterator[tuple[str, str]]:
        """Yield what files held in earlier commits of each; see `earlier_texts.earlier_texts`."""
        for folder in ("", *sorted(self._inner, key=lambda folder: folder not in command)[:_MOST]):
            for text, path in earlier_texts(self._root / folder, command, self._cancel):
                yield text, _joined(folder, path)

    def commit(
        self,
        message: str,
        files: Sequence[str] = (),
        *,
        decide: Callable[[Proposal], Decision],
        tool: str,
    ) -> CommitInfo:
        """Commit in the repository that the files are in, or that has staged changes.

        Raises:
            ToolError: As `Repository.commit`; also "validation" when there are several.
        """
        places: list[tuple[str, str]] = []
        for path in files:
            first, *others = self._places(path).items()
            links = self._at(first[0]).links(first[1]) if others and _is_in(path, first[0]) else []
            linked = [_joined(first[0], link) for link in links]  # is committed with the first
            places += [
                first,
                *(one for one in others if not any(_is_in(one[0], at) for at in linked)),
            ]
        folders, unread = [*dict(places)], ""
        if not files:
            folders, unread = self._staged()
        if len(folders) > 1:
            named = ", ".join(folder or "." for folder in folders)
            raise ToolError(
                "validation",
                f"A commit is one of a single repository; this would be one of {named}.",
                suggestion="Name the files to commit, of one repository at a time.",
            )
        folder = folders[0]

        def decided(proposal: Proposal) -> Decision:
            title = f"{proposal.title} in {folder}" if folder else proposal.title
            title += f"; {unread}" if unread else ""
            named = tuple(_joined(folder, path) for path in proposal.files)
            return decide(proposal.model_copy(update={"title": title, "files": named}))

        inner = [path for _, path in places]
        made = self._at(folder).commit(message, inner, decide=decided, tool=tool)
        return made.model_copy(update={"files": _placed(made.files, folder)})

    @cached_property
    def _inner(self) -> tuple[str, ...]:
        return inner_repositories(self._root, self._files())

    @cached_property
    def _has_own(self) -> bool:
        return any(map(_is_repository, (self._root, *self._root.parents)))

    def _folder_of(self, path: str) -> str:
        """The folder of the repository that a path, or what it names, is in.

        Raises:
            ToolError: "command" when it has no files of the project: it may be of anybody.
        """
        places = filter(None, (path, *_above(path)))
        found = next((at for at in places if _is_repository(self._root / at)), "")
        if found and found not in self._inner:
            raise ToolError(
                "command",
                f"The repository in {found} is not the project's, which has no files in it.",
                suggestion=_ASKED.format(found),
            )
        return found

    def _around(self, path: str) -> tuple[str, ...]:
        """The folder of the repository that a path is in, then those of the ones in it."""
        folder = self._folder_of(path)
        inner = tuple(at for at in self._inner if at != folder and _is_in(at, path))
        if len(inner) > _MOST:
            raise ToolError(
                "validation",
                f"{path or 'The project'} has {len(inner)} repositories.",
                suggestion="Give a path in one of them.",
            )
        return (folder, *inner) if folder or self._has_own or not inner else inner

    def _places(self, path: str) -> dict[str, str]:
        """The repositories of a path, and the path in each, "" for all of one.

        The repository that links to a submodule comes before that.
        """
        folders = self._around(path)
        if path in self._inner:
            outer = self._folder_of(path.rpartition("/")[0])
            with suppress(ToolError):  # there is no other repository
                if (inside := _inside(outer, path)) in self._at(outer).links(inside):
                    folders = (outer, *folders)
        return {at: _inside(at, path) if _is_in(path, at) else "" for at in folders}

    def _staged(self) -> tuple[list[str], str]:
        """The repositories in which something is staged, and those of which that is not known.

        Raises:
            ToolError: "command" when nothing is, and of some it is not known.
        """
        every = self._around("")
        if len(every) == 1:
            return [*every], ""
        told = self.states().items()
        staged = [at for at, one in told if isinstance(one, RepositoryStatus) and one.staged]
        unread = {at or ".": str(one) for at, one in told if isinstance(one, ToolError)}
        unknown = f"what is staged in {', '.join(unread)} is not known" if unread else ""
        if unread and not staged:
            why = f"No file is staged, and {unknown}: {' '.join(unread.values())}"
            raise ToolError("command", why, suggestion="Name the files to commit.")
        return staged or [every[0]], unknown

    def _state(self, folder: str) -> RepositoryStatus:
        found = self._at(folder).status()
        placed = {kind: tuple(_joined(folder, p) for p in getattr(found, kind)) for kind in _PATHS}
        return found.model_copy(update=placed)

    def _at(self, folder: str) -> Repository:
        if folder not in self._opened:
            place, prefix = self._root / folder, f"{folder}/" if folder else ""
            found = Repository(place, cancel=self._cancel, prefix=prefix, commit_s=self._commit_s)
            if folder and own_repository(place, cancel=self._cancel).top != place:
                raise ToolError(
                    "command",
                    f"{folder}/.git is no repository: git takes the one around it.",
                    suggestion=f"Delete {folder}/.git, or repair it.",
                )
            if folder and (keys := [*filter(_MAY_START.match, configured_programs(place))]):
                raise ToolError(
                    "command",
                    f"git may start what the settings in {folder} name: {', '.join(keys)}.",
                    suggestion=_ASKED.format(folder),
                )
            self._opened[folder] = found
        return self._opened[folder]


def inner_repositories(root: Path, files: Iterable[str]) -> tuple[str, ...]:
    """The folders of the repositories inside a project that have files of it, sorted."""
    known = {folder for path in files for folder in _above(path)}
    return tuple(sorted(folder for folder in known if _is_repository(root / folder)))


def _is_repository(folder: Path) -> bool:
    """Whether git would take a folder for the top of a repository.

    An empty ``.git`` is none: git would go on to the repository around it.
    """
    mark = folder / ".git"
    return (mark.is_file() or os.path.lexists(mark / "HEAD")) and not folder.is_symlink()


def _each(folders: Iterable[str], told: Callable[[str], _Told]) -> dict[str, _Told | ToolError]:
    """What each repository tells, or why it does not.

    Raises:
        ToolError: None does.
    """
    found: dict[str, _Told | ToolError] = {}
    for folder in folders:
        try:
            found[folder] = told(folder)
        except ToolError as error:
            found[folder] = error
    first = next(iter(found.values()))
    if isinstance(first, ToolError) and all(isinstance(one, ToolError) for one in found.values()):
        raise first
    return found


def _above(path: str) -> Iterable[str]:
    """The folders above a path, the nearest first."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))


def _inside(folder: str, path: str) -> str:
    return path[len(folder) :].lstrip("/")


def _is_in(path: str, folder: str) -> bool:
    return not folder or f"{path}/".startswith(f"{folder}/")


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path


def _placed(files: Iterable[FileDiff], folder: str) -> tuple[FileDiff, ...]:
    return tuple(one.model_copy(update={"path": _joined(folder, one.path)}) for one in files)
