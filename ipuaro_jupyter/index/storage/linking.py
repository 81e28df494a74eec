"""Resolve the imports of files, and derive the edges of the graph from them."""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.resolve.resolver import OWN_CONFIGS, Resolution, Resolver
from ipuaro_jupyter.index.storage.stored_index import Links, Module, ModuleImport
from ipuaro_jupyter.workspace.files import disk

_CONFIGS = frozenset(
    {
        *("package.json", "tsconfig.json", "jsconfig.json", "pnpm-workspace.yaml", "lerna.json"),
        *OWN_CONFIGS,
    }
)
_SUFFIX = re.compile(r"[-_+~@]")


class Linker:
    """Resolves the imports of a project's files as they are now.

    Args:
        root: The project's folder.
        files: Its paths.
        symlinks: Links in it, with their targets as written.
    """

    def __init__(self, root: Path, files: Collection[str], symlinks: Mapping[str, str]) -> None:
        self._root = root
        self._files = files
        self.resolver = Resolver(files, self._text, symlinks=symlinks)

    def links(self, path: str, module: Module) -> Links:
        """The target of each import of a file, in order."""
        checkpoint()
        return [self._link(path, i) for i in module.imports]

    def links_after(
        self, path: str, module: Module, before: Links, names: Collection[str]
    ) -> Links:
        """The targets of a file's imports after files have come or gone; see `concerned_names`.

        Args:
            path: The file.
            module: Its imports.
            before: Their previous targets.
            names: The names that the files that came or went may be imported by.
        """
        return [
            self._link(path, i) if _concerns(i.source, names) else link
            for i, link in zip(module.imports, before, strict=True)
        ]

    def edges(self, path: str, links: Links) -> set[str]:
        """The files of the project that a file imports, itself excluded."""
        found = {link.target for link in links if link.target is not None}
        for link in links:
            if link.modules:
                found.update(link.modules.values())
        found.discard(path)
        return {target for target in found if target in self._files}

    def _link(self, path: str, item: ModuleImport) -> Resolution:
        names = [imported for imported, _ in item.names]
        return self.resolver.resolve(item.source, path, kind=item.kind, names=names)

    def _text(self, path: str) -> str | None:
        try:
            content = disk.read(self._root, path)
        except ToolError:
            return None
        return None if content is None else content.data.decode(errors="replace")


def concerned_names(paths: Iterable[str]) -> set[str]:
    """The last parts of relative imports that may resolve to some files, or did before.

    They are the name of a file without its extensions, with and without the possible
    ``moduleSuffixes``, and the names of the folders it is in, which stand for an index file or for
    the main of a package.json.
    """
    stems = {_stem(part) for path in paths for part in path.split("/")}
    return stems | {stem[: sign.start()] for stem in stems for sign in _SUFFIX.finditer(stem)}


def _concerns(source: str, names: Collection[str]) -> bool:
    """Whether the target of an import may change; that of a bare name always may."""
    if not source.startswith("."):
        return True
    stem = _stem(source.rpartition("/")[2])
    return not stem or stem in names


def _stem(name: str) -> str:
    return name.partition("?")[0].partition(".")[0]


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
