"""The text of a cell is replaced; whatever else is in the notebook stays byte for byte."""

import json

import pytest
from notebooks_of_cells import STREAM, notebook, sources

from ipuaro_jupyter import Decision

CELLS = [("markdown", "# Title\ntext"), ("code", "%time x = 1\ny = 2"), ("code", "z = 3")]
CALL = '<tool_call name="{}">{}</tool_call>'


def as_call(name, /, **arguments):
    given = "".join(f"<{key}>{value}</{key}>" for key, value in arguments.items())
    return CALL.format(name, given)


@pytest.fixture
def edit(run, tmp_path):
    """Edit n.ipynb with auto-apply; return the result and the cells' texts."""

    def edit_file(before, /, **arguments):
        call = run({"n.ipynb": before}, auto_apply=True)
        result = call("edit_cell", {"path": "n.ipynb", **arguments})
        return result, sources((tmp_path / "project/n.ipynb").read_bytes())

    return edit_file


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"content": "a = 1"}, "a = 1"),
        ({"content": "a = 1\n"}, "a = 1"),
        ({"content": "a = 1\n\n"}, "a = 1\n"),
        ({"content": ""}, ""),
        ({"content": "y = 3", "start": 2, "end": 2}, "%time x = 1\ny = 3"),
        ({"content": "a\nb", "start": 1, "end": 0}, "a\nb\n%time x = 1\ny = 2"),
        ({"content": "c", "start": 3, "end": 2}, "%time x = 1\ny = 2\nc"),
        ({"content": "", "start": 1, "end": 1}, "y = 2"),
        ({"content": "```python\na = 1\n```"}, "a = 1"),
        ({"content": "     2\ty = 5", "start": 2, "end": 2}, "%time x = 1\ny = 5"),
    ],
)
def test_the_text_or_some_lines_are_replaced(edit, given, text):
    result, found = edit(notebook(*CELLS), cell=2, **given)
    assert result.success, result.text()
    assert found == [CELLS[0][1], text, "z = 3"]


def test_all_else_stays_and_undo_restores_every_byte(open_assistant, make_project):
    before = notebook(*CELLS, outputs=[STREAM], kernelspec={"name": "é"}).encode()
    root = make_project({"n.ipynb": before})
    assistant = open_assistant(root, [], auto_apply=True)
    result = assistant.call("edit_cell", {"path": "n.ipynb", "cell": 3, "content": "z = 4"})
    assert "Its outputs and its number stay until it is run again." in result.text()
    assert (root / "n.ipynb").read_bytes() == before.replace(b"z = 3", b"z = 4")
    assert assistant.undo().success
    assert (root / "n.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cell": 4}, "which has 3 cells"),
        ({"cell": 0}, "which has 3 cells"),
        ({"cell": 1, "start": 1}, "Only one of start and end"),
        ({"cell": 1, "start": 3, "end": 4}, "Invalid line range 3-4: cell 1 of n.ipynb has 2"),
        ({"cell": 3, "content": "z = 3"}, "would change nothing"),
        ({"cell": 3, "content": "a\0"}, "NUL"),
        ({"path": "a.py"}, "a.py is no notebook"),
        ({"path": "old.ipynb", "cell": 1}, "format 3"),
    ],
)
def test_what_is_impossible_is_said(run, given, said):
    files = {"n.ipynb": notebook(*CELLS), "a.py": ""}
    files["old.ipynb"] = '{"worksheets": [], "cells": [], "nbformat": 3}'
    arguments = {"path": "n.ipynb", "cell": 1, "content": "x", **given}
    error = run(files)("edit_cell", arguments).error
    assert said in error.message
    assert error.recoverable


def test_the_question_shows_the_cell_and_what_is_wrong_with_it(run):
    asked = []

    def confirm(proposal):
        asked.append(proposal)
        return False

    call = run({"n.ipynb": notebook(*CELLS, outputs=[STREAM])}, confirm=confirm)
    call("edit_cell", {"path": "n.ipynb", "cell": 2, "content": "%time x = 1\ndef (\n"})
    (question,) = asked
    assert question.title == "Edit cell 2 (code) of n.ipynb"
    assert (question.path, question.part, question.language) == ("n.ipynb", "cell 2", "py")
    assert question.old_text == "%time x = 1\ny = 2\n"
    assert question.new_text == "%time x = 1\ndef (\n"
    assert question.problems[0].startswith("syntax error in line 2")
    assert "outputs" in question.reason


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (Decision(action="apply", text="mine\n"), "mine"),
        (Decision(action="apply", text="mine"), "mine"),
        (Decision(action="apply", text="%time x = 1\r\ny = 5\r\n"), "%time x = 1\ny = 5"),
        (Decision(action="apply", hunks=(2,)), "\n".join(["b", *"1234567", "A"])),
        (Decision(action="apply", hunks=(1, 2)), "\n".join(["B", *"1234567", "A"])),
    ],
)
def test_the_user_can_write_another_text_or_choose(run, tmp_path, decision, text):
    old = "\n".join(["b", *"1234567", "a"])
    call = run({"n.ipynb": notebook(("code", old))}, confirm=lambda _: decision)
    new = old.replace("b", "B").replace("a", "A")
    result = call("edit_cell", {"path": "n.ipynb", "cell": 1, "content": new})
    assert result.success, result.text()
    assert sources((tmp_path / "project/n.ipynb").read_bytes()) == [text]
    assert ("The user changed your text" in result.text()) == (decision.hunks != (1, 2))


@pytest.mark.parametrize(
    "decision", [Decision(action="apply", hunks=()), Decision(action="apply", text="a = 1\n")]
)
def test_a_cell_that_the_user_leaves_is_not_written(run, tmp_path, decision):
    before = notebook(("code", "a = 1"))
    call = run({"n.ipynb": before}, confirm=lambda _: decision)
    result = call("edit_cell", {"path": "n.ipynb", "cell": 1, "content": "b"})
    assert result.error.type == "cancelled"
    assert (tmp_path / "project/n.ipynb").read_text() == before


def test_windows_line_ends_within_a_cell_stay(edit):
    before = notebook(("code", "x")).replace('"x"', '"a\\r\\n", "b\\r\\n"')
    _, found = edit(before, cell=1, content="A", start=1, end=1)
    assert found == ["A\r\nb\r\n"]


def test_errors_of_a_written_cell_are_told(edit):
    result, _ = edit(notebook(("code", "a")), cell=1, content="%time b")
    assert "syntax" not in result.text()


def test_no_setting_applies_a_cell_with_a_syntax_error(edit):
    result, found = edit(notebook(("code", "a")), cell=1, content="def (")
    assert result.error.type == "cancelled"
    assert found == ["a"]


def test_numbers_mean_the_cells_before_the_reply(open_assistant, make_project):
    root = make_project({"n.ipynb": notebook(*CELLS)})
    calls = [
        as_call("insert_cell", path="n.ipynb", after=1, content="new"),
        as_call("edit_cell", path="n.ipynb", cell=2, content="two"),
        as_call("insert_cell", path="n.ipynb", after=2, content="behind"),
        as_call("edit_cell", path="n.ipynb", cell=2, content="again"),
        as_call("delete_cell", path="n.ipynb", cell=3),
        as_call("edit_cell", path="n.ipynb", cell=3, content="gone"),
    ]
    read = as_call("get_lines", path="n.ipynb")
    assistant = open_assistant(root, [read, "".join(calls), "Done."], auto_apply=True)
    results = [call.result for call in assistant.ask("Go").tool_calls][1:]
    assert sources((root / "n.ipynb").read_bytes()) == ["# Title\ntext", "new", "two", "behind"]
    assert [result.success for result in results] == [True, True, True, False, True, False]
    assert "What was cell 2 before this reply is cell 3 by now." in results[1].text()
    assert "has changed cell 2" in results[3].error.message


def outputs_added(root):
    """Run all cells, as a front end would, and save."""
    file = root / "n.ipynb"
    document = json.loads(file.read_bytes())
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [STREAM], "execution_count": 9}
    file.write_text(json.dumps(document, indent=1))


def cell_changed(root):
    file = root / "n.ipynb"
    file.write_text(file.read_text().replace("z = 3", "z = 30"))


def cell_added(root):
    file = root / "n.ipynb"
    document = json.loads(file.read_bytes())
    document["cells"].insert(0, {**document["cells"][0], "id": "other"})
    file.write_text(json.dumps(document, indent=1))


@pytest.mark.parametrize(
    ("meanwhile", "cell", "is_made"),
    [
        (outputs_added, 2, True),
        (cell_changed, 2, True),
        (cell_changed, 3, False),
        (cell_added, 2, False),
    ],
)
def test_only_the_cell_that_is_changed_must_be_as_it_was_shown(
    open_assistant, make_project, meanwhile, cell, is_made
):
    root = make_project({"n.ipynb": notebook(*CELLS)})
    edit = as_call("edit_cell", path="n.ipynb", cell=cell, content="two")
    replies = [as_call("get_lines", path="n.ipynb"), "Read.", edit, "Done."]
    assistant = open_assistant(root, replies, auto_apply=True)
    assistant.ask("Read it")
    meanwhile(root)
    (call,) = assistant.ask("Go").tool_calls
    assert call.result.success == is_made
    if not is_made:
        assert "is not what you last saw there" in call.result.error.message


def test_a_notebook_that_was_not_read_is_not_changed_where_nobody_looks(
    open_assistant, make_project
):
    root = make_project({"n.ipynb": notebook(*CELLS)})
    edit = as_call("edit_cell", path="n.ipynb", cell=2, content="two")
    assistant = open_assistant(root, [edit, "Done."], auto_apply=True)
    (call,) = assistant.ask("Go").tool_calls
    assert "you had not read it" in call.result.error.message


def test_a_person_may_apply_it_and_is_told(open_assistant, make_project):
    root = make_project({"n.ipynb": notebook(*CELLS)})
    asked = []
    edit = [as_call("edit_cell", path="n.ipynb", cell=n, content="two") for n in (2, 2)]
    confirm = lambda proposal: asked.append(proposal) or True  # noqa: E731 - short
    assistant = open_assistant(root, [edit[0], "Done.", edit[1], "Done."], confirm=confirm)
    assistant.ask("Go")
    assert asked[0].reason.startswith("The model had not read this notebook.")
    assert sources((root / "n.ipynb").read_bytes())[1] == "two"
    (call,) = assistant.ask("Go").tool_calls  # it knows what it wrote
    assert "would change nothing" in call.result.error.message


@pytest.mark.parametrize("read", [{"cell": 2}, {}])
def test_an_edit_in_the_reply_that_reads_is_handed_back(open_assistant, make_project, read):
    root = make_project({"n.ipynb": notebook(*CELLS)})
    calls = as_call("get_lines", path="n.ipynb", **read)
    calls += as_call("edit_cell", path="n.ipynb", cell=2, content="two")
    assistant = open_assistant(root, [calls, "Done."], auto_apply=True)
    call = assistant.ask("Go").tool_calls[1]
    assert "reads it for the first time" in call.result.error.message
    assert "%time x = 1" in call.result.error.suggestion


def test_a_cell_of_a_notebook_of_which_another_tool_showed_lines_is_known(
    open_assistant, make_project
):
    root = make_project({"n.ipynb": notebook(("code", "def ship():\n    return 1"))})
    first = as_call("get_function", path="n.ipynb", name="ship")
    edits = [
        as_call("edit_cell", path="n.ipynb", cell=1, content=f"def ship():\n    return {n}")
        for n in (2, 3)
    ]
    replies = [first, edits[0], edits[1], "Done."]
    assistant = open_assistant(root, replies, auto_apply=True)
    results = [call.result.success for call in assistant.ask("Go").tool_calls]
    assert results == [True, True, True]


def test_the_notebook_that_it_runs_in_is_left_alone(run, tmp_path, monkeypatch):
    call = run({"n.ipynb": notebook(*CELLS)}, auto_apply=True)
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "project/n.ipynb"))
    error = call("edit_cell", {"path": "n.ipynb", "cell": 1, "content": "x"}).error
    assert "the notebook that you run in" in error.message


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_lines", {"start": 1, "end": 1, "content": "x"}),
        ("update_file", {"target": "z", "patch": "y"}),
        ("replace_symbol", {"name": "z", "content": "z = 1"}),
    ],
)
def test_tools_for_other_files_name_those_for_cells(run, tool, arguments):
    error = run({"n.ipynb": notebook(*CELLS)})(tool, {"path": "n.ipynb", **arguments}).error
    assert "edit_cell, insert_cell, delete_cell or move_cell" in error.suggestion


def test_a_cell_beside_numbers_that_are_none_is_edited_and_they_stay(run, tmp_path):
    text = (
        '{"nbformat": 4, "nbformat_minor": 4, "metadata": {"rate": NaN, "most": -Infinity},\n'
        ' "cells": [{"cell_type": "code", "metadata": {"a": NaN}, "execution_count": null,\n'
        '  "outputs": [], "source": "x = 1"}]}'
    )
    call = run({"n.ipynb": text}, auto_apply=True)
    call("edit_cell", {"path": "n.ipynb", "cell": 1, "content": "x = 2"})
    assert (tmp_path / "project/n.ipynb").read_text() == text.replace("x = 1", "x = 2")


def test_a_notebook_of_format_3_is_said_to_need_conversion(run):
    text = '{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "x = 1"}]}]}'
    told = run({"n.ipynb": text})(
        "edit_cell", {"path": "n.ipynb", "cell": 1, "content": "x"}
    ).text()
    assert "format 3: convert it with" in told
