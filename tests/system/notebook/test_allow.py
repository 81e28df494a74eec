"""``%ipuaro allow``, and the question whether a project's settings are trusted."""

import json


def test_opening_asks_whether_the_projects_settings_are_trusted(kernel, project):
    (project / ".ipuaro.json").write_text(json.dumps({"approve": "edits"}))
    kernel.run("%load_ext ipuaro_jupyter")
    rejected = kernel.run(kernel.start_line, decide={"action": "reject"})
    assert "you have not approved it" in rejected.text
    assert "asks before every change" in rejected.text
    trusted = kernel.run(kernel.start_line, decide={"action": "apply"})
    assert "You have approved these keys of .ipuaro.json: approve." in trusted.text
    assert "edits without a question" in trusted.text
    again = kernel.run(kernel.start_line)
    assert "approved" not in again.text
    assert "edits without a question" in again.text


def test_nobody_to_ask_trusts_nothing(kernel, project):
    (project / ".ipuaro.json").write_text(json.dumps({"approve": "all"}))
    kernel.run("%load_ext ipuaro_jupyter")
    ran = kernel.run(kernel.start_line, allow_stdin=False)
    assert ran.reply["status"] == "ok"
    assert "you have not approved it" in ran.text
    assert "asks before every change" in ran.text
