"""Python files added from outside the package: a tool or a view each."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from ipuaro_jupyter.errors import SettingsError

_loaded: dict[Path, tuple[int, ModuleType]] = {}


def added_modules(variable: str) -> tuple[ModuleType, ...]:
    """The modules in the folders that an environment variable names, by folder and name.

    A file is imported once, and again when it has changed. Those whose name begins with an
    underscore are left out.

    Args:
        variable: Holds folders, separated as in PATH; empty or unset means none. It is the user's
            own: a cloned project cannot set it.

    Raises:
        SettingsError: A folder is missing or relative, or a file cannot be imported.
    """
    return tuple(_module(file, variable) for file in _files(variable))


def added_module(variable: str, name: str) -> ModuleType | None:
    """The module with a name, from the last folder that has it; no other file is imported.

    Args:
        variable: As for `added_modules`.
        name: The file's name without its ``.py``.

    Raises:
        SettingsError: A folder is missing or relative, or the file cannot be imported.
    """
    named = [file for file in _files(variable) if file.stem == name]
    return _module(named[-1], variable) if named else None


def is_added(variable: str, name: str) -> bool:
    """Whether there is a file with a name; it need not be usable.

    Raises:
        SettingsError: A folder is missing or relative.
    """
    return any(file.stem == name for file in _files(variable))


def named_folders(variable: str, value: str) -> list[Path]:
    """The folders that the value of an environment variable names, separated as in PATH.

    Raises:
        SettingsError: One is missing, or relative: it would depend on the working folder, so that
            code of a cloned project would run when the user merely changes into it.
    """
    folders = []
    for part in filter(None, value.split(os.pathsep)):
        try:
            folder = Path(part).expanduser()
        except RuntimeError:  # the ~ of an unknown user
            folder = Path(part)
        if not folder.is_absolute():
            raise SettingsError(
                f"{variable} names {part!r}, which is no absolute path: it would be another folder "
                "wherever you work. Write it in full, or from ~ on."
            )
        if not folder.is_dir():
            raise SettingsError(f"{variable} names {str(folder)!r}, which is no folder. Mend it.")
        folders.append(folder)
    return folders


def _files(variable: str) -> list[Path]:
    folders = named_folders(variable, os.environ.get(variable, ""))
    return [file for folder in folders for file in sorted(folder.glob("[!_]*.py"))]


def _module(file: Path, variable: str) -> ModuleType:
    """Import a file, unless it is unchanged since the last time."""
    changed_ns = file.stat().st_mtime_ns
    known = _loaded.get(file)
    if known is not None and known[0] == changed_ns:
        return known[1]
    name = f"{variable.lower()}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise SettingsError(f"{file} (from {variable}) is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pydantic looks for the names in its annotations
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise SettingsError(
            f"{file} (from {variable}) cannot be imported: {type(error).__name__}: {error}"
        ) from error
    _loaded[file] = (changed_ns, module)
    return module
