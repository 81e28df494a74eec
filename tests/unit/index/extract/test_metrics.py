"""Lines of code, depth and decisions of a file."""

import pytest

from ipuaro_jupyter.index.extract.facts import count_code_lines


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_between_code_are_left_out(newline):
    data = newline.join(["a /* b", "c", "d */ e", "", " \t", "f"]).encode()
    start, end = data.index(b"/*"), data.index(b"*/") + 2
    assert count_code_lines(data, [(start, end)]) == 3
