import re
import sys
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.project.search import line_finders
from ipuaro_jupyter.project.search.line_finders import (
    Clock,
    FileLines,
    LiteralFinder,
    RegexFinder,
    folded,
)
from ipuaro_jupyter.project.search.line_search import MOST_SPANS, split_lines
from ipuaro_jupyter.workspace.files.text_file import TextFile


def finder(make, text, *, ignore_case=False, clock=None):
    return make(text, ignore_case=ignore_case, clock=clock or Clock(120, 120), cancel=CancelToken())


LINES = st.lists(st.text("aAb \r\u2028\u0130", max_size=4), max_size=6)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_lines_are_split_as_in_text_files(lines, end, is_ended, has_bom):
    data = ("\ufeff" * has_bom + end.join(lines) + end * is_ended).encode()
    assert split_lines(data.decode()) == list(TextFile("a", data, 0).lines)


@given(LINES, st.text("aAb\r", min_size=1, max_size=3), st.booleans())
def test_text_is_found_where_it_is_in_a_line(lines, text, ignore_case):
    data = "\n".join(lines).encode()
    expected = []
    for number, line in enumerate(split_lines(data.decode()), 1):
        searched, wanted = (folded(line), folded(text)) if ignore_case else (line, text)
        spans = tuple(match.span() for match in re.finditer(re.escape(wanted), searched))
        expected += [(number, spans)] if spans else []
    found = finder(LiteralFinder, text, ignore_case=ignore_case).find([data], most=99)
    assert found == [FileLines(tuple(expected))]


@given(st.text(max_size=20))
@example("\u0130\u03a3\u03c2\u1e9e\u212a")
def test_folding_keeps_every_place(text):
    assert len(folded(text)) == len(text)
    assert folded(text) == "".join(map(folded, text))
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize("make", [LiteralFinder, RegexFinder])
def test_both_find_the_same_in_several_files(make):
    files = [b"xy\nx\n", b"", "é x x\r\nX".encode(), b"no"]
    found = finder(make, "x", ignore_case=True).find(files, most=99)
    assert found == [
        FileLines(((1, ((0, 1),)), (2, ((0, 1),)))),
        FileLines(),
        FileLines(((1, ((2, 3), (4, 5))), (2, ((0, 1),)))),
        FileLines(),
    ]


@pytest.mark.parametrize("make", [LiteralFinder, RegexFinder])
def test_enough_is_enough(make):
    found = finder(make, "x").find([b"x\nx\n", b"x\nx\n", b"x\n"], most=3)
    assert sum(len(file.lines) for file in found) == 3
    assert len(found) == 2
    (line,) = finder(make, "x").find([b"x" * 10_000], most=3)[0].lines
    assert len(line[1]) == MOST_SPANS


def test_a_clock_knows_when_the_first_match_is_due():
    clock = Clock(0.0, 120.0)
    assert clock.left_s == 0
    clock.found = True
    assert clock.left_s > 100
    clock = Clock(0.0, 0.0)
    clock.forgive(100.0)
    assert clock.left_s > 90


@pytest.mark.parametrize(("make", "left"), [(LiteralFinder, 0), (RegexFinder, 0)])
def test_without_time_nothing_is_found(make, left):
    slow = f"{'a' * 60}!\n".encode() * 100
    found = finder(make, "(a+)+$", clock=Clock(0.0, 0.0)).find([slow, slow], most=9)
    assert len(found) == left


def test_a_process_is_gone_when_its_time_is_up():
    slow = f"{'a' * 60}!\n".encode() * 10_000
    began = time.monotonic()
    finder(RegexFinder, "(a+)+$", clock=Clock(0.5, 0.5)).find([slow], most=9)
    assert time.monotonic() - began < 60


def test_a_process_that_does_not_start_in_time_is_an_error(tmp_path, monkeypatch):
    stuck = tmp_path / "python"
    stuck.write_text("#!/bin/sh\nexec sleep 600\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stuck))
    monkeypatch.setattr(line_finders, "_START_S", 0.1)
    with pytest.raises(ToolError, match="could not be started in time") as caught:
        finder(RegexFinder, "a").find([b"a\n"], most=9)
    assert caught.value.type == "timeout"
