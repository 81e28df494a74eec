"""The index of a repository: the staged changes. No work in it is ever lost."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.git.git_program import BUSY_ADVICE


class IndexFile:
    """The index of a working tree, and the lock that every git takes to change it.

    Args:
        place: The file; it need not exist.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lock = place.with_name(f"{place.name}.lock")
        self._is_ours = False

    def check_free(self) -> None:
        """Raise ToolError unless the index is free.

        Raises:
            ToolError: "command" when another process is changing it.
        """
        if os.path.lexists(self._lock):
            raise _busy()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every git from changing the index; it can still be read.

        Raises:
            ToolError: "command" when another process has locked it.
        """
        mode = self._place.stat().st_mode & 0o777 if self._place.exists() else 0o666
        try:
            os.close(os.open(self._lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
        except FileExistsError:
            raise _busy() from None
        except OSError as error:
            raise ToolError("command", f"Not committed: {self._lock}: {error.strerror}.") from error
        self._is_ours = True
        try:
            yield
        finally:
            if self._is_ours:
                self._lock.unlink(missing_ok=True)

    def copy(self, target: Path) -> Path:
        """Copy the index with its mtime, by which git trusts its entries; return ``target``."""
        with suppress(FileNotFoundError):
            shutil.copy2(self._place, target)
        return target

    def replace(self, other: Path) -> None:
        """Replace the content of this index, which is `locked`, by that of another."""
        self._fill_lock(other.read_bytes(), other.stat().st_mtime_ns)
        self._lock.replace(self._place)
        self._is_ours = False

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Restore the index if the block fails: a hook may have staged something."""
        before = self._place.read_bytes() if self._place.exists() else None
        written_ns = 0 if before is None else self._place.stat().st_mtime_ns
        try:
            yield
        except BaseException:
            if before is not None and before != self._place.read_bytes():
                with suppress(ToolError), self.locked():
                    self._fill_lock(before, written_ns)
                    self._lock.replace(self._place)
                    self._is_ours = False
            raise

    def _fill_lock(self, data: bytes, written_ns: int) -> None:
        with self._lock.open("r+b") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.utime(self._lock, ns=(written_ns, written_ns))


def _busy() -> ToolError:
    return ToolError(
        "command",
        "Not committed: another git is at work in this repository (index.lock exists).",
        suggestion=BUSY_ADVICE,
    )
