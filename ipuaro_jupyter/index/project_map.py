"""The project on one page: an overview for a model before it looks anything up."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.ranking.map_sections import (
    chars_of_all,
    cycles,
    folders,
    heading,
    high_impact,
    imports_among,
    overview,
)
from ipuaro_jupyter.index.ranking.mentions import Mentions, mentions_in
from ipuaro_jupyter.index.ranking.outline import file_line, outline
from ipuaro_jupyter.index.ranking.page_rank import near
from ipuaro_jupyter.index.ranking.survey import Survey

_MEANT = 0.8
_OVERVIEW, _IMPACT, _CIRCLES, _OUTLINES, _IMPORTS = 0.08, 0.07, 0.06, 0.45, 0.15
_LISTING = 0.55  # a complete listing that takes no more is shown in full
_LEAST_OVERVIEW = 120
_LOOSEST = 4  # characters per unit of the budget, as a first guess
_AT_MOST = 0.98
_MOST_OUTLINED = 40
_SHARE_OF_ONE = 6
_LEAST_FOR_ONE = 120
_TITLE = "The most relevant files, with lines and declarations"


def project_map(
    index: CodeIndex,
    budget: float,
    *,
    size: Callable[[str], float] = len,
    mentioned: Sequence[str] = (),
    changed: Collection[str] = (),
) -> str:
    """The most important facts about a project, on a page that never exceeds a budget.

    They are: the number of files and their folders, the files that most others depend on, circular
    imports, the most relevant files with their dependents and declarations, the imports among
    these, and the next most relevant ones by folder; no file is left out when a listing of all fits
    into about half of the page. A file is relevant when relevant files use it a lot, or when it is
    near those that the conversation mentions. The same index and the same words give the same text.
    Names are escaped, see `outline.plain`.

    Args:
        index: The project.
        budget: The maximum size of the page.
        size: Measures a text, for example in tokens; by default in characters.
        mentioned: The user's messages, the latest last.
        changed: Paths of files that the conversation has changed.

    Raises:
        StorageError: Redis has gone.
    """
    survey = index.imports.survey()
    mentions = mentions_in(survey, mentioned, changed=changed)
    order = ranked(survey, mentions)
    blobs = index.blobs([survey.paths[number] for number in order[:_MOST_OUTLINED]])
    page = _Page(survey, order, blobs, mentions.names)
    text = page.within(int(_LOOSEST * budget))
    while text and (used := size(text)) > budget:
        text = page.within(int(len(text) * min(_AT_MOST, _AT_MOST * budget / used)))
    return text


def ranked(survey: Survey, mentions: Mentions) -> list[int]:
    """The files by number, the most relevant first."""
    scores = list(survey.ranks)
    if mentions.files:
        scores = [(1 - _MEANT) * score for score in scores]
        for number, score in near(mentions.files, survey.around).items():
            scores[number] += _MEANT * score
    return sorted(range(len(scores)), key=scores.__getitem__, reverse=True)


@dataclass(frozen=True)
class _Page:
    """The content of a page.

    Attributes:
        survey: The project.
        order: Its files by number, the most relevant first.
        blobs: The facts of the first of them, by path, as stored.
        asked: Names that occur in the conversation.
    """

    survey: Survey
    order: Sequence[int]
    blobs: Mapping[str, bytes]
    asked: Collection[str]

    def within(self, room: int) -> str:
        """The page in at most ``room`` characters."""
        survey = self.survey
        first = [
            overview(survey, min(room, max(_LEAST_OVERVIEW, round(_OVERVIEW * room)))),
            high_impact(survey, round(_IMPACT * room)),
            cycles(survey, round(_CIRCLES * room)),
        ]
        outlines, imports = round(_OUTLINES * room), round(_IMPORTS * room)
        listing = chars_of_all(survey, round(_LISTING * room))
        if listing is not None:
            outlines = min(outlines, room - sum(map(_size, first)) - imports - listing)
        outlined, shown = self._outlines(outlines)
        edges = imports_among(survey, shown, imports)
        left = room - sum(_size(section) for section in (*first, outlined, edges))
        rest = folders(survey, self.order, known=shown, most_chars=left)
        text = "\n".join(line for section in (*first, outlined, edges, rest) for line in section)
        return text if len(text) <= room else ""

    def _outlines(self, room: int) -> tuple[list[str], list[int]]:
        """The outlines of the most relevant files as lines, and the numbers of these files."""
        title = heading(_TITLE)
        left = room - len(title) - 1
        lines: list[str] = [title]
        shown: list[int] = []
        for number in self.order[:_MOST_OUTLINED]:
            line = _line(self.survey, number)
            inner = min(left, max(_LEAST_FOR_ONE, left // _SHARE_OF_ONE)) - len(line) - 1
            if inner < 0:
                break
            blob = self.blobs.get(self.survey.paths[number])
            declared = outline(blob, asked=self.asked, most_chars=inner) if blob else []
            added = [line, *(f" {one}" for one in declared)]
            lines += added
            shown.append(number)
            left -= _size(added)
        return (lines, shown) if shown else ([], [])


def _line(survey: Survey, number: int) -> str:
    """The line of a file above its declarations."""
    path = survey.paths[number]
    return file_line(path, len(survey.imports.dependents[path]))


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)
