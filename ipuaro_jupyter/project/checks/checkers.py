"""The type checkers of a project: those that it has both configured and installed."""

import configparser
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ipuaro_jupyter.project.project_tests.runners import text_of
from ipuaro_jupyter.workspace.processes.environment import local_tools, upwards

CheckerName = Literal["tsc", "vue-tsc", "mypy", "pyright"]
Words = tuple[str, ...]

_SCRIPTS = frozenset(
    {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".json"}
)
_PYTHON = frozenset({".py", ".pyi"})
_TSCONFIG = "tsconfig.json"
_REFERENCES = re.compile(r'^[^/\n]*"references"\s*:\s*\[\s*\{', re.MULTILINE)
_ENVIRONMENTS = (".venv/bin", "venv/bin", "env/bin")
# Settings of pyright that leave files out, or may do so.
_PYRIGHT_SOME = frozenset({"exclude", "ignore", "strict", "extends", "typeCheckingMode"})
_HIDDEN = re.compile(r"(?:^|/)(?:\.|node_modules/|__pycache__/)")  # left out unless configured
# A file that is passed on the command line is checked even if the configuration excludes it.
_MYPY = (
    "--no-pretty",
    "--error-summary",
    "--hide-error-context",
    "--show-error-codes",
    "--no-color-output",
)


@dataclass(frozen=True, slots=True)
class TypeChecker:
    """A type checker, and what it checks.

    ``folder`` is where it runs, relative to the project. ``argv`` begins with the program's name;
    ``first`` are the folders in which it is looked for before those on the PATH. ``sees`` are the
    files that it is known to look at, None when only its output says that. ``missing`` says what
    has to be installed; nothing runs then.
    """

    name: CheckerName
    folder: str
    argv: Words
    first: Words = ()
    sees: frozenset[str] | None = None
    missing: str = ""


def find_checkers(root: Path, files: Collection[str]) -> tuple[TypeChecker, ...]:
    """The type checkers that look at any of these files.

    For each file, the nearest configuration counts, from its folder up to ``root``.

    Args:
        root: The project's folder.
        files: Relative to ``root``; they need not exist.
    """
    found = [
        *(_typescript(root, folder) for folder in _homes(root, files, _SCRIPTS, _has_tsconfig)),
        *(_mypy(root, folder, files) for folder in _homes(root, files, _PYTHON, _has_mypy)),
        *(_pyright(root, folder, files) for folder in _homes(root, files, _PYTHON, _has_pyright)),
    ]
    return tuple(found)


def _homes(
    root: Path, files: Iterable[str], suffixes: Collection[str], configured: Callable[[Path], bool]
) -> list[str]:
    """The folders whose configuration applies to files with one of the suffixes, sorted."""
    folders = {
        path.rpartition("/")[0]
        for path in files
        if os.path.splitext(path)[1] in suffixes  # noqa: PTH122 - a path of the project is a str
    }
    homes = set()
    for folder in folders:
        for above in upwards(root / folder, root):
            if configured(above):
                homes.add("" if above == root else above.relative_to(root).as_posix())
                break
    return sorted(homes)


def _has_tsconfig(folder: Path) -> bool:
    return (folder / _TSCONFIG).is_file()


def _typescript(root: Path, folder: str) -> TypeChecker:
    places = tuple(local_tools(above) for above in upwards(root / folder, root))
    name: CheckerName = "vue-tsc" if _installed("vue-tsc", places) else "tsc"
    options = ("--pretty", "false", "--listFiles")
    argv: Words = (name, "--noEmit", *options)
    if _REFERENCES.search(text_of(root / folder / _TSCONFIG)):
        argv = (name, "-b", *options)  # what it emits goes into the copy
    missing = "" if _installed(name, places) else "npm install typescript"
    return TypeChecker(name, folder, argv, places, missing=missing)


def _mypy(root: Path, folder: str, files: Iterable[str]) -> TypeChecker:
    home = root / folder
    places = tuple(_python_places(root, folder))
    own = [path for path in files if path.endswith(tuple(_PYTHON)) and _is_below(path, folder)]
    named = _named_for_mypy(home)
    listed = [*named, *(path for path in sorted(_inside(own, folder)) if not _is_in(path, named))]
    return TypeChecker(
        name="mypy",
        folder=folder,
        argv=("mypy", *_MYPY, *_python_of(root, folder), "--", *listed),
        first=places,
        sees=frozenset(own),
        missing="" if _installed("mypy", places) else "pip install mypy",
    )


def _pyright(root: Path, folder: str, files: Iterable[str]) -> TypeChecker:
    home = root / folder
    places = (
        *_python_places(root, folder),
        *(local_tools(above) for above in upwards(home, root)),
    )
    own = [path for path in files if path.endswith(tuple(_PYTHON)) and _is_below(path, folder)]
    own = [path for path in own if not _HIDDEN.search(path)]
    settings = _pyright_settings(home)
    if not isinstance(settings, dict) or _PYRIGHT_SOME & settings.keys():
        own = []
    elif "include" in settings:
        own = [p for p in own if _is_in(next(iter(_inside([p], folder))), _named(settings))]
    return TypeChecker(
        name="pyright",
        folder=folder,
        argv=("pyright", "--outputjson"),
        first=places,
        sees=frozenset(own),
        missing="" if _installed("pyright", places) else "pip install pyright",
    )


def _pyright_settings(home: Path) -> object:
    """The settings of pyright, None when they cannot be read, as with comments in them."""
    if not (home / "pyrightconfig.json").is_file():
        return _tools(home).get("pyright")
    with suppress(ValueError, RecursionError):
        return json.loads(text_of(home / "pyrightconfig.json"))
    return None


def _named(settings: dict[str, Any]) -> list[str]:
    included = settings["include"]
    return [str(path) for path in included] if isinstance(included, list) else []


def _has_mypy(folder: Path) -> bool:
    return (
        any((folder / name).is_file() for name in ("mypy.ini", ".mypy.ini"))
        or "mypy" in _tools(folder)
        or _ini(folder / "setup.cfg").has_section("mypy")
    )


def _has_pyright(folder: Path) -> bool:
    return (folder / "pyrightconfig.json").is_file() or "pyright" in _tools(folder)


def _named_for_mypy(home: Path) -> list[str]:
    """The files and folders that the configuration names, as they are written there."""
    for name in ("mypy.ini", ".mypy.ini"):
        if (home / name).is_file():
            return _split(_ini(home / name).get("mypy", "files", fallback=""))
    own = _tools(home).get("mypy")
    if isinstance(own, dict):
        files = own.get("files", [])
        return _split(files) if isinstance(files, str) else [str(file) for file in files]
    return _split(_ini(home / "setup.cfg").get("mypy", "files", fallback=""))


def _split(files: str) -> list[str]:
    return [part.strip() for part in files.split(",") if part.strip()]


def _is_in(path: str, named: Iterable[str]) -> bool:
    """Whether a path is one of these, or below one of them."""
    plain = [name.removeprefix("./").rstrip("/") for name in named]
    return any(name in {"", "."} or path == name or path.startswith(f"{name}/") for name in plain)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _inside(files: Iterable[str], folder: str) -> list[str]:
    return [path.removeprefix(f"{folder}/") if folder else path for path in files]


def _python_places(root: Path, folder: str) -> Iterator[str]:
    for above in upwards(root / folder, root):
        yield from (str(above / place) for place in _ENVIRONMENTS if (above / place).is_dir())
    yield str(Path(sys.executable).parent)


def _python_of(root: Path, folder: str) -> Words:
    """The option that has mypy look for packages in the project's environment."""
    for above in upwards(root / folder, root):
        for place in _ENVIRONMENTS:
            if (above / place / "python").exists():
                return ("--python-executable", str(above / place / "python"))
    return ()


def _installed(name: str, places: Iterable[str]) -> bool:
    return shutil.which(name, path=os.pathsep.join(places)) is not None


def _tools(folder: Path) -> dict[str, Any]:
    """The table ``tool`` of a folder's pyproject.toml."""
    tools = _toml(folder / "pyproject.toml").get("tool")
    return tools if isinstance(tools, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        return tomllib.loads(text_of(path))
    return {}


def _ini(path: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    with suppress(configparser.Error):
        parser.read_string(text_of(path))
    return parser
