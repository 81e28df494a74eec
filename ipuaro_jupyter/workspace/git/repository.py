"""The project's git repository: its status, its uncommitted changes, and new commits.

GitPython finds the repository and rereads the last commit's hash. Everything else is git itself,
with a time limit and without prompts: it knows every format of a repository, and runs the hooks.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.git.commits import Committer
from ipuaro_jupyter.workspace.git.compared import ComparedVersions, compared_versions
from ipuaro_jupyter.workspace.git.git_index import IndexFile
from ipuaro_jupyter.workspace.git.git_program import COMMIT_S, Git
from ipuaro_jupyter.workspace.git.own_repository import own_repository

if TYPE_CHECKING:
    import git

_DIFF_LIMIT = 2_000_000  # bytes
_STATUS = (
    *("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--branch"),
    "--ahead-behind",
)
_NO_SUBMODULES = "--ignore-submodules=dirty"  # reading them runs programs from their settings
_DIFF = (_NO_SUBMODULES, "--no-color", "--no-ext-diff", "--no-textconv")


class RepositoryStatus(Record):
    """The state of the working tree; paths are relative to the project, sorted.

    ``branch`` is "HEAD" when ``detached``. ``ahead`` and ``behind`` count commits against
    ``tracking``, the remote branch, if there is one. A file may be both staged and modified;
    deleted files are staged or modified, renamed ones appear under both names.
    """

    branch: str
    tracking: str | None = None
    ahead: int = 0
    behind: int = 0
    detached: bool = False
    staged: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    conflicted: tuple[str, ...] = ()


class FileDiff(Record):
    """The numbers of lines changed in a file; 0 for a binary file."""

    path: str
    insertions: int
    deletions: int
    binary: bool = False


class RepositoryDiff(Record):
    """Uncommitted changes: their size by file, and git's text."""

    files: tuple[FileDiff, ...]
    diff: str


class CommitInfo(Record):
    """A commit. ``timestamp`` is the committer's, in milliseconds since the epoch.

    ``by_hooks`` is the diff of what hooks changed in it.
    """

    hash: str
    message: str
    files: tuple[FileDiff, ...]
    author: str
    timestamp: int
    by_hooks: str = ""


class Repository:
    """A git repository that holds a folder.

    Args:
        root: The folder, free of symlinks; the repository may begin above it.
        cancel: Ends git when the user stops.
        prefix: Comes before the paths in diffs.
        commit_s: How long a commit may take with its hooks.

    Raises:
        ToolError: "command" when there is no repository, it is not the project's own, or there is
            no git.
    """

    def __init__(
        self,
        root: Path,
        *,
        cancel: CancelToken | None = None,
        prefix: str = "",
        commit_s: float = COMMIT_S,
    ) -> None:
        self._prefix = prefix
        self._commit_s = commit_s
        found = _found(root)
        own = own_repository(root, cancel=cancel)
        is_same = Path(found.git_dir).resolve() == own.folder
        self._git = Git(
            root,
            top=own.top,
            folder=own.folder,
            read_head=partial(_head, found) if is_same else lambda: None,
            cancel=cancel,
        )

    def status(self) -> RepositoryStatus:
        """The branch and the changes below the project's root."""
        return self._status(".")

    def diff(self, path: str | None = None, *, staged: bool = False) -> RepositoryDiff:
        """The changes since the last commit, staged and unstaged ones.

        Args:
            path: A file or folder, relative to the project; None for the whole project.
            staged: Only staged changes.

        Raises:
            ToolError: "file" when the path is unknown to git and does not exist on disk.
        """
        if path:
            self._git.check_known(path)
        against = (*(("--cached",) if staged else ()), self._git.base(), "--", path or ".")
        with self._index_copy() as env:
            return RepositoryDiff(
                files=self._sizes(*against, env=env), diff=self._patch(*against, env=env)
            )

    @contextmanager
    def _index_copy(self) -> Iterator[dict[str, str]]:
        """Lead git to a copy of its index: git diff refreshes it even without optional locks."""
        with tempfile.TemporaryDirectory(prefix="ipuaro-index-") as folder:
            copy = IndexFile(self._git.folder / "index").copy(Path(folder) / "index")
            yield {"GIT_INDEX_FILE": str(copy)}

    def links(self, path: str) -> list[str]:
        """The submodules below a path, and other repositories that were added in their place."""
        listed = self._git.run("ls-files", "--stage", "-z", "--", path or ".").stdout.split(b"\0")
        return [os.fsdecode(one.partition(b"\t")[2]) for one in listed if one[:7] == b"160000 "]

    def versions(self, revision: str = "") -> ComparedVersions:
        """The files that differ between two versions, with their contents; see `compared_versions`.

        Args:
            revision: A commit to compare the disk with, or two as "A..B"; "" for the last one.
        """
        with self._index_copy() as env:
            return compared_versions(
                self._git, revision, lambda: [*self.status().untracked], env=env
            )

    def commit(
        self,
        message: str,
        files: Sequence[str] = (),
        *,
        decide: Callable[[Proposal], Decision],
        tool: str,
    ) -> CommitInfo:
        """Commit after asking; nothing is staged before the decision.

        Args:
            message: The commit message; the user may change it.
            files: Commit these files or folders as they are on disk, and nothing else; other staged
                changes stay staged. Without files, commit the staged changes.
            decide: Decides on the proposal.
            tool: The tool's name.

        Raises:
            ToolError: "validation" for an empty message; "file" for a path that git does not know;
                "command" when there is nothing to commit, a hook refuses, or git fails; "cancelled"
                when the user rejected it. The index is then as it was before.
        """
        committer = Committer(self._git, self._changed_below, limit_s=self._commit_s)
        made = self._read(committer.commit(message, files, decide=decide, tool=tool))
        return made.model_copy(update={"by_hooks": committer.by_hooks()})

    def _status(self, *paths: str) -> RepositoryStatus:
        finished = self._git.run(*_STATUS, _NO_SUBMODULES, "--", *paths)
        heads: dict[str, str] = {}
        staged, modified, untracked, conflicted = [], [], [], []
        for entry in finished.stdout.split(b"\0"):
            kind, _, rest = entry.partition(b" ")
            if kind == b"#":
                name, _, value = rest.decode("utf-8", "replace").partition(" ")
                heads[name] = value
            elif kind == b"1":
                path = self._git.name(rest.split(b" ", 7)[7])
                staged += [path] if rest[:1] != b"." else []
                modified += [path] if rest[1:2] != b"." else []
            elif kind == b"u":
                conflicted.append(self._git.name(rest.split(b" ", 9)[9]))
            elif kind == b"?":
                untracked.append(self._git.name(rest))
        ahead, behind = (abs(int(n)) for n in heads.get("branch.ab", "+0 -0").split())
        detached = heads["branch.head"] == "(detached)"
        return RepositoryStatus(
            branch="HEAD" if detached else heads["branch.head"],
            tracking=heads.get("branch.upstream"),
            ahead=ahead,
            behind=behind,
            detached=detached,
            staged=tuple(sorted(staged)),
            modified=tuple(sorted(modified)),
            untracked=tuple(sorted(untracked)),
            conflicted=tuple(sorted(conflicted)),
        )

    def _changed_below(self, paths: Sequence[str]) -> list[str]:
        found = self._status(*(path or "." for path in paths))
        return sorted({*found.staged, *found.modified, *found.untracked})

    def _sizes(self, *arguments: str, env: Mapping[str, str] | None = None) -> tuple[FileDiff, ...]:
        """The sizes of the changes, by path."""
        options = (*_DIFF, "--numstat", "-z", "--no-renames", "--no-relative")
        finished = self._git.run("diff", *options, *arguments, env=env)
        sizes: dict[str, FileDiff] = {}  # a conflicted file appears twice, first with zeros
        for entry in filter(None, finished.stdout.split(b"\0")):
            inserted, deleted, name = entry.split(b"\t", 2)
            path, binary = self._git.name(name), inserted == b"-"
            sizes[path] = FileDiff(
                path=path,
                insertions=0 if binary else int(inserted),
                deletions=0 if binary else int(deleted),
                binary=binary,
            )
        return tuple(sizes[path] for path in sorted(sizes))

    def _patch(self, *arguments: str, env: Mapping[str, str]) -> str:
        before, after = f"--src-prefix=a/{self._prefix}", f"--dst-prefix=b/{self._prefix}"
        form = ("--relative", before, after, "--submodule=short")
        command = ("diff", *_DIFF, "--patch", "--find-renames", *form, *arguments)
        finished = self._git.run(*command, env=env, output_limit=_DIFF_LIMIT)
        return finished.stdout.decode("utf-8", "replace")

    def _read(self, hash_: str) -> CommitInfo:
        form = ("--no-patch", "--encoding=UTF-8", "--format=%an <%ae>%x00%ct%x00%P%x00%B")
        shown = self._git.run("-c", "log.showSignature=false", "show", *form, hash_, "--")
        author, seconds, parents, message = shown.stdout.decode("utf-8", "replace").split("\0")
        before = parents.split()[0] if parents else self._git.empty_tree()
        return CommitInfo(
            hash=hash_,
            message=message.rstrip("\n"),
            files=self._sizes(before, hash_, "--"),
            author=author,
            timestamp=int(seconds) * 1000,
        )


def _found(root: Path) -> "git.Repo":
    """The repository around ``root``."""
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    import git  # noqa: PLC0415 - takes long, and only the git tools need it

    try:
        found = git.Repo(root, search_parent_directories=True, expand_vars=False)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
        raise _no_repository(root) from error
    if found.working_tree_dir is None:
        raise _no_repository(root)
    return found


def _head(repository: "git.Repo") -> str | None:
    """The hash of the last commit; None before it, and where only git can tell."""
    if "GIT_COMMON_DIR" in os.environ:  # would lead GitPython to another repository
        return None
    try:
        return repository.head.dereference_recursive(repository, "HEAD").lower()
    except (AssertionError, IndexError, OSError, ValueError):  # an empty file, "ref:" alone
        return None


def _no_repository(root: Path) -> ToolError:
    return ToolError(
        "command",
        f"{root.name} is not a git repository.",
        suggestion="The other tools work without it. Whether to run git init is the user's choice.",
    )
