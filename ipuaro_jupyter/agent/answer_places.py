"""The files and lines that an answer names and that are there, for links to them."""

import re
from collections.abc import Iterator, Sequence

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.agent.context.answer_mentions import (
    MentionedPath,
    answer_mentions,
    unusual_paths,
)
from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.records.chat import Answer, NamedPlace
from ipuaro_jupyter.tools.tool import Project

_WRITTEN = re.compile(r"`+\s*([^`]+?)\s*`|((?:[^\s(,]|(?<=/)\()+)")


def with_places(answer: Answer, project: Project) -> Answer:
    """The answer with the places that its texts name.

    A name that means several files, and a line that its file does not have, are left out; so are
    all when Redis has gone.
    """
    texts = [answer.text, *(called.said for called in answer.tool_calls)]
    try:
        found = tuple(dict.fromkeys(one for text in texts for one in _places(text, project)))
    except StorageError:
        found = ()
    return answer.model_copy(update={"places": found, "root": str(project.workspace.root)})


def _places(text: str, project: Project) -> Iterator[NamedPlace]:
    mentioned = (*answer_mentions(text).places, *unusual_paths(text)) if text else ()
    if not mentioned:
        return
    checker = Checker(project.index, project.workspace, places=mentioned)
    for written, places in _by_name(text, mentioned).items():
        files = checker.files(places[0].path)
        lines = {place.first for place in places}
        line = lines.pop() if len(lines) == 1 else None
        if len(files) != 1 or not _has(checker, files[0], line):
            continue
        yield NamedPlace(named=written, path=files[0], line=line)


def _by_name(text: str, mentioned: Sequence[MentionedPath]) -> dict[str, list[MentionedPath]]:
    """The places by what is written, without the words around: "(line 3)" may stand behind it."""
    by_name: dict[str, list[MentionedPath]] = {}
    for place in mentioned:
        written = _WRITTEN.match(text, place.start, place.end)
        if written:
            by_name.setdefault(written[1] or written[2].rstrip(".:;"), []).append(place)
    return by_name


def _has(checker: Checker, path: str, line: int | None) -> bool:
    lines = () if line is None else checker.lines(path)
    return line is None or (lines is not None and 1 <= line <= len(lines))
