"""The settings in a project that decide what runs under a program's name.

A package manager can be told to start another copy of itself, another shell, or code before all
else. The keys that cannot do so are a closed list, so that an unforeseen one counts.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ipuaro_jupyter.small_file import read_small, read_small_text
from ipuaro_jupyter.workspace.commands.program import program

_OF_REGISTRY = re.compile(r"//.*|(@[^:\s]+:)?registry")
_VERSION = re.compile(r"[a-z]+@\d[\w.+-]*")
_RANGE = re.compile(r"[\w.+*<>=~^| -]*")
_YARN_1 = re.compile(r"""(?:"([^"]*)"|([^\s",:]+))\s+(?:"[^"]*"|[^\s",]+)""")
_UNREADABLE = "what cannot be read"
# In these, asdf, mise and pyenv look up which version of a program its name stands for.
_VERSION_FILES = (".tool-versions", ".python-version", ".node-version", ".ruby-version")
_LEADS = re.compile(r"\bpath:|(?:^|[\s/])\.\.(?:/|$)", re.MULTILINE)


def deciding_settings(name: str, folders: Sequence[Path]) -> list[str]:
    """The settings in some folders that may decide what a program runs, with their files.

    Args:
        name: The program.
        folders: The folders that apply.
    """
    known = program(name)
    managers = [named for folder in folders for named in _named_managers(folder)]
    odd = [f"{key} in package.json" for key, named in managers if not _is_version(named)]
    fetches = known.manager is not None and not known.registry and bool(managers)
    found = [
        f"{key} in {file}"
        for folder in folders
        for file, harmless in known.settings.items()
        for key in _keys(folder / file)
        if key not in harmless and (fetches or not _OF_REGISTRY.fullmatch(key))
    ]
    found += [
        f"a path in {file}"
        for folder in folders
        for file in _VERSION_FILES
        if _LEADS.search(_text(folder / file))
    ]
    return [*found, *dict.fromkeys(odd)] if known.manager else found


def _text(file: Path) -> str:
    """The text of a file; "" where there is none to read."""
    try:
        return read_small_text(file, "replace")
    except OSError:
        return ""


def _keys(file: Path) -> Iterator[str]:
    """Yield the keys at the top level of a file of settings, and `_UNREADABLE` for the rest."""
    try:
        text = read_small_text(file, "replace")
    except FileNotFoundError:
        return
    except OSError:
        yield _UNREADABLE
        return
    is_yaml, is_first = file.suffix in {".yml", ".yaml"}, True
    for line in text.splitlines():
        bare = line.strip()
        is_first |= bare == "---"
        if not bare or bare.startswith(("#", ";")) or bare in {"---", "[toolchain]"}:
            continue
        is_inner = is_yaml and line[:1] in {" ", "\t", "-"}
        if is_inner and is_first:  # the keys at the top level may all be indented
            yield _UNREADABLE
        elif not is_inner:
            yield _key(file.name, bare)
        is_first = False


def _key(file: str, line: str) -> str:
    if file == ".yarnrc":  # one line could hold several
        found = _YARN_1.fullmatch(line)
        return (found[1] or found[2]) if found else _UNREADABLE
    key, _, _ = line.partition(":" if file.endswith((".yml", ".yaml")) else "=")
    key = key.strip().strip("'\"").removesuffix("[]")
    return key if re.fullmatch(r"[\w./@:-]+", key) else _UNREADABLE


def _is_version(named: object) -> bool:
    """Whether this is a package manager's name and version, and no address of another."""
    if not isinstance(named, dict):
        return isinstance(named, str) and _VERSION.fullmatch(named) is not None
    name, version = named.get("name"), named.get("version", "")
    return (
        named.keys() <= {"name", "version", "onFail"}
        and isinstance(name, str)
        and re.fullmatch("[a-z]+", name) is not None
        and isinstance(version, str)
        and _RANGE.fullmatch(version) is not None
    )


def _named_managers(folder: Path) -> list[tuple[str, object]]:
    """The package managers that package.json names, which others may fetch and start."""
    try:
        package = json.loads(read_small(folder / "package.json"))
    except (OSError, ValueError):
        return []
    if not isinstance(package, dict):
        return []
    engines = package.get("devEngines")
    of_engines = engines.get("packageManager") if isinstance(engines, dict) else None
    given = [("packageManager", package.get("packageManager"))]
    each = of_engines if isinstance(of_engines, list) else [of_engines]
    given += [("devEngines.packageManager", named) for named in each]
    return [(key, named) for key, named in given if named is not None]
