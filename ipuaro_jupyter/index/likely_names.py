"""The files, folders and symbols of a project that a conversation most likely means."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.project_map import ranked
from ipuaro_jupyter.index.ranking.mentions import identifiers, mentions_in, paths_named
from ipuaro_jupyter.index.ranking.outline import declared_names
from ipuaro_jupyter.index.ranking.survey import Survey

_MOST_QUALIFIED = 20
_READ_AT_ONCE = 40
_FOLDERS_SHARE = 0.3


class LikelyNames(NamedTuple):
    """Names that exist, the likeliest first.

    Attributes:
        files: Paths of files.
        folders: Paths of folders; the root is ".".
        places: Files and folders.
        symbols: Names as in "Class.method"; those that were mentioned also bare.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    places: tuple[str, ...]
    symbols: tuple[str, ...]


def likely_names(index: CodeIndex, texts: Sequence[str], *, most: int) -> LikelyNames:
    """At most so many names of each kind: those in the texts first, then the highest ranked.

    Args:
        index: The project.
        texts: The conversation; the texts that matter most come first.
        most: The number of names of a kind.

    Raises:
        StorageError: Redis has gone.
    """
    survey = index.imports.survey()
    order = ranked(survey, mentions_in(survey, texts[::-1], changed=()))
    named = [survey.paths[number] for text in texts for number in paths_named(survey, text)]
    files = _first([*named, *(survey.paths[number] for number in order)], most)
    folders = _first([*_folders_named(survey, texts), *_folders(files)], most)
    others = [folder for folder in folders if folder not in named]
    places = [*named, *others[: round(_FOLDERS_SHARE * most)], *files, *folders]
    symbols = _first(chain(_symbols_named(index, survey, texts), _declared(index, files)), most)
    return LikelyNames(files, folders, _first(places, most), symbols)


def _first(names: Iterable[str], most: int) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(names), most))


def _folders_named(survey: Survey, texts: Sequence[str]) -> Iterator[str]:
    """Yield the folders that occur in the texts with their whole path."""
    known = sorted({folder for path in survey.paths for folder in _above(path)}, key=len)
    for text in texts:
        words = {word.strip("/") for word in text.replace("`", " ").split()}
        yield from (folder for folder in known if folder in words)


def _folders(files: Sequence[str]) -> Iterator[str]:
    yield "."
    for path in files:
        yield from _above(path)


def _above(path: str) -> Iterator[str]:
    """Yield the folders that a file is in, from the nearest."""
    while path := path.rpartition("/")[0]:
        yield path


def _declared(index: CodeIndex, files: Sequence[str]) -> Iterator[str]:
    for start in range(0, len(files), _READ_AT_ONCE):
        blobs = index.blobs(files[start : start + _READ_AT_ONCE])
        for path in files[start : start + _READ_AT_ONCE]:
            yield from declared_names(blobs[path]) if path in blobs else ()


def _symbols_named(index: CodeIndex, survey: Survey, texts: Sequence[str]) -> Iterator[str]:
    """Yield the declared names in the texts; those in the first one as they are qualified, too."""
    for place, text in enumerate(texts):
        found = identifiers(text)
        declared = survey.declared(found)
        known = [name for name in found if name in declared]
        for name in known[:_MOST_QUALIFIED] if place == 0 else ():
            yield from dict.fromkeys(symbol.qualified for symbol in index.definitions(name))
        yield from known
