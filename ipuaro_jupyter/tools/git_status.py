"""Show the state of the git working tree."""

from collections.abc import Iterable, Iterator

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.outputs import Output, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.git.repository import RepositoryStatus

_MOST_NAMED = 100


class ChangedFiles(Record):
    """Paths by kind of change; a file may be both staged and modified."""

    staged: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    conflicted: tuple[str, ...] = ()

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """The groups that are not empty, with their names."""
        groups = [
            ("Conflicted", self.conflicted),
            ("Staged", self.staged),
            ("Modified", self.modified),
            ("Untracked", self.untracked),
        ]
        return [(name, paths) for name, paths in groups if paths]


class GitStatus(Output):
    """The branch and the changed files; ``branch`` is "HEAD" when ``detached``.

    Where several repositories are shown, ``path`` is the folder of this one, and ``others`` are the
    others. ``problem`` says why nothing is known of one.
    """

    branch: str = ""
    tracking: str | None = None
    ahead: int = 0
    behind: int = 0
    detached: bool = False
    files: ChangedFiles = ChangedFiles()
    path: str | None = None
    problem: str | None = None
    others: tuple["GitStatus", ...] | None = None

    def every(self) -> "tuple[GitStatus, ...]":
        """The repositories that are shown."""
        return (self, *(self.others or ()))

    def where(self) -> str:
        """The branch, or why it is not known."""
        return self.problem or (f"{self.branch} (detached)" if self.detached else self.branch)

    def text(self) -> str:
        """The branch and a list for each group of files, of several repositories under headings."""
        return "\n\n".join(_headed(one, _lines(one)) for one in self.every())

    def parts(self) -> Parts:
        """The branch and the files, each with its group."""
        named = [
            (name, path)
            for one in self.every()
            for name, paths in one.files.groups()
            for path in paths
        ]
        return Parts(
            head="\n\n".join(_headed(one, _counts(one)) for one in self.every()),
            entries=tuple(f"  {name.lower()}: {path}" for name, path in named),
            groups=tuple(path.rpartition("/")[0] or "." for _, path in named),
            group="folder",
            note="{left} more {inside}: git_diff with path shows what has changed in one",
        )

    def shape(self) -> Table:
        """A row per file."""
        every = self.every()
        title = f"Branch {self.where()}"
        note = "" if self.tracking is None else f"Tracking {self.tracking}: "
        note += f"ahead {self.ahead}, behind {self.behind}" if note else "No remote branch"
        if len(every) > 1:
            title = f"{len(every)} repositories"
            note = "; ".join(f"{one.path}: {one.where()}" for one in every)
        rows = [
            (name.lower(), path)
            for one in every
            for name, paths in one.files.groups()
            for path in paths
        ]
        return Table(title=title, columns=("state", "file"), rows=tuple(rows), note=note)


def _headed(status: GitStatus, told: Iterable[str]) -> str:
    """What is told of a repository; with its folder where it is one of several."""
    heading = [] if status.path is None else [f"Repository: {status.path}"]
    return "\n".join([*heading, *([status.problem] if status.problem else told)])


def _lines(status: GitStatus) -> Iterator[str]:
    yield f"Branch: {status.where()}"
    if status.tracking is not None:
        yield f"Tracking: {status.tracking}"
        yield f"Ahead: {_commits(status.ahead)}, Behind: {_commits(status.behind)}"
    for name, paths in status.files.groups():
        yield from ("", f"{name} ({len(paths)}):")
        yield from (f"  - {path}" for path in paths[:_MOST_NAMED])
        if len(paths) > _MOST_NAMED:
            yield f"  ... and {len(paths) - _MOST_NAMED} more"
    if not status.files.groups():
        yield from ("", "Nothing has changed since the last commit.")


def _counts(status: GitStatus) -> Iterator[str]:
    yield f"Branch: {status.where()}"
    yield from (f"{name}: {len(paths):,}" for name, paths in status.files.groups())


@tool(
    aliases=("status", "show_git_status"), rare=("path",), names={"path": "place"}, gone=("path",)
)
def git_status(project: Project, path: str = "") -> GitStatus:
    """Show the git branch and which files are staged, modified, untracked or conflicted.

    Args:
        path: A file or folder of the repository to show. Default: each repository of the project.
    """
    entry = project.workspace.entry(path) if path else ""
    first, *others = (
        _status(folder or ".", found)
        for folder, found in project.repositories.states(entry).items()
    )
    if not others:
        return first.model_copy(update={"path": None})
    return first.model_copy(update={"others": tuple(others)})


def _status(folder: str, found: RepositoryStatus | ToolError) -> GitStatus:
    if isinstance(found, ToolError):
        return GitStatus(path=folder, problem=str(found))
    return GitStatus(
        path=folder,
        branch=found.branch,
        tracking=found.tracking,
        ahead=found.ahead,
        behind=found.behind,
        detached=found.detached,
        files=ChangedFiles(
            staged=found.staged,
            modified=found.modified,
            untracked=found.untracked,
            conflicted=found.conflicted,
        ),
    )


def _commits(count: int) -> str:
    return f"{count} commit{'' if count == 1 else 's'}"
