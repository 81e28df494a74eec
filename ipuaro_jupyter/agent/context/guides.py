"""The files in which a project gives instructions to assistants."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ipuaro_jupyter.agent.context.tokens import count_tokens, shorten
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.chat import Message
from ipuaro_jupyter.records.given_items import with_items
from ipuaro_jupyter.workspace.workspace import Workspace

GUIDE_FILES = ("AGENTS.md", "CLAUDE.md", ".ipuaro.md")
_PATHS = ("path", "filepath", "directory", "cwd")
_RECENT = 12  # messages
_MOST_FOLDERS = 6
_LEAST_TOKENS = 48
_WRAPPER_TOKENS = 24


class Guide(NamedTuple):
    """A guide as it is told: its path, the hash of its content, and a marked block of its text."""

    path: str
    hash: str
    block: str


def project_guides(
    workspace: Workspace,
    tokens: float,
    *,
    near: Sequence[str] = (),
    hidden: Callable[[str], str] = str,
) -> tuple[Guide, ...]:
    """The guides of the project.

    They are read again each time. Unreadable files and those that are not text are skipped; a file
    with two names is shown once.

    Args:
        workspace: Reads them, so that no symlink leads out of the project.
        tokens: Their maximum in all; longer ones are cut, with a note.
        near: Paths of files that are worked on: the guides of their folders come after those of the
            root.
        hidden: Removes secrets from a text.
    """
    told: list[Guide] = []
    for path, digest, text in _guides(workspace, near):
        room = tokens - _WRAPPER_TOKENS - count_tokens(path)
        if room < _LEAST_TOKENS:
            break
        shown = hidden(text.strip()).replace("</guide", "<\u200b/guide")
        whole = len(shown)
        shown = shorten(shown, room)
        more = ' cut="true"' if len(shown) < whole else ""
        told.append(Guide(path, digest, f"{opening(path)}{more}>\n{shown}\n</guide>"))
        tokens -= count_tokens(told[-1].block)
    return tuple(told)


def guide_hashes(workspace: Workspace) -> dict[str, str]:
    """The hash of each guide of the project's root, by path."""
    return {path: digest for path, digest, _ in _guides(workspace, ())}


def joined(guides: Iterable[Guide]) -> str:
    """The blocks of guides as one text."""
    return "\n\n".join(guide.block for guide in guides)


def opening(path: str) -> str:
    """The beginning of the block of the guide at ``path``."""
    return f'<guide path="{path}"'


def worked_on(messages: Sequence[Message]) -> list[str]:
    """The paths in the newest calls, the latest first, each once."""
    calls = (call for m in reversed(messages[-_RECENT:]) for call in reversed(m.calls))
    given = (each for call in calls for each in with_items(call.arguments))
    paths: list[Any] = [each.get(name) for each in given for name in _PATHS]
    return list(dict.fromkeys(path for path in paths if isinstance(path, str) and path))


def _guides(workspace: Workspace, near: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the path, hash and text of each guide: the root's, then those nearest to the work."""
    seen: set[str] = set()
    for folder in ("", *_folders(near)):
        for name in GUIDE_FILES:
            path = f"{folder}/{name}" if folder else name
            if not os.path.isfile(workspace.root / path):  # noqa: PTH113 - takes any name
                continue
            try:
                file = workspace.read(path)
            except ToolError:
                continue
            if file.hash not in seen and file.text.strip():
                seen.add(file.hash)
                yield path, file.hash, file.text


def _folders(paths: Iterable[str]) -> list[str]:
    """The folders that contain the paths, the inner ones first; only a few."""
    found: dict[str, None] = {}
    for path in paths:
        parts = PurePosixPath(path)
        if parts.is_absolute() or ".." in parts.parts:
            continue
        found.update(dict.fromkeys(str(f) for f in (parts, *parts.parents) if str(f) != "."))
    return list(found)[:_MOST_FOLDERS]
