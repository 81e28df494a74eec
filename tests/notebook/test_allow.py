"""``%ipuaro allow``, and the question whether a project's settings are trusted."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.open_project import Desk
from ipuaro_jupyter.notebook.work import Work
from ipuaro_jupyter.records.change import Decision

ALLOWED = [("run_command", "echo"), ("run_command", "ls"), ("create_file", "src/*")]


@pytest.fixture
def desk(project, recording):
    opened = Desk()
    opened.open(str(project), model=f"recorded:{recording}")
    opened.assistant.confirm = lambda _: Decision(action="apply", remember=True)
    yield opened
    opened.close()


@pytest.fixture
def allowed(desk):
    for call in (
        ("run_command", {"command": "echo a"}),
        ("run_command", {"command": "ls -a"}),
        ("create_file", {"path": "src/b.ts", "content": "1\n"}),
    ):
        desk.assistant.call(*call)
    assert list(desk.assistant.remembered) == ALLOWED
    return desk


def allow(desk, line=""):
    command = find_command("allow")
    return command.run(desk, Work(lambda _: None), command.read(line))


@pytest.mark.parametrize("line", ["", "list"])
def test_list_numbers_what_is_allowed(allowed, line):
    table = allow(allowed, line)
    assert table.columns == ("N", "Tool", "Pattern")
    assert list(table.rows) == [(n, *known) for n, known in enumerate(ALLOWED, 1)]


def test_nothing_is_allowed_at_first(desk):
    assert "Nothing" in allow(desk).text
    assert "Nothing" in allow(desk, "revoke all").text


def test_revoking_one_leaves_the_others(allowed):
    assert "run_command ls" in allow(allowed, "revoke 2").text
    assert list(allowed.assistant.remembered) == [ALLOWED[0], ALLOWED[2]]


def test_revoked_is_asked_about_again(allowed):
    asked = []
    allowed.assistant.confirm = lambda proposal: asked.append(proposal) or False
    assert allowed.assistant.call("run_command", {"command": "echo b"}).success
    assert "run_command echo" in allow(allowed, "revoke all").text
    assert allowed.assistant.remembered == ()
    assert not allowed.assistant.call("run_command", {"command": "echo b"}).success
    assert len(asked) == 1


@pytest.mark.parametrize(
    "line", ["revoke", "revoke 0", "revoke 4", "revoke x", "list 1", "revok 1"]
)
def test_wrong_arguments_are_said_and_revoke_nothing(allowed, line):
    with pytest.raises(SettingsError):
        allow(allowed, line)
    assert list(allowed.assistant.remembered) == ALLOWED


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
