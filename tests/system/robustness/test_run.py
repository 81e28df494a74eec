"""The short form of the robustness run: one turn with each fault."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).with_name("run.py")
TURNS = 23


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_is_lost_or_left_whatever_goes_wrong(tmp_path):
    command = [sys.executable, RUN, "--turns", str(TURNS), "--seed", "1", "--seconds", "540"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    played = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=590, check=False
    )
    told = played.stdout + played.stderr
    assert played.returncode == 0, told
    figures = re.search(r"(\d+) turns in .* (\d+) messages, (\d+) lost; (\d+) changes undone", told)
    turns, messages, lost, undone = map(int, figures.groups())
    assert (turns, lost) == (TURNS, 0), told
    assert messages > TURNS
    assert undone > 0
    missed = [line for line in told.splitlines() if re.match(r"\w+ +[a-z ]+ \d+ +[1-9]", line)]
    assert missed == [], "a fault did not come about"
    assert list(tmp_path.glob("ipuaro-robust-*")) == []
