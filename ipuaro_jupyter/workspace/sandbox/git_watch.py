"""What a command in the sandbox has done to git that could not be held off."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.workspace.sandbox.git_marks import GitMarks, git_marks

_MOST_TOLD = 8


@dataclass(frozen=True, slots=True)
class GitWatch:
    """What git found before a command.

    Attributes:
        root: The project's folder.
        before: What git took for git directories.
        absent: Files that git must not find afterwards.
        rebases: What a rebase leaves that is not done.
    """

    root: Path
    before: GitMarks
    absent: tuple[Path, ...] = ()
    rebases: tuple[Path, ...] = ()

    def settle(self) -> str:
        """Remove the files that git must not find, and say what else is new; "" for nothing."""
        return " ".join(self._told())

    def _told(self) -> Iterator[str]:
        if removed := [place for place in self.absent if _is_removed(place)]:
            names = _names(self._inside(place) for place in removed)
            yield f"Removed, because git would take its settings from there: {names}."
        after = git_marks(self.root, check=_go_on)  # the command may have been stopped
        if new := self._new(after):
            yield (
                f"A git directory has come or changed meanwhile: {_names(new)}. It is not the "
                "sandbox's: what its settings and hooks name runs when you or an editor use git "
                "there, so look at them first, or delete it."
            )
        closed = (path for path, mark in after.items() if mark.kind == "closed")
        if unknown := [path for path in closed if self.before.get(path) != after[path]]:
            yield f"Git directories were not looked for everywhere: {_names(unknown)}."
        if lists := [self._inside(place) for place in self.rebases if place.exists()]:
            yield f"A rebase is not done; look for exec in it before it goes on: {_names(lists)}."

    def _new(self, after: GitMarks) -> list[str]:
        moved = {mark for mark in self.before.values() if mark.kind == "folder"}
        return sorted(
            path
            for path, mark in after.items()
            if mark.kind not in {"closed", "other"}
            and mark not in moved
            and self.before.get(path) != mark
        )

    def _inside(self, place: Path) -> str:
        return os.path.relpath(place, self.root)


def _is_removed(place: Path) -> bool:
    with suppress(OSError):  # not there, or a folder, from which git takes nothing
        place.unlink()
        return True
    return False


def _names(found: Iterator[str] | list[str]) -> str:
    # a name could hold lines of text
    paths = ["the project itself" if path == "." else repr(path)[1:-1] for path in found]
    more = len(paths) - _MOST_TOLD
    return ", ".join(paths[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def _go_on() -> None:
    """Never stop."""
