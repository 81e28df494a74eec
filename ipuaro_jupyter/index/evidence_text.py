"""What a question is about, as much of it as a model's window has room for."""

import re
import time
from collections.abc import Callable, Sequence

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.exact_facts import Fact, exact_facts
from ipuaro_jupyter.index.extract.file_words import number_of
from ipuaro_jupyter.index.retrieval import excerpts
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion
from ipuaro_jupyter.index.retrieval.asked import asked as read_question
from ipuaro_jupyter.index.retrieval.file_declarations import Declaration
from ipuaro_jupyter.index.retrieval.ranked_search import RankedSymbol, Ranking
from ipuaro_jupyter.records.evidence import (
    Evidence,
    EvidenceExcerpt,
    EvidenceSymbol,
    QuestionKind,
)

Hidden = Callable[[str, str, str], str]
"""Removes secrets from a text: given that, the path of its file, and more of the file."""

_MOST_FILES, _MOST_SYMBOLS = 20, 20
_LEAST_FILES = 10
_FACTS_SHARE = 0.3
_FURTHER_SHARE = 0.2
_MOST_FURTHER = 32
_BEST_SHARE, _WHOLE_SHARE = 0.55, 0.18
_LEAST_TOKENS = 30
_LEAST_LIKE = 5
_LEAST_SCORE = 0.2
_FIRST = 10
_MOST_TRIED = 40
_AROUND = 60
"""Lines around source that may tell of a secret in it."""
_MOST_WHOLE = 80
_MOST_LINES, _MOST_MEMBERS = 24, 12
_OF_ONE_FILE = 6
_MOST_OF_VALUE, _VALUE_TOKENS = 12, 180
_LITERAL = re.compile(
    r"=\s*(?:[-\d\"'\`\[{(]|[rbuf]{1,2}[\"']|(?:re\.compile|frozenset|new (?:Set|Map))\()"
)
"""A constant that says something by itself: not the name of a type, nor a logger."""


def evidence_of(
    index: CodeIndex,
    question: str,
    *,
    tokens: int,
    size: Callable[[str], float],
    kind: QuestionKind = "explanation",
    hidden: Hidden = lambda text, *_: text,
) -> Evidence:
    """What a question is about: files and declarations, ranked, facts, and a text with source.

    Args:
        index: The project.
        question: A message of the user, in words.
        tokens: The maximum size of the text.
        size: Measures a text in tokens.
        kind: What is asked for.
        hidden: Removes secrets.

    Raises:
        StorageError: Redis has gone.
    """
    began = time.perf_counter()
    asked = read_question(question)
    ranking = index.ranked(asked)
    facts = exact_facts(index, asked, files=ranking.named)
    page = _EvidencePage(asked, ranking, tokens, size, hidden)
    text = page.text(facts)
    return Evidence(
        kind=kind,
        files=tuple(one.path for one in ranking.files[:_MOST_FILES]),
        symbols=tuple(map(_symbol, ranking.symbols[:_MOST_SYMBOLS])),
        facts=tuple(hidden(fact.text(), "", "") for fact in facts),
        text=text,
        tokens=round(size(text)),
        ms=round(1000 * (time.perf_counter() - began), 1),
        is_sure=ranking.is_sure,
        weights=dict(ranking.weights),
        excerpts=tuple(page.excerpts),
    )


def _symbol(one: RankedSymbol) -> EvidenceSymbol:
    declared = one.declared
    return EvidenceSymbol(
        path=one.path,
        name=declared.qualified,
        line=declared.line,
        end=declared.end,
        why=", ".join(one.why),
    )


def _is_like(one: Declaration, other: Declaration) -> bool:
    """Whether two functions are most likely the same but for some words, as sync and async are."""
    lines = one.end - one.line
    return one.name == other.name and lines == other.end - other.line and lines >= _LEAST_LIKE


def _is_part(one: RankedSymbol, whole: RankedSymbol) -> bool:
    """Whether a declaration is some lines of a function that says more."""
    inner, outer = one.declared, whole.declared
    return (
        one.path == whole.path
        and not outer.is_holding
        and inner.end - inner.line < _LEAST_LIKE
        and inner.qualified.startswith(f"{outer.qualified}.")
    )


class _EvidencePage:
    """The text of the evidence.

    Args:
        asked: The question.
        ranking: What it is about.
        tokens: The maximum size.
        size: Measures a text.
        hidden: Removes secrets.
    """

    def __init__(
        self,
        asked: AskedQuestion,
        ranking: Ranking,
        tokens: int,
        size: Callable[[str], float],
        hidden: Hidden,
    ) -> None:
        self._asked = asked
        self._ranking = ranking
        self._tokens = tokens
        self._size = size
        self._hidden = hidden
        self._numbers = [number_of(word) for word in asked.words]
        self.excerpts: list[EvidenceExcerpt] = []

    def text(self, facts: Sequence[Fact]) -> str:
        """Facts, source, and the names of what else there is."""
        parts = self._told(facts)
        left = self._tokens - self._size("\n".join(parts))
        shown = self._shown(left * (1 - _FURTHER_SHARE))
        parts += map(self._drawn, self.excerpts)
        further = self._further(shown, self._tokens - self._size("\n\n".join(parts)) - 4)
        return "\n\n".join([*parts, *further])

    def _told(self, facts: Sequence[Fact]) -> list[str]:
        """The facts; of those with many places, as many as fit."""
        told: list[str] = []
        for fact in facts:
            most = len(fact.listed)
            while self._size("\n".join(["Facts:", *told, fact.text(most)])) > (
                _FACTS_SHARE * self._tokens
            ):
                if not most:
                    break
                most = most * 2 // 3
            else:
                told.append(self._hidden(fact.text(most), "", ""))
        return ["\n".join(["Facts:", *told])] if told else []

    def _shown(self, room: float) -> list[RankedSymbol]:
        """Make the excerpts, and return what they are of.

        Each declaration gets its share at first, so that there are several; what is left goes to
        those that were cut, the best first.
        """
        shown: list[RankedSymbol] = []
        best = max((one.score for one in self._ranking.symbols), default=0.0)
        for one in self._ranking.symbols[:_MOST_TRIED]:
            if room < _LEAST_TOKENS or not one.score:
                break
            is_weak = bool(shown) and one.score <= _LEAST_SCORE * best
            if is_weak or self._is_shown(one, shown):
                continue
            most = (_WHOLE_SHARE if shown else _BEST_SHARE) * self._tokens
            if part := self._excerpt(one, len(shown), min(room, most)):
                room -= self._size(self._drawn(part))
                self.excerpts.append(part)
                shown.append(one)
                room = self._show_values(one, shown, room)
        for place, one in enumerate(shown):
            cut = self.excerpts[place]
            known = self._size(self._drawn(cut))
            if room > _LEAST_TOKENS and (part := self._excerpt(one, place, room + known, cut=cut)):
                room -= self._size(self._drawn(part)) - known
                self.excerpts[place] = part
        return shown

    def _show_values(self, one: RankedSymbol, shown: list[RankedSymbol], room: float) -> float:
        """Show the constants of its file that a function uses, and theirs; return what is left.

        A default, a limit or a list of names is seldom in the function that the question is about.
        """
        file = self._ranking.declarations[one.path]
        waiting = [one.declared]
        while waiting:
            user = waiting.pop()
            names = file.names_in(user)
            for value in file.declared:
                is_used = value.is_value and value.name in names and value.qualified == value.name
                begins = "\n".join(file.lines[value.line - 1 :][:2])
                is_long = value.end - value.line >= _MOST_OF_VALUE
                used = RankedSymbol(one.path, value, one.score, (f"used by {user.name}",))
                if not is_used or is_long or not _LITERAL.search(begins):
                    continue
                if room < _LEAST_TOKENS or self._is_shown(used, shown):
                    continue
                if part := self._excerpt(used, len(shown), min(room, _VALUE_TOKENS)):
                    room -= self._size(self._drawn(part))
                    self.excerpts.append(part)
                    shown.append(used)
                    waiting.append(value)
        return room

    def _is_shown(self, one: RankedSymbol, shown: Sequence[RankedSymbol]) -> bool:
        """Whether a declaration or its like is shown or will be, or its file has had its share."""
        of_file = [other.declared for other in shown if other.path == one.path]
        return (
            len(of_file) >= _OF_ONE_FILE
            or any(_is_part(one, other) for other in self._ranking.symbols[:_FIRST])
            or any(_is_like(one.declared, other.declared) for other in shown)
            or any(o.line <= one.declared.end and one.declared.line <= o.end for o in of_file)
        )

    def _excerpt(
        self, one: RankedSymbol, place: int, room: float, cut: EvidenceExcerpt | None = None
    ) -> EvidenceExcerpt | None:
        """The source of a declaration, in the first form that fits; None when none does.

        Args:
            one: The declaration.
            place: Its place among those shown.
            room: The tokens that it may take.
            cut: A form that has been found to fit already; only longer ones do.
        """
        for lines in self._forms(one):
            if cut is not None and len(lines) <= len(cut.lines):
                return None
            part = EvidenceExcerpt(id=f"E{place + 1}", symbol=_symbol(one), lines=tuple(lines))
            if self._size(self._drawn(part)) <= room:
                around = self._ranking.declarations[one.path].lines[
                    max(0, one.declared.line - _AROUND) : one.declared.end + _AROUND
                ]
                told = self._hidden("\n".join(lines), one.path, "\n".join(around))
                part = part.model_copy(update={"lines": tuple(told.split("\n"))})
                return part if self._size(self._drawn(part)) <= room else None
        return None

    def _forms(self, one: RankedSymbol) -> list[list[str]]:
        """The forms of a declaration, the most useful first."""
        file, declared = self._ranking.declarations[one.path], one.declared
        said = file.lines_with(self._numbers, declared)
        if declared.is_holding and declared.end - declared.line > _MOST_LINES:
            return [
                excerpts.signatures(file, declared, first=said, most=most)
                for most in (_MOST_MEMBERS, _MOST_MEMBERS // 2, 2)
            ]
        telling = sorted(said, key=lambda line: -file.told_at(line, self._numbers))
        is_short = declared.end - declared.line < _MOST_WHOLE
        return [excerpts.whole(file, declared)] * is_short + [
            excerpts.passages(file, declared, first=telling, most=most)
            for most in (2 * _MOST_LINES, _MOST_LINES, _MOST_LINES // 2)
        ]

    def _drawn(self, part: EvidenceExcerpt) -> str:
        one = part.symbol
        return "\n".join([f"{part.id} {one.name}", f"{one.path}:{one.line}-{one.end}", *part.lines])

    def _further(self, shown: Sequence[RankedSymbol], room: float) -> list[str]:
        """What else the question may be about: names by file, and all of the first files."""
        known = {(one.path, one.declared.qualified) for one in shown}
        files = [file.path for file in self._ranking.files[:_MOST_FILES]]
        paths = {one.path for one in shown}
        names: dict[str, list[str]] = {
            path: [] for path in files[:_LEAST_FILES] if path not in paths
        }
        lines = ["Further, by name only:", *names]
        while names and self._size("\n".join(lines)) > room:
            names.popitem()
            lines.pop()
        room -= self._size("\n".join(lines))
        for one in self._ranking.symbols[:_MOST_FURTHER]:
            name = f"{one.declared.qualified}:{one.declared.line}"
            cost = self._size(f" {name}" if one.path in names else f"{one.path} {name}")
            if (one.path, one.declared.qualified) not in known and cost <= room:
                names.setdefault(one.path, []).append(name)
                room -= cost
        lines = [f"{path} {' '.join(listed)}".rstrip() for path, listed in names.items()]
        return ["\n".join(["Further, by name only:", *lines])] if lines else []
