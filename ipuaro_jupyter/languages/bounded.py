"""Parsing that ends, and lets other threads run meanwhile.

Some texts make a parser quadratic. py-tree-sitter holds the interpreter lock while it parses; the
callback that tells how far it is gives others a turn, and can end it.
"""

import time

from tree_sitter import Parser, Tree

from ipuaro_jupyter.languages.language import Language

_CHUNK = 65_536
_SMALL = 4_096
_STEPS = 32


class ParsingTooSlow(ValueError):  # noqa: N818 - a finding, not a fault
    """Parsing took longer than it may."""


def parse(language: Language, data: bytes, *, seconds: float) -> Tree:
    """Return the syntax tree of a file.

    Args:
        language: One with a grammar.
        data: UTF-8, with or without a byte order mark.
        seconds: How much time of the processor it may take, whatever else the machine does.

    Raises:
        ParsingTooSlow: It takes longer. One step of the parser is never interrupted, and may take
            long itself.
    """
    if len(data) <= _SMALL:
        return language.parser.parse(data)
    until = time.thread_time() + seconds

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK]

    asked = 0

    def is_over(_offset: int, _has_error: object) -> bool:
        nonlocal asked
        asked += 1
        return asked % _STEPS == 0 and time.thread_time() > until

    parser = Parser(language.parser.language)  # one that was interrupted would go on there
    try:
        tree = parser.parse(read, progress_callback=is_over)
    except ValueError as error:
        raise ParsingTooSlow(_told(seconds)) from error
    if time.thread_time() > until:
        raise ParsingTooSlow(_told(seconds))
    return tree


def _told(seconds: float) -> str:
    return f"the parser took longer than {seconds:g} s"
