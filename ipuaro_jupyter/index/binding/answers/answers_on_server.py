"""Answers that took long, kept from one kernel to the next, and over changes elsewhere.

What a question reads is the rows of the index and the files. An answer holds in the state in which
it was found, and in any other where the parts of the index's shape that it read are the same (see
`shape_parts`), the files that were used are, and no other file would be used.
"""

from collections.abc import Iterable, Iterator

import msgspec

from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.index.binding.answers.stored_lines import kept_lines, stored_lines
from ipuaro_jupyter.index.binding.answers.stored_rows import StoredRows, stored_rows
from ipuaro_jupyter.index.binding.answers.uses import (
    Extent,
    Uses,
    UsesAnswer,
    UsesQuestion,
)
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.shapes.shape_parts import Part, exports_in, imports_in, numbers_of
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_answers import StoredAnswers
from ipuaro_jupyter.index.storage.stored_index import StoredIndex


class _StoredAnswer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An answer without the texts of the files, as it is stored.

    ``generation`` is the state in which it was found, ``extent`` None where it holds in no other.
    ``shape`` is the shape then, and ``reads`` are the numbers of its parts that were read; None:
    any may have been. ``used`` are the files by their numbers in the rows. ``lines`` are those
    around the listed places, see `stored_lines`.
    """

    generation: bytes
    shape: bytes
    reads: list[int] | None
    extent: Extent | None
    total: int
    first: StoredRows
    declared: list[Declaration]
    unresolved_total: int
    unresolved: StoredRows
    used: dict[str, str]
    lines: bytes
    overridden: list[Declaration] | None
    is_inherited: bool

    @property
    def is_whole(self) -> bool:
        """Whether it lists everything that it counts."""
        return self.total == len(self.first.lines) and self.unresolved_total == len(
            self.unresolved.lines
        )


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_StoredAnswer).decode


class AnswersOnServer:
    """Keeps answers that took long from one kernel to the next.

    One that lists everything stands under the question without a limit, and answers it with any.

    Args:
        stored: The index.
        settings: What else they depend on.
    """

    def __init__(self, stored: StoredIndex, settings: str) -> None:
        self._stored = stored
        self._answers = StoredAnswers(stored)
        self._settings = settings

    def get(self, state: Snapshot, asked: UsesQuestion) -> UsesAnswer | None:
        """The answer to a question in a state of the index; None when it is not kept."""
        kept = None if asked.limit is None else self._kept(state, asked)
        if kept is None:
            kept = self._kept(state, asked._replace(limit=None))
            kept = kept if kept is not None and kept.is_whole else None
        if kept is None:
            return None
        paths = list(kept.used)
        rows = (kept.first, kept.unresolved)
        first, unresolved = (some.references(paths, asked.limit) for some in rows)
        listed = dict.fromkeys(paths[n] for some in rows for n in some.files(asked.limit))
        uses = Uses(
            kept.total,
            first,
            {},
            {path: kept.used[path] for path in listed},
            declared=frozenset(kept.declared),
            unresolved_total=kept.unresolved_total,
            unresolved=tuple(unresolved),
            lines=kept_lines(kept.lines, listed),
            overridden=None if kept.overridden is None else frozenset(kept.overridden),
            is_inherited=kept.is_inherited,
            extent=kept.extent,
        )
        return UsesAnswer(uses, kept.used, is_kept=True)

    def _kept(self, state: Snapshot, asked: UsesQuestion) -> _StoredAnswer | None:
        value = self._answers.get(state.base, self._field(asked))
        kept = None if value is None else _decode(value)
        if kept is not None and kept.generation != state.generation:
            kept = self._renewed(kept, state, asked.within or "")
        return kept

    def _renewed(self, kept: _StoredAnswer, state: Snapshot, within: str) -> _StoredAnswer | None:
        """An answer from another state in this one; None when it may differ."""
        extent, paths = kept.extent, state.paths
        if extent is None or not _keeps_reads(kept, state) or state.differing(kept.used):
            return None
        counts = self._stored.tokens([extent.name]).get(extent.name, {})
        having = {paths[number]: count for number, count in counts.items() if number in paths}
        inside = {path: count for path, count in having.items() if is_inside(path, within)}
        if not extent.holds(inside, kept.used):
            return None
        return msgspec.structs.replace(kept, total=extent.total(inside))

    def put(self, state: Snapshot, asked: UsesQuestion, answer: UsesAnswer) -> None:
        """Keep an answer, unless it is a very long one, or the index has changed meanwhile."""
        if self._stored.info("generation") != [state.generation]:
            return
        uses, used = answer.uses, dict(answer.used)
        numbers = {path: number for number, path in enumerate(used)}
        reads = answer.reads
        kept = _StoredAnswer(
            state.generation,
            state.shape,
            None if reads is None else numbers_of((*reads, *_parts_in(used))),
            uses.extent if answer.is_alone else None,
            uses.total,
            stored_rows(uses.first, numbers),
            sorted(uses.declared),
            uses.unresolved_total,
            stored_rows(uses.unresolved, numbers),
            used,
            stored_lines(uses),
            None if uses.overridden is None else sorted(uses.overridden),
            uses.is_inherited,
        )
        field = self._field(asked._replace(limit=None) if kept.is_whole else asked)
        self._answers.put(state.base, field, _encode(kept))

    def _field(self, asked: UsesQuestion) -> str:
        return "\0".join((self._settings, *("" if one is None else str(one) for one in asked)))


def _keeps_reads(kept: _StoredAnswer, state: Snapshot) -> bool:
    """Whether what was read of the shape is the same in another state."""
    if kept.shape == state.shape:
        return True
    changed = state.changes.since(kept.shape)
    return changed is not None and kept.reads is not None and changed.isdisjoint(kept.reads)


def _parts_in(paths: Iterable[str]) -> Iterator[Part]:
    """Yield all that files import and export: also where these lead without another content."""
    for path in paths:
        yield imports_in(path)
        yield exports_in(path)
