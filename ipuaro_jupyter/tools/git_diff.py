"""Show uncommitted changes."""

import re
from typing import ClassVar

from pydantic import Field

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.outputs import GitPatch, Output
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.tools.tool import Project, tool
from ipuaro_jupyter.workspace.git.repository import FileDiff, RepositoryDiff

_EACH = re.compile(r"\n(?=diff --git )")
NO_CHANGES = "changes to show"


class GitDiff(Output):
    """The changes by file, and as git prints them; lines of binary files are not counted.

    ``sections`` are the folders of several repositories, each with its part of ``diff``, or with
    why there is none.
    """

    rows_of: ClassVar[str] = "files"

    files: tuple[FileDiff, ...]
    total_insertions: int
    total_deletions: int
    diff: str
    is_beside: bool = Field(default=False, exclude=True)
    sections: tuple[tuple[str, str], ...] = Field(default=(), exclude=True)

    def text(self) -> str:
        """A line per file, the totals, and the diff."""
        count = len(self.files)
        signs = [(f"+{file.insertions}", f"-{file.deletions}") for file in self.files]
        width = max((len(sign) for pair in signs for sign in pair), default=0) + 2
        told = [f"Changes in {count} file{'' if count == 1 else 's'}:"]
        for (added, removed), file in zip(signs, self.files, strict=True):
            size = f"{added:>{width}}{removed:>{width}}"
            told.append(f"{'binary' if file.binary else size:>{2 * width}}  {file.path}")
        totals = f"+{self.total_insertions} insertions, -{self.total_deletions} deletions"
        diff = "\n\n".join(_section(*one) for one in self.sections) or self.diff.rstrip("\n")
        return "\n".join([*told, "", f"Total: {totals}", "", diff])

    def parts(self) -> Parts:
        """The files with their numbers of lines, and the diffs one by one."""
        head, _, _ = self.text().partition("\n\nTotal: ")
        totals = f"+{self.total_insertions} insertions, -{self.total_deletions} deletions"
        return Parts(
            head=f"{head}\n\nTotal: {totals}\n",
            entries=tuple(
                entry
                for told in [_section(*one) for one in self.sections] or [self.diff.rstrip("\n")]
                for entry in _EACH.split(told)
            ),
            note="{left} more files: ask with path",
        )

    def shape(self) -> GitPatch:
        """The diff by file."""
        changed = counted(len(self.files), "file")
        return GitPatch(
            title=f"{changed} changed: +{self.total_insertions:,} \u2212{self.total_deletions:,}",
            text=self.diff,
            is_beside=self.is_beside,
        )


@tool(aliases=("diff", "show_diff", "get_diff"), names={"path": "place"}, gone=("path",))
def git_diff(project: Project, path: str = "", *, staged: bool = False) -> GitDiff:
    """Show what has changed since the last commit, staged and unstaged, without untracked files.

    Args:
        path: File or folder. Default: everything, in each repository.
        staged: Show only what is staged.
    """
    workspace = project.workspace
    path = workspace.entry(path) if path else ""
    told = project.repositories.diffs(path, staged=staged)
    found = [one for one in told.values() if isinstance(one, RepositoryDiff)]
    files = tuple(file for one in found for file in one.files)
    if not files:
        where = f" in {path}" if path else ""
        unread = "".join(
            f" {folder or '.'}: {one}" for folder, one in told.items() if isinstance(one, ToolError)
        )
        raise ToolError(
            "command",
            f"No {'staged ' if staged else ''}{NO_CHANGES}{where}.{unread}",
            suggestion="git_status shows what has changed, untracked files too.",
        )
    sections = {
        folder or ".": one.diff if isinstance(one, RepositoryDiff) else str(one)
        for folder, one in told.items()
    }
    return GitDiff(
        files=files,
        total_insertions=sum(file.insertions for file in files),
        total_deletions=sum(file.deletions for file in files),
        diff="".join(one.diff for one in found),
        sections=tuple(sections.items()) if len(sections) > 1 else (),
    )


def _section(folder: str, diff: str) -> str:
    """The diff of one repository among several, or why there is none, under its heading."""
    return f"Repository: {folder}\n\n{diff.rstrip(chr(10)) or 'No changes.'}"
