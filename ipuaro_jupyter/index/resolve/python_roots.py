"""The folders in which a project's configuration says its Python packages are."""

import configparser
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ipuaro_jupyter.index.resolve.project_paths import folder_of, join

CONFIGS = ("pyproject.toml", "setup.cfg", "setup.py")
"""The configuration files that are read."""
_PACKAGE_DIR = re.compile(r"""package_dir\s*=\s*\{\s*["']["']\s*:\s*["']([^"'\n]{1,200})["']""")
_WHERE = re.compile(r"""\bwhere\s*=\s*\[?\s*["']([^"'\n]{1,200})["']""")
_LISTS = (
    ("setuptools", "packages", "find", "where"),
    ("pytest", "ini_options", "pythonpath"),
    ("pyright", "extraPaths"),
    ("hatch", "build", "sources"),
    ("hatch", "build", "targets", "wheel", "sources"),
    ("pdm", "build", "package-dir"),
    ("uv", "build-backend", "module-root"),
    ("ruff", "src"),
    ("mypy", "mypy_path"),
)
"""Keys in ``tool`` with search folders; of a mapping, its keys are the folders."""
_PACKAGES = (
    ("hatch", "build", "packages"),
    ("hatch", "build", "targets", "wheel", "packages"),
    ("flit", "module"),
)
"""Keys in ``tool`` with package paths: the parent folder of each is searched."""


def named_roots(config: str, read: Callable[[str], str | None]) -> Iterator[str]:
    """Yield the folders in which, by a configuration file, packages are.

    Args:
        config: The path of a file of `CONFIGS`.
        read: Returns the text of a file of the project; None when it cannot be read.
    """
    text = read(config) or ""
    name = config.rpartition("/")[2]
    try:
        if name == "pyproject.toml":
            said = list(_of_pyproject(tomllib.loads(text)))
        elif name == "setup.cfg":
            said = list(_of_setup_cfg(text))
        else:
            said = [found[1] for found in (_PACKAGE_DIR.search(text), _WHERE.search(text)) if found]
    except (tomllib.TOMLDecodeError, configparser.Error, RecursionError, ValueError):
        return
    for folder in said:
        place = join(folder_of(config), folder)
        if place is not None:
            yield place


def scripts(config: str, read: Callable[[str], str | None]) -> list[str]:
    """The modules of the scripts that a ``pyproject.toml`` installs."""
    try:
        table = tomllib.loads(read(config) or "")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return []
    found: list[str] = []
    project = _get(table, ("project",))
    poetry = _get(table, ("tool", "poetry"))
    for place in (project, poetry):
        for key in ("scripts", "gui-scripts"):
            entries = _get(place, (key,))
            if isinstance(entries, dict):
                found += [str(entry) for entry in entries.values() if isinstance(entry, str)]
    return [entry.partition(":")[0].strip() for entry in found]


def _of_pyproject(table: dict[str, Any]) -> Iterator[str]:
    tool = _get(table, ("tool",))
    directories = _get(tool, ("setuptools", "package-dir"))
    if isinstance(directories, dict):
        yield from (str(folder) for name, folder in directories.items() if name == "")
    for path in _LISTS:
        yield from _texts(_get(tool, path))
    for path in _PACKAGES:
        yield from (folder_of(package.rstrip("/")) for package in _texts(_get(tool, path)))
    for package in _dicts(_get(tool, ("poetry", "packages"))):
        yield from _texts(package.get("from"))


def _of_setup_cfg(text: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        name, sign, folder = line.partition("=")
        if sign and not name.strip():
            yield folder.strip()
    yield from parser.get("options.packages.find", "where", fallback="").split()


def _get(table: Any, path: Iterable[str]) -> Any:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _texts(value: Any) -> list[str]:
    """The strings in a list, the keys of a mapping, or a single string."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if value else []


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
