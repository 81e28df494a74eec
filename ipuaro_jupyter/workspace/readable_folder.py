"""The project's folder, as it is read."""

from collections.abc import Collection, Sequence
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files import atomic_writes, disk, folders
from ipuaro_jupyter.workspace.files.gitignore import IgnoreFile
from ipuaro_jupyter.workspace.files.listing import Listing, list_files
from ipuaro_jupyter.workspace.files.meant_paths import MeantPath, meant_path
from ipuaro_jupyter.workspace.files.membership import memberships
from ipuaro_jupyter.workspace.files.paths import entry_path, missing, relative_path
from ipuaro_jupyter.workspace.files.text_file import TextFile


class ReadableFolder:
    """A project's folder. Paths are relative to it, POSIX, "" being the folder itself.

    Args:
        root: The folder.
        ignored: Lines of a ``.gitignore``: files that they match do not belong to the project.
    """

    def __init__(self, root: Path, ignored: Sequence[str] = ()) -> None:
        self.root = root.resolve()
        self._ignored = IgnoreFile("\n".join(ignored)) if ignored else None

    def check_there(self) -> None:
        """Raise an error when it is gone: moved, deleted, or on a disk that is not mounted.

        Raises:
            ToolError: "file" when it is.
        """
        if not self.root.is_dir():
            raise ToolError(
                "file",
                f"The project's folder is gone: {self.root}.",
                suggestion="Ask the user to put it back, or to open it where it is now with "
                "%ipuaro start PATH.",
            )

    def relative(self, path: str, *, must_exist: bool = True, kind: folders.Kind = "any") -> str:
        """The real path of ``path``, with symlinks followed; see `paths.relative_path`."""
        return relative_path(self.root, path, must_exist=must_exist, kind=kind)

    def meant(
        self, path: str, *, kind: folders.Kind, changes: bool = False, exact: bool = False
    ) -> MeantPath:
        """The path that a model means, see `meant_path`; ``exact``: no file is looked for."""
        files = None if exact else lambda: self.files().files
        return meant_path(self.root, path, kind=kind, changes=changes, files=files)

    def entry(self, path: str) -> str:
        """The entry that ``path`` names when its last part may be a symlink; see `entry_path`."""
        return entry_path(self.root, path)

    def read(self, path: str) -> TextFile:
        """A text file as it is on disk now.

        Raises:
            ToolError: "file" when there is none, or it is not UTF-8 text.
        """
        file = self.file(self.relative(path, kind="file"))
        file.check()
        return file

    def file(self, path: str) -> TextFile:
        """Any file as it is on disk now, text or not: see `TextFile.problem`.

        Raises:
            ToolError: "file" when there is none, or it cannot be read.
        """
        path = self.relative(path, must_exist=False)
        if not path:
            raise ToolError("file", "The project's root is a folder, not a file.")
        content = disk.read(self.root, path)
        if content is None:
            raise missing(self.root, path, kind="file")
        return TextFile(path, content.data, content.mode, content)

    def read_bytes(self, path: str) -> tuple[bytes, int]:
        """The content and the permission bits of a `file`."""
        file = self.file(path)
        return file.data, file.mode

    def memberships(self, paths: Collection[str]) -> dict[str, bool] | None:
        """Whether `files` would list each of these files; None when only it can tell."""
        return memberships(self.root, paths, ignored=self._ignored)

    def files(self, cancel: CancelToken | None = None) -> Listing:
        """The project's files without ignored ones, as they are on disk now.

        Temporary files of a killed kernel are removed.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        listing = list_files(self.root, ignored=self._ignored, cancel=cancel)
        atomic_writes.sweep(self.root, listing.temporary)
        return listing
