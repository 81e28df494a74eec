"""Files and undo stack agree, whatever happens in between."""

import json
import os
import subprocess
import sys

import killed_changes
import pytest

from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.workspace import SetFile


def set_of(*changes):
    return [SetFile(Change(path=p, before=b, after=a)) for p, b, a in changes]


def apply(workspace, *changes):
    return workspace.apply_set(set_of(*changes), tool="a_tool", title="Change files")


@pytest.mark.parametrize("act", ["apply", "undo", "redo"])
def test_a_process_killed_in_the_middle_leaves_all_old_or_all_new(tmp_path, ipuaro_home, act):
    del ipuaro_home
    found = subprocess.run(
        [sys.executable, killed_changes.__file__, str(tmp_path / "project"), "5", act, "3"],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=120,
    )
    whole, *kills = json.loads(found.stdout)
    assert not whole["killed"]
    assert whole["told"] == []
    for kill in kills:
        assert kill["killed"], kill
        assert kill["isOld"] != kill["isNew"], kill
        assert len(kill["listed"]) == (kill["isNew"] if act != "undo" else kill["isOld"]), kill
        assert kill["problems"] == kill["journals"] == [], kill
        assert kill["isWhole"], kill
