"""Commands that are typed into a cell as a message."""


def test_a_command_runs_in_a_cell_and_asks_no_model(started, project):
    ran = started.run("%%ask\nRaise it", decide={"action": "apply"})
    assert ran.reply["status"] == "ok", ran.text
    assert "attempts = 5" in (project / "src/retry.ts").read_text()
    ran = started.run("%%ask\n/undo")
    assert "src/retry.ts was changed back" in ran.result()["text/plain"]
    assert "attempts = 3" in (project / "src/retry.ts").read_text()
    assert "Did you mean /undo?" in started.run("%ask /udno").text
    ran = started.run("%%ask\n/undo all of it")
    assert ran.reply["status"] == "error"
    assert ran.reply["ename"] == "SettingsError"
    assert "Write /undo [turn|skip|list]" in ran.text
    ran = started.run("%%ask\n/sessions load 19700101-none")
    assert (ran.reply["status"], ran.reply["ename"]) == ("error", "SettingsError"), ran.text
    assert "19700101-none" in ran.text
