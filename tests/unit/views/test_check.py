"""What a check of a proposal has found, as text and as HTML."""

import pytest

from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.views import check, proposal

EDIT = Proposal(
    id="1", kind="edit", tool="t", title="Edit", path="a.ts", old_text="1\n", new_text="2\n"
)
OFFERED = EDIT.model_copy(update={"check": ("tsc --noEmit", "vitest run <a>")})


def checked(verdict, *lines):
    report = CheckReport(verdict=verdict, lines=lines, seconds=2.6)
    return OFFERED.model_copy(update={"checked": report})


def test_without_a_check_nothing_is_said():
    assert check.lines(EDIT) == []
    assert check.html(EDIT) == check.commands_html(EDIT) == check.html(OFFERED) == ""


def test_the_commands_are_shown_before():
    assert check.lines(OFFERED) == [
        "A check would run in a copy:",
        "  $ tsc --noEmit",
        "  $ vitest run <a>",
    ]
    assert "vitest run &lt;a&gt;" in check.commands_html(OFFERED)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [("passed", "✓ Check passed"), ("failed", "✗ Check failed"), ("unknown", "? Check without")],
)
def test_text_and_html_say_the_same(verdict, said):
    one = checked(verdict, "types: 1 new error", "a.ts:1: <no>\u202e")
    text = check.lines(one)
    assert text[0].startswith(said)
    assert text[0].endswith("(3 s): types: 1 new error")
    html = check.html(one)
    assert "types: 1 new error" in html
    assert "a.ts:1: &lt;no&gt;" in html
    assert "\u202e" not in html + "".join(text)
    assert text[1].startswith("  a.ts:1: <no>")


def test_where_no_check_can_be_asked_for_only_a_result_is_shown():
    assert "A check would run" in proposal.detail_text(OFFERED)
    assert "check" not in proposal.detail_text(OFFERED, offers_check=False)
    one = checked("passed", "types: no errors")
    assert proposal.detail_text(one, offers_check=False) == proposal.detail_text(one)


def test_the_question_and_its_record_hold_it():
    one = checked("passed", "types: no errors")
    assert "types: no errors" in proposal.detail_text(one)
    assert "types: no errors" in proposal.detail_html(one)
    assert "types: no errors" in proposal.question_html(one)
