import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.views.highlight import HighlightToken, highlighted, line_html
from ipuaro_jupyter.views.markup import visible

lines = st.lists(st.text(st.characters(exclude_characters="\n"), max_size=30), max_size=6)


@given(lines, st.sampled_from(["ts", "python", "json", "nonsense", ""]))
def test_highlighting_changes_no_character(texts, language):
    shown = ["".join(piece.text for piece in line) for line in highlighted(texts, language)]
    assert shown == [visible(text) for text in texts]


@pytest.mark.parametrize("language", ["ts", "typescript", "src/a.ts"])
def test_tokens_are_found_by_name_extension_and_path(language):
    (line,) = highlighted(["const a = 1;"], language)
    assert HighlightToken("k", "const") in line


def test_a_comment_over_two_lines_is_one_on_both():
    first, second = highlighted(["/* a", "b */"], "ts")
    assert (first, second) == ((HighlightToken("c", "/* a"),), (HighlightToken("c", "b */"),))


def test_marks_cut_through_tokens():
    line = (HighlightToken("k", "let"), HighlightToken("", " <x>"))
    html = line_html(line, [(1, 5)])
    assert html == ('<span class="ipuaro-k">l<mark>et</mark></span><mark> &lt;</mark>x&gt;')


def test_a_very_long_text_is_left_plain():
    assert highlighted(["const a = 1;" * 10_000], "ts")[0][0].kind == ""


def test_what_a_diff_adds_and_takes_away_is_told_apart():
    added, removed, same = highlighted(["+new", "-old", " same"], "diff")
    assert (added, removed) == ((HighlightToken("i", "+new"),), (HighlightToken("d", "-old"),))
    assert {piece.kind for piece in same} == {""}


@given(lines, st.integers(0, 7))
def test_the_first_lines_are_coloured_as_in_the_whole_text(texts, wanted):
    whole = ["const a = `one", "two`; /* three", *texts, "four */", "five();"]
    assert highlighted(whole, "ts", wanted=wanted) == highlighted(whole, "ts")[:wanted]
