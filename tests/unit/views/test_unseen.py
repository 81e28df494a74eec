import re

import pytest

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import diff
from ipuaro_jupyter.views.diffs.unseen import PAGE_ROWS, Unseen, unseen_note

OLD = "".join(f"old {n}\n" for n in range(3000))
NEW = OLD.replace("old", "new")
LONG = "".join(f"var v{n}={n};" for n in range(20_000))


def make(old, new):
    return Diff(title="T", path="a.ts", old=old, new=new)


@pytest.mark.parametrize(
    "diffs",
    [
        [make(OLD, NEW)],
        [make(None, NEW)],
        [make(OLD, OLD.replace("5\n", "five\n"))],
        [make(OLD, NEW), make("a\n", "b\n"), make(NEW, None)],
    ],
)
def test_what_was_shown_and_the_pages_are_all_lines_once(diffs):
    left = Unseen(diffs)
    told = "\n".join(diff.text(one) for one in diffs)
    signed = re.compile(r"^[-+](?:old|new) .*", re.MULTILINE)
    every = [
        sign + line
        for one in diffs
        for sign, side, other in (("-", one.old, one.new), ("+", one.new, one.old))
        for line in (side or "").splitlines()
        if line not in (other or "").splitlines() and line.startswith(("old", "new"))
    ]
    assert left.lines == len(every) - len(signed.findall(told)) > 0
    while left.lines:
        before = left.lines
        page = left.page()
        assert before - PAGE_ROWS <= left.lines < before
        told += "\n" + page
    assert left.page() == ""
    assert sorted(signed.findall(told)) == sorted(every)


def test_a_page_says_which_change_of_which_file_it_shows():
    left = Unseen([make(OLD, OLD.replace("5\n", "five\n"))])
    assert re.match(r"a.ts: @@ -\d+,7 \+\d+,7 @@ change \d+ of 300\n", left.page())


def test_a_long_line_counts_until_its_end_was_shown():
    shown = make(LONG, LONG + "end")
    left, told = Unseen([shown]), diff.text(shown) + "\n"
    assert left.lines == 2
    while left.lines:
        told += left.page() + "\n"
    assert re.search(r"\n-\[characters [\d,]+ to [\d,]+\] ", told)
    assert "end" in told
    assert len(re.findall("v3000=3000", told)) == 2


def test_what_is_shown_whole_leaves_nothing():
    assert Unseen([make("a\n", "b\n")]).lines == 0
    assert Unseen([]).page() == ""


def test_the_note_counts_the_lines():
    assert unseen_note(0) == ""
    assert unseen_note(1) == "1 line not seen"
    assert unseen_note(2800) == "2,800 lines not seen"


def test_hidden_characters_are_spelled_out_in_pages():
    left = Unseen([make(None, "".join(f"\u202e {n}\n" for n in range(1000)))])
    page = left.page()
    assert "[U+202E]" in page
    assert "\u202e" not in page
