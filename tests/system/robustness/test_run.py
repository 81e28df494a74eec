"""The robustness run: in short, one turn with each fault; with ``--long`` two hundred turns."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).with_name("run.py")
SHORT = (23, 540)
LONG = (200, 900)
"""Turns, and the seconds that they may take."""


@pytest.mark.slow
@pytest.mark.timeout(1000)
@pytest.mark.parametrize(("turns", "seconds"), [SHORT, pytest.param(*LONG, marks=pytest.mark.long)])
def test_nothing_is_lost_or_left_whatever_goes_wrong(tmp_path, turns, seconds):
    command = [sys.executable, RUN, "--seed", "1"]
    command += ["--turns", str(turns), "--seconds", str(seconds)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    played = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=seconds + 50, check=False
    )
    told = played.stdout + played.stderr
    assert played.returncode == 0, told
    figures = re.search(r"(\d+) turns in .* (\d+) messages, (\d+) lost; (\d+) changes undone", told)
    played_turns, messages, lost, undone = map(int, figures.groups())
    assert (played_turns, lost) == (turns, 0), told
    assert messages > turns
    assert undone > 0
    missed = [line for line in told.splitlines() if re.match(r"\w+ +[a-z ]+ \d+ +[1-9]", line)]
    assert missed == [], "a fault did not come about"
    assert list(tmp_path.glob("ipuaro-robust-*")) == []
