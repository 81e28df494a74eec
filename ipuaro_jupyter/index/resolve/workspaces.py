"""The packages of a project that are linked into node_modules on install."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from ipuaro_jupyter.index.resolve.jsonc import read_object, strings
from ipuaro_jupyter.index.resolve.project_paths import folder_of, join, matches_any

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
