"""Which uses of a name stand for something at the top of a file, told without a syntax tree."""

import re
from collections.abc import Collection

from ipuaro_jupyter.index.opened_files import OpenedFiles
from ipuaro_jupyter.index.postings import MEMBER, UNSURE, offset_of
from ipuaro_jupyter.index.scopes import is_understood
from ipuaro_jupyter.index.tracing import Declaration, Tracing

_NEAR = 128
_RECEIVER = re.compile(rb"([\w$\x80-\xff]+)\s*[?!]?\s*\.$")


class TopUses:
    """Tells what names stand for, among the files of an index, as far as postings say it.

    Args:
        files: The files.
        tracing: Follows names through imports.
    """

    def __init__(self, files: OpenedFiles, tracing: Tracing) -> None:
        self._files = files
        self._tracing = tracing

    def stands_for(
        self, path: str, name: str, place: int, *, declared: Collection[Declaration]
    ) -> bool | None:
        """Return whether a name stands for one of the declarations; None when scopes must say.

        Args:
            path: The file.
            name: The name.
            place: Where it is, from the postings.
            declared: Declarations at the top of files.
        """
        data = self._files.file(path).data
        is_told = is_understood(path) is not None and not self._tracing.is_renamed(path, name)
        if place & UNSURE or data is None or not is_told:
            return None
        offset = offset_of(place)
        before = data[max(0, offset - _NEAR) : offset]
        if before.endswith(b".") and not before.endswith(b"..."):
            return self._of_receiver(path, before)
        if before[-1:].isspace() and before.rstrip().endswith(b"."):  # or the end of a comment
            return None
        if place & MEMBER:
            return False
        if not self._tracing.is_shared(path, name):
            return None
        return not self._tracing.declarations(path, (name,)).isdisjoint(declared)

    def _of_receiver(self, path: str, before: bytes) -> bool | None:
        """Return False for a member of what no import calls so; None when scopes must say."""
        found = _RECEIVER.search(before)
        if found is None or self._tracing.is_shared(path, found[1].decode(errors="replace")):
            return None
        return False
