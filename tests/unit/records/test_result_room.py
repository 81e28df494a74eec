"""Texts are cut to their room at lines and entries, and say what is left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.records.result_room import Parts, ResultRoom, cut


def room(tokens):
    """ResultRoom for so many words; a line break counts, too."""
    return ResultRoom(tokens, lambda text: len(text.split(" ")) + text.count("\n"))


LINES = tuple(f"line {number}" for number in range(1, 201))
NOTE = "{left} more, {next} to {last} {inside}: ask with start={next}"


def test_what_fits_is_whole():
    parts = Parts(head="head", entries=LINES, tail="tail")
    assert parts.within(room(10_000)) == parts.text() == "\n".join(["head", *LINES, "tail"])


def test_the_last_entries_are_left_out_and_counted():
    told = Parts(head="head", entries=LINES, tail="tail", note=NOTE).within(room(200)).split("\n")
    assert (told[0], told[1], told[-1]) == ("head", "line 1", "tail")
    kept = len(told) - 3
    note = f"[… {200 - kept} more, {kept + 1} to 200: ask with start={kept + 1}]"
    assert told[-2] == note
    assert kept > 20


def test_numbers_go_on_from_the_first():
    told = Parts(entries=LINES, note=NOTE, first=1001).within(room(150)).split("\n")
    assert f"start={1000 + len(told)}]" in told[-1]


def test_the_rest_is_counted_by_file():
    groups = tuple(f"{chr(97 + number // 20)}.ts" for number in range(200))
    parts = Parts(entries=LINES, groups=groups, counts=(2,) * 200, note="{left} more {inside}")
    told = parts.within(room(150)).split("\n")
    left = 200 - len(told) + 1
    assert told[-1].startswith(f"[… {2 * left} more in ")
    assert told[-1].endswith(" 40, …)]")


def test_the_short_form_comes_before_anything_is_left_out():
    entries = tuple(f"entry {n}\nwith a lot around it" for n in range(20))
    brief = tuple(f"entry {n}" for n in range(20))
    assert Parts(entries=entries, brief=brief).within(room(130)) == "\n".join(brief)
    assert "[… " in Parts(entries=entries, brief=brief).within(room(80))


def test_a_line_that_is_too_long_is_begun():
    told = cut("x " * 5000, room(100))
    assert told.startswith("x x x")
    assert "more characters of the line]" in told


def test_both_ends_are_kept_where_the_end_matters():
    told = cut("\n".join(LINES), room(150), head=0.3, note="print less").split("\n")
    assert (told[0], told[-1]) == ("line 1", "line 200")
    (note,) = [line for line in told if line.startswith("[… ")]
    assert note == f"[… {200 - len(told) + 1} more lines: print less]"
    assert told.index(note) < len(told) / 2


TEXTS = st.text(st.sampled_from("ab \n{}"), max_size=200)


@given(
    st.lists(TEXTS, max_size=40).map(tuple),
    TEXTS,
    TEXTS,
    st.booleans(),
    st.integers(1, 400),
)
def test_nothing_takes_more_than_its_room(entries, head, tail, has_brief, tokens):
    place = ResultRoom(tokens, len)
    brief = tuple(entry[:10] for entry in entries) if has_brief else ()
    parts = Parts(head=head, entries=entries, tail=tail, brief=brief, note=NOTE)
    for told in (parts.within(place), cut(parts.text(), place, head=0.4)):
        assert len(told) <= max(tokens, 120)  # a note, at least
    if place.holds(parts.text()):
        assert parts.within(place) == parts.text()


@pytest.mark.parametrize("tokens", [0, 1, 5])
def test_no_room_at_all_is_no_fault(tokens):
    assert cut("a b c\nd e f", room(tokens))
    assert Parts(head="a", entries=LINES).within(room(tokens))


def test_a_long_note_takes_its_room_from_the_lines():
    text = "\n".join(f"line {number}" for number in range(200))
    short = cut(text, ResultRoom(200, len), note="x" * 100)
    assert len(short) <= 200
    assert short.startswith("line 0")


def test_a_line_that_is_too_long_is_not_cut_inside_a_word():
    key = "Zq7" + "x9kQ2vLmN4rT7wZ1" * 8
    text = "const a = 1; " * 20 + f'api_key="{key}"; ' + "const b = 2; " * 20
    for tokens in range(40, len(text)):
        told = cut(text, ResultRoom(tokens, len))
        assert key[:5] not in told.replace(key, "")
