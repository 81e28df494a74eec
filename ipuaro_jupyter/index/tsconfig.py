"""What tsconfig.json and jsconfig.json say of how imports are resolved.

Paths are relative to the project; what leads out of it is left out.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from ipuaro_jupyter.index.json_text import read_object, strings
from ipuaro_jupyter.index.project_paths import folder_of, folders_up, join, matches_any

Mode = Literal["node10", "node16", "bundler"]

_NAMES = ("tsconfig.json", "jsconfig.json")
_FOLDERS = ("outDir", "declarationDir", "rootDir", "baseUrl")
_HERE = "${configDir}"
_MODES: dict[str, Mode] = {
    "node16": "node16",
    "node18": "node16",
    "node20": "node16",
    "nodenext": "node16",
    "bundler": "bundler",
    "preserve": "bundler",
}


@dataclass(frozen=True)
class Alias:
    """An entry of ``paths``: a name with at most one ``*``, and where it leads, in order."""

    prefix: str
    suffix: str | None
    targets: tuple[str, ...]

    def fill(self, name: str) -> str | None:
        """Return what the ``*`` stands for in ``name``, "" when there is none; None: no match."""
        if self.suffix is None:
            return "" if name == self.prefix else None
        fits = len(name) >= len(self.prefix) + len(self.suffix)
        if fits and name.startswith(self.prefix) and name.endswith(self.suffix):
            return name[len(self.prefix) : len(name) - len(self.suffix)]
        return None


@dataclass(frozen=True)
class TsConfig:
    """A configuration with what it inherits.

    Attributes:
        path: The file; "" when there is none.
        mode: The way of resolving; "classic" counts as "node10".
        base_url: What bare names are looked up in.
        aliases: ``paths``, relative to `aliases_base`.
        aliases_base: The folder that targets of aliases are relative to, unless they begin with
            a slash: those are relative to the project.
        root_dirs: Folders that count as one.
        suffixes: ``moduleSuffixes``, tried in order.
        conditions: ``customConditions``.
        outputs: ``outDir`` and ``declarationDir``.
        root_dir: What is compiled into `outputs`; None when it is not said.
    """

    path: str = ""
    mode: Mode = "node10"
    base_url: str | None = None
    aliases: tuple[Alias, ...] = ()
    aliases_base: str = ""
    root_dirs: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ("",)
    conditions: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    root_dir: str | None = None
    files: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    def includes(self, path: str) -> bool:
        """Return whether the configuration is for the file ``path``."""
        if self.files is not None and path in self.files:
            return True
        patterns = self.include
        if patterns is None:
            folder = folder_of(self.path)
            patterns = () if self.files is not None else (f"{folder}/**" if folder else "**",)
        included = matches_any(path, patterns)
        return included and not matches_any(path, self.exclude, below=True)

    def alias(self, name: str) -> tuple[Alias, str] | None:
        """Return the entry of ``paths`` for a bare name, and what its ``*`` stands for."""
        best: tuple[Alias, str] | None = None
        for alias in self.aliases:
            filled = alias.fill(name)
            if filled is None:
                continue
            if alias.suffix is None:
                return alias, filled
            if best is None or len(alias.prefix) > len(best[0].prefix):
                best = alias, filled
        return best


class TsConfigs:
    """Finds the configuration for a file.

    Args:
        exists: Whether the project has a file.
        read: Returns the text of a file of the project; None when it cannot be read.
        package_folder: Returns the folder of a package of the project by name, as seen from a
            folder; for ``extends``.
    """

    def __init__(
        self,
        exists: Callable[[str], bool],
        read: Callable[[str], str | None],
        package_folder: Callable[[str, str], str | None],
    ) -> None:
        self._exists = exists
        self._read = read
        self._package_folder = package_folder
        self._loaded: dict[str, TsConfig] = {}
        self._raw: dict[str, dict[str, Any]] = {}
        self._nearest: dict[str, tuple[TsConfig, ...]] = {}

    def of(self, path: str) -> TsConfig:
        """Return the configuration for a file: the nearest, or one of those that it refers to.

        The first that includes the file counts, else the first with aliases beside the nearest:
        a "solution" has no options of its own.
        """
        folder = folder_of(path)
        candidates = self._nearest.get(folder)
        if candidates is None:
            candidates = self._nearest[folder] = tuple(self._candidates(folder))
        nearest = candidates[0]
        if len(candidates) == 1:
            return nearest
        beside = (
            c for c in candidates if c.aliases and folder_of(c.path) == folder_of(nearest.path)
        )
        return next((c for c in candidates if c.includes(path)), next(beside, nearest))

    def load(self, path: str) -> TsConfig:
        """Return the configuration in a file, with what it inherits."""
        if path not in self._loaded:
            self._loaded[path] = _made(path, self._merged(path, ()))
        return self._loaded[path]

    def _candidates(self, folder: str) -> Iterator[TsConfig]:
        """Yield the nearest configuration and those that it refers to."""
        for above in folders_up(folder):
            for name in _NAMES:
                path = f"{above}/{name}" if above else name
                if self._exists(path):
                    yield from self._with_references(path, set())
                    return
        yield TsConfig()

    def _with_references(self, path: str, seen: set[str]) -> Iterator[TsConfig]:
        if path in seen:
            return
        seen.add(path)
        config = self.load(path)
        yield config
        for reference in config.references:
            target = reference if self._exists(reference) else f"{reference}/tsconfig.json"
            if self._exists(target):
                yield from self._with_references(target, seen)

    def _merged(self, path: str, above: tuple[str, ...]) -> dict[str, Any]:
        """Return the options of a file over those of what it extends, paths made absolute."""
        if path in above:
            return {}
        if path in self._raw:
            return self._raw[path]
        own = read_object(self._read(path))
        extended = own.get("extends")
        names = [extended] if isinstance(extended, str) else strings(extended)
        merged: dict[str, Any] = {}
        for name in names:
            parent = self._extended(name, folder_of(path))
            if parent is not None:
                merged |= self._merged(parent, (*above, path))
        merged.pop("references", None)
        merged |= _own(own, folder_of(path))
        self._raw[path] = merged
        return merged

    def _extended(self, name: str, folder: str) -> str | None:
        """Return the file that ``extends`` names; None when the project does not have it."""
        if name.startswith(("./", "../")) or name in (".", ".."):
            places = [join(folder, name)]
        else:
            parts = name.split("/")
            length = 2 if name.startswith("@") else 1
            package = self._package_folder("/".join(parts[:length]), folder)
            if package is None:
                return None
            rest = "/".join(parts[length:])
            if not rest:
                said = read_object(self._read(join(package, "package.json") or "")).get("tsconfig")
                rest = said if isinstance(said, str) else "tsconfig.json"
            places = [join(package, rest)]
            places.append(join(package, f"{rest}/tsconfig.json"))
        for place in places:
            for candidate in (place, f"{place}.json") if place else ():
                if candidate and self._exists(candidate):
                    return candidate
        return None


def _own(own: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return the options of one file, flat, its paths relative to the project."""
    made: dict[str, Any] = {}
    options = own.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    for name in _FOLDERS:
        if isinstance(options.get(name), str):
            made[name] = _place(options[name], folder)
    if "rootDirs" in options:
        made["rootDirs"] = [_place(path, folder) for path in strings(options["rootDirs"])]
    if isinstance(options.get("paths"), dict):
        made["paths"], made["pathsBase"] = options["paths"], folder
    for name in ("moduleResolution", "module", "moduleSuffixes", "customConditions"):
        if name in options:
            made[name] = options[name]
    for name in ("files", "include", "exclude"):
        if isinstance(own.get(name), list):
            made[name] = [_place(path, folder) for path in strings(own[name])]
    if isinstance(own.get("references"), list):
        paths = (item.get("path") for item in own["references"] if isinstance(item, dict))
        made["references"] = [_place(path, folder) for path in paths if isinstance(path, str)]
    return made


def _place(path: str, folder: str) -> str | None:
    """Return a path of an option; ``${configDir}`` waits until the last heir is known."""
    return path if path.startswith(_HERE) else join(folder, path)


def _made(path: str, options: dict[str, Any]) -> TsConfig:
    folder = folder_of(path)

    def here(place: str | None) -> str | None:
        if place is None or not place.startswith(_HERE):
            return place
        return join(folder, place.replace(_HERE, ".", 1))

    def places(name: str) -> tuple[str, ...]:
        found = (here(place) for place in options.get(name) or ())
        return tuple(place for place in found if place is not None)

    base_url = here(options.get("baseUrl"))
    outputs = (here(options.get(name)) for name in ("outDir", "declarationDir"))
    config = TsConfig(
        path=path,
        mode=_mode(options),
        base_url=base_url,
        aliases=tuple(_aliases(options.get("paths", {}), folder)),
        aliases_base=options.get("pathsBase", "") if base_url is None else base_url,
        root_dirs=places("rootDirs"),
        suffixes=tuple(strings(options.get("moduleSuffixes"))) or ("",),
        conditions=tuple(strings(options.get("customConditions"))),
        outputs=tuple(output for output in outputs if output),
        root_dir=here(options.get("rootDir")),
        files=places("files") if "files" in options else None,
        exclude=places("exclude"),
        references=places("references"),
    )
    if "include" not in options:
        return config
    return replace(config, include=tuple(map(_open, places("include"))))


def _open(pattern: str) -> str:
    """Return a pattern of ``include``; a folder means everything in it."""
    last = pattern.rpartition("/")[2]
    is_file = "*" in last or "?" in last or re.search(r"\.(?:[cm]?[jt]sx?|json)$", last)
    return pattern if is_file else f"{pattern}/**"


def _mode(options: dict[str, Any]) -> Mode:
    said = options.get("moduleResolution") or options.get("module")
    return _MODES.get(said.lower(), "node10") if isinstance(said, str) else "node10"


def _aliases(paths: dict[str, Any], folder: str) -> Iterator[Alias]:
    for pattern, targets in paths.items():
        if pattern.count("*") > 1:
            continue
        prefix, star, suffix = pattern.partition("*")
        places = (_target(target, folder) for target in strings(targets))
        filled = tuple(place for place in places if place is not None)
        yield Alias(prefix=prefix, suffix=suffix if star else None, targets=filled)


def _target(target: str, folder: str) -> str | None:
    """Return a target of an alias; one that begins with a slash is relative to the project."""
    if target.startswith("/"):
        return None
    if not target.startswith(_HERE):
        return target
    place = join(folder, target.replace(_HERE, ".", 1))
    return None if place is None else f"/{place}"
