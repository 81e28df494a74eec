"""Changes are asked about, written, told of and remembered."""

import pytest
from folder_states import raises, snapshot

from ipuaro_jupyter.errors import Cancelled, ToolError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.workspace.files import disk

REJECTED = Decision(action="reject", reason="not today")


def test_an_edit_is_asked_about_written_and_told(opened):
    opened.write("src/a.ts", "one\r\ntwo\r\n")
    change = opened.apply("src/a.ts", b"one\r\ntwo\r\n", b"one\r\n2\r\n")
    assert (opened.root / "src/a.ts").read_bytes() == b"one\r\n2\r\n"
    assert (change.kind, change.path, change.mode) == ("edit", "src/a.ts", 0o644)
    assert opened.changes == [change]
    (asked,) = opened.user.asked
    assert (asked.kind, asked.tool, asked.title) == ("edit", "a_tool", "Change src/a.ts")
    assert (asked.old_text, asked.new_text) == ("one\ntwo\n", "one\n2\n")
    assert asked.path == "src/a.ts"
    assert asked.editable


def test_a_create_makes_the_folders_after_the_decision(opened):
    opened.user.meanwhile = lambda: opened.changes.append((opened.root / "new").exists())
    change = opened.apply("new/deep/a.ts", None, b"x")
    assert change.kind == "create"
    assert opened.changes == [False, change]
    assert (opened.root / "new/deep/a.ts").read_bytes() == b"x"
    assert opened.user.asked[0].old_text is None


def test_a_delete_removes_the_file_alone(opened):
    opened.write("src/a.ts", "x")
    assert opened.apply("src/a.ts", b"x", None).kind == "delete"
    assert snapshot(opened.root) == {"src": None}
    assert opened.user.asked[0].new_text is None
    assert not opened.user.asked[0].editable


def test_a_rejected_change_leaves_everything_as_it_was(opened):
    opened.write("a.ts", "x")
    before = snapshot(opened.root)
    opened.user.decision = REJECTED
    for path, old, new in (("a.ts", b"x", b"y"), ("a.ts", b"x", None), ("new/b.ts", None, b"y")):
        with raises("cancelled", "not today"):
            opened.apply(path, old, new)
    assert snapshot(opened.root) == before
    assert opened.changes == []
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


def test_when_nobody_can_be_asked_the_message_says_so_and_what_helps(opened):
    opened.user.decision = Decision(action="reject", by="nobody")
    with raises("cancelled", "nobody to ask") as caught:
        opened.apply("a.ts", None, b"x")
    assert "auto-apply on" in caught.value.suggestion
    assert '"approve": "edits"' in caught.value.suggestion


def test_stop_instead_of_a_decision_changes_nothing(opened):
    def stop():
        raise Cancelled

    opened.user.meanwhile = stop
    with pytest.raises(Cancelled):
        opened.apply("a.ts", None, b"x")
    assert snapshot(opened.root) == {}


@pytest.mark.parametrize(
    ("data", "text", "written"),
    [
        (b"one\r\ntwo\r\n", "1\nzwei\n", b"1\r\nzwei\r\n"),
        (b"\xef\xbb\xbfone\ntwo\n", "1\nzwei\n", b"\xef\xbb\xbf1\nzwei\n"),
        (b"one\r\ntwo\n", "1\ntwo\n", b"1\r\ntwo\n"),
    ],
)
def test_the_text_that_the_user_edited_is_what_is_written(opened, data, text, written):
    opened.write("a.ts", data)
    opened.user.decision = Decision(action="apply", text=text)
    proposed = data.replace(b"one", b"1")
    change = opened.apply("a.ts", data, proposed)
    assert change.after == written
    assert (opened.root / "a.ts").read_bytes() == written
    assert opened.changes == [change]
    assert opened.workspace.undo()[0].after == data


def test_a_text_that_the_user_left_alone_is_written_byte_by_byte(opened):
    proposed = b"a\r\nb\nc\r"
    opened.user.decision = Decision(action="apply", text="a\nb\nc\r")
    assert opened.apply("a.ts", None, proposed).after == proposed


def test_an_edit_that_the_user_takes_back_is_not_applied(opened):
    opened.write("a.ts", "x\n")
    opened.user.decision = Decision(action="apply", text="x\n")
    with raises("cancelled"):
        opened.apply("a.ts", b"x\n", b"y\n")
    assert opened.changes == []


def test_what_the_session_has_changed_is_known_after_a_restart(open_workspace, opened):
    first = open_workspace(opened.root, session="writer")
    first.apply("package.json", None, b"{}")
    first.apply("gone.ts", None, b"x")
    first.apply("gone.ts", b"x", None)
    for session, known in (("writer", True), ("another", False)):
        workspace = open_workspace(opened.root, session=session).workspace
        workspace.note_shown("a.ts", "hash")
        assert workspace.written() == (["gone.ts", "package.json"] if known else [])


def test_the_root_is_not_read_as_a_file(opened):
    with pytest.raises(ToolError, match="root is a folder"):
        opened.workspace.read_bytes(".")


def test_content_that_is_too_large_is_not_written(opened, monkeypatch):
    monkeypatch.setattr(disk, "LARGEST_BYTES", 3)
    with pytest.raises(ToolError, match=r"a\.ts is too large"):
        opened.apply("a.ts", None, b"1234")
    assert not (opened.root / "a.ts").exists()


@pytest.mark.usefixtures("permissions_count")
def test_what_the_permissions_protect_is_neither_changed_nor_undone(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    (opened.root / "a.ts").chmod(0o444)
    with pytest.raises(ToolError, match="write-protected"):
        opened.apply("a.ts", b"2", b"3")
    with pytest.raises(ToolError, match=r"Not undone: a\.ts is write-protected"):
        opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"2"


def test_the_root_is_no_file(opened):
    with pytest.raises(ToolError, match="root is a folder"):
        opened.workspace.read_bytes(".")


def test_a_file_is_read_under_its_real_name(opened):
    opened.write("src/a.ts", "1")
    assert opened.workspace.read("./src/../src/a.ts").path == "src/a.ts"
    with pytest.raises(ToolError, match=r"src/b\.ts does not exist") as caught:
        opened.workspace.read("src/b.ts")
    assert caught.value.suggestion == "Did you mean src/a.ts?"


def test_several_files_are_shown_at_once(opened):
    for path in ("a.ts", "b.ts"):
        opened.write(path, "1")
    read = {path: opened.workspace.read(path).hash for path in ("a.ts", "b.ts")}
    opened.workspace.note_all_shown(read)
    opened.write("b.ts", "2")
    opened.apply("a.ts", b"1", b"3")
    with pytest.raises(ToolError, match="since you last saw it"):
        opened.apply("b.ts", b"2", b"3")
