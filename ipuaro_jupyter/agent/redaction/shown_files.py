"""The files of the project that a result shows something of."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ipuaro_jupyter.agent.redaction.file_kinds import words_of
from ipuaro_jupyter.errors import StorageError, ToolError
from ipuaro_jupyter.tools.tool import Project

_HEADING = re.compile(
    r"^(?:📁 (?P<found>[^\n]{1,400}?):\d|(?:\+\+\+|---) (?:[ab]/)?(?P<changed>[^\t\n]{1,400})"
    r"|(?:\./)?(?P<listed>[^\s:]{1,300})(?::\d{1,7}(?!\S)|[:-]\d{1,7}[:-]| \(\d+ uses?\)))",
    re.MULTILINE,
)
_LOOKS_BACK = re.compile(
    r"\bgit\b.{0,2000}\b(?:show|diff|log|blame|annotate|grep|stash|cat-file|reflog|whatchanged"
    r"|format-patch|archive|rev-list|restore|checkout|worktree)\b",
    re.DOTALL,
)
_MOST_FILES, _MOST_LINES, _MOST_BYTES = 60, 2000, 2_000_000


def shown_files(
    arguments: Mapping[str, Any], text: str, project: Project
) -> Iterator[tuple[str, str]]:
    """Yield the texts and the paths of the files that a call or its result names.

    These are the first 60 there are, and as many as have 2 MB together. Of a command that looks
    into git's history, earlier texts of files follow; see `Repositories.earlier_texts`.
    """
    left = _MOST_BYTES
    names = dict.fromkeys((*words_of(arguments), *_named_in(text)))
    for path in islice(names, _MOST_FILES):
        try:
            file = project.workspace.read(path)
        except (ToolError, StorageError, ValueError, OSError):
            continue
        left -= len(file.data)
        if left < 0:
            break
        yield file.text, path
    command = arguments.get("command")
    if isinstance(command, str) and _LOOKS_BACK.search(command):
        yield from project.repositories.earlier_texts(command)


def _named_in(text: str) -> Iterator[str]:
    for found in islice(_HEADING.finditer(text), _MOST_LINES):
        yield found["found"] or found["changed"] or found["listed"]
