"""The files of installed packages, looked up one by one."""

import os
import stat
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.folders import inner_path

_Kind = Callable[[int], bool]


class PackageFiles(Collection[str]):
    """The files below a folder, as a collection that is asked and never listed.

    Args:
        base: The folder, without links on the way to it; paths are relative to it.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self._known: dict[str, bool] = {}

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        if path not in self._known:
            self._known[path] = self._is(path, stat.S_ISREG)
        return self._known[path]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def has_folder(self, path: str) -> bool:
        """Whether there is a folder, which may be reached through links."""
        return self._is(path, stat.S_ISDIR)

    def real(self, folder: str) -> str | None:
        """A folder with all links followed; None when it is missing or not below the base."""
        place = os.path.realpath(self.base / folder)
        if not os.path.isdir(place):  # noqa: PTH112 - a text
            return None
        return inner_path(self.base, place)

    def data(self, path: str) -> bytes | None:
        """The content of a file; None when it cannot be read."""
        try:
            content = disk.read(self.base, path)
        except ToolError:
            return None
        return None if content is None else content.data

    def text(self, path: str) -> str | None:
        """The text of a file; None when it cannot be read."""
        data = self.data(path)
        return None if data is None else data.decode("utf-8", "replace")

    def _is(self, path: str, kind: _Kind) -> bool:
        try:
            return kind(os.stat(f"{self.base}/{path}").st_mode)  # noqa: PTH116 - a text
        except (OSError, ValueError):
            return False
