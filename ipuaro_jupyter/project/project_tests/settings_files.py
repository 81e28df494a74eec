"""The files of a project that configure its tools, as they are or as a change would make them."""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.small_file import read_small

_LARGEST_BYTES = 2_000_000  # of a settings file
_PROPOSED: ContextVar[Mapping[Path, bytes | None]] = ContextVar(
    "proposed", default=MappingProxyType({})
)


@contextmanager
def as_proposed(root: Path, changes: Sequence[Change]) -> Iterator[None]:
    """Have the functions of this module see the project at ``root`` with changes applied."""
    found = {root / change.path: change.after for change in changes}
    token = _PROPOSED.set(found)
    try:
        yield
    finally:
        _PROPOSED.reset(token)


def is_file(path: Path) -> bool:
    """Whether there is such a file."""
    proposed = _PROPOSED.get()
    return proposed[path] is not None if path in proposed else path.is_file()


def names_in(folder: Path) -> set[str]:
    """The names of the files in a folder; empty when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = {entry.name for entry in entries if not entry.is_dir()}
    except OSError:
        names = set()
    for path, content in _PROPOSED.get().items():
        if path.parent == folder:
            (names.discard if content is None else names.add)(path.name)
    return names


def text_of(path: Path) -> str:
    """The content of a settings file; empty when it is missing or huge."""
    proposed = _PROPOSED.get()
    try:
        data = proposed[path] if path in proposed else read_small(path, largest=_LARGEST_BYTES)
    except OSError:
        return ""
    if data is None:
        return ""
    return "" if len(data) > _LARGEST_BYTES else data.decode("utf-8-sig", "replace")


def json_of(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty when there is none."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text_of(path))
        if isinstance(value, dict):
            return value
    return {}


def toml_of(path: Path) -> dict[str, Any]:
    """The data in a TOML file; empty when it is missing or broken."""
    with suppress(ValueError, RecursionError):
        return tomllib.loads(text_of(path))
    return {}
