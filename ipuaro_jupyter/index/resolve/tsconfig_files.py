"""Find the configuration for a file, and read it with everything it inherits."""

from collections.abc import Callable, Iterator
from typing import Any

from ipuaro_jupyter.index.resolve.jsonc import read_object, strings
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join
from ipuaro_jupyter.index.resolve.tsconfig import TsConfig
from ipuaro_jupyter.index.resolve.tsconfig_options import build_config, own_options

_NAMES = ("tsconfig.json", "jsconfig.json")
_DEEPEST = 40  # levels of `extends`
_MOST_READ = 400  # for one configuration, in case some extend each other in a circle


class TsConfigs:
    """Finds the configuration for a file.

    Args:
        exists: Whether the project has a file.
        read: Returns the text of a file of the project; None when it cannot be read.
        of_package: Returns the file that a bare name in ``extends`` means, given the folder.
    """

    def __init__(
        self,
        exists: Callable[[str], bool],
        read: Callable[[str], str | None],
        of_package: Callable[[str, str], str | None],
    ) -> None:
        self._exists = exists
        self._read = read
        self._of_package = of_package
        self._loaded: dict[str, TsConfig] = {}
        self._raw: dict[str, dict[str, Any]] = {}
        self._nearest: dict[str, tuple[TsConfig, ...]] = {}
        self._referred: dict[str, tuple[TsConfig, ...]] = {}
        self._none = TsConfig()
        self._is_circular = False
        self._read_count = 0

    def of(self, path: str) -> TsConfig:
        """The configuration for a file: the nearest, or one that it refers to.

        The first that includes the file counts, else the first with aliases beside the nearest: a
        "solution" has no options of its own.
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
        """The configuration in a file, with everything it inherits."""
        if path not in self._loaded:
            self._is_circular, self._read_count = False, 0
            self._loaded[path] = build_config(path, self._merged(path, ()))
        return self._loaded[path]

    def referred(self, config: TsConfig) -> tuple[TsConfig, ...]:
        """The configurations that ``config`` refers to, directly or through others."""
        if config.path not in self._referred:
            found = tuple(self._with_references(config.path))[1:] if config.references else ()
            self._referred[config.path] = found
        return self._referred[config.path]

    def _candidates(self, folder: str) -> Iterator[TsConfig]:
        """Yield the nearest configuration and those that it refers to."""
        for above in folders_up(folder):
            for name in _NAMES:
                path = f"{above}/{name}" if above else name
                if self._exists(path):
                    yield from self._with_references(path)
                    return
        yield self._none

    def _with_references(self, path: str) -> Iterator[TsConfig]:
        """Yield a configuration and those that it refers to, nearer ones first."""
        seen: set[str] = set()
        waiting = [path]
        while waiting:
            path = waiting.pop()
            if path in seen:
                continue
            seen.add(path)
            config = self.load(path)
            yield config
            for reference in reversed(config.references):
                is_file = reference.endswith(".json")
                target = reference if is_file else f"{reference}/tsconfig.json".lstrip("/")
                if self._exists(target):
                    waiting.append(target)

    def _merged(self, path: str, above: tuple[str, ...]) -> dict[str, Any]:
        """The options of a file merged over those it extends, with paths made absolute."""
        if path in self._raw:
            return self._raw[path]
        self._read_count += 1
        if path in above or len(above) > _DEEPEST or self._read_count > _MOST_READ:
            self._is_circular = True
            return {}
        own = read_object(self._read(path))
        extended = own.get("extends")
        names = [extended] if isinstance(extended, str) else strings(extended)
        merged: dict[str, Any] = {}
        for name in names:
            parent = self._extended(name, folder_of(path))
            if parent is not None:
                merged |= self._merged(parent, (*above, path))
        merged.pop("references", None)
        merged |= own_options(own, folder_of(path))
        if not self._is_circular:  # the members of a circle depend on where it is entered
            self._raw[path] = merged
        return merged

    def _extended(self, name: str, folder: str) -> str | None:
        """The file that ``extends`` names; None when the project does not have it."""
        if not name.startswith(("./", "../")):
            return self._of_package(name, folder)
        place = join(folder, name)
        for path in (place, f"{place}.json") if place else ():
            if self._exists(path):
                return path
            if name.endswith(".json"):
                break
        return None
