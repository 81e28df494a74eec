"""The git repositories of a project of several roots, each with the project's paths."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.store.roots import by_root, named_roots, root_path, roots_of
from ipuaro_jupyter.workspace.git.compared import ComparedVersions
from ipuaro_jupyter.workspace.git.repository import (
    CommitInfo,
    FileDiff,
    Repository,
    RepositoryDiff,
    RepositoryStatus,
)


class JoinedRepositories:
    """As `Repository`, for several roots. A commit is one of a single root.

    Args:
        root: The project's folder.
        cancel: Ends git when the user stops.

    Raises:
        ToolError: "command" when no root has a repository.
    """

    def __init__(self, root: Path, *, cancel: CancelToken | None = None) -> None:
        self._root = root
        self._found: dict[str, Repository] = {}
        self._without: dict[str, ToolError] = {}
        for prefix, place in roots_of(root).items():
            try:
                self._found[prefix] = Repository(place, cancel=cancel, prefix=prefix)
            except ToolError as error:
                self._without[prefix] = error
        if not self._found:
            raise next(iter(self._without.values()))

    def status(self) -> RepositoryStatus:
        """The branch of each root, and the changes in all."""
        found = {prefix: one.status() for prefix, one in self._found.items()}
        told = [f"{prefix[:-1]}: {_branch(one)}" for prefix, one in found.items()]
        told += [f"{prefix[:-1]}: no git repository" for prefix in self._without]
        tracking = [
            f"{prefix[:-1]}: {one.tracking}" for prefix, one in found.items() if one.tracking
        ]

        def joined(kind: str) -> tuple[str, ...]:
            return tuple(f"{p}{path}" for p, one in found.items() for path in getattr(one, kind))

        return RepositoryStatus(
            branch=", ".join(sorted(told)),
            tracking=", ".join(tracking) or None,
            ahead=sum(one.ahead for one in found.values()),
            behind=sum(one.behind for one in found.values()),
            staged=joined("staged"),
            modified=joined("modified"),
            untracked=joined("untracked"),
            conflicted=joined("conflicted"),
        )

    def diff(self, path: str | None = None, *, staged: bool = False) -> RepositoryDiff:
        """The changes since the last commit; see `Repository.diff`."""
        if path:
            place = root_path(self._root, path)
            repository = self._of(place.prefix)
            found = {place.prefix: repository.diff(place.inner or None, staged=staged)}
        else:
            found = {prefix: one.diff(staged=staged) for prefix, one in self._found.items()}
        return RepositoryDiff(
            files=tuple(_prefixed(f, prefix) for prefix, one in found.items() for f in one.files),
            diff="".join(one.diff for one in found.values()),
        )

    def versions(self, revision: str = "") -> ComparedVersions:
        """The files that differ between two versions; see `Repository.versions`.

        A revision has to be known in each root's repository.
        """
        both = ComparedVersions([], [])
        for prefix, one in self._found.items():
            changes, unreadable = one.versions(revision)
            both.changes.extend(
                change.model_copy(update={"path": f"{prefix}{change.path}"}) for change in changes
            )
            both.unreadable.extend(f"in {prefix[:-1]}, {told}" for told in unreadable)
        return both

    def commit(
        self,
        message: str,
        files: Sequence[str] = (),
        *,
        decide: Callable[[Proposal], Decision],
        tool: str,
    ) -> CommitInfo:
        """Commit in the one root that the files are in, or that has staged changes.

        Raises:
            ToolError: As `Repository.commit`; also "validation" when that is not one root.
        """
        paths = by_root(self._root, files) or self._staged()
        if len(paths) != 1:
            names = ", ".join(prefix[:-1] for prefix in paths)
            raise ToolError(
                "validation",
                f"A commit is one of a single root; this would be one of {names}."
                if paths
                else "Nothing to commit: no file is staged.",
                suggestion="Name the files to commit, of one root at a time.",
            )
        ((prefix, inner),) = paths.items()

        def decided(proposal: Proposal) -> Decision:
            shown = {
                "title": f"{proposal.title} in {prefix[:-1]}",
                "files": tuple(f"{prefix}{path}" for path in proposal.files),
            }
            return decide(proposal.model_copy(update=shown))

        made = self._of(prefix).commit(message, inner, decide=decided, tool=tool)
        named = tuple(_prefixed(file, prefix) for file in made.files)
        return made.model_copy(update={"files": named})

    def _staged(self) -> dict[str, list[str]]:
        """The roots in which something is staged, to be committed as it is."""
        return {prefix: [] for prefix, one in self._found.items() if one.status().staged}

    def _of(self, prefix: str) -> Repository:
        if prefix in self._without:
            raise self._without[prefix]
        return self._found[prefix]


def _branch(status: RepositoryStatus) -> str:
    return "detached HEAD" if status.detached else status.branch


def _prefixed(file: FileDiff, prefix: str) -> FileDiff:
    return file.model_copy(update={"path": f"{prefix}{file.path}"})


def project_repository(
    root: Path, *, cancel: CancelToken | None = None
) -> Repository | JoinedRepositories:
    """The git repository of a project, or those of its roots; the arguments are as for both."""
    joined = JoinedRepositories if named_roots(root) else Repository
    return joined(root, cancel=cancel)
