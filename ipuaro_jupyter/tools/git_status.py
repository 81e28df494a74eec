"""Show the state of the git working tree."""

from ipuaro_jupyter.records.outputs import Output, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.git.joined_repositories import project_repository

_MOST_NAMED = 100


class ChangedFiles(Record):
    """Paths by kind of change; a file may be both staged and modified."""

    staged: tuple[str, ...]
    modified: tuple[str, ...]
    untracked: tuple[str, ...]
    conflicted: tuple[str, ...]

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
    """The branch and the changed files; ``branch`` is "HEAD" when ``detached``."""

    branch: str
    tracking: str | None = None
    ahead: int
    behind: int
    detached: bool
    files: ChangedFiles

    def text(self) -> str:
        """The branch and a list for each group of files."""
        told = [f"Branch: {self._branch()}"]
        if self.tracking is not None:
            told.append(f"Tracking: {self.tracking}")
            told.append(f"Ahead: {_commits(self.ahead)}, Behind: {_commits(self.behind)}")
        for name, paths in self.files.groups():
            told += ["", f"{name} ({len(paths)}):"]
            told += [f"  - {path}" for path in paths[:_MOST_NAMED]]
            if len(paths) > _MOST_NAMED:
                told.append(f"  ... and {len(paths) - _MOST_NAMED} more")
        if not self.files.groups():
            told += ["", "Nothing has changed since the last commit."]
        return "\n".join(told)

    def parts(self) -> Parts:
        """The branch and the files, each with its group."""
        named = [(name, path) for name, paths in self.files.groups() for path in paths]
        return Parts(
            head="\n".join(
                [f"Branch: {self._branch()}"]
                + [f"{name}: {len(paths):,}" for name, paths in self.files.groups()]
            ),
            entries=tuple(f"  {name.lower()}: {path}" for name, path in named),
            groups=tuple(path.rpartition("/")[0] or "." for _, path in named),
            group="folder",
            note="{left} more {inside}: git_diff with path shows what has changed in one",
        )

    def shape(self) -> Table:
        """A row per file."""
        note = "" if self.tracking is None else f"Tracking {self.tracking}: "
        note += f"ahead {self.ahead}, behind {self.behind}" if note else "No remote branch"
        rows = [(name.lower(), path) for name, paths in self.files.groups() for path in paths]
        return Table(
            title=f"Branch {self._branch()}",
            columns=("state", "file"),
            rows=tuple(rows),
            note=note,
        )

    def _branch(self) -> str:
        return f"{self.branch} (detached)" if self.detached else self.branch


@tool(aliases=("status", "show_git_status"))
def git_status(project: Project) -> GitStatus:
    """Show the git branch and which files are staged, modified, untracked or conflicted."""
    found = project_repository(project.workspace.root, cancel=project.cancel).status()
    return GitStatus(
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
