"""Keep the index equal to the disk: full builds, changes of single files, cheap scans."""

import os
import stat
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
from pydantic import Field

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.index.building import Build
from ipuaro_jupyter.index.linking import Linker, is_config
from ipuaro_jupyter.index.project_paths import is_inside
from ipuaro_jupyter.index.reading import Progress, Reader
from ipuaro_jupyter.index.stored import FileEntry, Stored, encode
from ipuaro_jupyter.index.updating import Change, Update, change_of
from ipuaro_jupyter.languages.registry import SEARCH_PATH, languages
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.workspace.listing import FileStat, Listing
from ipuaro_jupyter.workspace.workspace import Workspace

_LAYOUT = "1"
_LOCK_S = 60.0
_LOCK_STEP_S = 0.2
_MANY_FILES = 1000
_SCAN_SHARE = 5.0
_CHEAP_SCAN_S = 0.02
_LONGEST_PAUSE_S = 1.0


class IndexSettings(Record):
    """How the index is made and kept.

    ``workers``: processes that parse, None for one per processor. ``inline_bytes``: so much
    changed source is parsed without them. ``scan_interval_s``: after how long an answer about the
    whole project looks for changed files again; longer where looking takes long, up to a second.
    ``parsed_bytes``: so much source is parsed to tell references apart, at about 10 MB a second.
    """

    workers: int | None = Field(default=None, ge=1)
    inline_bytes: int = Field(default=2_000_000, ge=0)
    scan_interval_s: float = Field(default=0.0, ge=0)
    parsed_bytes: int = Field(default=2_000_000, ge=0)


class LockLostError(Exception):
    """Another process took over while this one was held up."""


@dataclass(frozen=True)
class Snapshot:
    """All files and symlinks at one state of the index, which ``generation`` names.

    ``generation`` is empty when there is no index.
    """

    generation: bytes = b""
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    symlinks: Mapping[str, str] = field(default_factory=dict)


class Upkeep:
    """Brings the index up to date, and says which files it has.

    Args:
        workspace: The project.
        stored: Its index.
        settings: How.
        executor: Where batches are parsed; None: processes of our own while they are needed.
    """

    def __init__(
        self,
        workspace: Workspace,
        stored: Stored,
        settings: IndexSettings,
        executor: Executor | None,
    ) -> None:
        self._workspace = workspace
        self._root = workspace.root
        self._stored = stored
        self._settings = settings
        self._reader = Reader(
            self._root,
            executor,
            inline_bytes=settings.inline_bytes,
            workers=settings.workers,
        )
        self._busy = threading.RLock()
        self._snapshot = Snapshot()
        self._linker: tuple[bytes, Linker] | None = None
        self._scanned = -1e9
        self._scan_s = 0.0
        self.listing = Listing()

    @property
    def snapshot(self) -> Snapshot:
        """What the index has now, also when another process has just changed it."""
        snapshot = self._snapshot
        generation, symlinks = self._stored.info("generation", "symlinks")
        if generation is None or symlinks is None:
            return Snapshot()
        if generation != snapshot.generation:
            links = msgspec.msgpack.decode(symlinks, type=dict[str, str])
            self._snapshot = snapshot = Snapshot(generation, self._stored.files(), links)
        return snapshot

    @property
    def linker(self) -> Linker:
        """Resolves imports among the files of the index."""
        snapshot = self.snapshot
        if self._linker is None or self._linker[0] != snapshot.generation:
            self._linker = snapshot.generation, self._linker_for(snapshot)
        return self._linker[1]

    def scan(self) -> bool:
        """Take up what has changed on disk, unless that was done a moment ago.

        The moment is the setting. Unless a scan is cheap, it is also five times what one takes, but
        at most a second, so that looking around never takes more than a fifth of the time.

        Returns:
            Whether it was done now.
        """
        dear_s = _SCAN_SHARE * self._scan_s if self._scan_s > _CHEAP_SCAN_S else 0.0
        pause_s = max(self._settings.scan_interval_s, min(_LONGEST_PAUSE_S, dear_s))
        if time.monotonic() - self._scanned < pause_s:
            return False
        self.refresh()
        return True

    def refresh(
        self,
        *,
        full: bool = False,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Bring the index up to date with all files on disk.

        Args:
            full: Parse every file again, changed or not.
            progress: Called with (files done, files to do).
            cancel: Breaks it off; the index is as it was then.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        with self._busy:
            while True:
                try:
                    self._refresh(full=full, progress=progress, cancel=cancel)
                except LockLostError:
                    continue
                return

    def take_up(self, paths: Iterable[str]) -> None:
        """Bring the index up to date with some files or folders, which may have vanished."""
        with self._busy:
            files = self.snapshot.files
            stats: dict[str, FileStat] = {}
            gone: set[str] = set()
            for path in paths:
                inside = [path] if path in files else [f for f in files if is_inside(f, path)]
                for each in inside or [path]:
                    status = self.stat(each)
                    if status is None:
                        gone.add(each)
                    elif each in files and not each.endswith(".gitignore"):
                        stats[each] = status
                    else:  # whether it belongs to the project takes the whole listing to know
                        self.refresh()
                        return
                if path not in files and (self._root / path).is_dir():
                    self.refresh()
                    return
            try:
                with self._locked(None):
                    self._update(stats, gone)
            except LockLostError:
                self.refresh()

    def stat(self, path: str) -> FileStat | None:
        """Return the state of a file on disk; None when there is no regular file."""
        try:
            status = os.lstat(self._root / path)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return FileStat(status.st_size, status.st_mtime_ns)

    def stale(self, paths: Collection[str]) -> list[str]:
        """Return those of ``paths`` that are not on disk as the index has them."""
        files = self.snapshot.files
        return [path for path in paths if not _is_same(files.get(path), self.stat(path))]

    def _refresh(
        self, *, full: bool, progress: Progress | None, cancel: CancelToken | None
    ) -> None:
        began = time.monotonic()
        self.listing = listing = self._workspace.files()
        if full or not self._is_usable() or not _is_current(listing, self.snapshot):
            with self._locked(cancel):
                self._write(listing, full=full, progress=progress, cancel=cancel)
            self._scanned = time.monotonic()
        else:
            self._scanned = time.monotonic()
            self._scan_s = self._scanned - began

    def _write(
        self,
        listing: Listing,
        *,
        full: bool,
        progress: Progress | None,
        cancel: CancelToken | None,
    ) -> None:
        """Bring the index up to date; what another process has written is in it by now."""
        snapshot = self.snapshot
        changed = _changed(listing, snapshot)
        most = len(changed) > max(_MANY_FILES, len(snapshot.files) // 2)
        if full or most or not self._is_usable():
            build = Build(self._stored, self._root, listing, renew=self._renew)
            generation = _new_generation()
            info = {"format": index_format().encode(), "generation": generation}
            build.run(self._reader, info, progress=progress, cancel=cancel)
            self._snapshot = Snapshot(generation, build.entries, dict(listing.symlinks))
            return
        self._update(
            changed,
            snapshot.files.keys() - listing.files.keys(),
            symlinks=listing.symlinks,
            progress=progress,
            cancel=cancel,
        )

    def _update(
        self,
        stats: Mapping[str, FileStat],
        gone: Collection[str],
        *,
        symlinks: Mapping[str, str] | None = None,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Read some files again and write what that changes, at once."""
        snapshot = self.snapshot
        links = snapshot.symlinks if symlinks is None else dict(symlinks)
        read = self._reader.read(stats, snapshot.files, progress=progress, cancel=cancel)
        change = change_of(snapshot.files, read, gone)
        relink = links != snapshot.symlinks
        if not change and not relink:
            return
        linker = self._linker_after(change, Snapshot(snapshot.generation, change.entries, links))
        update = Update(self._stored, change, linker)
        rows = update.make(relink=relink)
        generation = _new_generation()
        rows.put_info("generation", generation)
        rows.put_info("symlinks", encode(links))
        self._renew()
        with self._stored.store.batch(atomic=True) as batch:
            rows.send(batch)
        self._snapshot = Snapshot(generation, change.entries, links)
        self._linker = generation, linker

    def _linker_after(self, change: Change, snapshot: Snapshot) -> Linker:
        """Return a linker for the files after a change; the present one where that will do."""
        known = self._linker
        if known is not None and known[0] == snapshot.generation and not change.moves_paths:
            configs = known[1].resolver.config_paths
            if not any(is_config(path, configs) for path in change.noted):
                return known[1]
        return self._linker_for(snapshot)

    def _linker_for(self, snapshot: Snapshot) -> Linker:
        return Linker(self._root, snapshot.files, snapshot.symlinks)

    def _is_usable(self) -> bool:
        """Return whether there is an index that this version of the package has made."""
        return self._stored.info("format") == [index_format().encode()]

    def _renew(self) -> None:
        """Keep the lock a while longer.

        Raises:
            LockLostError: It is no longer ours.
        """
        if not self._stored.store.expire(self._stored.keys.lock, _LOCK_S):
            raise LockLostError

    @contextmanager
    def _locked(self, cancel: CancelToken | None) -> Iterator[None]:
        """Be the only process that writes the index; waits for the others."""
        while True:
            lock = self._stored.keys.lock
            with self._stored.store.lock(lock, timeout_s=_LOCK_S, wait_s=_LOCK_STEP_S) as had:
                if had:
                    yield
                    return
            if cancel is not None:
                cancel.check()


@lru_cache(maxsize=1)
def index_format() -> str:
    """Return what names everything that decides what is in the index: our code and grammars."""
    digest = blake2b(_LAYOUT.encode(), digest_size=16)
    package = Path(__file__).parents[1]
    sources = sorted((package / "index").glob("*.py"))
    for language in languages(os.environ.get(SEARCH_PATH, "")).values():
        sources += sorted(language.folder.glob("*.[ts][oc]m*"))
        if language.grammar is not None:
            module = language.grammar.partition(":")[0]
            with suppress(PackageNotFoundError):
                digest.update(version(module.replace("_", "-")).encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _is_current(listing: Listing, snapshot: Snapshot) -> bool:
    return (
        listing.symlinks == snapshot.symlinks
        and listing.files.keys() == snapshot.files.keys()
        and not _changed(listing, snapshot)
    )


def _changed(listing: Listing, snapshot: Snapshot) -> dict[str, FileStat]:
    """Return the files that are new, or not as the index has them."""
    files = snapshot.files
    return {
        path: status
        for path, status in listing.files.items()
        if not _is_same(files.get(path), status)
    }


def _is_same(entry: FileEntry | None, status: FileStat | None) -> bool:
    if entry is None or status is None:
        return entry is None and status is None
    return entry.mtime_ns == status.mtime_ns and entry.size == status.size


def _new_generation() -> bytes:
    return str(time.time_ns()).encode()
