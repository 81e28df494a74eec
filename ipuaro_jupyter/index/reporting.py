"""A summary of the index, for the user."""

from collections import Counter

import msgspec

from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.records.index_report import IndexReport

MANY_FILES = 10_000


def report_of(
    stored: StoredIndex,
    snapshot: Snapshot,
    *,
    parsed: int | None = None,
    known: int | None = None,
    seconds: float | None = None,
    problem: str = "",
) -> IndexReport:
    """A summary of the index.

    Args:
        stored: The index.
        snapshot: Its files.
        parsed: The number of files parsed; None: as when the whole index was made.
        known: The number of new files whose content was known; None: the same.
        seconds: The time that took; None: as when the whole index was made.
        problem: A sentence for the user that comes before others.
    """
    entries = snapshot.files
    indexed = [entry for entry in entries.values() if entry.number]
    reasons = {path: entry for path, entry in entries.items() if entry.reason}
    skipped = {path: entry.reason for path, entry in reasons.items() if not entry.number}
    names = ("edges", "symbols", "parsed", "known", "seconds")
    info = {
        name: msgspec.msgpack.decode(value) if value else 0
        for name, value in zip(names, stored.info(*names), strict=True)
    }
    many = len(indexed) > MANY_FILES
    notice = f"{len(indexed)} files: the first index takes a while." if many else ""
    return IndexReport(
        files=len(indexed),
        parsed=info["parsed"] if parsed is None else parsed,
        known=info["known"] if known is None else known,
        languages=dict(sorted(Counter(entry.language for entry in indexed).items())),
        skipped=dict(sorted({**snapshot.skipped, **skipped}.items())),
        not_analysed={path: entry.reason for path, entry in reasons.items() if entry.number},
        symlinks=snapshot.parted_links[0],
        edges=info["edges"],
        symbols=info["symbols"],
        size_bytes=sum(entry.size for entry in indexed),
        seconds=info["seconds"] if seconds is None else seconds,
        notice=" ".join(filter(None, (problem, notice))),
    )
