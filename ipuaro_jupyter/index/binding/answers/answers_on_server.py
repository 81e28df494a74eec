"""Answers that took long, kept from one kernel to the next, and over changes elsewhere.

What a question reads is the rows of the index and the files. An answer holds in the state in which
it was found, and in any other where the shape of the index is the same (see `Snapshot`), the files
that were used are, and no other file would be used.
"""

from collections.abc import Iterable, Mapping

import msgspec

from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.index.binding.answers.uses import (
    Contexts,
    Extent,
    Uses,
    UsesAnswer,
    UsesQuestion,
)
from ipuaro_jupyter.index.resolve.project_paths import is_inside
from ipuaro_jupyter.index.storage.snapshots import Snapshot
from ipuaro_jupyter.index.storage.stored_answers import StoredAnswers
from ipuaro_jupyter.index.storage.stored_index import StoredIndex
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.records.code import Reference
from ipuaro_jupyter.workspace.files.text_lines import TextLines

_MOST_STORED = 500
_AROUND = 1
"""How many lines before and after a place are stored with it: those that are shown."""


class _StoredAnswer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An answer without the texts of the files, as it is stored.

    ``generation`` is the state in which it was found, ``extent`` None where it holds in no other.
    ``lines`` are those around the listed places, by path and 1-based number.
    """

    generation: bytes
    extent: Extent | None
    total: int
    first: list[Reference]
    declared: list[Declaration]
    unresolved_total: int
    unresolved: list[Reference]
    used: dict[str, str]
    lines: dict[str, dict[int, str]] = {}
    overridden: list[Declaration] | None = []
    is_inherited: bool = False


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_StoredAnswer).decode


class AnswersOnServer:
    """Keeps answers that took long from one kernel to the next.

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
        value = self._answers.get(state.shape, self._field(asked))
        kept = None if value is None else _decode(value)
        if kept is not None and kept.generation != state.generation:
            kept = self._renewed(kept, state, asked.within or "")
        if kept is None:
            return None
        listed = (*kept.first, *kept.unresolved)
        uses = Uses(
            kept.total,
            kept.first,
            {},
            {row.path: kept.used[row.path] for row in listed},
            declared=frozenset(kept.declared),
            unresolved_total=kept.unresolved_total,
            unresolved=tuple(kept.unresolved),
            contexts=_contexts(kept.lines, listed),
            overridden=None if kept.overridden is None else frozenset(kept.overridden),
            is_inherited=kept.is_inherited,
            extent=kept.extent,
        )
        return UsesAnswer(uses, kept.used, is_kept=True)

    def _renewed(self, kept: _StoredAnswer, state: Snapshot, within: str) -> _StoredAnswer | None:
        """An answer from another state of the same shape in this one; None when it may differ."""
        extent, paths = kept.extent, state.paths
        if extent is None or state.differing(kept.used):
            return None
        counts = self._stored.tokens([extent.name]).get(extent.name, {})
        having = {paths[number]: count for number, count in counts.items() if number in paths}
        inside = {path: count for path, count in having.items() if is_inside(path, within)}
        if not extent.holds(inside, kept.used):
            return None
        return msgspec.structs.replace(kept, total=extent.total(inside))

    def put(self, state: Snapshot, asked: UsesQuestion, answer: UsesAnswer) -> None:
        """Keep an answer, unless it is a long one, or the index has changed meanwhile."""
        uses = answer.uses
        if len(uses.first) + len(uses.unresolved) > _MOST_STORED:
            return
        if self._stored.info("generation") != [state.generation]:
            return
        kept = _StoredAnswer(
            state.generation,
            uses.extent if answer.is_alone else None,
            uses.total,
            uses.first,
            sorted(uses.declared),
            uses.unresolved_total,
            [*uses.unresolved],
            dict(answer.used),
            _lines(uses),
            None if uses.overridden is None else sorted(uses.overridden),
            uses.is_inherited,
        )
        self._answers.put(state.shape, self._field(asked), _encode(kept))

    def _field(self, asked: UsesQuestion) -> str:
        return "\0".join((self._settings, *("" if one is None else str(one) for one in asked)))


def _lines(uses: Uses) -> dict[str, dict[int, str]]:
    """The lines around the listed places, but for notebooks, which are read by cells."""
    found: dict[str, dict[int, str]] = {}
    texts = {path: TextLines(text) for path, (text, _) in uses.texts.items()}
    for use in (*uses.first, *uses.unresolved):
        language = language_for(use.path)
        if language is None or language.reader != "cells":
            first = max(1, use.line - _AROUND)
            lines = texts[use.path].between(first, use.line + _AROUND)
            found.setdefault(use.path, {}).update(enumerate(lines, first))
    return found


def _contexts(lines: Mapping[str, Mapping[int, str]], listed: Iterable[Reference]) -> Contexts:
    """The same, as whoever shows the places keeps them; see `Uses`."""
    found: Contexts = {}
    for path, line in dict.fromkeys((row.path, row.line) for row in listed):
        own, first = lines.get(path), max(1, line - _AROUND)
        if own is not None:
            around = range(first, line + _AROUND + 1)
            context = tuple([own[number] for number in around if number in own])
            found[path, line, _AROUND, _AROUND] = first, context
    return found
