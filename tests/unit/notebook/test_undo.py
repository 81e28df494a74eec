"""``%ipuaro undo`` and its list."""

import pytest

from ipuaro_jupyter.notebook.cell_thread import CellThread
from ipuaro_jupyter.notebook.commands import find_command
from ipuaro_jupyter.notebook.open_project import OpenProject
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.outputs import Plain


@pytest.fixture
def open_project(project, recording):
    opened = OpenProject()
    opened.open(str(project), model=f"recorded:{recording}")
    opened.assistant.confirm = lambda _: Decision(action="apply")
    yield opened
    opened.close()


def undo(open_project, line=""):
    command = find_command("undo")
    return command.run(open_project, CellThread(lambda _: None), command.read(line))


def test_what_can_be_undone_is_a_table_and_nothing_a_sentence(open_project):
    nothing = undo(open_project, "--list")
    assert isinstance(nothing, Plain)
    assert undo(open_project) == nothing
    open_project.assistant.call("create_file", {"path": "b.ts", "content": "1\n"})
    (row,) = undo(open_project, "--list").output.shown.rows
    told = (row[0], *row[2:])
    assert told == (1, "create b.ts", "+1 -0", "your call of create_file", "can be undone")
    assert undo(open_project).success
    assert undo(open_project, "--list").text.splitlines() == [
        nothing.text,
        "Redo makes again what was undone last: create b.ts.",
    ]
