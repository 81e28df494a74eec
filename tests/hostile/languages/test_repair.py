"""A repair of a broken file ends in bounded time."""

import time

import pytest

from ipuaro_jupyter.languages import repair
from ipuaro_jupyter.languages.registry import language_named

TYPESCRIPT = language_named("typescript")


@pytest.mark.parametrize(
    "piece",
    ["(", "{", "[", ")", "}", "`", "`${", "'", "{\n", "}\n", " {\n", "\n  (", "<<<<<<< a\n",
     "=======\n", "function f(\n", "if (a) {\n", "/*", "/", "=/", "(/[", "class A {\n", "a\n}\n",
     "import {\n", "<a>\n", "a?b:\n", "\\`", "\t\n"],
)  # fmt: skip
def test_a_repair_ends_soon(piece):
    text = ("const a = 1\n" + piece * (120_000 // len(piece))).encode()
    tree = TYPESCRIPT.parser.parse(b"const = 1")
    began = time.thread_time()
    repair.repaired(TYPESCRIPT, text, tree)
    assert time.thread_time() - began < 8
