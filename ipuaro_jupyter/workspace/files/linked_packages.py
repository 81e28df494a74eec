"""The folders of a project that are linked into ``node_modules``, as installing and linking do."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.store.roots import inner_path

_INSTALLED = "node_modules"


def linked_packages(root: Path, folders: Iterable[str]) -> dict[str, str]:
    """The links in ``node_modules`` that lead to folders of the project, by path, sorted.

    Their targets are relative to the folders that they lie in, with all links followed.

    Args:
        root: The project's folder.
        folders: The folders whose ``node_modules`` are looked at.
    """
    found = {}
    for folder in folders:
        checkpoint()
        place = f"{folder}/{_INSTALLED}".lstrip("/")
        for name in _links(f"{root}/{place}"):
            link = f"{place}/{name}"
            target = inner_path(root, os.path.realpath(f"{root}/{link}"))
            if target is not None and _INSTALLED not in target.split("/"):
                found[link] = os.path.relpath(f"/{target}", f"/{link.rpartition('/')[0]}")
    return dict(sorted(found.items()))


def _links(place: str, scope: str = "") -> Iterator[str]:
    """Yield the names of the packages in a folder that are links, also those in scopes."""
    try:
        with os.scandir(f"{place}/{scope}") as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if entry.is_symlink():
            yield f"{scope}{entry.name}"
        elif not scope and entry.name.startswith("@"):
            yield from _links(place, f"{entry.name}/")
