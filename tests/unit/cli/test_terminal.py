"""Questions and progress of commands in a terminal, and without one."""

import io

import pytest

from ipuaro_jupyter.cli.terminal import ProgressLine, ask
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.events import IndexProgress


def test_a_check_that_cannot_be_asked_for_is_not_offered(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    edit = {"kind": "edit", "tool": "t", "title": "Edit a", "path": "a"}
    asked = Proposal(id="1", old_text="1\n", new_text="2\n", check=("tsc",), **edit)
    assert ask(asked).action == "reject"
    printed = capsys.readouterr().err
    assert "+2" in printed
    assert "check" not in printed


@pytest.mark.parametrize(("pause_s", "left_out"), [(0.0, 0), (60.0, 2)])
def test_without_a_terminal_the_progress_is_written_by_quarters(capsys, pause_s, left_out):
    line = ProgressLine(pause_s=pause_s)
    line.show(IndexProgress(phase="scanning"))
    for done in range(0, 60, 5):
        line.show(IndexProgress(phase="parsing", done=done, total=100))
    line.show(IndexProgress(phase="linking", done=0, total=8))
    quarters = ["25 of 100 files (25 %)", "50 of 100 files (50 %)"][left_out:]
    assert capsys.readouterr().err.splitlines() == [
        "Looking for files",
        "Reading files: 0 of 100 files (0 %)",
        *(f"Reading files: {told}" for told in quarters),
        "Linking imports: 0 of 8 files (0 %)",
    ]
