"""A temporary copy of a project as it is now, to try things in.

Copied are the files that git does not ignore, including changed and untracked ones, and the
repositories. Ignored files are left out, except installed packages (``node_modules``, ``.venv``),
which are linked: programs find them, and share them with the project. So anything a command does
inside them, outside the folder, or on a network is not undone with the copy. The folders in which
tools keep caches among the packages (``node_modules/.vite`` and the like) are not shared.
"""

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ProjectError
from ipuaro_jupyter.workspace.files.listing import Listing, list_files
from ipuaro_jupyter.workspace.git.own_repository import repository_of
from ipuaro_jupyter.workspace.git.repositories import inner_repositories
from ipuaro_jupyter.workspace.scratch.scratch_git import (
    copy_repository,
    tracked_files,
    undo_commits,
)

_INSTALLED = ("node_modules", ".venv", "venv", "env")
_SETUP = "pyvenv.cfg"  # tells an environment of Python from other folders of its name
_OF_NODE = "node_modules"
_LIBRARIES = frozenset({"lib", "Lib"})
_OF_PYTHON = re.compile(r"lib|Lib|lib64|python3\.\d+t?|site-packages")
# Whatever else in node_modules begins with a dot is some tool's cache, which it writes to.
_DOTTED_PACKAGES = frozenset(
    {".bin", ".package-lock.json", ".pnpm", ".prisma", ".store", ".modules.yaml"}
)


@dataclass(frozen=True)
class Scratch:
    """A project's copy: ``root`` takes the place of its folder, ``tops`` of its repositories'."""

    root: Path
    tops: Collection[Path]

    def read(self, path: str) -> bytes | None:
        """The content of a file of the copy; None when there is none."""
        with suppress(OSError):
            return (self.root / path).read_bytes()
        return None

    def put(self, path: str, content: bytes | None, *, mode: int | None) -> None:
        """Set the content of a file of the copy; None removes it.

        Raises:
            ProjectError: A link leads out of the copy to it, and the project would be written.
        """
        target = self.root / path
        if not target.parent.resolve().is_relative_to(self.root.resolve()):
            told = f"{path!r} lies in an installed package, or behind a link out of the project"
            raise ProjectError(f"{told}, which the copy shares. It is left as it is.")
        target.unlink(missing_ok=True)
        if content is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            if mode is not None:
                target.chmod(mode)

    def undo_commits(self, hashes: Collection[str]) -> int:
        """Undo the latest commits of each repository; see `scratch_git.undo_commits`."""
        return sum(undo_commits(folder, hashes) for folder in self.tops)


class CacheFolder:
    """A temporary folder for programs, as long as this object lives and is not closed.

    It is made when ``path`` is first read.
    """

    def __init__(self) -> None:
        self._remove: Callable[[], object] = lambda: None

    @cached_property
    def path(self) -> Path:
        """The folder, which only the user can read."""
        made = tempfile.mkdtemp(prefix="ipuaro-cache-")
        self._remove = weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        return Path(made).resolve()

    def close(self) -> None:
        """Remove the folder; reading ``path`` makes another one."""
        self._remove()
        self.__dict__.pop("path", None)


@contextmanager
def scratch_copy(
    root: Path,
    *,
    cancel: CancelToken | None = None,
    is_left_out: Callable[[str], bool] = lambda _path: False,
) -> Iterator[Scratch]:
    """Provide a copy of the project at ``root`` until the end of the block.

    Args:
        root: The project's folder.
        cancel: Cancels the copying.
        is_left_out: Whether an untracked file, given by its path in the project, is left out of the
            copy.

    Raises:
        ProjectError: There is no room for it, or it cannot be written.
        Cancelled: ``cancel`` was set while it was made.
    """
    cancel = cancel or CancelToken()
    base = Path(tempfile.mkdtemp(prefix="ipuaro-copy-")).resolve()
    try:
        try:
            copied = _copy(root, base, is_left_out, cancel)
        except OSError as error:
            raise ProjectError(f"{root} cannot be copied to {base}: {error}.") from error
        yield copied
    finally:
        shutil.rmtree(base, ignore_errors=True)


class _Copied(NamedTuple):
    """Where a project is, and where it goes.

    Attributes:
        root: The real folder.
        top: That of its repository, or the project's own.
        to: The folder that takes the place of ``top``.
    """

    root: Path
    top: Path
    to: Path

    @property
    def copied(self) -> Path:
        """The folder that takes the place of the project's."""
        return self.to / self.root.relative_to(self.top)


def _copy(
    root: Path, base: Path, is_left_out: Callable[[str], bool], cancel: CancelToken
) -> Scratch:
    root = root.resolve()
    own = repository_of(root)
    top = own.top if own else root
    place = _Copied(root, top, to := base / (top.name or "project"))
    listing = list_files(root, cancel=cancel)
    inner = (repository_of(root / folder) for folder in inner_repositories(root, listing.files))
    tracked = {one: tracked_files(one.top) for one in (own, *inner) if one}
    kept = {one.top / path for one, paths in tracked.items() for path in paths}
    linked = _copy_files(place, listing, kept, is_left_out, cancel)
    led = set(_led(linked.links, place))
    copies = {one: to / one.top.relative_to(top) for one in tracked}
    for one, into in copies.items():
        into.mkdir(parents=True, exist_ok=True)
        there = [path for path in tracked[one] if os.path.lexists(one.top / path)]
        unlike = [path for path in there if into / path in led or not os.path.lexists(into / path)]
        hidden = [_relative(path, into) for path in linked.packages if path.is_relative_to(into)]
        copy_repository(one, into, unlike=unlike, hidden=hidden)
    return Scratch(place.copied, [*copies.values()])


class _Linked(NamedTuple):
    """What a copy has links for.

    Attributes:
        packages: Installed packages, in the copy.
        links: Links of the project itself: where they are in the copy, and where they really are.
    """

    packages: list[Path]
    links: dict[Path, Path]


def _copy_files(
    place: _Copied,
    listing: Listing,
    kept: set[Path],
    is_left_out: Callable[[str], bool],
    cancel: CancelToken,
) -> _Linked:
    """Copy the files of a project, and what of its repository counts above it."""
    root, top, to, copied = *place, place.copied
    copied.mkdir(parents=True)
    folders = {""}
    for path in (*listing.files, *listing.skipped):
        cancel.check()
        if root / path not in kept and is_left_out(path):
            continue
        if _copy_file(root / path, copied / path):
            folders.update(_parents(path))
    for path, target in listing.symlinks.items():
        (copied / path).parent.mkdir(parents=True, exist_ok=True)
        (copied / path).symlink_to(target)
    links = {copied / path: root / path for path in listing.symlinks}
    packages = _InstalledPackages(root, copied)
    linked = [copied / path for path in packages.link(root, copied, folders)]
    if top == root:
        return _Linked(linked, links)
    above = [_relative(folder, to) for folder in copied.parents if folder.is_relative_to(to)]
    parents = {top / folder for folder in above}
    for file in kept:  # settings above the project apply in it
        if file.parent in parents:
            _copy_file(file, to / file.relative_to(top))
    linked += [to / path for path in packages.link(top, to, above)]
    return _Linked(linked, links)


def _copy_file(source: Path, target: Path) -> bool:
    """Copy a regular file with its mode and times; return whether there was a readable one."""
    try:
        if source.is_symlink() or not source.is_file():
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    except PermissionError:
        return False
    return True


def _parents(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _led(links: Mapping[Path, Path], place: _Copied) -> Iterator[Path]:
    """Lead copied links to the copy of what the originals lead to; yield those that did not.

    They may lead there by a whole path, or through another link outside.
    """
    for link, original in links.items():
        wanted = _in_copy(Path(os.path.realpath(original)), place)
        if wanted is not None and os.path.realpath(wanted) != os.path.realpath(link):
            link.unlink()
            link.symlink_to(wanted)
            yield link


def _in_copy(real: Path, place: _Copied) -> Path | None:
    """The place in the copy of a real one; None when it is not copied."""
    if not real.is_relative_to(place.top):
        return None
    copied = place.to / real.relative_to(place.top)
    return copied if real.is_relative_to(place.root) or copied.exists() else None


class _InstalledPackages:
    """Installed packages: linked, or linked into the copy when they belong to the project.

    Args:
        root: The project's folder.
        copied: Its copy.
    """

    def __init__(self, root: Path, copied: Path) -> None:
        self._root, self._copied = root, copied

    def link(self, top: Path, to: Path, folders: Iterable[str]) -> Iterator[str]:
        """Link the installed packages in folders of ``top``; yield the folders that were made."""
        for folder in sorted(folders):
            for name in _INSTALLED:
                path = f"{folder}/{name}".lstrip("/")
                if _is_installed(top / path) and not os.path.lexists(to / path):
                    self._link_each(top / path, to / path)
                    yield path

    def _link_each(self, installed: Path, into: Path) -> None:
        into.mkdir(parents=True)
        for entry in os.scandir(installed):
            if installed.name == _OF_NODE and _is_cache(entry.name):
                continue
            path = Path(entry.path)
            if entry.is_symlink() and os.readlink(path) in _LIBRARIES:  # noqa: PTH115 - as it is written
                (into / entry.name).symlink_to(os.readlink(path))  # noqa: PTH115 - the same
            elif _has_packages(entry):
                self._link_each(path, into / entry.name)
            elif entry.name.endswith(".pth"):
                self._lead(path, into / entry.name)
            else:
                (into / entry.name).symlink_to(self._target(path))

    def _lead(self, listed: Path, into: Path) -> None:
        """Write a list of folders with packages, those of the project in the copy."""
        lines = listed.read_text(errors="surrogateescape").splitlines()
        led = [str(self._target(Path(line))) if os.path.isabs(line) else line for line in lines]  # noqa: PTH117 - a line
        into.write_text("".join(f"{line}\n" for line in led), errors="surrogateescape")

    def _target(self, entry: Path) -> Path:
        real = Path(os.path.realpath(entry))
        if not real.is_relative_to(self._root):
            return entry
        path = real.relative_to(self._root)
        return entry if set(path.parts) & set(_INSTALLED) else self._copied / path


def installed_folders(root: Path, files: Iterable[str]) -> Iterator[Path]:
    """Yield the folders with installed packages beside files of a project, and above them."""
    for folder in sorted({"", *(above for path in files for above in _parents(path))}):
        for name in _INSTALLED:
            if _is_installed(root / folder / name):
                yield root / folder / name


def is_package_cache(folder: str, name: str) -> bool:
    """Whether an entry of a folder with installed packages is a cache that some tool writes."""
    return os.path.basename(folder) == _OF_NODE and _is_cache(name)  # noqa: PTH119 - many of them


def _is_installed(folder: Path) -> bool:
    if folder.name in {_OF_NODE, ".venv"}:
        return folder.is_dir()
    return (folder / _SETUP).is_file()


def _has_packages(entry: "os.DirEntry[str]") -> bool:
    """Whether a folder of installed packages has packages itself."""
    is_named = entry.name.startswith("@") or _OF_PYTHON.fullmatch(entry.name)
    return bool(is_named) and entry.is_dir(follow_symlinks=False)


def _is_cache(name: str) -> bool:
    return name.startswith(".") and name not in _DOTTED_PACKAGES


def _relative(path: Path, to: Path) -> str:
    """A path relative to a folder, "" for the folder itself."""
    return "" if path == to else path.relative_to(to).as_posix()
