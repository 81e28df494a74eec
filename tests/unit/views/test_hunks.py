import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.views.hunks import CONTEXT_LINES, differing, hunks

texts = st.lists(st.sampled_from(["a", "b", "c", "", "x y", "x z"]), max_size=25).map("\n".join)


def applied(old, found):
    """Put the hunks into the old text as patch(1) does."""
    lines = old.split("\n") if old else []
    if lines and lines[-1] == "":
        lines.pop()
        lines = [line + "\n" for line in lines]
    elif lines:
        lines = [line + "\n" for line in lines[:-1]] + [lines[-1]]
    result, at = [], 0
    for hunk in found:
        kept = [row.old for row in hunk.rows if row.old is not None]
        first = kept[0] - 1 if kept else at
        result += lines[at:first]
        at = first
        for row in hunk.rows:
            if row.old is not None:
                assert lines[row.old - 1].removesuffix("\n") == row.text
                at = row.old
            if row.sign != "-":
                result.append(row.text + ("" if row.ends_file_bare else "\n"))
    return "".join(result + lines[at:])


@given(texts, texts)
def test_hunks_turn_the_old_text_into_the_new(old, new):
    assert applied(old, hunks(old, new)) == new


@given(texts, texts)
def test_hunks_hold_changes_and_at_most_three_lines_around_them(old, new):
    for hunk in hunks(old, new):
        signs = "".join(row.sign for row in hunk.rows)
        assert signs.strip(), "a hunk without a change"
        assert len(signs) - len(signs.lstrip()) <= CONTEXT_LINES
        assert len(signs) - len(signs.rstrip()) <= CONTEXT_LINES


def test_distant_changes_are_hunks_of_their_own():
    old = "".join(f"{n}\n" for n in range(30))
    new = old.replace("3\n", "three\n", 1).replace("25\n", "twenty-five\n")
    found = hunks(old, new)
    assert [hunk.header for hunk in found] == ["@@ -1,7 +1,7 @@", "@@ -23,7 +23,7 @@"]
    assert differing(found) == (2, 2)


def test_a_new_file_and_a_deleted_one_are_one_hunk():
    assert hunks(None, "a\nb\n")[0].header == "@@ -0,0 +1,2 @@"
    assert hunks("a\n", None)[0].header == "@@ -1 +0,0 @@"


def test_a_lost_final_newline_is_a_change():
    rows = hunks("a\nb\n", "a\nb")[0].rows
    assert [(row.sign, row.ends_file_bare) for row in rows] == [
        (" ", False),
        ("-", False),
        ("+", True),
    ]


def test_only_newlines_end_lines():
    (hunk,) = hunks("a\x0cb\u2028c\n", "a\x0cb\u2028d\n")
    assert [row.text for row in hunk.rows] == ["a\x0cb\u2028c", "a\x0cb\u2028d"]


def test_changed_words_are_marked():
    minus, plus = hunks("const attempts = 3;\n", "const attempts = 5;\n")[0].rows
    assert minus.text[slice(*minus.marks[0])] == "3"
    assert plus.text[slice(*plus.marks[0])] == "5"


def test_lines_with_little_in_common_are_not_marked():
    minus, plus = hunks("alpha(beta)\n", "while True: pass\n")[0].rows
    assert (minus.marks, plus.marks) == ((), ())


@pytest.mark.parametrize("text", ["", "a\n", "a"])
def test_equal_texts_have_no_hunks(text):
    assert hunks(text, text) == []
