import pytest

from ipuaro_jupyter.views.markup import (
    block,
    counted,
    element,
    escape,
    folded,
    seconds,
    visible,
    without_codes,
)


def test_visible_is_that_of_the_records():
    assert visible("access\u202e// txt") == "access[U+202E]// txt"


def test_escape_leaves_nothing_that_html_reads():
    assert escape("<a href='x'>&\"") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;"


def test_element_escapes_values_and_leaves_out_none():
    html = element("td", "x", class_='"><script>', scope=None, data_a="1", open="")
    assert html == '<td class="&quot;&gt;&lt;script&gt;" data-a="1" open>x</td>'


def test_folded_is_a_details_element_that_may_be_open():
    assert folded("s", "c").startswith("<details><summary>s</summary>")
    assert folded("s", "c", is_open=True).startswith("<details open>")


def test_block_carries_each_style_once():
    html = block('<span class="ipuaro-k">x</span>', "code", "code")
    assert html.count("<style>") == 1
    assert html.count(".ipuaro-k{") == 1
    assert ".ipuaro-s{" not in html
    assert ".ipuaro-s{" in block("x", "code", is_growing=True)


def test_ansi_codes_and_titles_are_taken_out():
    assert without_codes("\x1b[1;31mred\x1b[0m \x1b]0;title\x07end") == "red end"


@pytest.mark.parametrize(
    ("duration_ms", "said"), [(40, "40 ms"), (1249, "1.2 s"), (185_000, "3 min 5 s")]
)
def test_durations_are_said_in_fitting_units(duration_ms, said):
    assert seconds(duration_ms) == said


def test_numbers_agree_with_their_nouns():
    assert counted(1, "line") == "1 line"
    assert counted(1204, "entry", "entries") == "1,204 entries"
