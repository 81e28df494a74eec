"""``%ipuaro allow``, and the question whether a project's settings are trusted."""

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.change import Decision

ALLOWED = [
    ("run_command", "echo"),
    ("run_command", "ls -a"),
    ("create_file", "on files directly in src/"),
]


@pytest.fixture
def open_project(project, recording):
    opened = OpenProject()
    opened.open(str(project), model=f"recorded:{recording}")
    opened.assistant.confirm = lambda _: Decision(action="apply", remember=True)
    yield opened
    opened.close()


@pytest.fixture
def allowed(open_project):
    for call in (
        ("run_command", {"command": "echo a"}),
        ("run_command", {"command": "ls -a"}),
        ("create_file", {"path": "src/b.ts", "content": "1\n"}),
    ):
        open_project.assistant.call(*call)
    assert list(open_project.assistant.remembered) == ALLOWED
    return open_project


def allow(open_project, line=""):
    command = find_command("allow")
    return command.run(open_project, CellThread(lambda _: None), command.read(line))


@pytest.mark.parametrize("line", ["", "list"])
def test_list_numbers_what_is_allowed(allowed, line):
    table = allow(allowed, line)
    assert table.columns == ("N", "Tool", "Pattern")
    assert list(table.rows) == [(n, *known) for n, known in enumerate(ALLOWED, 1)]


def test_nothing_is_allowed_at_first(open_project):
    assert "Nothing" in allow(open_project).text
    assert "Nothing" in allow(open_project, "revoke all").text


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
