"""Projects of several packages side by side, and the names that occur most often in them."""

import heapq
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from corpora import CORPORA, cache, corpus, package

PROJECTS = {
    "effect + three + rxjs + zod": ("effect", "three", "rxjs", "zod"),
    "@theia/core": ("theia-core",),
    "tldraw": ("tldraw",),
    "lexical": ("lexical",),
}
"""The packages of each project; see `side_by_side`."""

_FOLDERS = {"three": ("src", "examples")}
_CODE = {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}
_CONFIGS = ("package.json", "tsconfig*.json")


def side_by_side(packages: Iterable[str]) -> Path:
    """Return a folder with the sources of packages, and nothing that was built from them.

    Args:
        packages: Names in `CORPORA`, or packages of npm with a version.
    """
    names = list(packages)
    folder = cache() / f"sources-{'-'.join(names)}"
    wanted = " ".join(CORPORA.get(name, name) for name in names)
    mark = folder / ".corpus"
    if not (mark.is_file() and mark.read_text() == wanted):
        shutil.rmtree(folder, ignore_errors=True)
        for name in names:
            source = corpus(name) if name in CORPORA else package("npm", name)
            _link(source, folder / name.partition("@")[0], _FOLDERS.get(name, ("src",)))
        mark.write_text(wanted)
    return folder


def _link(source: Path, target: Path, folders: tuple[str, ...]) -> None:
    for path in source.rglob("*"):
        part = path.relative_to(source)
        is_code = path.suffix in _CODE and ".d." not in path.name and part.parts[0] in folders
        if path.is_file() and (is_code or any(part.match(config) for config in _CONFIGS)):
            place = target / part
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, place)


def most_frequent(index, count: int) -> list[tuple[str, int]]:
    """Return the names that occur most often in the code of an index, with how often."""
    stored = index._stored
    found: dict[str, int] = {}
    names = [name.decode() for name in stored.store.hkeys(stored.keys.tokens)]
    for name, files in stored.tokens(names).items():
        found[name] = sum(files.values())
    return heapq.nlargest(count, found.items(), key=lambda item: (item[1], item[0]))
