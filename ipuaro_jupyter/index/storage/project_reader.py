"""Read changed files from the disk and parse them, here or in worker processes."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ipuaro_jupyter.cancellation import CancelToken, watched
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.batches import (
    NumberedFile,
    ParsedBatch,
    batch_of,
    decode_batch,
    merged,
    parse_batch,
    unparsed_batch,
)
from ipuaro_jupyter.index.extract.parse import LARGEST
from ipuaro_jupyter.index.extract.parsed_file import ParsedFile
from ipuaro_jupyter.index.storage import trial_worker
from ipuaro_jupyter.index.storage.indexing_progress import Meter
from ipuaro_jupyter.index.storage.known_facts import KnownFacts
from ipuaro_jupyter.index.storage.spare_worker import SpareWorker
from ipuaro_jupyter.index.storage.stored_index import FileEntry
from ipuaro_jupyter.index.storage.workers import OpenWorkers, Workers
from ipuaro_jupyter.languages.bounded import try_first
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.listing import FileStat
from ipuaro_jupyter.workspace.files.text_file import content_hash, sniff

MOST_INLINE_BYTES = 20_000
"""Larger files are never parsed in the kernel's process: some take a parser quadratic time."""
_BATCH_BYTES = 700_000
_LARGE_BYTES = 100_000
_BATCH_FILES = 200
_TICK_S = 0.1


class ReadFile(NamedTuple):
    """A file that was read; ``parsed`` is None when it is skipped or has not changed.

    ``stat`` is None when it has vanished. ``is_known`` says that it was not parsed again, since
    its content was known.
    """

    path: str
    stat: FileStat | None
    hash: str = ""
    reason: str = ""
    parsed: ParsedFile | None = None
    is_known: bool = False


class ReadFiles(NamedTuple):
    """Files that were read, with the shared rows of those that were parsed (`ParsedBatch`)."""

    files: list[ReadFile]
    tokens: Mapping[bytes, bytes] = {}
    symbols: Mapping[str, bytes] = {}
    words: Mapping[str, bytes] = {}


_Source = tuple[ReadFile, bytes]
_Loaded = tuple[ReadFile, bytes | None]
"""A file, and its content when it has to be parsed."""
_Load = Callable[[str, FileStat], _Loaded]
_Sort = Callable[[list[_Loaded]], tuple[ReadFiles, list[_Source]]]


def certain(stat: FileStat) -> int:
    """The ctime to remember for a file read now; -1 when a later change may not be seen in it."""
    return stat.changed_ns if disk.is_settled(stat.changed_ns) else -1


class ProjectReader:
    """Reads and parses files of a project.

    Args:
        root: The project's folder.
        open_workers: Opens what parses large amounts in batches, for as long as needed.
        known_facts: The facts of contents that were indexed before.
        inline_bytes: Up to so much source is parsed in this process: starting others takes longer.
    """

    def __init__(
        self,
        root: Path,
        open_workers: OpenWorkers,
        known_facts: KnownFacts,
        *,
        inline_bytes: int,
    ) -> None:
        self._root = root
        self._known_facts = known_facts
        self._open_workers = open_workers
        self._inline_bytes = inline_bytes
        self._aside = SpareWorker()
        try_first(trial_worker.is_tried_well)

    def close(self) -> None:
        """End the spare workers."""
        self._aside.close()
        trial_worker.close()

    def read(
        self,
        stats: Mapping[str, FileStat],
        known: Mapping[str, FileEntry],
        numbers: Mapping[str, int],
        meter: Meter,
        *,
        written: Mapping[str, bytes] | None = None,
        anew: bool = False,
    ) -> Iterator[ReadFiles]:
        """Yield all files in no particular order, parsed unless skipped, unchanged or known.

        Args:
            stats: The files to read with their state on disk.
            known: The entries in the index; a file whose hash is unchanged is not parsed again.
            numbers: The files' ids in the index.
            meter: Counts the files; cancels between two files or while waiting for a worker.
            written: Content just written to some of the files, which are then not read.
            anew: Parse all, whatever is known of their content.

        Raises:
            Cancelled: Stop was asked for.
        """
        size = sum(s.size for path, s in stats.items() if is_parsed(path))
        read = self._inline if size <= self._inline_bytes else self._in_workers
        meter.begin("parsing", len(stats))
        load = partial(self._load, known=known, written=written or {})
        sort = partial(self._sorted_out, numbers=numbers, anew=anew)
        with closing(read(stats, load, sort, numbers, meter.cancel)) as found:
            for some in found:
                yield some
                meter.step(len(some.files))

    def parsed(self, path: str, data: bytes) -> ParsedFile:
        """The index entry of a text file."""
        if is_small(path, data):
            return batch_of([(path, 0, data)]).answers[0]
        with self._in_one_worker({path: 0}) as waiting:
            waiting.add([(ReadFile(path, None), data)])
            ((file,), *_) = waiting.finished(watched())[0]
        assert file.parsed is not None  # noqa: S101 - it was given to the parser
        return file.parsed

    def _inline(
        self,
        stats: Mapping[str, FileStat],
        load: _Load,
        sort: _Sort,
        numbers: Mapping[str, int],
        cancel: CancelToken,
    ) -> Generator[ReadFiles]:
        """Parse in this process, except for large files, which might take very long."""
        large: list[_Source] = []
        for batch in self._batches(stats, load, cancel, last=1):
            done, rest = sort(batch)
            yield done
            for file, data in rest:
                cancel.check()
                if is_small(file.path, data):
                    yield _parsed_here([(file, data)], numbers)
                else:
                    large.append((file, data))
        if not large:
            return
        with self._in_one_worker(numbers) as waiting:
            for one in large:
                waiting.add([one])
            while waiting:
                yield from waiting.finished(cancel)

    def _in_workers(
        self,
        stats: Mapping[str, FileStat],
        load: _Load,
        sort: _Sort,
        numbers: Mapping[str, int],
        cancel: CancelToken,
    ) -> Generator[ReadFiles]:
        with self._in_many_workers(numbers) as waiting:
            for batch in self._batches(stats, load, cancel, last=waiting.most - 2):
                sources, texts = list[_Source](), list[_Source]()
                done, rest = sort(batch)
                for file, data in rest:
                    (sources if is_parsed(file.path) else texts).append((file, data))
                waiting.add(sources)
                yield done
                yield _parsed_here(texts, numbers)
                if len(waiting) >= waiting.most:
                    yield from waiting.finished(cancel)
            while waiting:
                yield from waiting.finished(cancel)

    def _sorted_out(
        self, batch: list[_Loaded], *, numbers: Mapping[str, int], anew: bool
    ) -> tuple[ReadFiles, list[_Source]]:
        """The files of a batch that need no parsing, and the rest."""
        rest = {file.path: (file, data) for file, data in batch if data is not None}
        wanted = [(path, numbers[path], data) for path, (_, data) in rest.items()]
        found = {} if anew else self._known_facts.of(wanted)
        known = [rest.pop(path) for path in found]
        done = _joined(known, merged(found.values()), is_known=True)
        done.files.extend(file for file, data in batch if data is None)
        return done, list(rest.values())

    @contextmanager
    def _in_one_worker(self, numbers: Mapping[str, int]) -> Iterator["_PendingBatches"]:
        """Give files to the spare worker; if cancelled, it is killed at once."""
        worker = self._aside.take()
        waiting = _PendingBatches(Workers(worker), numbers)
        try:
            yield waiting
        finally:
            if waiting:
                worker.shutdown(wait=False, cancel_futures=True)
            else:
                self._aside.give_back(worker)

    @contextmanager
    def _in_many_workers(self, numbers: Mapping[str, int]) -> Iterator["_PendingBatches"]:
        """Give batches to workers, which end afterwards."""
        workers = self._open_workers()
        waiting = _PendingBatches(workers, numbers)
        try:
            yield waiting
        finally:
            workers.executor.shutdown(wait=not waiting, cancel_futures=True)

    def _batches(
        self, stats: Mapping[str, FileStat], load: _Load, cancel: CancelToken, *, last: int
    ) -> Iterator[list[_Loaded]]:
        """Yield files with their content, one worker's share at a time.

        Large files come first, then one folder after the other, since its files share most names.
        The ``last`` batches are small, so that all workers finish together.
        """
        left = sum(stat.size for stat in stats.values())
        batch: list[_Loaded] = []
        size = 0
        for path in sorted(stats, key=lambda path: (-(stats[path].size // _LARGE_BYTES), path)):
            cancel.check()
            batch.append(load(path, stats[path]))
            size += stats[path].size
            if size >= min(_BATCH_BYTES, left // last) or len(batch) >= _BATCH_FILES:
                yield batch
                left -= size
                batch, size = [], 0
        yield batch

    def _load(
        self,
        path: str,
        stat: FileStat,
        *,
        known: Mapping[str, FileEntry],
        written: Mapping[str, bytes],
    ) -> _Loaded:
        """A file with its content, which is taken from ``written`` if the size is right.

        Another process may have written as many bytes since. So the mtime is not remembered, and
        the file is compared with the disk before it is part of a result.
        """
        data = written.get(path)
        if data is not None and len(data) == stat.size:
            return _told(path, stat._replace(changed_ns=-1), data, known.get(path))
        try:
            content = disk.read(self._root, path)
        except ToolError as error:
            unreadable = stat._replace(changed_ns=-1)
            return ReadFile(path, unreadable, reason=error.message), None
        if content is None:
            return ReadFile(path, None, reason="It vanished while it was read."), None
        stat = stat._replace(changed_ns=certain(stat))
        return _told(path, stat, content.data, known.get(path))


def _told(path: str, stat: FileStat, data: bytes, known: FileEntry | None) -> _Loaded:
    if known is not None and known.hash == content_hash(data):
        return ReadFile(path, stat, known.hash, known.reason), None
    reason = sniff(data, path)
    if reason is not None:
        return ReadFile(path, stat, content_hash(data), reason), None
    return ReadFile(path, stat), data


def _parsed_here(loaded: list[_Source], numbers: Mapping[str, int]) -> ReadFiles:
    return _joined(loaded, batch_of([(f.path, numbers[f.path], data) for f, data in loaded]))


def _joined(loaded: Iterable[_Source], batch: ParsedBatch, *, is_known: bool = False) -> ReadFiles:
    files = [
        ReadFile(file.path, file.stat, answer.hash, parsed=answer, is_known=is_known)
        for (file, _), answer in zip(loaded, batch.answers, strict=True)
    ]
    return ReadFiles(files, batch.tokens, batch.symbols, batch.words)


class _PendingBatches:
    """The batches that workers have not finished yet; ``most`` is how many these may be."""

    def __init__(self, workers: Workers, numbers: Mapping[str, int]) -> None:
        self._executor = workers.executor
        self.most = workers.most_waiting
        self._numbers = numbers
        self._batches: dict[Future[list[bytes]], list[_Source]] = {}

    def __len__(self) -> int:
        return len(self._batches)

    def add(self, batch: list[_Source]) -> None:
        """Submit some files for parsing; an empty batch is ignored."""
        if batch:
            future = self._executor.submit(parse_batch, list(map(self._numbered, batch)))
            self._batches[future] = batch

    def finished(self, cancel: CancelToken) -> list[ReadFiles]:
        """The files of the finished batches, after waiting for at least one."""
        done: Sequence[Future[list[bytes]]] = ()
        while not done:
            cancel.check()
            done = tuple(wait(self._batches, timeout=_TICK_S, return_when=FIRST_COMPLETED).done)
        found = []
        for future in done:
            loaded = self._batches.pop(future)
            problem = future.exception()
            if problem is None:
                answers = future.result()
            else:
                given = map(self._numbered, loaded)
                answers = [unparsed_batch(*file, reason=str(problem)) for file in given]
            rest = iter(loaded)
            batches = map(decode_batch, answers)
            found += [_joined(islice(rest, len(batch.answers)), batch) for batch in batches]
        return found

    def _numbered(self, loaded: _Source) -> NumberedFile:
        file, data = loaded
        return file.path, self._numbers[file.path], data


def is_parsed(path: str) -> bool:
    """Whether a file gets a syntax tree, by its name."""
    language = language_for(path)
    return language is not None and language.is_parsed


def is_small(path: str, data: bytes) -> bool:
    """Whether parsing a file cannot take long, whatever its content."""
    return not MOST_INLINE_BYTES < len(data) <= LARGEST or not is_parsed(path)
