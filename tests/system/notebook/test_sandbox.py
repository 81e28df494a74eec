"""A notebook's commands run in the sandbox, and the status says so."""

import os
import shutil

import pytest

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None and not os.environ.get("CI"), reason="bwrap is not installed"
)


def test_command_of_a_cell_runs_in_the_sandbox(started, project, tmp_path):
    assert "Sandbox: bwrap: commands write only in the project" in (
        started.run("%ipuaro status").text
    )
    place = tmp_path / "outside"
    ran = started.run(
        f"r = %tool run_command 'echo in > in.txt; echo out > /var/out || echo out > {place}'\n"
        "print(r.data.stderr)",
        decide={"action": "apply"},
    )
    assert (project / "in.txt").read_text() == "in\n"
    assert "Read-only file system" in ran.text or not place.exists()
