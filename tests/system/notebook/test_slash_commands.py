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


def test_a_question_in_a_file_is_trusted_in_its_cell_and_asked(started, project):
    folder = project / ".claude/commands"
    folder.mkdir(parents=True)
    (folder / "look.md").write_text("---\ndescription: Looks\n---\n$1 it\n")
    ran = started.run("%%ask\n/look Read", decide={"action": "reject"})
    assert (ran.reply["status"], ran.reply["ename"]) == ("error", "SettingsError"), ran.text
    assert "you do not trust it" in ran.text
    ran = started.run("%%ask\n/look Read", decide={"action": "apply"})
    assert ran.reply["status"] == "ok", ran.text
    assert "The question is in .claude/commands/look.md." in ran.text
    assert started.run("_.question").result()["text/plain"] == "'Read it'"
    assert started.run("%%ask\n/look Read").reply["status"] == "ok"
