"""Keep the index equal to the disk: look at it when a question comes, and index what changed."""

import dataclasses
import time
from collections.abc import Collection, Iterable, Mapping

from ipuaro_jupyter.cancellation import checkpoint, has_deadline
from ipuaro_jupyter.errors import StorageError, TimeUp
from ipuaro_jupyter.index.resolve.project_paths import folder_of
from ipuaro_jupyter.index.storage.background_refresh import BackgroundRefresh
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.index.storage.index_writer import MANY_FILES, IndexWrite, IndexWriter
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.known_facts import KnownFacts
from ipuaro_jupyter.index.storage.last_look import LastLook
from ipuaro_jupyter.index.storage.linking import Linker
from ipuaro_jupyter.index.storage.on_disk import OnDisk
from ipuaro_jupyter.index.storage.project_reader import ProjectReader
from ipuaro_jupyter.index.storage.questions import asked
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.index.storage.workers import OpenWorkers
from ipuaro_jupyter.index.storage.write_lock import IndexBusyError
from ipuaro_jupyter.store.lease import LeaseLostError
from ipuaro_jupyter.workspace.files.linked_packages import LinkedPackages
from ipuaro_jupyter.workspace.files.listing import FileStat, Listing
from ipuaro_jupyter.workspace.files.watch import Watch, WatchedChanges
from ipuaro_jupyter.workspace.git.git_files import rules_stamp
from ipuaro_jupyter.workspace.workspace import Workspace

_PATIENCE_S = 1.0
_OUTDATED_S = 0.05
_STEP_S = 0.05
_BEGIN_S = 3.0
_TRIES = 5
_FEW_CHANGES = 100
_GOES_ON = "The index is still catching up with the disk, and continues to in the background."
_BUSY = "Another process is writing the index"
_DAMAGED = "The index was damaged on the server and has been made anew; this answer is whole."
_LOST = (
    "The server has lost its data. The index has been made anew; what could be undone and what was "
    "kept of the conversation before is lost."
)
_CHANGING = "Files change while they are read"
_NOT_COMPARED = "The files are not watched, and not compared at each question"
_PACKAGE = "package.json"
_DEAR_SCAN_S = 5.0
_WATCHED_PAUSE_S = 10.0
_WATCHED_SHARE = 20.0


class DiskScans:
    """Lists the files of a project, and knows how long ago that was and what it costs.

    Attributes:
        linked: The files with several names, as of the latest listing.

    Args:
        workspace: The project.
        interval_s: How long one listing is enough at least.
    """

    def __init__(self, workspace: Workspace, *, interval_s: float) -> None:
        self._files = workspace.files
        self._root = workspace.root
        self._interval_s = interval_s
        self._rules: dict[str, tuple[object, ...]] = {}
        self.linked: frozenset[str] = frozenset()
        self._packages = LinkedPackages(self._root, ())
        self._began_s = self._ended_s = -1e9

    @property
    def has_listed(self) -> bool:
        """Whether the files have been listed."""
        return bool(self._rules)

    @property
    def age_s(self) -> float:
        """How long ago the files were listed."""
        return time.monotonic() - self._ended_s

    def listing(self, meter: Meter) -> Listing:
        """The present files."""
        meter.begin("scanning")
        began_s = time.monotonic()
        rules = {str(self._root): rules_stamp(str(self._root))}
        listing = self._files(meter.cancel)
        packages = {folder_of(path) for path in listing.files if path.endswith(_PACKAGE)}
        self._packages = LinkedPackages(self._root, packages | {""})
        listing.packages = self._packages.links
        inner = listing.repositories.items()
        self._rules = rules | {f"{self._root}/{path}": stamp for path, stamp in inner}
        self._began_s, self._ended_s, self.linked = began_s, time.monotonic(), listing.linked
        return listing

    def has_new_rules(self) -> bool:
        """Whether other files may be ignored than when they were listed."""
        known = self._rules
        return not known or any(rules_stamp(place) != rules for place, rules in known.items())

    def has_new_links(self, changed: Collection[str]) -> bool:
        """Whether other packages may be linked than when the files were listed.

        Args:
            changed: The paths that have changed since then.
        """
        made = {folder_of(path) for path in changed if path.endswith(_PACKAGE)}
        return not made <= self._packages.folders or self._packages.may_differ()

    def is_due(self, *, is_watched: bool, is_complete: bool) -> bool:
        """Whether all files have to be compared again.

        Args:
            is_watched: The files are watched.
            is_complete: The watcher has told of every change that was made.
        """
        took_s = self._ended_s - self._began_s
        if is_complete:
            return self.age_s >= max(self._interval_s, _WATCHED_PAUSE_S, _WATCHED_SHARE * took_s)
        dear_s = took_s if took_s > _DEAR_SCAN_S else 0.0
        return self.age_s >= (dear_s if is_watched else max(self._interval_s, dear_s))


class IndexSync:
    """Brings the index up to date, and knows which files it has. Thread-safe.

    Args:
        workspace: The project.
        stored: Its index.
        settings: The settings of the index.
        open_workers: Opens what parses large amounts, while it is needed.
    """

    def __init__(
        self,
        workspace: Workspace,
        stored: StoredIndex,
        settings: IndexSettings,
        open_workers: OpenWorkers,
    ) -> None:
        self._root = workspace.root
        self._stored = stored
        known_facts = KnownFacts(stored)
        self.reader = ProjectReader(
            self._root, open_workers, known_facts, inline_bytes=settings.inline_bytes
        )
        self._writer = IndexWriter(self._root, stored, self.reader, known_facts)
        self._scans = DiskScans(workspace, interval_s=settings.scan_interval_s)
        self._look = LastLook()
        self._was_known = self._has_told_loss = False
        self._disk = OnDisk(self._root, workspace.memberships)
        self._background = BackgroundRefresh(self.refresh)
        self.watch: Watch | None = None
        self._waited_for: Watch | None = None

    def close(self) -> None:
        """Stop watching the disk, and end the refresh and the processes kept for parsing."""
        self._background.close()
        watch, self.watch = self.watch, None
        if watch is not None:
            watch.close()
        self.reader.close()

    @property
    def snapshot(self) -> Snapshot:
        """The present state of the index, including changes by other processes."""
        return self._writer.snapshot

    @property
    def linker(self) -> Linker:
        """The resolver of imports among the files of the index."""
        return self._writer.linker

    def catch_up(self, *, wait_s: float = _PATIENCE_S, must: bool = True) -> bool:
        """Make the index equal to the disk as it is now, or was when a question came.

        Where the watcher tells every change at once, only these are indexed, and all files are
        compared now and then. Otherwise all are compared, unless the settings give an interval, or
        that takes very long. What the index may lack is told to whoever asks: see `questions`.

        Args:
            wait_s: How long to wait for another writer. Unless it is 0, the first call also waits
                for the watch to begin, at most three seconds.
            must: Wait for other threads, and when there is no index yet, as long as it takes.

        Returns:
            Whether the index equals the disk, as far as that can be known.

        Raises:
            TimeUp: It takes longer than the question may; it continues in the background.
            StorageError: This is a fork of the process that watches the files.
        """
        self._stored.store.check_process()
        self._look.tell_loss()
        question = asked()
        if question is not None:
            for loss in self._stored.store.take_losses():
                question.remark(loss)
                self._look.certain = None  # what the index has lost is found by comparing all files
        if question is not None and self._look.is_since(question.began_s):
            return True
        if question is not None and question.has_failed:
            return False
        try:
            if must and has_deadline() and not self._background.has_ended(wait_s):
                raise TimeUp  # noqa: TRY301 - an answer now would not know what has changed
            with self._look.turn(None if must else wait_s):
                return self._look_now(wait_s)
        except IndexBusyError:
            if not must or self._writer.is_usable:
                self.doubt()
                return False
            self.refresh()
        except TimeUp:
            self._background.start()
            raise TimeUp(_GOES_ON) from None
        return True

    def listing(self) -> Listing | None:
        """The project's files as they are on disk now; None when only listing them tells.

        At most a few changes are indexed for it, and only when nobody else looks at the disk.
        """
        watch = self.watch
        if watch is None:
            return None
        try:
            self._stored.store.check_process()
            with self._look.turn(0):
                seen, is_due = self._noticed(watch)
                found = None
                try:
                    is_known = seen.is_complete and self._look.certain is not None
                    if is_known and self._stored.is_whole():
                        found = self._watched_listing(watch, seen, is_due=is_due)
                finally:
                    if found is None:
                        watch.put_back(seen)
                return found
        except (IndexBusyError, StorageError):
            return None

    def _watched_listing(
        self, watch: Watch, seen: WatchedChanges, *, is_due: bool
    ) -> Listing | None:
        if is_due or seen.everything:
            listing = self._listed(Meter())
            if self.snapshot.is_current(listing):
                self._disk.forget_foreign()
                self._look.certain = self.snapshot
            else:  # the next question to the index makes them equal
                watch.put_back(WatchedChanges(everything=True))
            return listing
        is_little = len(seen.paths) <= _FEW_CHANGES
        if not is_little or self._disk.work(seen.paths, self.snapshot, {}) is None:
            return None
        self._take_up_seen(watch, seen, 0)
        return self.snapshot.listing

    def note_seen(self) -> bool:
        """Index the changes that the watcher has seen; return whether that was possible."""
        watch = self.watch
        try:
            with self._look.turn(None):
                if watch is not None:
                    self._take_up_seen(watch, watch.take(), _PATIENCE_S)
        except (IndexBusyError, StorageError):  # the caller will meet it again
            return False
        return True

    def doubt(self) -> None:
        """Tell whoever asks that another writer keeps the index from being brought up to date."""
        watch = self.watch
        self._look.doubt(_BUSY, () if watch is None else watch.seen)

    def doubt_reads(self, changed: Collection[str]) -> None:
        """Tell whoever asks that files changed each time the answer was made."""
        self._look.doubt(_CHANGING, changed)

    def refresh(
        self, *, full: bool = False, meter: Meter | None = None, wait_s: float | None = None
    ) -> IndexWrite:
        """Bring the index up to date with all files on disk.

        Args:
            full: Parse every file again, changed or not.
            meter: Counts the steps and cancels the update, which leaves the index as it was.
            wait_s: How long to wait for another writer; None: as long as it takes.

        Raises:
            Cancelled: Stop was asked for.
            IndexBusyError: Another writer held the index for ``wait_s`` seconds.
        """
        meter = meter or Meter()
        for _ in range(_TRIES):
            try:
                return self._refresh(meter, full=full, wait_s=wait_s)
            except LeaseLostError:
                continue
        raise StorageError(
            f"The index of {str(self._root)!r} could not be written: {_TRIES} times, another "
            "process took over or the server lost the lock. Try again."
        )

    def take_up(
        self,
        paths: Iterable[str],
        *,
        wait_s: float | None = _PATIENCE_S,
        written: Mapping[str, bytes] | None = None,
    ) -> None:
        """Bring the index up to date with some files or folders, which may have vanished.

        Args:
            paths: The files or folders.
            wait_s: How long to wait for another writer; None: as long as it takes.
            written: Content just written to some of the files, which are only compared with the
                disk when they are next read.

        Raises:
            IndexBusyError: Another writer held the index for ``wait_s`` seconds.
        """
        given, known = list(paths), dict[str, bool]()
        work = self._disk.work(given, self.snapshot, known)
        if work is not None and not (work[0] or work[1]):
            return
        try:
            if work is not None:
                with self._writer.turn(Meter(), wait_s=wait_s) as lease:
                    work = self._disk.work(given, before := self.snapshot, known)
                    if work is not None:
                        done = self._writer.update(lease, Meter(), *work, written=written)
                        self._look.moved(before, done.snapshot)
        except LeaseLostError:
            work = None
        if work is None:  # only a full listing tells whether they belong to the project
            self.refresh(wait_s=wait_s)
            self._disk.remember_ignored(given, self.snapshot)

    def stat(self, path: str) -> FileStat | None:
        """The state of a file on disk; None when there is no regular file."""
        return self._disk.stat(path)

    def stale(self, paths: Collection[str], snapshot: Snapshot | None = None) -> list[str]:
        """Those of ``paths`` whose files differ from the index, or from another state of it."""
        files = (self.snapshot if snapshot is None else snapshot).files
        found = []
        for path in paths:
            checkpoint()
            if not self._disk.is_same(path, files.get(path)):
                found.append(path)
        return found

    def _look_now(self, wait_s: float) -> bool:
        """Index what has changed on the disk; see `catch_up`."""
        began_s = time.monotonic()
        watch = self.watch
        if watch is not None and wait_s:
            self._wait_for_begin(watch)
        is_lost = self._look.certain is None or not self._stored.is_whole()  # or Redis has gone
        seen, is_due = self._noticed(watch)
        is_due = is_due or is_lost
        if watch is not None:
            seen = dataclasses.replace(seen, everything=seen.everything or is_due)
            self._take_up_seen(watch, seen, wait_s)
        elif is_due:
            self.refresh(wait_s=wait_s)
        if not (is_due or seen.is_complete):
            self._look.doubt(_NOT_COMPARED)
            return False
        self._look.ended(began_s)
        return True

    def _noticed(self, watch: Watch | None) -> tuple[WatchedChanges, bool]:
        """What the watcher has seen, and whether all files have to be compared."""
        has_new_rules = self._scans.has_new_rules()
        by_links = () if watch is None else self.stale(self._scans.linked)  # it may be stopped
        seen = WatchedChanges() if watch is None else self._with_links(watch.take(), by_links)
        is_due = self._scans.is_due(is_watched=watch is not None, is_complete=seen.is_complete)
        if has_new_rules and watch is not None and self._scans.has_listed:
            watch.look_again()
        return seen, is_due or has_new_rules or self._scans.has_new_links(seen.paths)

    def _with_links(self, seen: WatchedChanges, changed: Collection[str]) -> WatchedChanges:
        """What was seen, and what was changed by another name of a file, of which nobody tells."""
        new = seen.paths - self._scans.linked
        has_new = any(map(self._disk.is_linked, new))
        paths = seen.paths.union(changed)
        return dataclasses.replace(seen, paths=paths, everything=seen.everything or has_new)

    def _wait_for_begin(self, watch: Watch) -> None:
        """Wait, once, until the files are watched: a comparison before is made again after it."""
        if watch is self._waited_for:
            return
        self._waited_for = watch
        until_s = time.monotonic() + _BEGIN_S
        while not watch.wait_for_begin(_STEP_S) and time.monotonic() < until_s:
            checkpoint()

    def _take_up_seen(self, watch: Watch, seen: WatchedChanges, wait_s: float) -> None:
        """Index what the watcher has seen, and check what others have written meanwhile."""
        paths = set(seen.paths)
        try:
            if seen.everything or len(paths) > MANY_FILES:
                self._disk.forget_foreign()
                self.refresh(wait_s=wait_s)
                self._disk.remember_ignored(paths, self.snapshot)
                return
            while paths := paths | self._look.changed_by_others(snapshot := self.snapshot):
                self._look.certain = snapshot  # but for the paths, which are put back on failure
                self.take_up(paths, wait_s=wait_s)
                paths = set()
        except BaseException:
            watch.put_back(dataclasses.replace(seen, paths=frozenset(paths)))
            raise

    def rebuild(self) -> None:
        """Make the index anew, for a part of it is damaged."""
        self._writer.parse_all()
        self._stored.discard()
        self.refresh()

    def _remade(self) -> bool:
        """Tell whoever asks next that the index is made anew, if there was one; return False."""
        is_known, self._look.certain = self._look.certain is not None, None
        self._was_known |= is_known
        is_lost = self._was_known and not self._stored.store.exists(self._stored.keys.info)
        if is_lost and not self._has_told_loss:  # perhaps while another thread makes it anew
            self._look.lost(_LOST)
        elif is_known:
            self._look.lost(_DAMAGED)
            self._writer.parse_all()
        self._has_told_loss |= is_lost
        self._writer.discard()
        return False

    def _listed(self, meter: Meter) -> Listing:
        listing = self._scans.listing(meter)
        if self.watch is not None:
            self.watch.follow(listing.files)
        return listing

    def _refresh(self, meter: Meter, *, full: bool, wait_s: float | None) -> IndexWrite:
        is_usable = self._writer.is_usable or self._remade()
        before = self.snapshot
        listing = self._listed(meter)
        snapshot = self.snapshot
        if not full and is_usable and snapshot.is_current(listing):
            self._look.certain = snapshot
            return IndexWrite(snapshot)
        with self._writer.turn(meter, wait_s=wait_s) as lease:
            is_other = self.snapshot.generation != before.generation  # and may know of more
            if is_other or self._scans.age_s > _OUTDATED_S:
                listing = self._listed(meter)
            done = self._writer.write(lease, meter, listing, full=full)
            self._look.certain = done.snapshot
            return done
