"""Intricate commands are judged in bounded time."""

import time

import pytest
from command_table import judged


@pytest.mark.parametrize(
    "text",
    [
        "echo " + "$(" * 5000 + ")" * 5000,
        "(" * 9000 + "ls" + ")" * 9000,
        "cat <<EOF\n" + "$(" * 5000 + ")" * 5000 + "\nEOF",
        "cat <<EOF\n" + "`a`" * 20_000 + "\nEOF",
        "echo a | " + "while read l; do " * 1500 + "ls" + "; done" * 1500,
        ";".join(f"x{n}=$x{n - 1}$x{n - 1}" for n in range(1, 500)),
        "x=" + "a" * 9000 + ";x=" + "b" * 9000 + ";" + "rm $x$x$x$x;" * 2000,
        "find . " + "-exec find . " * 6000,
        "rm " + "$a " * 20_000,
        "rm {1..999999}{1..999999}{a..z}",
        "make " + "a" * 100_000,
        "make " + "1a.-+" * 20_000,
    ],
    ids=lambda text: text[:16],
)
def test_intricate_text_is_asked_about_and_soon(text: str) -> None:
    started = time.thread_time()
    assert judged(text).action == "ask"
    assert time.thread_time() - started < 60, "it should take about a second"
