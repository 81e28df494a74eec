"""The answers to the latest questions about uses, in one state of the index."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from ipuaro_jupyter.index.binding.alias_resolver import Declaration
from ipuaro_jupyter.index.binding.references import Contexts, Uses
from ipuaro_jupyter.index.storage.stored_answers import StoredAnswers
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.records.code import Reference
from ipuaro_jupyter.workspace.files.text_lines import TextLines

_LONG_S = 0.01
_MOST_STORED = 500
_MOST_ANSWERS = 100
_MOST_WEIGHT = 32_000_000
_REFERENCE_BYTES = 1000
"""With the lines around it."""
_AROUND = 1
"""How many lines before and after a place are stored with it: those that are shown."""


class UsesQuestion(NamedTuple):
    """A question about uses; see `ReferenceFinder.of`."""

    symbol: str
    within: str | None
    limit: int | None
    declared_in: str


class UsesAnswer(NamedTuple):
    """An answer, with the hashes of the files that were read for it.

    ``is_kept`` is False when time ran out, or a file was not what the index knows.
    """

    uses: Uses
    used: Mapping[str, str]
    is_kept: bool

    @property
    def weight(self) -> int:
        """The memory it takes at most, in bytes."""
        uses = self.uses
        texts = sum(len(text) for text, _ in uses.texts.values())
        return texts + _REFERENCE_BYTES * (len(uses.first) + len(uses.unresolved) + len(self.used))


class _StoredUse(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A reference, as it is stored."""

    path: str
    line: int
    column: int
    is_definition: bool
    resolved: bool
    declared_in: str | None
    declared_as: str | None


class _StoredAnswer(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An answer without the texts of the files, as it is stored.

    ``lines`` are those around the listed places, by path and 1-based number.
    """

    total: int
    first: list[_StoredUse]
    declared: list[Declaration]
    unresolved_total: int
    unresolved: list[_StoredUse]
    used: dict[str, str]
    lines: dict[str, dict[int, str]] = {}
    overridden: list[Declaration] | None = []
    is_inherited: bool = False


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_StoredAnswer).decode


class AnswersOnServer:
    """Keeps answers that took long from one kernel to the next.

    Args:
        answers: Where they are stored.
        settings: What else they depend on.
    """

    def __init__(self, answers: StoredAnswers, settings: str) -> None:
        self._answers = answers
        self._settings = settings

    def get(self, generation: bytes, asked: UsesQuestion) -> UsesAnswer | None:
        """The answer to a question in a state of the index; None when it is not kept."""
        value = self._answers.get(generation, self._field(asked))
        if value is None:
            return None
        kept = _decode(value)
        listed = (*kept.first, *kept.unresolved)
        uses = Uses(
            kept.total,
            [_reference(row) for row in kept.first],
            {},
            {row.path: kept.used[row.path] for row in listed},
            declared=frozenset(kept.declared),
            unresolved_total=kept.unresolved_total,
            unresolved=tuple(_reference(row) for row in kept.unresolved),
            contexts=_contexts(kept.lines, listed),
            overridden=None if kept.overridden is None else frozenset(kept.overridden),
            is_inherited=kept.is_inherited,
        )
        return UsesAnswer(uses, kept.used, is_kept=True)

    def put(self, generation: bytes, asked: UsesQuestion, answer: UsesAnswer) -> None:
        """Keep an answer, unless it is a long one."""
        uses = answer.uses
        if len(uses.first) + len(uses.unresolved) > _MOST_STORED:
            return
        kept = _StoredAnswer(
            uses.total,
            [_stored(use) for use in uses.first],
            sorted(uses.declared),
            uses.unresolved_total,
            [_stored(use) for use in uses.unresolved],
            dict(answer.used),
            _lines(uses),
            None if uses.overridden is None else sorted(uses.overridden),
            uses.is_inherited,
        )
        self._answers.put(generation, self._field(asked), _encode(kept))

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


def _contexts(lines: Mapping[str, Mapping[int, str]], listed: Iterable[_StoredUse]) -> Contexts:
    """The same, as whoever shows the places keeps them; see `Uses`."""
    found: Contexts = {}
    for path, line in dict.fromkeys((row.path, row.line) for row in listed):
        own, first = lines.get(path), max(1, line - _AROUND)
        if own is not None:
            around = range(first, line + _AROUND + 1)
            context = tuple([own[number] for number in around if number in own])
            found[path, line, _AROUND, _AROUND] = first, context
    return found


def _reference(row: _StoredUse) -> Reference:
    return Reference(**msgspec.structs.asdict(row))


def _stored(use: Reference) -> _StoredUse:
    return _StoredUse(**dict(use))


class KeptAnswers:
    """Keeps the latest answers, as many as fit into some megabytes.

    Args:
        server: Keeps those that took long for other kernels, too; None: nothing does.
        stores_all: Whether it keeps those that did not take long, too.
    """

    def __init__(self, server: AnswersOnServer | None = None, *, stores_all: bool = False) -> None:
        self._server = server
        self._stores_all = stores_all
        self._generation = b""
        self._kept: dict[UsesQuestion, UsesAnswer] = {}
        self._weight = 0

    def get(
        self, generation: bytes, asked: UsesQuestion, make: Callable[[], UsesAnswer]
    ) -> UsesAnswer:
        """The answer to a question, made when it is not kept.

        Args:
            generation: The state of the index; b"" when there is none.
            asked: The question.
            make: Makes the answer.
        """
        if generation != self._generation:
            self._kept.clear()
            self._generation, self._weight = generation, 0
        answer = self._kept.pop(asked, None)
        if answer is not None:
            self._weight -= answer.weight
        else:
            answer = self._found(generation, asked, make)
        if generation and answer.is_kept and answer.weight <= _MOST_WEIGHT:
            self._kept[asked] = answer
            self._weight += answer.weight
            while self._weight > _MOST_WEIGHT or len(self._kept) > _MOST_ANSWERS:
                self._weight -= self._kept.pop(next(iter(self._kept))).weight
        return answer

    def _found(
        self, generation: bytes, asked: UsesQuestion, make: Callable[[], UsesAnswer]
    ) -> UsesAnswer:
        """The answer that another kernel has found, else a new one."""
        if self._server is None or not generation:
            return make()
        answer = self._server.get(generation, asked)
        if answer is None:
            began = time.perf_counter()
            answer = make()
            is_wanted = self._stores_all or time.perf_counter() - began >= _LONG_S
            if answer.is_kept and is_wanted:
                self._server.put(generation, asked, answer)
        return answer
