"""The texts of the files that were asked about last."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock

from ipuaro_jupyter.index.opened_files import read_text

_MOST_BYTES = 8_000_000

Text = tuple[bytes, str]


class KeptTexts:
    """Reads texts, and keeps some megabytes of them; safe for several threads.

    Args:
        root: The project's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = Lock()
        self._kept: dict[str, Text] = {}
        self._size_bytes = 0

    def of(self, paths: Iterable[str], hashes: Mapping[str, str]) -> dict[str, Text]:
        """Return what is in files, each with its hash; one that cannot be read is left out.

        Args:
            paths: The files.
            hashes: Of those that are on disk as the index has them: these are not read again.
        """
        found: dict[str, Text] = {}
        with self._lock:
            for path in paths:
                text = self._kept.pop(path, None)
                if text is not None:
                    self._size_bytes -= len(text[0])
                if text is None or hashes.get(path) != text[1]:
                    data, hash_ = read_text(self._root, path)
                    text = None if data is None else (data, hash_)
                if text is not None:
                    found[path] = text
            self._keep(found)
        return found

    def _keep(self, texts: Mapping[str, Text]) -> None:
        """Keep texts that are not kept, instead of those that were asked about longest ago."""
        self._kept |= texts
        self._size_bytes += sum(len(data) for data, _ in texts.values())
        while self._size_bytes > _MOST_BYTES:
            data, _ = self._kept.pop(next(iter(self._kept)))
            self._size_bytes -= len(data)
