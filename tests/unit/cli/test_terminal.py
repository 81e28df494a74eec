"""Questions of commands in a terminal."""

import io

from ipuaro_jupyter.cli.terminal import ask
from ipuaro_jupyter.records.change import Proposal


def test_a_check_that_cannot_be_asked_for_is_not_offered(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    edit = {"kind": "edit", "tool": "t", "title": "Edit a", "path": "a"}
    asked = Proposal(id="1", old_text="1\n", new_text="2\n", check=("tsc",), **edit)
    assert ask(asked).action == "reject"
    printed = capsys.readouterr().err
    assert "+2" in printed
    assert "check" not in printed
