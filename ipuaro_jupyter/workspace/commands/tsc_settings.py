"""What the configuration of tsc has it write, although it is told to emit nothing.

Compared with tsc, this takes too much for a write rather than too little: an option counts wherever
in the chain of ``extends`` it stands. With ``incremental``, tsc keeps its state in a file even when
it emits nothing; an option that moves this file, other than ``outDir`` and ``tsBuildInfoFile``,
counts wherever it leads.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ipuaro_jupyter.small_file import read_small_text

_NAME = "tsconfig.json"
_MOST_FILES = 40
_STRING = r'"(?:\\.|[^"\\])*"'
# The ends of a line in JavaScript end a comment, too.
_COMMENTS = re.compile(rf"{_STRING}|//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMAS = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")
_PROFILES = {"generatetrace", "generatecpuprofile"}
_HERE = "${configDir}"
_MOVES = {"outfile", "out"}  # the file that tsc keeps between its runs


def writing_settings(argv: Sequence[str], folders: Sequence[Path], root: Path) -> list[str]:
    """The settings by which tsc may write outside of its place, with their files.

    Its place is a file ``*.tsbuildinfo`` in the project. The project's configuration may be above
    the root as long as tsc keeps nothing beside it.

    Args:
        argv: The command.
        folders: The folder that it runs in, and those above it in which it looks.
        root: The project's folder.
    """
    named = [
        value
        for word, value in pairwise(argv)
        if word.startswith("-") and word.lstrip("-").lower() in {"p", "project"}
    ]
    names = [*named, _NAME]
    found: list[str] = []
    for folder in folders:
        for name in names:
            place = folder / name
            place = place / _NAME if place.is_dir() else place
            if place.is_file():
                found += _of_configuration(place, root)
    return list(dict.fromkeys(found))


def _of_configuration(file: Path, root: Path) -> Iterator[str]:
    told = os.path.relpath(file, root)
    if not _is_inside(file, root) and not root.is_relative_to(file.parent):
        yield f"{told}, which leads out of the project"
        return
    given: list[tuple[str, Any, Path]] = []
    try:
        for each in _chain(file):
            own = _read(each).get("compilerOptions", {})
            given += [(key.lower(), value, each.parent) for key, value in own.items()]
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        yield f"{told}, which cannot be followed"
        return
    given = [(key, value, folder) for key, value, folder in given if value is not None]
    keys = {key for key, _, _ in given}
    on = {key for key, value, _ in given if value is not False}
    keeping = on & {"incremental", "composite"}
    if keeping and not all(_is_inside(place, root) for place in _beside(file)):
        yield f"{min(keeping)} in {told}"
    if keeping:
        moved = keys & (_MOVES | ({"rootdir"} if "outdir" in keys else set()))
        yield from (f"{key} in {told}" for key in sorted(moved))
    for key, value, folder in given:
        is_place = key == "tsbuildinfofile" or (key == "outdir" and keeping)
        if key in _PROFILES or (is_place and not _stays(key, str(value), file, folder, root)):
            yield f"{key} in {told}"


def _beside(file: Path) -> list[Path]:
    """The files beside a configuration in which tsc may keep its state."""
    return [file, file.with_suffix(".tsbuildinfo"), file.with_name(f"{file.name}.tsbuildinfo")]


def _stays(key: str, text: str, file: Path, folder: Path, root: Path) -> bool:
    """Whether what tsc keeps at a place that ``folder`` names is in the project."""
    here = text.startswith(_HERE)
    if not here and _HERE.lower() in text.lower():
        return False  # tsc knows it in any case, but replaces only this one
    place = file.parent / f"./{text.removeprefix(_HERE)}" if here else folder / text
    if key != "outdir":
        return text.endswith(".tsbuildinfo") and _is_inside(place, root)
    return all(_is_inside(place / beside.name, root) for beside in _beside(file))


def _is_inside(place: Path, root: Path) -> bool:
    return Path(os.path.realpath(place)).is_relative_to(root)


def _chain(file: Path) -> Iterator[Path]:
    """Yield a configuration and all that it may extend.

    Raises:
        ValueError: One of them cannot be told.
    """
    waiting, seen = [file], set()
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        if len(seen) > _MOST_FILES:
            raise ValueError("too many configurations extend each other")
        yield each
        extended = _read(each).get("extends", [])
        for name in [extended] if isinstance(extended, str) else extended:
            waiting += _extended(each.parent, name)


def _extended(folder: Path, name: str) -> list[Path]:
    """The files that a name in ``extends`` may mean.

    Raises:
        ValueError: There are none.
    """
    if name.startswith((".", "/")):
        tried = [folder / name, folder / f"{name}.json"]
    else:
        above = (folder, *folder.parents)
        tried = []
        for place in (f / "node_modules" / name for f in above):
            tried += [place, place.with_name(f"{place.name}.json"), place / _NAME]
            for owner in (place, place.parent, place.parent.parent):
                tried += _named_by_package(owner)
    found = [place for place in tried if place.is_file()]
    if not found:
        raise ValueError(f"{name} is nowhere")
    return found


def _named_by_package(owner: Path) -> list[Path]:
    """The configurations that a package.json names."""
    try:
        package = _read(owner / "package.json")
    except (OSError, ValueError):
        return []
    said = json.dumps([package.get("tsconfig"), package.get("exports")])
    return [owner / f"./{name}" for name in re.findall(r'"([^"]+\.json)"', said)]


def _read(file: Path) -> dict[str, Any]:
    """A file of JSON with comments and trailing commas.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not JSON, or it names a key twice.
    """
    text = read_small_text(file)
    text = _COMMENTS.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    text = _LAST_COMMAS.sub(lambda found: found[0] if found[0][0] == '"' else "", text)
    read = json.loads(text, object_pairs_hook=_once)
    if not isinstance(read, dict):
        raise ValueError(f"{file} holds no object")  # noqa: TRY004 - as for all that is wrong
    return read


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)
