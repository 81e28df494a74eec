"""A notebook's commands run in the sandbox, and the status says so."""

import os
import shutil

import pytest

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None and not os.environ.get("CI"), reason="bwrap is not installed"
)


def test_command_of_a_cell_runs_in_the_sandbox(started, project):
    assert "Sandbox: bwrap: commands write only in the project" in (
        started.run("%ipuaro status").text
    )
    ran = started.run(
        f"%tool run_command 'echo in > in.txt; kill -0 {os.getpid()}; echo seen: $?'",
        decide={"action": "apply"},
    )
    assert (project / "in.txt").read_text() == "in\n"
    assert "seen: 1" in ran.text  # no other process is there
