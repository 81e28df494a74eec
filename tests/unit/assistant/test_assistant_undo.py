"""What the assistant takes back: a change, a message, a tool call."""

import pytest

FILES = {"a.ts": "a\n", "b.ts": "b\n"}
TWO_EDITS = """Two edits.
<tool_call name="edit_lines"><path>a.ts</path><start>1</start><end>1</end>
<content>A</content></tool_call>
<tool_call name="create_file"><path>new/c.ts</path><content>c</content></tool_call>"""
ONE_EDIT = """<tool_call name="delete_file"><path>b.ts</path></tool_call>"""


def files(root):
    found = (place for place in root.rglob("*") if place.is_file())
    return {place.relative_to(root).as_posix(): place.read_text() for place in found}


@pytest.fixture
def asked(make_project, open_assistant):
    """Give an assistant after a message with two replies that change files."""
    root = make_project(FILES)
    assistant = open_assistant(root, [TWO_EDITS, ONE_EDIT, "Done."], auto_apply=True)
    for path in FILES:
        assistant.call("get_lines", {"path": path}, by_user=False)
    assistant.ask("Change them")
    assert files(root) == {"a.ts": "A\n", "new/c.ts": "c"}
    return assistant


def test_all_changes_of_a_message_are_taken_back_at_once(asked):
    result = asked.undo(turn=True)
    assert files(asked.root) == FILES
    assert result.text() == (
        "Undone: 3 files:\n  - b.ts was restored\n  - new/c.ts was removed\n"
        "  - a.ts was changed back"
    )
    assert result.output.shape().rows[0] == ("b.ts", "restored")
    assert asked.session.edits_undone == 3
    assert asked.undo(turn=True).error.type == "validation"
    assert asked.call("find_definition", {"symbol": "c"}).output.definitions == ()


def test_a_message_is_taken_back_change_by_change(asked):
    assert [asked.undo().success for _ in range(4)] == [True, True, True, False]
    assert files(asked.root) == FILES


def test_a_tool_call_after_the_message_is_a_turn_of_its_own(asked):
    asked.call("create_file", {"path": "d.ts", "content": "d"})
    result = asked.undo(turn=True)
    assert result.text() == "Undone: d.ts was removed."
    assert result.output.shape().new is None
    assert files(asked.root) == {"a.ts": "A\n", "new/c.ts": "c"}
    asked.undo(turn=True)
    assert files(asked.root) == FILES


def test_a_message_is_taken_back_after_a_restart(asked, open_assistant):
    asked.close()
    again = open_assistant(asked.root, [])
    assert again.undo(turn=True).success
    assert files(asked.root) == FILES


def test_a_message_is_not_taken_back_in_part(asked):
    (asked.root / "a.ts").write_text("human\n")
    error = asked.undo(turn=True).error
    assert (error.type, error.recoverable) == ("conflict", True)
    assert "a.ts has been changed since" in error.message
    assert files(asked.root) == {"a.ts": "human\n", "new/c.ts": "c"}


def test_a_message_that_made_and_deleted_a_file_is_taken_back_as_a_whole(
    make_project, open_assistant
):
    root = make_project(FILES)
    create = '<tool_call name="create_file"><path>src/c.ts</path><content>c</content></tool_call>'
    delete = '<tool_call name="delete_file"><path>src/c.ts</path></tool_call>'
    assistant = open_assistant(root, [create, delete, "Done."], auto_apply=True)
    assistant.ask("Make one and delete it")
    result = assistant.undo(turn=True)
    assert result.success
    assert "come to nothing" in result.text()
    assert files(root) == FILES
    assert assistant.undo(turn=True).error.type == "validation"


def edit(line):
    return {"path": "a.ts", "start": 1, "end": 1, "content": line}


def test_a_tool_of_the_users_works_on_after_an_undo_and_the_model_has_to_read(
    make_project, open_assistant
):
    edit_it = TWO_EDITS.partition('<tool_call name="create_file">')[0]
    root = make_project(FILES)
    assistant = open_assistant(root, [edit_it, "Done.", edit_it, "No."], auto_apply=True)
    assert assistant.call("edit_lines", edit("B")).success
    assistant.undo()
    assert assistant.call("edit_lines", edit("C")).success
    assistant.undo()
    assistant.call("get_lines", {"path": "a.ts"}, by_user=False)
    assistant.ask("Change it")
    assistant.undo()
    assert files(root) == FILES
    (called,) = assistant.ask("Change it").tool_calls
    assert called.result.error.type == "conflict"
    assert assistant.call("edit_lines", edit("D")).success
    assert files(root)["a.ts"] == "D\n"


def test_a_change_that_somebody_else_has_changed_is_skipped(asked):
    asked.call("create_file", {"path": "d.ts", "content": "d"})
    (asked.root / "d.ts").write_text("human\n")
    assert not asked.undo().success
    told = asked.undo(skip=True).text()
    assert "the create of d.ts" in told
    assert "d.ts has been changed since" in told
    assert asked.undo(turn=True).success
    assert files(asked.root) == {**FILES, "d.ts": "human\n"}
    assert asked.undo(skip=True).error.type == "validation"
    assert "not both" in asked.undo(turn=True, skip=True).error.message
