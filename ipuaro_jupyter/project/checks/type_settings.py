"""Settings with which a type checker reports no errors of some files, though it reads them."""

import configparser
import fnmatch
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ipuaro_jupyter.project.project_tests.settings_files import is_file, text_of, toml_of

_MYPY_FILES = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
_TRUE = frozenset({"1", "yes", "true", "on"})
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])")
_MOST_EXTENDED = 50  # configurations, in case some extend each other in a circle


class MypySettings(NamedTuple):
    """The settings of mypy: those of all modules, and those of modules that match patterns."""

    every: Mapping[str, Any]
    some: tuple[tuple[Sequence[str], Mapping[str, Any]], ...] = ()

    def ignores_errors(self, path: str) -> bool:
        """Whether errors in a file, relative to the folder of the settings, may be ignored."""
        parts = path.rpartition(".")[0].removesuffix("/__init__").split("/")
        names = [".".join(parts[start:]) for start in range(len(parts))]
        said = [
            _is_on(settings["ignore_errors"])
            for patterns, settings in self.some
            if "ignore_errors" in settings
            and any(_matches(name, pattern) for name in names for pattern in patterns)
        ]
        return any(said) if said else _is_on(self.every.get("ignore_errors"))

    @property
    def files(self) -> list[str]:
        """The files and folders that are checked, as they are written there."""
        named = self.every.get("files") or []
        if isinstance(named, str):
            return [part.strip() for part in named.split(",") if part.strip()]
        return [str(file) for file in named] if isinstance(named, list) else []


def mypy_settings(folder: Path) -> MypySettings | None:
    """The settings of mypy in a folder; None when it has none."""
    for name in _MYPY_FILES:
        if name.endswith(".toml"):
            own = tools_of(folder).get("mypy")
            if isinstance(own, dict):
                return MypySettings(own, tuple(_overrides(own)))
        elif is_file(folder / name):
            parser = _ini(folder / name)
            if name != "setup.cfg" or parser.has_section("mypy"):
                every = dict(parser["mypy"]) if parser.has_section("mypy") else {}
                return MypySettings(every, tuple(_sections(parser)))
    return None


def tools_of(folder: Path) -> dict[str, Any]:
    """The table ``tool`` of a folder's pyproject.toml."""
    tools = toml_of(folder / "pyproject.toml").get("tool")
    return tools if isinstance(tools, dict) else {}


def has_no_check(config: Path) -> bool:
    """Whether a tsconfig.json, one that it extends or one that it refers to sets ``noCheck``."""
    return any(_tsconfigs(config))


def _tsconfigs(config: Path) -> Iterator[bool]:
    pending, read = [config], 0
    while pending and read < _MOST_EXTENDED:
        path, read = pending.pop(), read + 1
        settings = _jsonc(text_of(path))
        options = settings.get("compilerOptions")
        own = options.get("noCheck") if isinstance(options, dict) else None
        yield own is True
        if own is None:
            given = settings.get("extends", [])
            bases = [given] if isinstance(given, str) else given if isinstance(given, list) else []
            pending += [place for base in bases for place in _extended(path.parent, str(base))]
        references = settings.get("references")
        for one in references if isinstance(references, list) else ():
            if isinstance(one, dict) and isinstance(one.get("path"), str):
                place = path.parent / one["path"]
                pending.append(place if place.suffix == ".json" else place / "tsconfig.json")


def _extended(folder: Path, base: str) -> Iterator[Path]:
    """The file that ``extends`` means, if it is there."""
    above = [folder] if base.startswith((".", "/")) else [
        one / "node_modules" for one in (folder, *folder.parents)
    ]  # fmt: skip
    for one in above:
        for end in ("", ".json", "/tsconfig.json"):
            if is_file(one / f"{base}{end}"):
                yield one / f"{base}{end}"
                return


def _jsonc(text: str) -> dict[str, Any]:
    plain = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    plain = _COMMA.sub(lambda found: found[0] if found[0][0] == '"' else "", plain)
    with suppress(ValueError, RecursionError):
        value = json.loads(plain)
        if isinstance(value, dict):
            return value
    return {}


def _overrides(own: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], Mapping[str, Any]]]:
    overrides = own.get("overrides", [])
    for one in overrides if isinstance(overrides, list) else ():
        if isinstance(one, dict):
            named = one.get("module", [])
            yield ([named] if isinstance(named, str) else [str(name) for name in named]), one


def _sections(
    parser: configparser.RawConfigParser,
) -> Iterator[tuple[Sequence[str], Mapping[str, Any]]]:
    for section in parser.sections():
        if section.startswith("mypy-"):
            named = section.removeprefix("mypy-").split(",")
            yield [name.strip() for name in named], dict(parser[section])


def _matches(name: str, pattern: str) -> bool:
    """Whether mypy takes the settings for a pattern for those of a module: * is any modules."""
    return fnmatch.fnmatchcase(name, pattern) or f"{name}.*" == pattern


def _is_on(value: object) -> bool:
    return value.lower() in _TRUE if isinstance(value, str) else value is True


def _ini(path: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    with suppress(configparser.Error):
        parser.read_string(text_of(path))
    return parser
