"""The project on one page: what a model should know of it before it looks anything up."""

from collections.abc import Collection, Iterable, Sequence

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.map_sections import (
    circles,
    folders,
    heading,
    high_impact,
    imports_among,
    overview,
)
from ipuaro_jupyter.index.mentions import Mentions, mentions_in
from ipuaro_jupyter.index.outline import outline, plain
from ipuaro_jupyter.index.page_rank import near
from ipuaro_jupyter.index.survey import Survey

_MEANT = 0.8
_OVERVIEW, _IMPACT, _CIRCLES, _OUTLINES, _IMPORTS = 0.08, 0.07, 0.06, 0.45, 0.15
_MOST_OUTLINED = 40
_SHARE_OF_ONE = 6
_LEAST_FOR_ONE = 120


def project_map(
    index: CodeIndex,
    most_chars: int,
    *,
    mentioned: Sequence[str] = (),
    changed: Collection[str] = (),
) -> str:
    """Return what matters most in a project, in at most ``most_chars`` characters.

    That is: how many files there are and where, the files that most others depend on, circular
    imports, the most relevant files with their dependents and what they declare, the next most
    relevant ones by folder, and the imports among the former. Relevant is what much is used by
    what matters, and what is near to what the conversation means. The same index and the same
    words give the same text. Names are escaped, see `outline.plain`.

    Args:
        index: The project.
        most_chars: The budget; the text is never longer.
        mentioned: What the user has said, the latest last.
        changed: Paths of files that the conversation has changed.

    Raises:
        StorageError: Redis has gone.
    """
    survey = index.survey()
    room = max(0, most_chars)
    if not survey.paths:
        return _joined([["The project has no indexed files."]], room)
    mentions = mentions_in(survey, mentioned, changed=changed)
    order = ranked(survey, mentions)
    first = [
        overview(survey, round(_OVERVIEW * room)),
        high_impact(survey, round(_IMPACT * room)),
        circles(survey, round(_CIRCLES * room)),
    ]
    outlined, shown = _outlines(index, survey, order, mentions.names, round(_OUTLINES * room))
    edges = imports_among(survey, shown, round(_IMPORTS * room))
    left = room - sum(_size(section) for section in (*first, outlined, edges))
    rest = folders(survey, order, known=shown, most_chars=left)
    return _joined([*first, outlined, edges, rest], room)


def ranked(survey: Survey, mentions: Mentions) -> list[int]:
    """Return the files by number, the most relevant first."""
    scores = list(survey.ranks)
    if mentions.files:
        scores = [(1 - _MEANT) * score for score in scores]
        for number, score in near(mentions.files, survey.around).items():
            scores[number] += _MEANT * score
    return sorted(range(len(scores)), key=lambda number: (-scores[number], number))


def _outlines(
    index: CodeIndex, survey: Survey, order: Sequence[int], asked: Collection[str], room: int
) -> tuple[list[str], list[int]]:
    """Return lines on the most relevant files, and which files they are."""
    title = heading("The most relevant files, with lines and declarations")
    left = room - len(title) - 1
    first = order[:_MOST_OUTLINED]
    blobs = index.blobs([survey.paths[number] for number in first])
    lines, shown = [title], []
    for number in first:
        path = survey.paths[number]
        used = len(survey.imports.dependents[path])
        line = plain(path) + (f" (imported by {used})" if used else "")
        budget = min(left, max(_LEAST_FOR_ONE, left // _SHARE_OF_ONE)) - len(line) - 1
        if budget < 0:
            break
        inner = outline(blobs[path], asked=asked, most_chars=budget) if path in blobs else []
        added = [line, *(f" {one}" for one in inner)]
        lines += added
        shown.append(number)
        left -= _size(added)
    return (lines, shown) if shown else ([], [])


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _joined(sections: Sequence[Sequence[str]], room: int) -> str:
    text = "\n".join(line for section in sections for line in section)
    return text if len(text) <= room else ""
