"""The resolver of imports for one state of the index, kept while it is right."""

from pathlib import Path

from ipuaro_jupyter.index.storage.index_change import IndexChange
from ipuaro_jupyter.index.storage.linking import Linker, is_config
from ipuaro_jupyter.index.storage.snapshots import Snapshot


class KnownLinker:
    """The latest resolver of imports.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: tuple[bytes, Linker] | None = None

    def of(self, snapshot: Snapshot) -> Linker:
        """The linker for the files of a state."""
        known = self._known
        if known is None or known[0] != snapshot.generation:
            self._known = known = snapshot.generation, self._linker_for(snapshot)
        return known[1]

    def keep(self, generation: bytes, linker: Linker) -> None:
        """Take a linker for the state with this generation."""
        self._known = generation, linker

    def after(self, change: IndexChange, before: Snapshot, after: Snapshot) -> Linker:
        """A linker for the files after a change: the present one where it is still right."""
        known = self._known
        if known is not None and known[0] == before.generation:
            configs = known[1].resolver.config_paths
            changed = (*change.noted, *change.gone)
            is_same = before.symlinks == after.symlinks
            if is_same and not any(is_config(path, configs) for path in changed):
                is_right = not change.moves_paths and not known[1].resolver.has_read(changed)
                return known[1] if is_right else known[1].with_files(after.files)
        return self._linker_for(after)

    def _linker_for(self, snapshot: Snapshot) -> Linker:
        return Linker(self._root, snapshot.files, snapshot.symlinks)
