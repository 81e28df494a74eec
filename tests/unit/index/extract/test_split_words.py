"""Names and sentences are split into words, in other scripts too."""

import pytest

from ipuaro_jupyter.index.extract.split_words import parts_of


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("retryCount", ["retry", "Count"]),
        ("HTTPServer2", ["HTTP", "Server", "2"]),
        ("gr\u00f6\u00dfe \u00dcberPr\u00fcfung", ["gr\u00f6\u00dfe", "\u00dcber", "Pr\u00fcfung"]),
        ("na\u00efve fa\u00e7ade", ["na\u00efve", "fa\u00e7ade"]),
        ("\u043d\u0435\u0442\u0414\u0430", ["\u043d\u0435\u0442", "\u0414\u0430"]),
        ("\u4f7f\u7528retry\u51fd\u6570", ["\u4f7f\u7528", "retry", "\u51fd\u6570"]),
    ],
)
def test_words_keep_their_accents_and_end_at_a_capital(name, parts):
    assert parts_of(name) == parts
