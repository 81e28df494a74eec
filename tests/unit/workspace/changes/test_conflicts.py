"""What has changed meanwhile is never overwritten."""

import pytest
from folder_states import raises, snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn
from ipuaro_jupyter.workspace.workspace import SetFile


def test_a_file_that_is_not_what_the_tool_has_read_is_a_conflict(opened):
    opened.write("a.ts", "human\n")
    for after in (b"x", None):
        with raises("conflict", "changed since"):
            opened.apply("a.ts", b"old\n", after)
    with raises("conflict", "deleted since"):
        opened.apply("gone.ts", b"old\n", b"x")
    assert opened.user.asked == []
    assert (opened.root / "a.ts").read_bytes() == b"human\n"


def test_a_file_that_was_touched_since_it_was_read_is_compared_before_the_question(opened):
    place = opened.write("a.ts", "old\n")
    file = opened.workspace.read("a.ts")
    change = Change(path="a.ts", before=file.data, after=b"x\n")
    opened.write("a.ts", "other\n")
    with raises("conflict", "changed since it was read"):
        opened.workspace.apply(change, tool="t", title="T", read=file)
    assert opened.user.asked == []
    opened.write("a.ts", "old\n")
    opened.workspace.apply(change, tool="t", title="T", read=file)
    assert place.read_bytes() == b"x\n"


@pytest.mark.parametrize(("path", "before"), [("a.ts", b"0\n"), ("b.ts", b"1\n")])
def test_what_was_read_vouches_for_nothing_else(opened, path, before):
    """A file that was read says nothing of other content, nor of another file."""
    opened.write("a.ts", "1\n")
    opened.write("b.ts", "2\n")
    file = opened.workspace.read("a.ts")
    change = Change(path=path, before=before, after=b"x\n")
    with raises("conflict", "changed since it was read"):
        opened.workspace.apply(change, tool="t", title="T", read=file)


@pytest.mark.parametrize("after", [b"x", None])
def test_a_file_that_is_not_what_the_model_was_shown_is_a_conflict(opened, after):
    opened.write("a.ts", "old\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.write("a.ts", "human\n")
    with raises("conflict", "since you last saw it") as caught:
        opened.apply("a.ts", b"human\n", after)
    assert "again" in caught.value.suggestion
    assert opened.user.asked == []
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.apply("a.ts", b"human\n", after)
    assert len(opened.changes) == 1


def test_own_edits_are_no_conflict(opened):
    opened.write("a.ts", "1\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.apply("a.ts", b"1\n", b"2\n")
    opened.apply("a.ts", b"2\n", None)
    opened.apply("a.ts", None, b"3\n")
    assert [c.kind for c in opened.changes] == ["edit", "delete", "create"]


def test_what_was_shown_is_known_after_a_restart(open_workspace, opened):
    opened = open_workspace(opened.root, session="restarted")
    opened.write("a.ts", "old\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.write("a.ts", "human\n")
    with raises("conflict"):
        open_workspace(opened.root, session="restarted").apply("a.ts", b"human\n", b"x")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [("a.ts", b"old\n", b"x"), ("a.ts", b"old\n", None), ("new.ts", None, b"x")],
)
def test_a_file_that_changes_while_the_user_decides_is_left_alone(opened, path, before, after):
    opened.write("a.ts", "old\n")
    opened.user.meanwhile = lambda: opened.write(path, "human\n")
    with pytest.raises(ToolError) as caught:
        opened.apply(path, before, after)
    assert caught.value.recoverable
    assert (opened.root / path).read_bytes() == b"human\n"
    assert opened.changes == []
    with raises("validation"):
        opened.workspace.undo()


def test_a_file_that_vanishes_while_the_user_decides_is_a_conflict(opened):
    place = opened.write("a.ts", "old\n")
    opened.user.meanwhile = place.unlink
    with raises("conflict", "deleted while"):
        opened.apply("a.ts", b"old\n", b"x")
    assert snapshot(opened.root) == {}


def test_a_folder_that_becomes_a_link_while_the_user_decides_leads_nowhere(opened):
    outside = opened.root.parent / "outside"

    def swap():
        (opened.root / "src").rename(opened.root / "old")
        (opened.root / "src").symlink_to(outside)

    opened.write("src/a.ts", "x")
    opened.user.meanwhile = swap
    with pytest.raises(ToolError):
        opened.apply("src/new.ts", None, b"x")
    assert [p.name for p in outside.iterdir()] == ["secret.txt"]


def test_an_existing_file_is_not_created(opened):
    opened.write("a.ts", "x")
    with raises("file", "exists already"):
        opened.apply("a.ts", None, b"y")
    assert opened.user.asked == []


def test_what_would_change_nothing_is_refused(opened):
    opened.write("a.ts", "x")
    with raises("validation", "change nothing"):
        opened.apply("a.ts", b"x", b"x")
    with raises("validation", "change nothing"):
        opened.apply("b.ts", None, None)
    assert opened.user.asked == []


def test_a_file_is_not_read_again_when_it_is_as_the_tool_has_read_it(opened):
    opened.write("a.ts", "1\n")
    file = opened.workspace.read("a.ts")
    change = Change(path="a.ts", before=file.content.data, after=b"2\n")
    opened.workspace.apply(change, tool="t", title="T", read=file)
    stale = Change(path="a.ts", before=file.content.data, after=b"3\n")
    with raises("conflict", "changed since it was read"):
        opened.workspace.apply(stale, tool="t", title="T", read=file)


def test_a_computed_change_counts_as_seen_only_where_the_file_was_seen(opened):
    for path in ("a.ts", "b.ts"):
        opened.write(path, "1\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.workspace.note_shown("b.ts", "of an older version")
    opened.workspace.apply_set(
        [
            SetFile(Change(path=path, before=b"1\n", after=b"2\n"), is_computed=True)
            for path in ("a.ts", "b.ts")
        ],
        tool="t",
        title="T",
    )
    opened.apply("a.ts", b"2\n", b"3\n")
    with raises("conflict", "changed since you last saw it"):
        opened.apply("b.ts", b"2\n", b"3\n")


def test_who_renames_what_the_model_has_written_may_go_on_editing_it(opened):
    opened.write("a.ts", "1\n")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.workspace.turn = UndoTurn(by_user=True)
    change = Change(path="a.ts", before=b"1\n", after=b"2\n")
    opened.workspace.apply_set([SetFile(change, is_computed=True)], tool="t", title="T")
    opened.apply("a.ts", b"2\n", b"3\n")
    opened.workspace.turn = None
    with raises("conflict", "changed since you last saw it"):
        opened.apply("a.ts", b"3\n", b"4\n")


def test_the_question_says_what_else_a_change_touches(opened):
    opened.write("a.ts", "1\n")
    (opened.root / "other.ts").hardlink_to(opened.root / "a.ts")
    opened.apply("a.ts", b"1\n", b"2\n")
    opened.apply(".ipuaro.json", None, b"{}")
    links, settings = (asked.reason for asked in opened.user.asked)
    assert links.startswith("The file has 2 names")
    assert settings == "It changes the settings of this assistant."
