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
    assert region.text == "line 247\nline 248\nline 249\nnew\nline 251\nline 252\nline 253\n"
    assert region.note == "Lines 247\u2013253 of 500; the others stay as proposed"
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
    assert EditedRegion.of(proposed(SHORT, SHORT.removesuffix("line 100\n"))).changed == 100


def test_an_unchanged_region_is_no_edit():
    assert EditedRegion.of(proposed("a\n", "b\n")).with_text("b\n") is None


def test_a_page_that_makes_newlines_of_lone_returns_has_changed_nothing():
    region = EditedRegion.of(proposed("a\n", "b\rc\n"))
    assert not region.can_be_typed
    assert region.with_text("b\nc\n") is None
    assert EditedRegion.of(proposed("a\r\n", "b\n")).can_be_typed


def test_a_region_that_lost_its_last_newline_does_not_swallow_the_next_line():
    region = EditedRegion.of(proposed(LONG, LONG.replace("line 250\n", "new\n")))
    assert "only\nline 254\n" in region.with_text("only")
    assert "line 246\nline 254\n" in region.with_text("")


def test_the_message_of_a_commit_is_edited():
    commit = Proposal(id="1", kind="commit", tool="t", title="t", message="Fix")
    assert EditedRegion.of(commit).with_text("Fix it") == "Fix it"


@given(texts, texts)
def test_the_parts_of_a_region_are_the_proposed_text(head, tail):
    old = head + LONG + tail
    new = head + LONG.replace("line 9\n", "x\n") + tail
    region = EditedRegion.of(proposed(old, new))
    assert len(LONG.splitlines()) > WHOLE_LINES
    assert region.before + region.text + region.after == new
