"""No pattern that rewrites unknown syntax takes long."""

import re
import time

import pytest

from ipuaro_jupyter.languages.registry import language_named

LENGTH = 200_000


def _pieces(pattern):
    """Return texts that a pattern begins to match again and again."""
    plain = re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), pattern)
    words = re.findall(r"[a-z]{2,}", plain)
    signs = ["<", ",", "{", "(", "[", "=", ";", "\n", " ", "\n ", "import('x')", "a", "a\n  <"]
    return [*signs, *(f"{word} " for word in words), *(f"({word}" for word in words)]


PATTERNS = [
    (name, pattern)
    for name in ("javascript", "typescript")
    for pattern, *_ in language_named(name).tables.patches
]


@pytest.mark.parametrize(("name", "pattern"), PATTERNS)
def test_no_pattern_takes_long_on_long_texts(name, pattern):
    compiled = re.compile(pattern.encode(), re.MULTILINE)
    for piece in dict.fromkeys(_pieces(pattern)):
        for before in ("", "export {", "x ", "type"):
            text = (before + piece * (LENGTH // len(piece) + 1))[:LENGTH].encode()
            began = time.process_time()
            sum(1 for _ in compiled.finditer(text))
            assert time.process_time() - began < 2, (name, pattern, before, piece)
