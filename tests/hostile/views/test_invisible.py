"""No question hides a character, whichever of Unicode's ignorable ones and line ends it is."""

import pytest
from invisible import AROUND, IGNORABLE, all_in, left_in, proposals

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.visible import visible
from ipuaro_jupyter.views import proposal as view


def surfaces(asked):
    yield view.detail_text(asked)
    yield view.detail_html(asked)
    yield view.question_html(asked)
    yield view.page_html(asked, "key") or ""
    yield view.text(asked, Decision(action="apply"))
    yield view.html(asked, Decision(action="reject", reason=asked.reason))


def test_the_rule_knows_every_ignorable_character():
    assert len(IGNORABLE) > 4000
    for one in IGNORABLE:
        for around in AROUND:
            shown = visible(around.format(one))
            assert one not in shown
            assert f"[U+{ord(one):04X}]" in shown


@pytest.mark.parametrize("around", AROUND)
def test_no_question_has_an_ignorable_character(around):
    for asked in proposals(all_in(around)):
        for shown in surfaces(asked):
            assert left_in(shown) == [], (asked.kind, shown[:80])
