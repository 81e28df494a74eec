"""Watch the files of a project of several roots."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from ipuaro_jupyter.store.roots import named_roots, roots_of
from ipuaro_jupyter.workspace.files.watch import Watch, WatchedChanges, WatchSettings


class JoinedWatch:
    """A `Watch` for each root of a project, with the project's paths.

    Args:
        root: The project's folder.
        settings: The settings.
        files: Returns the project's files as far as they are known.
        changed: As for `Watch`.
    """

    def __init__(
        self,
        root: Path,
        settings: WatchSettings,
        *,
        files: Callable[[], Iterable[str]],
        changed: Callable[[], bool],
    ) -> None:
        self._watches: dict[str, Watch] = {}
        for prefix, place in roots_of(root).items():
            self._watches[prefix] = Watch(
                place,
                settings,
                files=partial(_known, files, prefix),
                changed=changed,
            )

    @property
    def is_ready(self) -> bool:
        """Whether changes are seen in all roots."""
        return all(watch.is_ready for watch in self._watches.values())

    @property
    def problem(self) -> str:
        """Why watching deviates from the settings, for the user; else ""."""
        told = dict.fromkeys(watch.problem for watch in self._watches.values() if watch.problem)
        return " ".join(told)

    @property
    def folders(self) -> frozenset[str]:
        """The watched folders, relative to the project."""
        return frozenset(
            (prefix + folder).removesuffix("/")
            for prefix, watch in self._watches.items()
            for folder in watch.folders
        )

    @property
    def seen(self) -> frozenset[str]:
        """The changed paths that have not been taken, as far as they were noted."""
        return frozenset(
            prefix + path for prefix, watch in self._watches.items() for path in watch.seen
        )

    def close(self) -> None:
        """Stop watching."""
        for watch in self._watches.values():
            watch.close()

    def take(self) -> WatchedChanges:
        """The changes seen since the last call; where the system tells at once, all there are."""
        taken = {prefix: watch.take() for prefix, watch in self._watches.items()}
        return WatchedChanges(
            frozenset(prefix + path for prefix, seen in taken.items() for path in seen.paths),
            any(seen.everything for seen in taken.values()),
            all(seen.is_complete for seen in taken.values()),
        )

    def wait_for_begin(self, wait_s: float) -> bool:
        """Wait until all have begun; see `Watch.wait_for_begin`."""
        return all(watch.wait_for_begin(wait_s) for watch in self._watches.values())

    def follow(self, files: Iterable[str]) -> None:
        """Watch the folders of these files from now on, ignored ones as well."""
        known = tuple(files)
        for prefix, watch in self._watches.items():
            watch.follow(_inner(known, prefix))

    def look_again(self) -> None:
        """Look for the folders to watch again: other ones may be ignored now."""
        for watch in self._watches.values():
            watch.look_again()

    def put_back(self, seen: WatchedChanges) -> None:
        """Return changes that could not be used: they count as seen again."""
        for prefix, watch in self._watches.items():
            inner = frozenset(_inner(seen.paths, prefix))
            watch.put_back(WatchedChanges(inner, everything=seen.everything))


def _known(files: Callable[[], Iterable[str]], prefix: str) -> list[str]:
    return _inner(files(), prefix)


def _inner(files: Iterable[str], prefix: str) -> list[str]:
    return [path.removeprefix(prefix) for path in files if path.startswith(prefix)]


AnyWatch = Watch | JoinedWatch


def watch_files(
    root: Path,
    settings: WatchSettings,
    *,
    files: Callable[[], Iterable[str]],
    changed: Callable[[], bool],
) -> AnyWatch:
    """Watch a project of one root or of several; the arguments are as for `Watch`."""
    watch = JoinedWatch if named_roots(root) else Watch
    return watch(root, settings, files=files, changed=changed)
