"""Of long output both ends are kept."""

import pytest

from ipuaro_jupyter.workspace.both_ends import BothEnds


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b"abcdefghij", b"abcd\n[... 2 bytes left out ...]\nghij"),
        ("abcßdefghij".encode(), b"abc\n[... 5 bytes left out ...]\nghij"),
    ],
)
def test_a_line_is_cut_between_characters(data, kept):
    ends = BothEnds(8)
    ends.add(data)
    assert ends.truncated
    assert ends.value().strip() == kept
