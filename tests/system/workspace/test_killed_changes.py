"""A process that is killed at any step of a change of 200 files leaves all old or all new."""

import json
import os
import subprocess
import sys

import killed_changes
import pytest

FILES = 200


def check(folder, act, kills):
    found = subprocess.run(
        [sys.executable, killed_changes.__file__, str(folder), str(FILES), act, str(kills)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=60 + 20 * kills,
    )
    whole, *killed = json.loads(found.stdout)
    assert whole["listed"] == ([] if act == "undo" else [FILES])
    assert len(killed) == kills
    for one in killed:
        assert one["killed"], one
        assert one["isOld"] != one["isNew"], one
        assert bool(one["listed"]) == (one["isNew"] if act != "undo" else one["isOld"]), one
        assert one["problems"] == one["journals"] == [], one
        assert one["isWhole"], one


@pytest.mark.parametrize("act", ["apply", "undo", "redo"])
def test_a_change_of_many_files_is_whole_after_a_kill(tmp_path, act):
    check(tmp_path / "project", act, 4)


@pytest.mark.long
@pytest.mark.timeout(2 * 60 * 60)
@pytest.mark.parametrize("act", ["apply", "undo", "redo"])
def test_two_hundred_kills_leave_nothing_half_changed(tmp_path, act):
    """On a disk that writes through this takes up to two hours each, in memory a minute."""
    check(tmp_path / "project", act, 200)
