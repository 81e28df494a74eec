"""A cache of the texts of recently read files."""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.extract.notebooks.notebook_code import text_of
from ipuaro_jupyter.workspace.files import disk
from ipuaro_jupyter.workspace.files.text_file import content_hash

_MOST_BYTES = 8_000_000

Text = tuple[bytes, str]
"""The text that places in a file refer to, and the hash of the file's content."""


class _Kept(NamedTuple):
    stamp: tuple[int, ...]
    text: Text


class TextCache:
    """Reads texts, and caches some megabytes of them while their files stay unchanged on disk.

    It is thread-safe.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = Lock()
        self._kept: dict[str, _Kept] = {}
        self._size_bytes = 0

    def of(self, paths: Iterable[str]) -> dict[str, Text]:
        """The present contents of files, each with its hash; unreadable ones are left out."""
        found: dict[str, Text | None] = {}
        for path in dict.fromkeys(paths):
            checkpoint()
            with self._lock:
                found[path] = self._text(path)
        return {path: text for path, text in found.items() if text is not None}

    def _text(self, path: str) -> Text | None:
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._size_bytes -= len(kept.text[0])
        if kept is None or disk.stamp(self._root, path) != kept.stamp:
            content = readable(self._root, path)
            if content is None:
                return None
            kept = _Kept(content.stamp, (text_of(path, content.data), content_hash(content.data)))
            if not disk.is_settled(content.changed_ns):
                return kept.text
        self._kept[path] = kept
        self._size_bytes += len(kept.text[0])
        while self._size_bytes > _MOST_BYTES:
            longest_ago = self._kept.pop(next(iter(self._kept)))
            self._size_bytes -= len(longest_ago.text[0])
        return kept.text


def readable(root: Path, path: str) -> disk.Content | None:
    """The content of a file; None when there is none, or it cannot be read."""
    try:
        return disk.read(root, path)
    except ToolError:
        return None
