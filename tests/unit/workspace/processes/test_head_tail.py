"""Of long output both ends are kept."""

import pytest

from ipuaro_jupyter.workspace.processes.head_tail import HeadTail, shortened


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b"abcdefghij", b"abcd\n[... 2 bytes left out ...]\nghij"),
        ("abcßdefghij".encode(), b"abc\n[... 5 bytes left out ...]\nghij"),
    ],
)
def test_a_line_is_cut_between_characters(data, kept):
    ends = HeadTail(8)
    ends.add(data)
    assert ends.truncated
    assert ends.value().strip() == kept


def test_a_text_that_fits_is_not_shortened():
    assert shortened("äöü", 6) == "äöü"
    assert shortened("one\ntwo\nthree\n", 8) == "one\n[... 7 bytes left out ...]\nree\n"
    assert shortened("\ud800", 100) == "?"


@pytest.mark.parametrize("word", ["s3cr3tX9Zq7kLm", "Zq7" + "x9kQ2vLmN4rT7wZ1" * 8])
def test_a_cut_in_a_long_line_falls_into_no_word(word):
    text = "const ä = 1; " * 20 + f'api_key="{word}"; ' + "const ß = 2; " * 20
    for limit in range(60, 2 * len(text)):
        kept = shortened(text, limit).replace(word, "")
        assert word[:5] not in kept
        assert word[-5:] not in kept
