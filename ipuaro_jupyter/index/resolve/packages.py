"""The packages of a project: its package.json files and the links between them."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

from ipuaro_jupyter.index.resolve.export_maps import ExportMap, every_target
from ipuaro_jupyter.index.resolve.jsonc import read_object, strings
from ipuaro_jupyter.index.resolve.path_patterns import PathPatterns
from ipuaro_jupyter.index.resolve.project_paths import folder_of, folders_up, join, matches_any
from ipuaro_jupyter.index.resolve.version_ranges import is_in_range

_INSTALLED = "node_modules/"
_MAINS = ("source", "types", "typings", "module", "main")
Links = dict[str, dict[str, str]]
"""For each package name, the folders whose node_modules have it, with its own folder."""
_DEPENDENCIES = (
    *("devDependencies", "peerDependencies", "optionalDependencies", "dependencies"),
    "resolutions",
)
_PACKAGE = "package.json"  # globs of workspaces are for its path: "a/**" includes "a" itself
_DECLARING = ("pnpm-workspace.yaml", "lerna.json")
_LOCAL = re.compile(r"(workspace|file|link|portal):(.*)", re.DOTALL)
_ALIAS = re.compile(r"((?:@[^@/]+/)?[^@/]+)@")


class WorkspaceConfig(Protocol):
    """A package with its workspace globs."""

    @property
    def folder(self) -> str:
        """Its folder."""

    @property
    def workspaces(self) -> tuple[str, ...]:
        """The globs, relative to the folder."""


@dataclass(frozen=True)
class Package:
    """A folder with a package.json; ``said`` is the content of that file."""

    folder: str
    said: dict[str, Any]

    def field(self, name: str) -> str | None:
        """The value of a field that holds a string; None for any other."""
        value = self.said.get(name)
        return value if isinstance(value, str) and value else None

    @property
    def name(self) -> str:
        """The package's name; "" when it has none."""
        return self.field("name") or ""

    @property
    def is_module(self) -> bool:
        """Whether its ``.js`` files are ES modules."""
        return self.said.get("type") == "module"

    @property
    def has_exports(self) -> bool:
        """Whether it declares ``exports``; an empty list or table exports nothing."""
        return self.said.get("exports") not in (None, False, "", 0)

    @cached_property
    def exports(self) -> ExportMap:
        """The files that it exports, by name."""
        return ExportMap(self.said.get("exports"))

    @cached_property
    def imports(self) -> ExportMap:
        """The meanings of names that begin with "#" inside it."""
        return ExportMap(self.said.get("imports"), is_imports=True)

    @cached_property
    def workspaces(self) -> tuple[str, ...]:
        """The globs of ``workspaces``, relative to the package."""
        said = self.said.get("workspaces")
        return tuple(strings(said.get("packages") if isinstance(said, dict) else said))

    @cached_property
    def typed_versions(self) -> PathPatterns | None:
        """The entry of ``typesVersions`` for our TypeScript: paths and their replacements."""
        versions = self.said.get("typesVersions")
        if not isinstance(versions, dict):
            return None
        paths = next((paths for key, paths in versions.items() if is_in_range(key)), None)
        if not isinstance(paths, dict):
            return None
        return PathPatterns({name: strings(targets) for name, targets in paths.items()})

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names of the packages that it depends on."""
        fields = (self.said.get(field) for field in _DEPENDENCIES)
        return frozenset(chain.from_iterable(said for said in fields if isinstance(said, dict)))

    def mains(self) -> Iterator[str]:
        """Yield the declared main files, as written."""
        yield from (value for name in _MAINS if (value := self.field(name)) is not None)

    def entries(self) -> Iterator[str]:
        """Yield every declared entry point, as written."""
        yield from self.mains()
        for name in ("browser", "bin", "exports"):
            yield from (t for t in every_target(self.said.get(name)) if "*" not in t)


class Packages:
    """The packages of a project.

    Args:
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
        installed: The folders that links in ``node_modules`` lead to, by the links' paths.
    """

    def __init__(
        self,
        files: Collection[str],
        read: Callable[[str], str | None],
        *,
        installed: Mapping[str, str] | None = None,
    ) -> None:
        self._installed = installed or {}
        self._files = files
        self._read = read
        self._loaded: dict[str, Package | None] = {}
        self._scopes: dict[str, Package | None] = {}

    def at(self, folder: str) -> Package | None:
        """The package whose package.json is in ``folder``."""
        if folder not in self._loaded:
            path = f"{folder}/package.json" if folder else "package.json"
            found = None
            if path in self._files:
                found = Package(folder, read_object(self._read(path)))
            self._loaded[folder] = found
        return self._loaded[folder]

    def around(self, folder: str) -> Package | None:
        """The package that ``folder`` belongs to."""
        if folder not in self._scopes:
            found = (self.at(above) for above in folders_up(folder))
            self._scopes[folder] = next((package for package in found if package), None)
        return self._scopes[folder]

    def linked(self, name: str, folder: str) -> Iterator[str]:
        """Yield the folders that installing links into node_modules under a name.

        Those of ``folder`` come first, then those of the folders above.
        """
        places = self._links.get(name)
        if places is not None:
            for above in folders_up(folder):
                if above in places:
                    yield places[above]

    def linked_in(self, name: str, folder: str) -> str | None:
        """The folder that node_modules in exactly this folder has under a name."""
        places = self._links.get(name)
        return None if places is None else places.get(folder)

    def has_links(self, name: str) -> bool:
        """Whether installing links a folder of the project under this name."""
        return name in self._links

    def place(self, folder: str) -> str:
        """A folder in which every bare name has the same meaning as in ``folder``."""
        for above in folders_up(folder):
            if above in self._holders or self.at(above) is not None:
                return above
        return ""

    def named(self, name: str, folder: str) -> Package | None:
        """The package of the project that ``name`` most likely means in ``folder``.

        The enclosing package comes first, then linked ones, then any in a workspace. Any other
        package.json of that name, such as one in a test's fixtures, does not count.
        """
        around = self.around(folder)
        if around is not None and around.name == name:
            return around
        linked = next(self.linked(name, folder), None)
        if linked is None:
            linked = self._members.get(name)
        return None if linked is None else self.at(linked)

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
    def _holders(self) -> frozenset[str]:
        """The folders whose node_modules link to the project."""
        return frozenset(holder for places in self._links.values() for holder in places)

    @cached_property
    def _by_name(self) -> dict[str, str]:
        return {package.name: package.folder for package in reversed(self.all) if package.name}

    @cached_property
    def _declared(self) -> tuple[tuple[str, str], ...]:
        """The members of workspaces: the folder of the workspace and that of the member."""
        return tuple(member_folders(self.all, self._files, self._read))

    @cached_property
    def _members(self) -> dict[str, str]:
        """The folder of every package that belongs to a workspace, by name."""
        found: dict[str, str] = {}
        for _, folder in self._declared:
            package = self.at(folder)
            if package is not None and package.name:
                found.setdefault(package.name, folder)
        return found

    @cached_property
    def _links(self) -> Links:
        """For each name, the folders that have it in node_modules, and its target."""
        links: Links = {}
        for holder, folder in self._declared:
            package = self.at(folder)
            if package is not None and package.name:
                links.setdefault(package.name, {}).setdefault(holder, folder)
        known = {**self._by_name, **self._members}
        for package in self.all:
            for name, folder in linked_dependencies(package.said, package.folder, known):
                links.setdefault(name, {})[package.folder] = folder
        for link, folder in self._installed.items():  # the truth, where they are installed
            holder, _, name = link.rpartition(_INSTALLED)
            links.setdefault(name, {})[holder.removesuffix("/")] = folder
        return links


def member_folders(
    packages: Sequence[WorkspaceConfig], files: Collection[str], read: Callable[[str], str | None]
) -> Iterator[tuple[str, str]]:
    """Yield the members of every workspace: the folder of the workspace and that of the member.

    npm and yarn link all members into the node_modules of the workspace. pnpm links only the
    dependencies of each package; here its workspaces are treated like the others.

    Args:
        packages: All packages of the project.
        files: The paths of the project.
        read: Returns the text of a file of the project; None when it cannot be read.
    """
    folders = [package.folder for package in packages]
    for holder, globs in _declared(packages, files, read):
        included: list[str] = []
        excluded: list[str] = []
        for glob in globs:
            place = join(holder, f"{glob.removeprefix('!')}/{_PACKAGE}")
            if place is not None:
                (excluded if glob.startswith("!") else included).append(place)
        for folder in folders:
            path = f"{folder}/{_PACKAGE}"
            is_member = folder != holder and matches_any(path, included)
            if is_member and not matches_any(path, excluded):
                yield holder, folder


def linked_dependencies(
    said: Mapping[str, Any], folder: str, known: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the (name, folder) of each dependency of a package that is a folder of the project.

    Args:
        said: The content of its package.json.
        folder: Its folder.
        known: The folders of packages by name, for ``workspace:`` without a path.
    """
    for kind in _DEPENDENCIES:
        listed = said.get(kind)
        for name, version in listed.items() if isinstance(listed, dict) else ():
            local = _LOCAL.match(version) if isinstance(version, str) else None
            if local is None:
                continue
            target = local[2]
            if local[1] != "workspace" or target.startswith("."):
                place = join(folder, target)
            else:
                alias = _ALIAS.match(target)
                place = known.get(alias[1] if alias else name)
            if place is not None:
                yield name, place


def _declared(
    packages: Sequence[WorkspaceConfig], files: Collection[str], read: Callable[[str], str | None]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the folders that declare workspaces, with their globs."""
    for package in packages:
        if package.workspaces:
            yield package.folder, package.workspaces
    for path in sorted(path for path in files if path.endswith(_DECLARING)):
        name = path.rpartition("/")[2]
        if name == "pnpm-workspace.yaml":
            yield folder_of(path), tuple(_pnpm_globs(read(path) or ""))
        elif name == "lerna.json":
            yield folder_of(path), strings(read_object(read(path)).get("packages"))


def _pnpm_globs(text: str) -> Iterator[str]:
    """Yield the items of ``packages`` in a pnpm-workspace.yaml; nothing else is read from it."""
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
