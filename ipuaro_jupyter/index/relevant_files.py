"""The files that a question names, with their declarations."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.ranking.mentions import named_in
from ipuaro_jupyter.index.ranking.outline import file_line, outline

_MOST_FILES = 5
_LOOSEST = 4  # characters per unit of the budget, as a first guess
_SMALLER = 0.8


class RelevantFile(NamedTuple):
    """A file that a question names.

    ``text`` is a line with its path and the number of files that import it, and a line for each
    declaration, as on the project's map; names are escaped, see `outline.plain`.
    """

    path: str
    text: str


def relevant_files(
    index: CodeIndex, question: str, budget: float, *, size: Callable[[str], float] = len
) -> tuple[RelevantFile, ...]:
    """The files that a question names, by path, symbol or name, the most certain first.

    Args:
        index: The project.
        question: A message of the user.
        budget: The maximum size of all texts.
        size: Measures a text, for example in tokens; by default in characters.

    Raises:
        StorageError: Redis has gone.
    """
    survey = index.imports.survey()
    mentions = named_in(survey, question)
    order = sorted(mentions.files, key=lambda n: (-mentions.files[n], n))[:_MOST_FILES]
    blobs = index.blobs([survey.paths[number] for number in order])
    found: list[RelevantFile] = []
    for place, number in enumerate(order):
        path = survey.paths[number]
        room = (budget - sum(size(one.text) for one in found)) / (len(order) - place)
        line = file_line(path, len(survey.imports.dependents[path]))
        text = _within(room, line, blobs.get(path), asked=mentions.names, size=size)
        if text:
            found.append(RelevantFile(path, text))
    return tuple(found)


def _within(
    room: float,
    line: str,
    blob: bytes | None,
    *,
    asked: Collection[str],
    size: Callable[[str], float],
) -> str:
    """The line of a file and as many declarations as fit; empty when not even the line does."""
    chars = round(_LOOSEST * room)
    while True:
        declared = outline(blob, asked=asked, most_chars=chars) if blob and chars > 0 else []
        text = "\n".join([line, *(f" {one}" for one in declared)])
        if size(text) <= room:
            return text
        if not declared:
            return ""
        chars = min(round(_SMALLER * chars), sum(map(len, declared)))
