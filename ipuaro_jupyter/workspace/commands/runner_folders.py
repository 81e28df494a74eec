"""Where a test runner would take other files for tests than it does at the project's root."""

import configparser
import fnmatch
import os
import re
import tomllib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ipuaro_jupyter.small_file import read_small_text
from ipuaro_jupyter.workspace.commands.program import Program, program

# The files in which pytest looks for its settings, in its order, with the section of each.
_PYTEST_FILES = {
    "pytest.toml": "pytest",
    ".pytest.toml": "pytest",
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "pyproject.toml": "tool.pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
# For each setting, a word that makes it collect other files than usual, or load other code.
_DECIDING = {
    "addopts": re.compile(
        r"-[pco].*|--(?:override-ini|rootdir|confcutdir|doctest|pyargs).*|.*\.py"
    ),
    "python_files": re.compile(r"(?!.*test).*"),
    "testpaths": re.compile(r".*(?:\.py|\.\.|\*).*|/.*"),
}
_UNREADABLE = "what cannot be read"
_MOST_ENTRIES = 50_000  # with more of them, the user is asked instead
_CODE = (".py", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".coffee")


def odd_settings(argv: Sequence[str], cwd: Path, root: Path) -> list[str]:
    """The reasons why a runner may take other files for tests where it runs.

    Args:
        argv: A command that the policy judges safe.
        cwd: The folder that it runs in.
        root: The project's folder.
    """
    name, rest = argv[0], argv[1:]
    if rest[:1] == ("-m",):
        name, rest = rest[1], rest[2:]
    if name == "pytest":
        return [*_of_pytest(rest, cwd, root), *_linked_in_pytest(rest, cwd, root)]
    known = program(name)
    links = outward_links(cwd, root) if known.tests.names else ()
    return [*_of_package_runner(known, cwd, root), *links]


def _of_package_runner(known: Program, cwd: Path, root: Path) -> list[str]:
    """The reasons of a runner whose tests are in a folder of a package, as mocha's are.

    Others, such as jest, take the folder of their settings for a package of its own.
    """
    if not any(test.startswith("/") for use in known.safe for test in use.tests):
        return []
    patterns = {pattern for use in known.safe for pattern in use.relies_on}
    found: list[str] = []
    for folder in _below(cwd, root):
        if (folder / "package.json").is_file():
            return found
        names = sorted(each.name for each in folder.iterdir() if _is_one_of(each.name, patterns))
        found += [
            f"{(folder / name).relative_to(root)} decides what its tests are" for name in names
        ]
    if cwd != root and not found:
        found.append(f"{cwd.relative_to(root)} is not where the package's tests are collected")
    return found


def _is_one_of(name: str, patterns: set[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _of_pytest(arguments: Sequence[str], cwd: Path, root: Path) -> list[str]:
    found: dict[str, None] = {}
    for place in [cwd, *filter(os.path.exists, _named(arguments, cwd))]:
        for folder in _below(place if place.is_dir() else place.parent, root):
            for name, section in _PYTEST_FILES.items():
                keys = _keys(folder / name, section)
                told = (f"{key} in {(folder / name).relative_to(root)}" for key in keys)
                found.update(dict.fromkeys(f"{each} decides what its tests are" for each in told))
    return list(found)


def _named(arguments: Sequence[str], cwd: Path) -> list[Path]:
    """The paths that operands name, or values of options."""
    return [cwd / word.partition("::")[0] for word in arguments if not word.startswith("-")]


def _linked_in_pytest(arguments: Sequence[str], cwd: Path, root: Path) -> Iterator[str]:
    """Yield the links by which pytest would run code from outside of the project."""
    named = _named(arguments, cwd)
    places = named if named and all(map(os.path.exists, named)) else [cwd]
    for place in places:
        if not is_below(place, root):
            continue  # the value of an option
        for folder in (place, *place.parents):
            conftest = folder / "conftest.py"
            if folder.is_relative_to(root) and not is_below(conftest, root):
                yield f"{conftest.relative_to(root)} leads out of the project"
        if place.is_dir():
            yield from outward_links(place, root)


def _below(folder: Path, root: Path) -> list[Path]:
    """A folder and those above it, up to the project's root, which is left out."""
    above = (folder, *folder.parents)
    return [each for each in above if each != root and each.is_relative_to(root)]


def _keys(file: Path, section: str) -> list[str]:
    """The settings of a file that decide what pytest collects, or which code it loads."""
    try:
        text = read_small_text(file)
        is_toml = file.suffix == ".toml"
        given = _of_toml(tomllib.loads(text), section) if is_toml else _of_ini(text, section)
    except FileNotFoundError:
        return []
    except (OSError, ValueError, configparser.Error):
        return [_UNREADABLE]
    return [
        key
        for key, decides in _DECIDING.items()
        if any(decides.fullmatch(word) for word in _words(given.get(key, ())))
    ]


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [str(each) for each in value] if isinstance(value, list) else []


def _of_toml(table: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    for part in section.split("."):
        inner = table.get(part)
        table = inner if isinstance(inner, dict) else {}
    options = table.get("ini_options")
    return {**table, **(options if isinstance(options, dict) else {})}


def _of_ini(text: str, section: str) -> Mapping[str, str]:
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    parser.read_string(text)
    return dict(parser.items(section)) if parser.has_section(section) else {}


def outward_links(folder: Path, root: Path) -> Iterator[str]:
    """Yield the reason to ask about a runner that collects tests in a folder, if there is one.

    Links inside the project are followed as runners do it. Left out are names that begin with a
    dot, ``node_modules`` and environments of Python, in which they look for no tests.

    Args:
        folder: The folder, with all below it.
        root: The project's folder, free of symlinks.
    """
    waiting, seen, entries = deque([folder.resolve()]), {folder.resolve()}, 0
    while waiting:
        for entry in _entries(waiting.popleft()):
            entries += 1
            if entries > _MOST_ENTRIES:
                yield f"not all links below {_told(folder, root)} could be looked at"
                return
            is_link, place = entry.is_symlink(), Path(entry.path)
            if is_link:
                place = Path(os.path.realpath(place))
            is_folder = os.path.isdir(place) if is_link else entry.is_dir()  # noqa: PTH112 - as below
            if is_folder and _is_environment(place):
                continue
            if not place.is_relative_to(root):
                if is_folder or entry.name.endswith(_CODE):
                    yield f"{_told(Path(entry.path), root)} leads out of the project"
                    return
            elif is_folder and place not in seen:
                seen.add(place)
                waiting.append(place)


def is_below(path: Path, root: Path) -> bool:
    """Whether a path is in a folder, where links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(root)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What may hold tests in a folder, by name; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            kept = [e for e in found if not e.name.startswith(".") and e.name != "node_modules"]
    except OSError:
        return []
    return sorted(kept, key=lambda entry: entry.name)


def _is_environment(folder: Path) -> bool:
    """Whether every pytest takes a folder for a virtual environment; the sign has changed."""
    signs = (folder / "bin/activate", folder / "Scripts/activate")
    return _is_file(folder / "pyvenv.cfg") and any(map(_is_file, signs))


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - pathlib's raises for a closed folder


def _told(path: Path, root: Path) -> str:
    return "the project" if path == root else str(path.relative_to(root))
