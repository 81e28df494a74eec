import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.notebook.widgets.region import WHOLE_LINES, EditedRegion
from ipuaro_jupyter.records.change import Proposal

LONG = "".join(f"line {n}\n" for n in range(1, 501))
texts = st.lists(st.sampled_from(["a", "b", ""]), max_size=8).map("\n".join)


def proposed(old, new, **more):
    return Proposal(
        id="1", kind="edit", tool="t", title="t", path="a.ts", old_text=old, new_text=new, **more
    )


def test_a_short_text_is_edited_as_a_whole():
    region = EditedRegion.of(proposed("a\n", "b\n"))
    assert region == ("", "b\n", "", "All of a.ts", 1)


def test_a_long_text_is_edited_around_the_change():
    region = EditedRegion.of(proposed(LONG, LONG.replace("line 250\n", "new\n")))
    lines = [f"line {n}" if n != 250 else "new" for n in range(240, 261)]
    assert region.text.splitlines() == lines
    assert region.note == "Lines 240\u2013260 of 500; the others stay as they are"
    assert region.first == 240
    assert region.with_text(region.text.replace("new", "newer")) == LONG.replace(
        "line 250", "newer"
    )


SHORT = "".join(f"line {n}\n" for n in range(1, 101))


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (SHORT, SHORT.replace("line 50\n", "new\n"), "new"),
        (SHORT, SHORT.replace("line 50\n", "line 50\nnew\n"), "new"),
        (SHORT, SHORT.replace("line 50\n", ""), "line 51"),
        (SHORT, SHORT.removeprefix("line 1\n"), "line 2"),
        (SHORT, SHORT.replace("line 9\n", "new\n").replace("line 90\n", "other\n"), "new"),
        (LONG, LONG.replace("line 250\n", "new\n"), "new"),
        (LONG, "new\n" + LONG, "new"),
        (None, "new\n", "new"),
    ],
)
def test_it_knows_the_line_that_is_changed_first(old, new, changed):
    region = EditedRegion.of(proposed(old, new))
    assert region.text.splitlines()[region.changed - 1] == changed


def test_where_the_end_of_a_text_goes_the_changed_line_is_behind_it():
    assert EditedRegion.of(proposed(SHORT, SHORT.removesuffix("line 100\n"))).changed == 11


def test_an_unchanged_region_is_no_edit():
    assert EditedRegion.of(proposed("a\n", "b\n")).with_text("b\n") is None


def test_a_page_that_makes_newlines_of_lone_returns_has_changed_nothing():
    region = EditedRegion.of(proposed("a\n", "b\rc\n"))
    assert not region.can_be_typed
    assert region.with_text("b\nc\n") is None
    assert EditedRegion.of(proposed("a\r\n", "b\n")).can_be_typed


def test_a_region_that_lost_its_last_newline_does_not_swallow_the_next_line():
    region = EditedRegion.of(proposed(LONG, LONG.replace("line 250\n", "new\n")))
    assert "only\nline 261\n" in region.with_text("only")
    assert "line 239\nline 261\n" in region.with_text("")


def test_the_message_of_a_commit_is_edited():
    commit = Proposal(id="1", kind="commit", tool="t", title="t", message="Fix")
    assert EditedRegion.of(commit).with_text("Fix it") == "Fix it"


def test_what_is_typed_is_shown_as_a_diff_with_marks():
    asked = proposed(LONG, LONG.replace("line 250\n", "new\n"))
    region = EditedRegion.of(asked)
    typed = region.text.replace("line 245\n", "").replace("new\n", "one\ntwo\n")
    shown = region.shown(asked, typed)
    assert shown.unseen == 0
    assert [typed.splitlines()[line - 1] for line in shown.marks["come"]] == ["one", "two"]
    assert [typed.splitlines()[line - 1] for line in shown.marks["gone"]] == ["line 246"]
    told = re.sub("<[^>]+>", "", shown.html)
    for line in ("- line 245\n", "- line 250\n", "+ one\n", "+ two\n"):
        assert line in told


def test_the_marks_are_those_of_the_proposal_before_anything_is_typed():
    asked = proposed(LONG, LONG.replace("line 250\n", "new\n"))
    region = EditedRegion.of(asked)
    shown = region.shown(asked, region.text)
    assert shown.marks == {"come": [11], "gone": []}
    assert "+ new\n" in re.sub("<[^>]+>", "", shown.html)


@pytest.mark.parametrize(
    ("old", "typed", "marks"),
    [
        ("a\n", "", {"come": [], "gone": [1]}),
        ("a\nb\n", "b\n", {"come": [], "gone": [1]}),
        ("a\nb\n", "a\n", {"come": [], "gone": []}),
        (None, "a\nb\n", {"come": [1, 2], "gone": []}),
        ("a\n", "a\n", {"come": [], "gone": []}),
    ],
)
def test_marks_of_the_ends_of_a_text(old, typed, marks):
    asked = proposed(old, "x\n")
    assert EditedRegion.of(asked).shown(asked, typed).marks == marks


def test_what_is_typed_is_shown_with_its_hidden_characters():
    asked = proposed("a\n", "b\n")
    shown = EditedRegion.of(asked).shown(asked, "\u202e<b>\n")
    assert "[U+202E]&lt;b&gt;" in shown.html


def test_of_a_long_text_the_lines_that_are_not_shown_are_counted():
    asked = proposed(LONG, LONG.replace("line", "new") * 2)
    region = EditedRegion.of(asked)
    assert region.shown(asked, region.text).unseen == 1000


def test_a_message_has_no_diff():
    commit = Proposal(id="1", kind="commit", tool="t", title="t", message="Fix")
    assert EditedRegion.of(commit).shown(commit, "Fix it").html == ""


@given(texts, texts)
def test_the_parts_of_a_region_are_the_proposed_text(head, tail):
    old = head + LONG + tail
    new = head + LONG.replace("line 9\n", "x\n") + tail
    region = EditedRegion.of(proposed(old, new))
    assert len(LONG.splitlines()) > WHOLE_LINES
    assert region.before + region.text + region.after == new
