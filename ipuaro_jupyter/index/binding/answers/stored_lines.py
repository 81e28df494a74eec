"""The lines around the places of an answer, as they are stored; read once somebody looks at them.

Each line is there once, however many places it is near to.
"""

import zlib
from collections.abc import Iterable
from functools import cached_property, partial

import msgspec

from ipuaro_jupyter.index.binding.answers.kept_lines import AROUND, KeptLines
from ipuaro_jupyter.index.binding.answers.uses import Uses
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.workspace.files.text_lines import TextLines

_LARGE_BYTES = 64_000
_LEVEL = 1
"""Of the compression of many lines, to a third: this one takes the least time."""
_PLAIN, _COMPRESSED = b"\0", b"\1"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[int, str]).decode
_decode_files = msgspec.msgpack.Decoder(dict[str, msgspec.Raw]).decode


def stored_lines(uses: Uses) -> bytes:
    """The lines around the listed places, but for notebooks, which are read by cells.

    See `kept_lines`.
    """
    wanted: dict[str, set[int]] = {}
    for use in (*uses.first, *uses.unresolved):
        wanted.setdefault(use.path, set()).add(use.line)
    found = {}
    for path, lines in wanted.items():
        if _has_lines(path):
            text, near = TextLines(uses.texts[path][0]), dict[int, str]()
            for line in sorted(lines):
                first = max(1, line - AROUND)
                near.update(enumerate(text.between(first, line + AROUND), first))
            found[path] = near
    return _packed(_encode(found))


def kept_lines(stored: bytes, paths: Iterable[str]) -> dict[str, KeptLines]:
    """What was stored for some files, without the notebooks among them."""
    every = _StoredLines(stored)
    return {path: KeptLines(partial(every.of, path)) for path in paths if _has_lines(path)}


class _StoredLines:
    """The lines of all files of an answer.

    Args:
        stored: What `stored_lines` has made.
    """

    def __init__(self, stored: bytes) -> None:
        self._stored = stored

    @cached_property
    def _files(self) -> dict[str, msgspec.Raw]:
        return _decode_files(_unpacked(self._stored))

    def of(self, path: str) -> dict[int, str]:
        """Those of a file, by their 1-based numbers."""
        return _decode(self._files[path])


def _has_lines(path: str) -> bool:
    language = language_for(path)
    return language is None or language.reader != "cells"


def _packed(lines: bytes) -> bytes:
    if len(lines) <= _LARGE_BYTES:
        return _PLAIN + lines
    return _COMPRESSED + zlib.compress(lines, _LEVEL)


def _unpacked(value: bytes) -> bytes:
    return zlib.decompress(value[1:]) if value.startswith(_COMPRESSED) else value[1:]
