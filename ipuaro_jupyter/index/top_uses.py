"""Which uses of a name stand for something at the top of a file, told without a syntax tree."""

import re
from bisect import bisect_left
from collections.abc import Collection

from ipuaro_jupyter.index.opened_files import OpenedFile, OpenedFiles
from ipuaro_jupyter.index.postings import INNER, MEMBER, UNSURE, offset_of, place_of, role_of
from ipuaro_jupyter.index.scopes import is_understood
from ipuaro_jupyter.index.tracing import Declaration, Tracing

_NEAR = 160
_CHAIN = re.compile(rb"(?:[\w$\x80-\xff]++\s*+[?!]?\s*+\.\s*+)+$")
_LINK = re.compile(rb"[\w$\x80-\xff]+")
_WRAPPED = re.compile(rb"(?<![\w$)\]>])\(\s*+[\w$.\s\x80-\xff]++\)?[)!\s]*+[?!]?\s*+\.\s*+$")
_LOADING = re.compile(rb"\b(?:require|import)\s*+\(")
_EXPORTS = ("exports", "module")


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
        file, language = self._files.file(path), is_understood(path)
        if role_of(place) in (INNER, UNSURE) or file.data is None or language is None:
            return False if role_of(place) == INNER else None
        offset = offset_of(place)
        before = file.data[max(0, offset - _NEAR) : offset]
        if _follows_comment(before):
            return None
        ahead = before.rstrip()
        if ahead.endswith(b".") and not ahead.endswith(b"..."):
            return self._of_receiver(file, before, offset - len(before), name, declared)
        if role_of(place) == MEMBER:  # a key, which may be one of what is required
            return None if self._tracing.is_specified(path, name) else False
        if name[0].islower() and language.name != "typescript" and ahead.endswith((b"<", b"</")):
            return None
        return self._at_top(file, name, declared)

    def _at_top(
        self, file: OpenedFile, name: str, declared: Collection[Declaration]
    ) -> bool | None:
        """Return whether a name of the top of a file stands for one of the declarations."""
        is_own = file.declares(name)
        if is_own and not self._tracing.is_shared(file.path, name):
            if (file.path, name) in declared or self._tracing.is_specified(file.path, name):
                return None
            return False
        meant = self._tracing.meaning(file.path, name, is_own=is_own)
        return None if meant is None else not meant.isdisjoint(declared)

    def _of_receiver(
        self,
        file: OpenedFile,
        before: bytes,
        start: int,
        name: str,
        declared: Collection[Declaration],
    ) -> bool | None:
        """Return whether a member of what stands before it is one of the declarations.

        Args:
            file: The file.
            before: What stands before the name.
            start: Where that begins.
            name: The name.
            declared: The declarations.
        """
        chain = _CHAIN.search(before)
        if chain is None:  # of a call, for example
            is_odd = _LOADING.search(before) or _WRAPPED.search(before)
            return None if is_odd or before.rstrip(b".?! \t\r\n").endswith(b"*/") else False
        first = chain.start()
        if first == 0 and start > 0:
            return None
        ahead = before[:first].rstrip()
        if ahead.endswith((b".", b"#")) and not ahead.endswith(b"..."):
            return None if _LOADING.search(ahead) or _WRAPPED.search(ahead) else False
        names = [link.decode() for link in _LINK.findall(chain[0])]
        root = names[0]
        if not self._tracing.imported(file.path, root):
            return None if root in _EXPORTS else False
        role = self._role_at(file, root, start + first)
        if role != 0:
            return None if role in (MEMBER, UNSURE) else False
        meant = self._tracing.declarations(file.path, (*names, name))
        return not meant.isdisjoint(declared)

    @staticmethod
    def _role_at(file: OpenedFile, name: str, offset: int) -> int:
        """Return the role of a name at an offset; `UNSURE` when the postings have none there."""
        places = file.places(name)
        at = bisect_left(places, place_of(offset))
        if at < len(places) and offset_of(places[at]) == offset:
            return role_of(places[at])
        return UNSURE


def _follows_comment(before: bytes) -> bool:
    """Return whether a comment may stand right before."""
    ahead = before.rstrip()
    if ahead.endswith(b"*/"):
        return True
    if b"\n" not in before[len(ahead) :]:
        return False
    return b"//" in ahead[ahead.rfind(b"\n") + 1 :]
