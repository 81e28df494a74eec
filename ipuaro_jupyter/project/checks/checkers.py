"""The type checkers of a project: those that it has both configured and installed."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ipuaro_jupyter.project.checks.type_settings import (
    MypySettings,
    has_no_check,
    mypy_settings,
    tools_of,
)
from ipuaro_jupyter.project.project_tests.runner_commands import LOCAL_PYTHON, python_places
from ipuaro_jupyter.project.project_tests.settings_files import is_file, text_of
from ipuaro_jupyter.workspace.processes.environment import local_tools, upwards

CheckerName = Literal["tsc", "vue-tsc", "mypy", "pyright"]
Words = tuple[str, ...]

_SCRIPTS = frozenset(
    {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".json"}
)
_PYTHON = frozenset({".py", ".pyi"})
_SHOWN_FILES = 3
_TSCONFIG = "tsconfig.json"
_REFERENCES = re.compile(r'^[^/\n]*"references"\s*:\s*\[\s*\{', re.MULTILINE)
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

    ``folder`` is where it runs, relative to the project. ``argv`` begins with the program's name,
    and ``files`` follow it; ``first`` are the folders in which it is looked for before those on the
    PATH. ``sees`` are the files that it is known to look at, None when only its output says that.
    ``silenced`` are the reached files in which ``silenced_by``, a setting, hides errors.
    ``missing`` says what has to be installed; nothing runs then.
    """

    name: CheckerName
    folder: str
    argv: Words
    first: Words = ()
    files: Words = ()
    sees: frozenset[str] | None = None
    silenced: frozenset[str] = frozenset()
    silenced_by: str = ""
    missing: str = ""

    @property
    def told(self) -> str:
        """The command as it would be typed, a long list of files shortened."""
        command = shlex.join((*self.argv, *self.files[:_SHOWN_FILES]))
        more = len(self.files) - _SHOWN_FILES
        return command + (f" and {more:,} more files" if more > 0 else "")


def find_checkers(root: Path, files: Collection[str]) -> tuple[TypeChecker, ...]:
    """The type checkers that look at any of these files.

    For each file, the nearest configuration counts, from its folder up to the project's.

    Args:
        root: The project's folder.
        files: Relative to ``root``; they need not exist.
    """
    files = sorted(files)
    return (
        *(
            _typescript(root, folder, files)
            for folder in _homes(root, files, _SCRIPTS, _has_tsconfig)
        ),
        *(_mypy(root, folder, files) for folder in _homes(root, files, _PYTHON, _has_mypy)),
        *(_pyright(root, folder, files) for folder in _homes(root, files, _PYTHON, _has_pyright)),
    )


def _homes(
    root: Path, files: Iterable[str], suffixes: Collection[str], configured: Callable[[Path], bool]
) -> list[str]:
    """The folders whose configuration applies to files with one of the suffixes, sorted."""
    folders = {path.rpartition("/")[0] for path in files if _suffix(path) in suffixes}
    homes = set()
    for folder in folders:
        for above in upwards(root / folder, root):
            if configured(above):
                homes.add("" if above == root else above.relative_to(root).as_posix())
                break
    return sorted(homes)


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1]  # noqa: PTH122 - a path of the project is a str


def _is_script(path: str) -> bool:
    return _suffix(path) in _SCRIPTS


def _has_tsconfig(folder: Path) -> bool:
    return is_file(folder / _TSCONFIG)


def _typescript(root: Path, folder: str, files: Iterable[str]) -> TypeChecker:
    places = tuple(local_tools(above) for above in upwards(root / folder, root))
    name: CheckerName = "vue-tsc" if _installed("vue-tsc", places) else "tsc"
    options = ("--pretty", "false", "--listFiles")
    argv: Words = (name, "--noEmit", *options)
    if _REFERENCES.search(text_of(root / folder / _TSCONFIG)):
        argv = (name, "-b", *options)  # what it emits goes into the copy
    own: frozenset[str] = frozenset()
    if has_no_check(root / folder / _TSCONFIG):
        own = frozenset(one for one in files if _is_below(one, folder) and _is_script(one))
    return TypeChecker(
        name,
        folder,
        argv,
        places,
        silenced=own,
        silenced_by="noCheck in tsconfig.json",
        missing="" if _installed(name, places) else "npm install typescript",
    )


def _mypy(root: Path, folder: str, files: Iterable[str]) -> TypeChecker:
    home = root / folder
    places = tuple(map(str, python_places(home, root)))
    own = [path for path in files if path.endswith(tuple(_PYTHON)) and _is_below(path, folder)]
    settings = mypy_settings(home) or MypySettings({})
    named = settings.files
    listed = [*named, *(path for path in sorted(_inside(own, folder)) if not _is_in(path, named))]
    quiet = [path for path in own if settings.ignores_errors(next(iter(_inside([path], folder))))]
    return TypeChecker(
        name="mypy",
        folder=folder,
        argv=("mypy", *_MYPY, *_python_of(root, folder), "--"),
        first=places,
        files=tuple(f"./{path}" if path.startswith("@") else path for path in listed),
        sees=frozenset(own),
        silenced=frozenset(quiet),
        silenced_by="ignore_errors in mypy's settings",
        missing="" if _installed("mypy", places) else "pip install mypy",
    )


def _pyright(root: Path, folder: str, files: Iterable[str]) -> TypeChecker:
    home = root / folder
    places = (
        *map(str, python_places(home, root)),
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
    if not is_file(home / "pyrightconfig.json"):
        return tools_of(home).get("pyright")
    with suppress(ValueError, RecursionError):
        return json.loads(text_of(home / "pyrightconfig.json"))
    return None


def _named(settings: dict[str, Any]) -> list[str]:
    included = settings["include"]
    return [str(path) for path in included] if isinstance(included, list) else []


def _has_mypy(folder: Path) -> bool:
    return mypy_settings(folder) is not None


def _has_pyright(folder: Path) -> bool:
    return is_file(folder / "pyrightconfig.json") or "pyright" in tools_of(folder)


def _is_in(path: str, named: Iterable[str]) -> bool:
    """Whether a path is one of these, or below one of them."""
    plain = [name.removeprefix("./").rstrip("/") for name in named]
    return any(name in {"", "."} or path == name or path.startswith(f"{name}/") for name in plain)


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _inside(files: Iterable[str], folder: str) -> list[str]:
    return [path.removeprefix(f"{folder}/") if folder else path for path in files]


def _python_of(root: Path, folder: str) -> Words:
    """The option that has mypy look for packages in the project's environment."""
    for above in upwards(root / folder, root):
        for place in LOCAL_PYTHON:
            if (above / place / "python").exists():
                return ("--python-executable", str(above / place / "python"))
    return ()


def _installed(name: str, places: Iterable[str]) -> bool:
    return shutil.which(name, path=os.pathsep.join(places)) is not None
