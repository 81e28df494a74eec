"""Cells of a notebook that is open are changed where it is open, and asked about like others."""

from dataclasses import replace

import pytest
from notebooks_of_cells import notebook, sources

from ipuaro_jupyter import Decision
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.tools.notebook_kernel import Kernel
from ipuaro_jupyter.tools.open_notebooks import (
    CellChange,
    ChangedCells,
    OpenCell,
    OpenNotebook,
    OpenNotebooks,
)
from ipuaro_jupyter.views import answer as record

KERNEL = Kernel(failed=lambda _: None, value=repr, names=tuple, cells=tuple)
CELLS = [("markdown", "# Title"), ("code", "a = 1"), ("code", "b = 1")]


class Shown:
    """A front end in which n.ipynb is open."""

    def __init__(self, cells, *, asking="", is_shared=False, is_saved=True, problem="", file=None):
        self.cells = [
            OpenCell(f"c{number}", kind, text, kind == "code")
            for number, (kind, text) in enumerate(cells, 1)
        ]
        self.asking, self.is_shared = asking, is_shared
        self.is_saved, self.problem, self.file = is_saved, problem, file

    def find(self, file):
        if file.name != "n.ipynb":
            return None
        return OpenNotebook(tuple(self.cells), self.is_shared, self.asking, self.change)

    def change(self, change, source):
        place = change.number - 1
        old = self.cells[place] if change.action == "edit" else OpenCell("new", change.kind, "")
        self.cells = change.applied(self.cells, old._replace(source=source))
        if self.is_saved and self.file is not None:
            self.save()
        return ChangedCells(tuple(self.cells), self.is_saved, self.problem)

    def save(self):
        self.file.write_text(notebook(*((cell.kind, cell.source) for cell in self.cells)))

    @property
    def texts(self):
        return [cell.source for cell in self.cells]


@pytest.fixture
def opened(make_project, open_assistant):
    """Return a function that opens a project beside a front end; gives `call` and the file."""

    def open_it(shown, *, auto_apply=True, **options):
        root = make_project({"n.ipynb": notebook(*CELLS), "other.ipynb": notebook(*CELLS)})
        options |= {} if "confirm" in options else {"auto_apply": auto_apply}
        assistant = open_assistant(root, [], **options)
        assistant.attach(KERNEL, OpenNotebooks(shown.find))
        return assistant, root / "n.ipynb"

    return open_it


@pytest.mark.parametrize(
    ("tool", "arguments", "texts"),
    [
        ("edit_cell", {"cell": 2, "content": "a = 2"}, ["# Title", "a = 2", "b = 1"]),
        ("insert_cell", {"after": 1, "content": "n"}, ["# Title", "n", "a = 1", "b = 1"]),
        ("delete_cell", {"cell": 2}, ["# Title", "b = 1"]),
        ("move_cell", {"cell": 1, "after": 3}, ["a = 1", "b = 1", "# Title"]),
        ("move_cell", {"cell": 3, "after": 0}, ["b = 1", "# Title", "a = 1"]),
    ],
)
@pytest.mark.parametrize("is_saved", [True, False])
def test_the_change_is_made_there_and_the_file_is_left(opened, tool, arguments, texts, is_saved):
    shown = Shown(CELLS, is_saved=is_saved)
    assistant, file = opened(shown)
    result = assistant.call(tool, {"path": "n.ipynb", **arguments})
    assert result.success, result.text()
    assert shown.texts == texts
    assert sources(file.read_bytes()) == [text for _, text in CELLS]
    assert ("is not saved" in result.text()) is not is_saved
    assert not assistant.undo().success


def test_one_that_cannot_be_saved_is_changed_all_the_same(opened):
    shown = Shown(CELLS, is_saved=False, problem="No space left on device.")
    assistant, _ = opened(shown)
    result = assistant.call("insert_cell", {"path": "n.ipynb", "after": 1, "content": "n"})
    assert result.success
    assert "could not be saved: No space left on device. The change stands" in result.text()
    assert shown.texts == ["# Title", "n", "a = 1", "b = 1"]


def test_one_that_is_gone_once_it_was_saved_is_changed_all_the_same(opened):
    shown = Shown(CELLS)
    assistant, file = opened(shown)
    shown.save = file.unlink
    shown.file = file
    call = {"path": "n.ipynb", "cell": 2, "content": "a = 2"}
    assert assistant.call("edit_cell", call).success
    assert shown.texts[1] == "a = 2"


def test_one_that_is_not_open_is_changed_in_its_file(opened):
    assistant, file = opened(Shown(CELLS))
    call = {"path": "other.ipynb", "cell": 2, "content": "a = 2"}
    assert assistant.call("edit_cell", call).success
    assert sources(file.with_name("other.ipynb").read_bytes())[1] == "a = 2"


@pytest.mark.parametrize("has_front_end", [True, False])
def test_where_nobody_can_say_whether_it_is_open_the_question_tells_what_to_do(
    make_project, open_assistant, has_front_end
):
    asked = []
    root = make_project({"other.ipynb": notebook(*CELLS)})
    assistant = open_assistant(root, [], confirm=lambda one: asked.append(one) or False)
    assistant.attach(KERNEL, OpenNotebooks(Shown(CELLS).find) if has_front_end else None)
    assistant.call("edit_cell", {"path": "other.ipynb", "cell": 2, "content": "a = 2"})
    assert ("If it is open in JupyterLab, save it" in asked[0].reason) is not has_front_end


def test_where_it_is_not_said_whether_it_is_open_nothing_is_changed(opened):
    shown = Shown(CELLS)

    def silent(_):
        raise ToolError("validation", "the front end did not say")

    shown.find = silent
    assistant, file = opened(shown)
    result = assistant.call("edit_cell", {"path": "n.ipynb", "cell": 2, "content": "a = 2"})
    assert "did not say" in result.error.message
    assert sources(file.read_bytes())[1] == "a = 1"


def test_a_cell_with_unsaved_changes_is_not_what_was_read(opened):
    shown = Shown([*CELLS[:2], ("code", "b = 2")])
    assistant, _ = opened(shown)
    assistant.call("get_lines", {"path": "n.ipynb"})
    result = assistant.call("edit_cell", {"path": "n.ipynb", "cell": 3, "content": "b = 3"})
    assert "not what you last saw" in result.error.message
    assert "save it" in result.error.suggestion
    assert assistant.call("edit_cell", {"path": "n.ipynb", "cell": 2, "content": "a = 3"}).success
    assert shown.texts == ["# Title", "a = 3", "b = 2"]


@pytest.mark.parametrize(("tool", "more"), [("edit_cell", {"content": "x"}), ("delete_cell", {})])
def test_the_cell_that_asks_is_not_changed(opened, tool, more):
    shown = Shown(CELLS, asking="c2")
    assistant, _ = opened(shown)
    error = assistant.call(tool, {"path": "n.ipynb", "cell": 2, **more}).error
    assert "is the one that asks you" in error.message
    assert assistant.call(tool, {"path": "n.ipynb", "cell": 3, **more}).success


def test_what_changes_nothing_is_said(opened):
    assistant, _ = opened(Shown(CELLS))
    result = assistant.call("edit_cell", {"path": "n.ipynb", "cell": 2, "content": "a = 1"})
    assert "would change nothing" in result.error.message


@pytest.mark.parametrize(
    ("decision", "texts", "told"),
    [
        (Decision(action="apply", text="mine\n"), "mine", "The user changed your text"),
        (Decision(action="apply"), "a = 2", "Edited cell 2"),
        (Decision(action="reject", reason="no"), "a = 1", "no"),
        (Decision(action="apply", hunks=()), "a = 1", "left n.ipynb as it is"),
    ],
)
def test_the_user_decides(opened, decision, texts, told):
    asked = []
    shown = Shown(CELLS)
    assistant, _ = opened(shown, confirm=lambda one: asked.append(one) or decision)
    result = assistant.call("edit_cell", {"path": "n.ipynb", "cell": 2, "content": "a = 2"})
    assert shown.texts[1] == texts
    assert told in result.text()
    assert "not with %ipuaro undo" in asked[0].reason


def test_no_setting_changes_a_collaborative_document(opened):
    shown = Shown(CELLS, is_shared=True)
    assistant, _ = opened(shown)
    result = assistant.call("edit_cell", {"path": "n.ipynb", "cell": 2, "content": "a = 2"})
    assert result.error.type == "cancelled"
    assert "collaborative document" in result.error.message
    assert shown.texts[1] == "a = 1"


def test_a_model_that_has_not_read_it_is_refused_where_nobody_looks(make_project, open_assistant):
    shown = Shown(CELLS)
    root = make_project({"n.ipynb": notebook(*CELLS)})
    call = (
        '<tool_call name="edit_cell"><path>n.ipynb</path><cell>2</cell>'
        "<content>a = {}</content></tool_call>"
    )
    read = '<tool_call name="get_lines"><path>n.ipynb</path></tool_call>'
    insert = (
        '<tool_call name="insert_cell"><path>n.ipynb</path><after>1</after>'
        "<content>n</content></tool_call>"
    )
    replies = [call.format(2), read, insert + call.format(3), call.format(4), "Done."]
    assistant = open_assistant(root, replies, auto_apply=True)
    assistant.attach(KERNEL, OpenNotebooks(shown.find))
    refused, _, *made, wrong = (one.result for one in assistant.ask("Go").tool_calls)
    assert "you had not read it" in refused.error.message
    assert all(result.success for result in made), [result.text() for result in made]
    assert shown.texts == ["# Title", "a = 4", "a = 3", "b = 1"]
    assert wrong.success


@pytest.mark.parametrize("is_saved", [True, False])
def test_what_was_changed_there_is_one_of_the_changes_of_the_answer(
    make_project, open_assistant, is_saved
):
    root = make_project({"n.ipynb": notebook(*CELLS)})
    read = '<tool_call name="get_lines"><path>n.ipynb</path></tool_call>'
    edit = (
        '<tool_call name="edit_cell"><path>n.ipynb</path><cell>2</cell>'
        "<content>a = 2</content></tool_call>"
    )
    assistant = open_assistant(root, [read, edit, "Done."], auto_apply=True)
    shown = Shown(CELLS, is_saved=is_saved, file=root / "n.ipynb")
    assistant.attach(KERNEL, OpenNotebooks(shown.find))
    answer = assistant.ask("Go")
    assert [change.path for change in answer.edits] == ["n.ipynb"]
    assert assistant.session.edits_applied == 1
    told = record.text(answer)
    assert "1 file changed (+1 \u22121)" in told
    assert "n.ipynb cell 2" in told
    assert '"cell_type"' not in told
    assert record.html(answer).count("1 line added") == 1  # the call does not draw it again


@pytest.mark.parametrize("is_saved", [True, False])
def test_what_was_changed_there_unasked_counts_as_not_looked_at_once_it_is_saved(opened, is_saved):
    shown = Shown(CELLS, is_saved=is_saved)
    assistant, file = opened(shown)
    shown.file = file
    call = {"path": "n.ipynb", "cell": 2, "content": "a = 2"}
    assert assistant.call("edit_cell", call).success
    unseen = assistant.project().workspace.execution_context.unseen
    assert ("n.ipynb" in unseen.now()) is is_saved
    shown.save()
    assert "n.ipynb" in unseen.now()


def test_what_a_person_has_decided_there_counts_as_looked_at(opened):
    shown = Shown(CELLS)
    assistant, file = opened(shown, confirm=lambda _: Decision(action="apply"))
    shown.file = file
    call = {"path": "n.ipynb", "cell": 2, "content": "a = 2"}
    assert assistant.call("edit_cell", call).success
    assert sources(file.read_bytes())[1] == "a = 2"
    assert not assistant.project().workspace.execution_context.unseen.now()


def test_a_change_of_a_list_is_the_one_of_the_cells():
    items = ["a", "b", "c"]
    assert CellChange("edit", 2).applied(items, "x") == ["a", "x", "c"]
    assert CellChange("insert", 4).applied(items, "x") == ["a", "b", "c", "x"]
    assert CellChange("delete", 1).applied(items, "x") == ["b", "c"]
    assert CellChange("move", 1, 2).applied(items, "x") == ["b", "a", "c"]
    assert replace(CellChange("move", 3), above=0).applied(items, "x") == ["c", "a", "b"]
