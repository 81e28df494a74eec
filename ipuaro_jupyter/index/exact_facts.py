"""What the index knows for certain about what a question names."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.retrieval.asked import AskedQuestion
from ipuaro_jupyter.index.retrieval.demoted import standing
from ipuaro_jupyter.records.code import SymbolLocation
from ipuaro_jupyter.records.counted import counted

_MOST_NAMES = 3
_MOST_DECLARED = 5
_MOST_LISTED = 12
_USES = re.compile(
    r"\b(?:call(?:s|ed|ers?)?|us(?:e|es|ed|ages?|ers?)|refer(?:s|ences?|red)?|break(?:s|ing)?"
    r"|depend(?:s|ents?)?|affect(?:s|ed)?|rename|change"
    r"|ruf\w*|aufgerufen|verwend\w*|benutz\w*|genutzt|brich\w*|kaputt"
    r"|appel\w*|utilis\w*|llam\w*|usa\w*|rompe)\b"
    r"|вызыва\w*|использу\w*|сломает\w*|调用|使用|引用|用到",
    re.IGNORECASE,
)
_IMPORTS = re.compile(
    r"\b(?:import\w*|importier\w*|importent|depend\w*)\b|импорт\w*|导入|引入", re.IGNORECASE
)


class _NamedSymbol(NamedTuple):
    name: str
    places: list[SymbolLocation]


def exact_facts(
    index: CodeIndex, question: str, asked: AskedQuestion, *, files: Iterable[str]
) -> list[str]:
    """Sentences about the symbols and files that a question names: where, used by, imported by.

    Args:
        index: The project.
        question: The question.
        asked: What it says.
        files: The files that it names by their paths.
    """
    facts = []
    named = _named(index, asked)
    for one in named:
        facts.append(_declared(one))
        if _USES.search(question):
            facts += _used(index, one)
    if _IMPORTS.search(question):
        for path in list(files)[:_MOST_NAMES]:
            facts += _imports(index, path)
    return facts


def _named(index: CodeIndex, asked: AskedQuestion) -> list[_NamedSymbol]:
    """The declared names in the question, those with dots before their parts."""
    names = sorted(asked.names, key=lambda name: (-name.count("."), -asked.names[name]))
    found: list[_NamedSymbol] = []
    for name in names:
        if len(found) == _MOST_NAMES:
            break
        if any(one.name.endswith(f".{name}") or one.name.startswith(f"{name}.") for one in found):
            continue
        places = [one for one in index.definitions(name) if standing(one.path, asked) == 1.0]
        if 0 < len(places) <= _MOST_DECLARED:
            found.append(_NamedSymbol(name, places))
    return found


def _declared(one: _NamedSymbol) -> str:
    places = ", ".join(f"{place.path}:{place.line} ({place.kind})" for place in one.places)
    return f"{one.name} is declared at {places}."


def _used(index: CodeIndex, one: _NamedSymbol) -> Iterator[str]:
    uses = index.uses(one.name, limit=None)
    declared = {(place.path, place.line) for place in one.places}
    found = [use for use in uses.first if use.resolved and (use.path, use.line) not in declared]
    places = dict.fromkeys(f"{use.path}:{use.line}" for use in found)
    files = len({use.path for use in found})
    if not places:
        yield f"No other use of {one.name} was found."
        return
    yield (
        f"{one.name} is used at {counted(len(places), 'place')} in {counted(files, 'file')}: "
        f"{_listed(list(places))}."
    )


def _imports(index: CodeIndex, path: str) -> Iterator[str]:
    importers = [node.path for node in index.imports.dependents(path)]
    imported = [node.path for node in index.imports.dependencies(path)]
    if importers:
        yield f"{path} is imported by {counted(len(importers), 'file')}: {_listed(importers)}."
    else:
        yield f"No file of the project imports {path}."
    if imported:
        yield f"{path} imports {_listed(imported)}."


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
