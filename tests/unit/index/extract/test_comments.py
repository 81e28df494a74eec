"""Comments of files without a grammar."""

import pytest

from ipuaro_jupyter.index.extract.comments import comments_of
from ipuaro_jupyter.languages.tables import Comments

SIGNS = Comments(
    line=("//", "#"), block=(("/*", "*/"),), strings=(('"""', '"""'), ('"', '"'), ("'", "'"))
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a // b\nc # d", [(1, "// b"), (2, "# d")]),
        ("a\n\n/* b\nc */ d // e", [(3, "/* b\nc */"), (4, "// e")]),
        ("\"// a\" '# b' // c", [(1, "// c")]),
        ('"a \\" // b" // c', [(1, "// c")]),
        ('"""a\n// b\n""" // c', [(3, "// c")]),
        ("'unclosed // a\n// b", [(1, "// a"), (2, "// b")]),
        ("/* never closed\n// a", [(1, "/* never closed\n// a")]),
        ("// a /* b\nc */", [(1, "// a /* b")]),
        ("", []),
    ],
)
def test_comments_and_their_lines(text, expected):
    assert list(comments_of(text, SIGNS)) == expected


def test_a_sign_in_a_word_is_no_comment_where_it_needs_a_blank():
    signs = Comments(line=("#",), strings=(("'", "'"),), after_blank=True)
    assert list(comments_of("a#b don't # c\n#d", signs)) == [(1, "# c"), (2, "#d")]


def test_a_language_without_signs_has_no_comments():
    assert list(comments_of("# a", Comments())) == []
