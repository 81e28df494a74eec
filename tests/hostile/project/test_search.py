"""A search ends in time, whatever the pattern."""

import os
import time

import pytest
from searches import places

from ipuaro_jupyter.errors import ToolError

BOMB = "(a+)+$"


def test_an_expression_that_takes_for_ever_is_given_up(opened, find):
    """Each line costs two ticks of the clock until it is left out; there are too many of them."""
    opened.write("a.ts", f"{'a' * 40}!\n" * 1000)
    began = time.monotonic()
    with pytest.raises(ToolError, match="too broad") as raised:
        find(BOMB, use_regex=True, strategy="python", first_match_s=1.0, total_s=2.0)
    assert raised.value.type == "timeout"
    assert time.monotonic() - began < 60


def test_what_was_found_in_time_is_returned(opened, find):
    opened.write("a.ts", "aa\n")
    opened.write("b.ts", f"{'a' * 40}!\n" * 1000)
    found = find(BOMB, use_regex=True, strategy="python", first_match_s=60.0, total_s=1.0)
    assert places(found) == [("a.ts", 1)]
    assert not found.is_total
    assert "stopped" in " ".join(found.notes)


def test_what_was_found_before_ripgrep_took_too_long_is_returned(
    opened, find, monkeypatch, tmp_path
):
    opened.write("a.ts", "hit\n")
    for number in range(60):
        opened.write(f"b{number}.ts", "none\n")
    slow = tmp_path / "rg"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found = find("hit", strategy="hybrid", total_s=3.0)
    assert places(found) == [("a.ts", 1)]
    assert not found.is_total
    (told,) = found.notes
    assert told == "stopped after 3 s and the first 50 of 61 files, there may be more"
