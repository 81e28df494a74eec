"""What package.json and the files of workspaces say of the packages of a project."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ipuaro_jupyter.index.json_text import read_object, strings
from ipuaro_jupyter.index.project_paths import folder_of, folders_up, join, matches_any

_DEPENDENCIES = (
    *("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"),
    "resolutions",
)
_LOCAL = re.compile(r"(?:workspace|file|link|portal):")
_MAINS = ("source", "types", "typings", "module", "main")


@dataclass(frozen=True)
class Package:
    """A folder with a package.json; ``said`` is what that holds."""

    folder: str
    said: dict[str, Any]

    def field(self, name: str) -> str | None:
        """Return a field that holds text."""
        value = self.said.get(name)
        return value if isinstance(value, str) and value else None

    @property
    def name(self) -> str:
        """The package's name; "" when it has none."""
        return self.field("name") or ""

    def depends_locally_on(self, name: str) -> bool:
        """Return whether a dependency is said to be a folder and not a release."""
        for kind in _DEPENDENCIES:
            listed = self.said.get(kind)
            version = listed.get(name) if isinstance(listed, dict) else None
            if isinstance(version, str) and _LOCAL.match(version):
                return True
        return False

    @cached_property
    def workspaces(self) -> tuple[str, ...]:
        """The globs of ``workspaces``, relative to the package."""
        said = self.said.get("workspaces")
        return tuple(strings(said.get("packages") if isinstance(said, dict) else said))

    def exported(self, subpath: str, conditions: Collection[str]) -> Iterator[str]:
        """Yield what ``exports`` offers for "." or "./sub/path", in the order to try."""
        table = self.said.get("exports")
        if isinstance(table, dict) and any(str(key).startswith(".") for key in table):
            yield from _matching(table, subpath, conditions)
        elif subpath == "." and table is not None:
            yield from _targets(table, "", conditions, pattern=False)

    def imported(self, name: str, conditions: Collection[str]) -> Iterator[str]:
        """Yield what ``imports`` gives for "#name", in the order to try."""
        table = self.said.get("imports")
        if isinstance(table, dict):
            yield from _matching(table, name, conditions)

    def mains(self) -> Iterator[str]:
        """Yield the files that the package is said to be, as they are written."""
        yield from (value for name in _MAINS if (value := self.field(name)) is not None)

    def entries(self) -> Iterator[str]:
        """Yield every file that the package offers to the outside, as it is written."""
        yield from self.mains()
        for name in ("browser", "bin", "exports"):
            yield from (target for target in _all(self.said.get(name)) if "*" not in target)


class Packages:
    """The packages of a project.

    Args:
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
    """

    def __init__(self, files: Collection[str], read: Callable[[str], str | None]) -> None:
        self._files = files
        self._read = read
        self._loaded: dict[str, Package | None] = {}
        self._scopes: dict[str, Package | None] = {}

    def at(self, folder: str) -> Package | None:
        """Return the package that has its package.json in ``folder``."""
        if folder not in self._loaded:
            path = f"{folder}/package.json" if folder else "package.json"
            found = None
            if path in self._files:
                found = Package(folder, read_object(self._read(path)))
            self._loaded[folder] = found
        return self._loaded[folder]

    def around(self, folder: str) -> Package | None:
        """Return the package that ``folder`` belongs to."""
        if folder not in self._scopes:
            found = (self.at(above) for above in folders_up(folder))
            self._scopes[folder] = next((package for package in found if package), None)
        return self._scopes[folder]

    def named(self, name: str, folder: str) -> Package | None:
        """Return the package of the project that ``name`` means in ``folder``; None: no such.

        It counts when it is the one around, when it is in a workspace, or when the package
        around says that it depends on a folder. Any other package.json of that name, as in a
        test's fixtures, does not.
        """
        around = self.around(folder)
        if around is not None and around.name == name:
            return around
        found = self._workspaces.get(name)
        if found is None and around is not None and around.depends_locally_on(name):
            found = self._by_name.get(name)
        return found

    @cached_property
    def all(self) -> tuple[Package, ...]:
        """Every package, by the path of its folder."""
        folders = sorted(
            folder_of(path)
            for path in self._files
            if path == "package.json" or path.endswith("/package.json")
        )
        return tuple(package for folder in folders if (package := self.at(folder)) is not None)

    @cached_property
    def _by_name(self) -> dict[str, Package]:
        return {package.name: package for package in reversed(self.all) if package.name}

    @cached_property
    def _workspaces(self) -> dict[str, Package]:
        """The packages that belong to a workspace, by name."""
        included, excluded = self._globs()
        return {
            package.name: package
            for package in reversed(self.all)
            if package.name
            and matches_any(package.folder, included)
            and not matches_any(package.folder, excluded)
        }

    def _globs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the globs of all workspaces, relative to the project, and those that exclude."""
        included: list[str] = []
        excluded: list[str] = []
        for folder, globs in self._declared():
            for glob in globs:
                place = join(folder, glob.removeprefix("!"))
                if place is not None:
                    (excluded if glob.startswith("!") else included).append(place)
        return tuple(included), tuple(excluded)

    def _declared(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for package in self.all:
            yield package.folder, package.workspaces
        for path in self._files:
            name = path.rpartition("/")[2]
            if name == "pnpm-workspace.yaml":
                yield folder_of(path), tuple(_pnpm_globs(self._read(path) or ""))
            elif name == "lerna.json":
                said = read_object(self._read(path))
                yield folder_of(path), tuple(strings(said.get("packages")))


def _pnpm_globs(text: str) -> Iterator[str]:
    """Yield the items of ``packages`` in a pnpm-workspace.yaml, of which no more is understood."""
    inside = False
    for line in text.splitlines():
        content = re.sub(r"(?:^|\s)#.*", "", line).rstrip()
        if found := re.fullmatch(r"packages\s*:\s*(?:\[(.*)\])?", content):
            inside = True
            yield from (part.strip().strip("'\"") for part in (found[1] or "").split(",") if part)
        elif content and content[0] not in " -":
            inside = False
        elif inside and (item := re.fullmatch(r"\s*-\s+(.+)", content)):
            yield item[1].strip().strip("'\"")


def _matching(table: dict[str, Any], name: str, conditions: Collection[str]) -> Iterator[str]:
    """Yield the targets of the entry for ``name``: itself, else the most special pattern."""
    if name in table and "*" not in name and not name.endswith("/"):
        yield from _targets(table[name], "", conditions, pattern=False)
        return
    patterns = [key for key in table if key.count("*") == 1 or key.endswith("/")]
    for key in sorted(patterns, key=_speciality):
        prefix, star, suffix = key.partition("*")
        if not name.startswith(prefix) or not name.endswith(suffix):
            continue
        if star and len(name) < len(key):
            continue
        subpath = name[len(prefix) : len(name) - len(suffix)]
        yield from _targets(table[key], subpath, conditions, pattern=bool(star))
        return


def _speciality(key: str) -> tuple[int, bool, int]:
    """Return what patterns are sorted by: PATTERN_KEY_COMPARE of Node's documentation."""
    star = key.find("*")
    return -(star + 1 or len(key)), star < 0, -len(key)


def _targets(
    target: object, subpath: str, conditions: Collection[str], *, pattern: bool
) -> Iterator[str]:
    """Yield the texts that a target leads to under the conditions."""
    if isinstance(target, str):
        if pattern:
            yield target.replace("*", subpath)
        elif not subpath or target.endswith("/"):
            yield target + subpath
    elif isinstance(target, list):
        for item in target:
            yield from _targets(item, subpath, conditions, pattern=pattern)
    elif isinstance(target, dict):
        for condition, item in target.items():
            if condition in conditions or condition == "default" or condition.startswith("types@"):
                yield from _targets(item, subpath, conditions, pattern=pattern)


def _all(target: object) -> Iterator[str]:
    """Yield every text in a target, whatever the conditions."""
    if isinstance(target, str):
        yield target
    elif isinstance(target, list | dict):
        for item in target.values() if isinstance(target, dict) else target:
            yield from _all(item)
