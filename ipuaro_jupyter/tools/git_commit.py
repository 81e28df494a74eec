"""Create a git commit."""

import time

from pydantic import Field

from ipuaro_jupyter.records.outputs import Output, Table
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.git.repository import FileDiff
from ipuaro_jupyter.workspace.processes.head_tail import shortened

_SHOWN_BYTES = 8_000
_HOOKS = "A hook of the repository changed what is committed, after the user had been asked:"


class GitCommit(Output):
    """The commit; ``timestamp`` is in milliseconds since the epoch.

    ``by_hooks`` is the diff of what hooks changed in it.
    """

    hash: str
    message: str
    files: tuple[str, ...]
    author: str
    timestamp: int
    by_hooks: str = Field(default="", exclude=True)
    sizes: tuple[FileDiff, ...] = Field(default=(), exclude=True)

    def text(self) -> str:
        """The commit as `git log` shows it, with the size of the change."""
        told = [
            f"Commit created: {self.hash[:7]}",
            f"Author: {self.author}",
            f"Date: {self._date()}",
            "",
            self.message,
            "",
            self._size(),
        ]
        if self.by_hooks:
            told += ["", _HOOKS, "", shortened(self.by_hooks, _SHOWN_BYTES)]
        return "\n".join(told)

    def shape(self) -> Table:
        """A row per file."""
        return Table(
            title=f"Commit {self.hash[:7]}: {self.message.partition(chr(10))[0]}",
            columns=("file", "inserted", "deleted"),
            rows=tuple((size.path, size.insertions, size.deletions) for size in self.sizes),
            note=f"{self.author}, {self._date()}; {self._size()}{self._hooked()}",
        )

    def _hooked(self) -> str:
        return "; changed by a hook" if self.by_hooks else ""

    def _date(self) -> str:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.timestamp / 1000))

    def _size(self) -> str:
        count = len(self.files)
        inserted = sum(size.insertions for size in self.sizes)
        deleted = sum(size.deletions for size in self.sizes)
        return (
            f"{count} file{'' if count == 1 else 's'} changed, "
            f"{inserted} insertion{'' if inserted == 1 else 's'}(+), "
            f"{deleted} deletion{'' if deleted == 1 else 's'}(-)"
        )


@tool(asks_first=True, times_itself=True, foreign=("commit", "git_add", "make_commit"))
def git_commit(project: Project, message: str, files: list[str] | None = None) -> GitCommit:
    """Create a git commit. The user is asked first; nothing is staged until then.

    Args:
        message: The commit message.
        files: Files or folders to stage and commit, of one repository; other staged changes stay
            staged. Default: commit everything that is staged.
    """
    workspace = project.workspace
    paths = [workspace.entry(path) for path in files or ()]
    made = project.repositories.commit(message, paths, decide=workspace.decide, tool="git_commit")
    return GitCommit(
        hash=made.hash,
        message=made.message,
        files=tuple(file.path for file in made.files),
        author=made.author,
        timestamp=made.timestamp,
        sizes=made.files,
        by_hooks=made.by_hooks,
    )
