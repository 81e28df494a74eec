"""Every applied change can be taken back, byte by byte."""

import pytest
from folder_states import full_disk, raises, snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn


def test_undo_takes_back_newest_first(opened):
    opened.write("a.ts", b"\xef\xbb\xbf1\r\n\xff")
    was = snapshot(opened.root)
    opened.apply("a.ts", b"\xef\xbb\xbf1\r\n\xff", b"2")
    opened.apply("new/deep/b.ts", None, b"3")
    opened.apply("a.ts", b"2", None)
    told = [back for _ in range(3) for back in opened.workspace.undo()]
    assert [(c.path, c.kind) for c in told] == [
        ("a.ts", "create"),
        ("new/deep/b.ts", "delete"),
        ("a.ts", "edit"),
    ]
    assert opened.changes[3:] == told
    assert snapshot(opened.root) == was
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


def test_undo_asks_nobody(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="edits")
    opened.apply("a.ts", None, b"x")
    opened.workspace.settings = opened.workspace.settings.model_copy(update={"approve": "never"})
    opened.workspace.undo()
    assert snapshot(tmp_path) == {}
    assert opened.user.asked == []


@pytest.mark.parametrize(("data", "reason"), [(b"human", "changed"), (None, "deleted")])
def test_undo_is_refused_when_the_file_has_changed_since(opened, data, reason):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    if data is None:
        (opened.root / "a.ts").unlink()
    else:
        opened.write("a.ts", data)
    was = snapshot(opened.root)
    for _ in range(2):
        with raises("conflict", f"{reason} since"):
            opened.workspace.undo()
    assert snapshot(opened.root) == was
    opened.write("a.ts", b"2")
    opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"1"


def test_undo_of_a_delete_does_not_overwrite_a_new_file(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", None)
    opened.write("a.ts", "human")
    with raises("conflict"):
        opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"human"


def test_what_was_taken_back_by_hand_does_not_stand_in_the_way(opened):
    opened.write("a.ts", "1")
    opened.write("b.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    opened.apply("b.ts", b"1", b"2")
    opened.write("b.ts", "1")
    with raises("conflict", "already"):
        opened.workspace.undo()
    assert opened.workspace.undo()[0].path == "a.ts"


def test_undo_keeps_folders_that_are_in_use(opened):
    opened.apply("new/deep/a.ts", None, b"x")
    opened.write("new/mine.ts", "mine")
    opened.workspace.undo()
    assert snapshot(opened.root) == {"new": None, "new/mine.ts": (0o644, b"mine")}


def test_undo_of_a_delete_makes_a_folder_that_has_gone(opened):
    opened.write("src/a.ts", "x")
    opened.apply("src/a.ts", b"x", None)
    (opened.root / "src").rmdir()
    opened.workspace.undo()
    assert (opened.root / "src/a.ts").read_bytes() == b"x"


def test_undo_does_not_follow_a_folder_that_became_a_link(opened):
    outside = opened.root.parent / "outside"
    opened.write("src/secret.txt", "mine\n")
    opened.apply("src/secret.txt", b"mine\n", b"TOPSECRET\n")
    (opened.root / "src").rename(opened.root / "old")
    (opened.root / "src").symlink_to(outside)
    with pytest.raises(ToolError):
        opened.workspace.undo()
    assert snapshot(outside) == {"secret.txt": (0o644, b"TOPSECRET\n")}


def test_undo_goes_as_deep_as_the_setting(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, undo_depth=2)
    for number in range(4):
        opened.apply(f"{number}.ts", None, b"x")
    opened.workspace.undo()
    opened.workspace.undo()
    with raises("validation"):
        opened.workspace.undo()
    assert sorted(snapshot(tmp_path)) == ["0.ts", "1.ts"]


def test_undo_works_after_a_restart(open_workspace, tmp_path):
    open_workspace(tmp_path, session="again").apply("new/a.ts", None, b"x")
    open_workspace(tmp_path, session="again").workspace.undo()
    assert snapshot(tmp_path) == {}


@pytest.mark.usefixtures("permissions_count")
def test_undo_of_a_file_that_was_write_protected_since_is_refused(opened):
    place = opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    place.chmod(0o444)
    with raises("file", "write-protected"):
        opened.workspace.undo()
    assert place.read_bytes() == b"2"


@pytest.mark.parametrize("path", ["a.ts", "src/a.ts"])
def test_undo_on_a_full_disk_changes_nothing_and_can_be_repeated(opened, path):
    opened.write(path, b"y" * 1000)
    opened.apply(path, b"y" * 1000, None)
    was = snapshot(opened.root)
    with full_disk(), raises("file", f"Cannot write {path}"):
        opened.workspace.undo()
    assert snapshot(opened.root) == was
    opened.workspace.undo()
    assert (opened.root / path).read_bytes() == b"y" * 1000


def test_the_model_has_to_read_again_what_was_undone(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    opened.workspace.undo()
    with raises("conflict", "since you last saw it"):
        opened.apply("a.ts", b"1", b"3")


def test_the_user_need_not_read_again_what_was_undone_unless_it_was_changed_since(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    opened.workspace.undo()
    opened.workspace.turn = UndoTurn(by_user=True)
    opened.write("a.ts", "human")
    with raises("conflict", "since you last saw it"):
        opened.apply("a.ts", b"human", b"3")
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"3")
    assert (opened.root / "a.ts").read_bytes() == b"3"


def test_a_change_that_cannot_be_taken_back_is_forgotten_when_the_user_says_so(opened):
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    opened.apply("b.ts", None, b"2")
    opened.apply("b.ts", b"2", b"3")
    with raises("validation", "every change can be taken back"):
        opened.workspace.skip_undo()
    opened.write("b.ts", "human")
    with raises("conflict", "b.ts has been changed since") as caught:
        opened.workspace.undo()
    assert "%ipuaro undo --skip" in caught.value.suggestion
    was = snapshot(opened.root)
    skipped = [opened.workspace.skip_undo() for _ in range(2)]
    assert [(entry.change.path, entry.change.kind) for entry, _ in skipped] == [
        ("b.ts", "edit"),
        ("b.ts", "create"),
    ]
    assert skipped[0][1] == "b.ts has been changed since."
    assert snapshot(opened.root) == was
    assert opened.workspace.undo()[0].path == "a.ts"
    assert (opened.root / "b.ts").read_bytes() == b"human"
    with raises("validation", "nothing to undo"):
        opened.workspace.skip_undo()


def test_what_stands_in_the_way_of_a_turn_is_forgotten_below_what_can_be_taken_back(opened):
    opened.workspace.turn = UndoTurn()
    opened.apply("b.ts", None, b"1")
    opened.apply("a.ts", None, b"1")
    opened.apply("b.ts", b"1", b"2")
    opened.apply("c.ts", None, b"1")
    opened.write("a.ts", "human")
    with raises("conflict", "a.ts has been changed since"):
        opened.workspace.undo_turn()
    assert opened.workspace.skip_undo()[0].change.path == "a.ts"
    assert [change.path for change in opened.workspace.undo_turn()] == ["c.ts", "b.ts"]
    assert {path: data for path, (_, data) in snapshot(opened.root).items()} == {"a.ts": b"human"}


def test_somebody_elses_change_between_two_of_ours_is_what_is_forgotten(opened):
    opened.write("a.ts", "0")
    opened.apply("a.ts", b"0", b"1")
    opened.write("a.ts", "human")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.apply("a.ts", b"human", b"2")
    entry, reason = opened.workspace.skip_undo()
    assert (entry.change.before, entry.change.after) == (b"0", b"1")
    assert reason == "a.ts was changed by somebody else in between."
    assert (opened.root / "a.ts").read_bytes() == b"2"
    assert opened.workspace.undo()[0].after == b"human"
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


def test_undo_does_not_follow_a_file_that_became_a_link(opened):
    opened.write("other.ts", "2")
    opened.write("a.ts", "1")
    opened.apply("a.ts", b"1", b"2")
    (opened.root / "a.ts").unlink()
    (opened.root / "a.ts").symlink_to("other.ts")
    was = snapshot(opened.root)
    with raises("conflict", r"Not undone: a\.ts is a symlink by now") as caught:
        opened.workspace.undo()
    assert "%ipuaro undo --skip" in caught.value.suggestion
    assert snapshot(opened.root) == was


def test_an_undo_says_that_the_server_has_lost_its_data(open_workspace, room_store, tmp_path):
    opened = open_workspace(tmp_path, session="lost", approve="edits")
    opened.apply("a.ts", None, b"1")
    room_store.delete(Keys(project_id(tmp_path)).undo("lost"))
    for act in (opened.workspace.undo, opened.workspace.undoable, opened.workspace.skip_undo):
        with raises("storage", "the server has lost its data"):
            act()
    assert (opened.root / "a.ts").exists()
