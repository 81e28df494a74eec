"""What the index knows for certain about what a question names."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ipuaro_jupyter.cancellation import Deadline, watched
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion
from ipuaro_jupyter.index.retrieval.demoted import standing
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.records.counted import counted

_MOST_NAMES = 3
_MOST_DECLARED = 5
_MOST_LISTED = 40
_SURE = 0.5
_LONGEST_S = 1.0
_AT_LEAST = "at least "
_TYPES = frozenset({"class", "interface", "type"})


class Fact(NamedTuple):
    """A sentence, and the places or files that it ends with."""

    said: str
    listed: tuple[str, ...] = ()

    def text(self, most: int = _MOST_LISTED) -> str:
        """The sentence with at most so many of them, and how many more there are."""
        more = len(self.listed) - most
        parts = [*self.listed[:most], *[f"{more} more"] * (more > 0)]
        return f"{self.said}{': ' * bool(parts)}{', '.join(parts)}."


class _NamedSymbol(NamedTuple):
    name: str
    places: list[SymbolLocation]

    @property
    def targets(self) -> list[tuple[str, str]]:
        return [(one.path, one.qualified) for one in self.places]


def exact_facts(index: CodeIndex, asked: AskedQuestion, *, files: Iterable[str]) -> list[Fact]:
    """Sentences about the symbols and files that a question names.

    Where they are declared, and as far as that is asked: what calls, uses, extends or imports them.

    Args:
        index: The project.
        asked: The question.
        files: The files that it names by their paths.
    """
    facts: list[Fact] = []
    named = _named(index, asked)
    deadline = Deadline(_LONGEST_S, watched())
    try:
        with deadline.running(), deadline.in_force():
            for one in named:
                facts.append(_declared(one))
                facts += _heirs(index, one) if "heirs" in asked.asks else ()
                calls = [*_calls(index, one)] if "calls" in asked.asks else []
                facts += calls
                if "uses" in asked.asks or ("calls" in asked.asks and not calls):
                    facts += _used(index, one)
            for path in sorted(files)[:_MOST_NAMES] if "imports" in asked.asks else ():
                facts += _imports(index, path)
    except TimeUp:
        facts.append(Fact("There was no time to look for more"))
    return facts


def _named(index: CodeIndex, asked: AskedQuestion) -> list[_NamedSymbol]:
    """The declared names in the question, those with dots before their parts."""
    sure = asked.names
    names = sorted(sure, key=lambda name: (-name.count("."), -sure[name]))
    found: list[_NamedSymbol] = []
    for name in names:
        if len(found) == _MOST_NAMES or (sure[name] < _SURE and (found or not asked.asks)):
            break
        if any(one.name.endswith(f".{name}") or one.name.startswith(f"{name}.") for one in found):
            continue
        places = {(one.path, one.qualified): one for one in reversed(index.definitions(name))}
        meant = [one for one in reversed(places.values()) if standing(one.path, asked) == 1.0]
        if 0 < len(meant) <= _MOST_DECLARED:
            found.append(_NamedSymbol(name, meant))
    return found


def _declared(one: _NamedSymbol) -> Fact:
    places = ", ".join(f"{place.path}:{place.line} ({place.kind})" for place in one.places)
    return Fact(f"{one.name} is declared at {places}")


def _calls(index: CodeIndex, one: _NamedSymbol) -> Iterator[Fact]:
    from ipuaro_jupyter.index.relations.callers import Callers  # noqa: PLC0415 - slow to import

    found = index.ask(lambda asked: Callers(asked).of(one.targets, depth=1))
    for said, sites in (("is called", found.calls), ("is passed on", found.values)):
        places = dict.fromkeys(
            f"{site.path}:{site.line}{f' in {site.caller}' * bool(site.caller)}" for site in sites
        )
        if places:
            files = {site.path for site in sites}
            yield _at(f"{one.name} {said}", places, files, is_late=_is_late(found.notes))


def _used(index: CodeIndex, one: _NamedSymbol) -> Iterator[Fact]:
    uses = index.uses(one.name, limit=None)
    declared = {(place.path, place.line) for place in one.places}
    found = [use for use in uses.first if use.resolved and (use.path, use.line) not in declared]
    places = dict.fromkeys(f"{use.path}:{use.line}" for use in found)
    if places:
        files = {use.path for use in found}
        yield _at(f"{one.name} is used", places, files, is_late=bool(uses.not_looked_at))
    elif not uses.not_looked_at:
        yield Fact(f"No other use of {one.name} was found")


def _at(said: str, places: Iterable[str], files: set[str], *, is_late: bool) -> Fact:
    listed = tuple(places)
    count = f"{counted(len(listed), 'place')} in {counted(len(files), 'file')}"
    return Fact(f"{said} at {_AT_LEAST * is_late}{count}", listed)


def _is_late(notes: Iterable[str]) -> bool:
    return any(note.startswith("the time was up") for note in notes)


def _heirs(index: CodeIndex, one: _NamedSymbol) -> Iterator[Fact]:
    from ipuaro_jupyter.index.relations.implementations import (  # noqa: PLC0415 - slow to import
        ImplementationSearch,
    )

    search = index.ask(lambda asked: ImplementationSearch(asked).of(one.targets))
    found, least = search.listed, _AT_LEAST * _is_late(search.notes)
    direct = [heir for heir in found if heir.certain and heir.depth == 1]
    indirect = [heir for heir in found if heir.certain and heir.depth > 1]
    for how, heirs in (("directly", direct), ("indirectly", indirect)):
        listed = tuple(f"{heir.name} at {heir.path}:{heir.line}" for heir in heirs)
        if listed:
            yield Fact(
                f"{one.name} is {how} extended or implemented by {least}{len(listed)}", listed
            )
    if not found and not least and any(place.kind in _TYPES for place in one.places):
        yield Fact(f"Nothing was found that extends or implements {one.name}")


def _imports(index: CodeIndex, path: str) -> Iterator[Fact]:
    importers = tuple(node.path for node in index.imports.dependents(path))
    imported = tuple(node.path for node in index.imports.dependencies(path))
    if importers:
        yield Fact(f"{path} is imported by {counted(len(importers), 'file')}", importers)
    else:
        yield Fact(f"No file of the project imports {path}")
    if imported:
        yield Fact(f"{path} imports {counted(len(imported), 'file')}", imported)
