"""The git branch that is checked out, without starting git: cheap enough to check often."""

import re
from pathlib import Path

from ipuaro_jupyter.small_file import read_small_text

_REF = "ref: refs/heads/"
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_SHORT = 7
_INVALID = ".invalid"  # in HEAD when references are stored in another format


def branch(folder: Path) -> str:
    """The branch of the repository that holds ``folder``.

    Returns:
        Its name; the commit in brackets, shortened, when detached; "" outside a repository, and
        when the repository cannot be read.
    """
    for place in (folder, *folder.parents):
        git = place / ".git"
        try:
            if git.is_file():  # a worktree or a submodule
                named = read_small_text(git).strip().removeprefix("gitdir: ")
                git = place / named
            head = read_small_text(git / "HEAD").strip()
        except (OSError, ValueError):
            continue
        if head.startswith(_REF):
            name = head.removeprefix(_REF)
            return "" if name == _INVALID else name
        return f"({head[:_SHORT]})" if _COMMIT.fullmatch(head) else ""
    return ""
