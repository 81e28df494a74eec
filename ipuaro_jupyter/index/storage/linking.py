"""Resolve the imports of files, and derive the edges of the graph from them."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.resolve.resolver import OWN_CONFIGS, Resolver
from ipuaro_jupyter.index.storage.stored_index import Links, Module
from ipuaro_jupyter.workspace.files import disk

_CONFIGS = frozenset(
    {
        *("package.json", "tsconfig.json", "jsconfig.json", "pnpm-workspace.yaml", "lerna.json"),
        *OWN_CONFIGS,
    }
)


class LinkedFile(NamedTuple):
    """The targets of a file's imports in order, and the locations looked at; see `lookups`."""

    links: Links
    locations: frozenset[int]


class Linker:
    """Resolves the imports of a project's files as they are now.

    Args:
        root: The project's folder.
        files: Its paths.
        symlinks: Links in it, with their targets as written.
        resolver: Resolves single imports among these files; None: a new one.
    """

    def __init__(
        self,
        root: Path,
        files: Collection[str],
        symlinks: Mapping[str, str],
        *,
        resolver: Resolver | None = None,
    ) -> None:
        self._root = root
        self._files = files
        self._symlinks = symlinks
        self.resolver = resolver or Resolver(files, self._text, symlinks=symlinks)

    def links(self, path: str, module: Module) -> Links:
        """The target of each import of a file, in order."""
        return self.linked(path, module).links

    def linked(self, path: str, module: Module) -> LinkedFile:
        """The targets of a file's imports, with what was looked at for them."""
        checkpoint()
        found = [
            self.resolver.lookup(
                item.source, path, kind=item.kind, names=[imported for imported, _ in item.names]
            )
            for item in module.imports
        ]
        links = [lookup.resolution for lookup in found]
        return LinkedFile(links, frozenset().union(*(lookup.locations for lookup in found)))

    def with_files(self, files: Collection[str]) -> "Linker":
        """The linker for other files; see `Resolver.with_files`."""
        return Linker(self._root, files, self._symlinks, resolver=self.resolver.with_files(files))

    def apart(self, files: Collection[str]) -> "Linker":
        """A linker for other files, configurations too, that shares nothing with this one."""
        return Linker(self._root, files, self._symlinks)

    def edges(self, path: str, links: Links) -> set[str]:
        """The files of the project that a file imports, itself excluded."""
        found = {link.target for link in links if link.target is not None}
        for link in links:
            if link.modules:
                found.update(link.modules.values())
        found.discard(path)
        return {target for target in found if target in self._files}

    def _text(self, path: str) -> str | None:
        try:
            content = disk.read(self._root, path)
        except ToolError:
            return None
        return None if content is None else content.data.decode(errors="replace")


def is_config(path: str, configs: Collection[str]) -> bool:
    """Whether the targets of imports may change when the content of a file does.

    Args:
        path: The file.
        configs: The files that were read when imports were last resolved.
    """
    name = path.rpartition("/")[2]
    return path in configs or name in _CONFIGS or _is_part_of_config(name)


def _is_part_of_config(name: str) -> bool:
    """Whether a file has a name of those that configurations extend or refer to."""
    return name.startswith(("tsconfig.", "jsconfig.")) and name.endswith(".json")
