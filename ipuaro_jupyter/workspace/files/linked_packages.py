"""The folders of a project that are linked into ``node_modules``, as installing and linking do."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.workspace.files.folders import inner_path
from ipuaro_jupyter.workspace.files.listing import is_utf8

_INSTALLED = "node_modules"
_STORE = ".pnpm"  # where pnpm keeps what it installs, which most of its links lead to


class LinkedPackages:
    """The links in ``node_modules`` that lead to folders of a project, as they are now.

    Attributes:
        links: By path, sorted. Their targets are relative to the folders that they lie in, with all
            links followed. Those whose path or target is not UTF-8 are left out.

    Args:
        root: The project's folder.
        folders: The folders whose ``node_modules`` are looked at.
    """

    def __init__(self, root: Path, folders: Iterable[str]) -> None:
        self.folders = frozenset(folders)
        self.links: dict[str, str] = {}
        self._root = root
        self._places: dict[str, object] = {}
        self._ways: dict[str, str] = {}  # where links lead by other links, or to nothing yet
        for folder in sorted(self.folders):
            checkpoint()
            place = f"{folder}/{_INSTALLED}".lstrip("/")
            whole = os.path.realpath(f"{root}/{place}")
            for name, written in self._links(place):
                link = f"{place}/{name}"
                real = os.path.realpath(f"{root}/{link}")
                target = inner_path(root, real)
                beside = f"{whole}/{name.rpartition('/')[0]}"
                direct = os.path.normpath(os.path.join(beside, written))  # noqa: PTH118 - fast
                if real != direct or not os.path.lexists(real):
                    self._ways[link] = real
                if target is None or not is_utf8(f"{link}/{target}"):
                    continue
                if _INSTALLED not in target.split("/"):
                    self.links[link] = os.path.relpath(f"/{target}", f"/{link.rpartition('/')[0]}")
        self.links = dict(sorted(self.links.items()))

    def may_differ(self) -> bool:
        """Whether something was installed, linked or removed since then."""
        has_others = any(self._state(place) != state for place, state in self._places.items())
        ways = self._ways.items()
        return has_others or any(os.path.realpath(f"{self._root}/{at}") != to for at, to in ways)

    def _state(self, place: str) -> object:
        try:
            found = os.stat(f"{self._root}/{place}")  # noqa: PTH116 - fast
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _links(self, place: str, scope: str = "") -> Iterator[tuple[str, str]]:
        """Yield the packages in a folder that are links, also those in scopes: name and target."""
        inner = f"{place}/{scope}"
        self._places[inner] = self._state(inner)
        try:
            with os.scandir(f"{self._root}/{inner}") as entries:
                listed = list(entries)
        except OSError:
            return
        for entry in listed:
            if entry.is_symlink():
                if _STORE not in (written := _written(entry)).split("/"):
                    yield f"{scope}{entry.name}", written
            elif not scope and entry.name.startswith("@"):
                yield from self._links(place, f"{entry.name}/")


def _written(link: os.DirEntry[str]) -> str:
    """The target of a link, as written; "" when it has gone."""
    try:
        return os.readlink(link.path)  # noqa: PTH115 - fast
    except OSError:
        return ""
