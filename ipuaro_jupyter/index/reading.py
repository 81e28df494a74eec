"""Read changed files from the disk and have them parsed, here or in worker processes."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.parse import parse_batch, parse_file, refuse_file
from ipuaro_jupyter.index.parsed import ParsedFile, decoded
from ipuaro_jupyter.index.stored import FileEntry
from ipuaro_jupyter.index.workers import ParseExecutor
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.workspace import disk
from ipuaro_jupyter.workspace.listing import FileStat
from ipuaro_jupyter.workspace.text_file import content_hash, sniff

Progress = Callable[[int, int], None]

_BATCH_BYTES = 700_000
_BATCH_FILES = 200
_MOST_WAITING = 8
_TICK_S = 0.1
_CLOCK_NS = 50_000_000  # two writes within this may leave one and the same time
_COARSE_CLOCK_NS = 2_500_000_000


@dataclass(frozen=True)
class ReadFile:
    """A file that was read; ``parsed`` is None when it is skipped or has not changed.

    ``stat`` is None when it has vanished.
    """

    path: str
    stat: FileStat | None
    hash: str = ""
    reason: str = ""
    parsed: ParsedFile | None = None


def certain(stat: FileStat) -> int:
    """Return the time to remember for a file read now: -1 when a change may not show in it."""
    is_coarse = stat.mtime_ns % 1_000_000_000 == 0
    age_ns = time.time_ns() - stat.mtime_ns
    return -1 if age_ns < (_COARSE_CLOCK_NS if is_coarse else _CLOCK_NS) else stat.mtime_ns


class Reader:
    """Reads and parses files of a project.

    Args:
        root: The project's folder.
        executor: Where batches are parsed when there is much to do; None: processes of our own,
            for as long as it takes.
        inline_bytes: So much source is parsed right here: starting processes takes longer.
        workers: How many processes of our own; None: one per processor.
    """

    def __init__(
        self,
        root: Path,
        executor: Executor | None,
        *,
        inline_bytes: int,
        workers: int | None,
    ) -> None:
        self._root = root
        self._executor = executor
        self._inline_bytes = inline_bytes
        self._workers = workers

    def read(
        self,
        stats: Mapping[str, FileStat],
        known: Mapping[str, FileEntry],
        *,
        progress: Progress | None = None,
        cancel: CancelToken | None = None,
    ) -> Iterator[ReadFile]:
        """Yield each file, parsed unless it is skipped or what is known of it; in no order.

        Args:
            stats: The files to read with their state on disk.
            known: What the index has; a file whose hash is the same is not parsed again.
            progress: Called with (files done, files to do).
            cancel: Ends it between two files or while waiting for a worker.

        Raises:
            Cancelled: ``cancel`` was set.
        """
        size = sum(s.size for path, s in stats.items() if _is_parsed(path))
        found = self._inline if size <= self._inline_bytes else self._in_workers
        for done, file in enumerate(found(stats, known, cancel or CancelToken()), 1):
            yield file
            if progress is not None:
                progress(done, len(stats))

    def _inline(
        self, stats: Mapping[str, FileStat], known: Mapping[str, FileEntry], cancel: CancelToken
    ) -> Iterator[ReadFile]:
        for path, stat in stats.items():
            cancel.check()
            file, data = self._load(path, stat, known.get(path))
            yield file if data is None else _with(file, parse_file(path, data))

    def _in_workers(
        self, stats: Mapping[str, FileStat], known: Mapping[str, FileEntry], cancel: CancelToken
    ) -> Iterator[ReadFile]:
        executor = self._executor or ParseExecutor(self._workers)
        waiting: dict[Future[list[bytes]], list[tuple[ReadFile, bytes]]] = {}
        try:
            for batch in self._batches(stats, known, cancel):
                for file, data in batch:
                    if data is None:
                        yield file
                todo = [(file, data) for file, data in batch if data is not None]
                if todo:
                    files = [(file.path, data) for file, data in todo]
                    waiting[executor.submit(parse_batch, files)] = todo
                if len(waiting) >= _MOST_WAITING:
                    yield from _finished(waiting, cancel)
            while waiting:
                yield from _finished(waiting, cancel)
        finally:
            for future in waiting:
                future.cancel()
            if executor is not self._executor:
                executor.shutdown(wait=not waiting, cancel_futures=True)

    def _batches(
        self, stats: Mapping[str, FileStat], known: Mapping[str, FileEntry], cancel: CancelToken
    ) -> Iterator[list[tuple[ReadFile, bytes | None]]]:
        """Yield files with their content, as much at a time as one worker gets; largest first."""
        batch: list[tuple[ReadFile, bytes | None]] = []
        size = 0
        for path in sorted(stats, key=lambda path: -stats[path].size):
            cancel.check()
            file, data = self._load(path, stats[path], known.get(path))
            if data is not None and not _is_parsed(path):
                file, data = _with(file, parse_file(path, data)), None
            batch.append((file, data))
            size += len(data or b"")
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
                yield batch
                batch, size = [], 0
        yield batch

    def _load(
        self, path: str, stat: FileStat, known: FileEntry | None
    ) -> tuple[ReadFile, bytes | None]:
        """Return a file, and its content when it has to be parsed."""
        try:
            content = disk.read(self._root, path)
        except ToolError as error:
            unreadable = FileStat(stat.size, -1)  # permissions change without a trace
            return ReadFile(path, unreadable, reason=error.message), None
        if content is None:
            return ReadFile(path, None, reason="It vanished while it was read."), None
        stat = FileStat(stat.size, certain(stat))
        hash_ = content_hash(content.data)
        if known is not None and known.hash == hash_:
            return ReadFile(path, stat, hash_, known.reason), None
        reason = sniff(content.data)
        if reason is not None:
            return ReadFile(path, stat, hash_, reason), None
        return ReadFile(path, stat, hash_), content.data


def _with(file: ReadFile, answer: bytes) -> ReadFile:
    return ReadFile(file.path, file.stat, file.hash, parsed=decoded(answer))


def _finished(
    waiting: dict[Future[list[bytes]], list[tuple[ReadFile, bytes]]], cancel: CancelToken
) -> Iterator[ReadFile]:
    """Yield the files of the batches that are ready, after waiting for one."""
    done: Sequence[Future[list[bytes]]] = ()
    while not done:
        cancel.check()
        done = tuple(wait(waiting, timeout=_TICK_S, return_when=FIRST_COMPLETED).done)
    for future in done:
        batch = waiting.pop(future)
        problem = future.exception()
        if problem is None:
            answers = future.result()
        else:
            answers = [refuse_file(f.path, data, reason=str(problem)) for f, data in batch]
        for (file, _), answer in zip(batch, answers, strict=True):
            yield _with(file, answer)


def _is_parsed(path: str) -> bool:
    language = language_for(path)
    return language is not None and language.is_parsed
