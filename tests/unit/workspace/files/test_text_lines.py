"""Lines around a place are those that splitting the whole text would give."""

from codecs import BOM_UTF8

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.workspace.files.text_lines import TextLines

PARTS = (b"a", b"\n", b"\r\n", b"\r", b"\xc3", b"\xc3\xa9", BOM_UTF8, b"\n\n")


def split(data, first, last):
    """Return the same, the plain way."""
    *ended, rest = data.removeprefix(BOM_UTF8).split(b"\n")
    lines = [line.removesuffix(b"\r") for line in ended] + [rest] * bool(rest)
    return tuple(line.decode(errors="replace") for line in lines[first - 1 : last])


@given(
    st.lists(st.sampled_from(PARTS), max_size=40).map(b"".join),
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 4)), min_size=1, max_size=6),
)
@example(BOM_UTF8 + b"a\r\nb\r", [(1, 0), (2, 3), (1, 1)])
def test_lines_of_any_text_in_any_order(data, asked):
    lines = TextLines(data)
    for first, more in asked:
        assert lines.between(first, first + more) == split(data, first, first + more)


@pytest.mark.parametrize("length", [0, 1, 30, 255, 300])
def test_lines_of_a_long_text(length):
    """Longer than the blocks in which its lines are counted, whose ends fall anywhere."""
    data = b"".join(
        b"%d%s\n" % (number, b"x" * (number * 7 % (length + 1))) for number in range(999)
    )
    lines = TextLines(data)
    for first in (*range(1, 1003, 13), 1, 998, 999, 1000, 1, *range(1000, 0, -97)):
        assert lines.between(first, first + 2) == split(data, first, first + 2)
