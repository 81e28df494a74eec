"""Files as nodes of the graph of imports."""

from collections.abc import Sequence

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.index.ranking.dependency_graph import HUB_DEPENDENTS
from ipuaro_jupyter.index.ranking.file_roles import file_type, is_first_file
from ipuaro_jupyter.index.resolve.candidates import ALL, Candidates
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.sync import IndexSync
from ipuaro_jupyter.records.code import Dependency


class Nodes:
    """Makes graph nodes from paths.

    Args:
        stored: The index.
        sync: Knows the files on disk.
    """

    def __init__(self, stored: StoredIndex, sync: IndexSync) -> None:
        self._stored = stored
        self._sync = sync

    def of(self, paths: Sequence[str]) -> list[Dependency]:
        """The nodes for paths, in the order given.

        A file that is not in the index still exists when it is on disk.
        """
        files = self._sync.snapshot.files
        dependents = self._stored.dependents(paths)
        metas = self._stored.metas(paths)
        entries = self._sync.linker.resolver.entries
        nodes = []
        for path in paths:
            checkpoint()
            place = path if path in files else self._ignored(path)
            count = len(dependents.get(path, ()))
            meta = metas.get(path)
            is_entry = is_first_file(path) or path in entries or not count
            nodes.append(
                Dependency(
                    path=place or path,
                    exists=place is not None,
                    is_hub=count > HUB_DEPENDENTS,
                    is_entry_point=place is not None and is_entry,
                    file_type=file_type(place or path),
                    dependents=count,
                    complexity_score=0.0 if meta is None else meta.score,
                )
            )
        return nodes

    def _ignored(self, path: str) -> str | None:
        """The file on disk that an import means but the index leaves out; None if there is none."""
        if self._sync.stat(path) is not None:
            return path
        return Candidates(_IndexedOrIgnored(self._sync), {}).file(path, ALL, ("",))


class _IndexedOrIgnored:
    """The files on disk, including those outside the project's index."""

    def __init__(self, sync: IndexSync) -> None:
        self._sync = sync

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._sync.stat(path) is not None
