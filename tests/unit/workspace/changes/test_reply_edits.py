"""What one reply of the model has edited, on real files; whole replies are in the agent's tests."""

import pytest

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan

TEXT = b"one\ntwo\nthree\n"


@pytest.fixture
def replying(opened):
    """Give a workspace within a reply, with a file that the model has seen before it."""
    opened.write("a.txt", TEXT)
    opened.workspace.note_shown("a.txt", opened.workspace.read("a.txt").hash)
    with opened.workspace.one_reply():
        yield opened


def sight(opened, path="a.txt"):
    return opened.workspace.reply.sight(opened.workspace.read(path))


def place(opened, line):
    file = opened.workspace.read("a.txt")
    return opened.workspace.reply.place(file, LineSpan(line, line)).start


def test_a_change_that_is_no_edit_of_lines_moves_them_by_what_it_did(replying):
    replying.apply("a.txt", TEXT, b"zero\n" + TEXT)
    assert place(replying, 3) == 4


def test_after_a_change_past_the_workspace_no_line_is_placed(replying):
    """Even if further changes follow, which know the file as it is."""
    replying.apply("a.txt", TEXT, b"zero\n" + TEXT)
    replying.write("a.txt", b"other\n")
    replying.workspace.note_shown("a.txt", replying.workspace.read("a.txt").hash)
    replying.apply("a.txt", b"other\n", b"other\nmore\n")
    with pytest.raises(ToolError, match="changed by something else"):
        place(replying, 1)


def test_what_was_seen_is_what_was_before_the_reply(replying):
    assert sight(replying) == "seen"
    replying.write("b.txt", "b\n")
    assert sight(replying, "b.txt") == "never seen"
    replying.workspace.note_shown("b.txt", replying.workspace.read("b.txt").hash)
    assert sight(replying, "b.txt") == "read in this reply"
    replying.write("c.txt", "c\n")
    replying.apply("c.txt", b"c\n", b"C\n")
    assert sight(replying, "c.txt") == "never seen"
    replying.apply("d.txt", None, b"d\n")
    assert sight(replying, "d.txt") == "seen"


def test_a_version_that_nobody_showed_is_left_to_the_check_of_the_write(replying):
    replying.write("a.txt", b"other\n")
    assert sight(replying) == "seen"
    with pytest.raises(ToolError, match="since you last saw it"):
        replying.apply("a.txt", b"other\n", b"x\n")


def test_a_deleted_file_has_no_lines_left_to_follow(replying):
    replying.apply("a.txt", TEXT, b"zero\n" + TEXT)
    replying.apply("a.txt", b"zero\n" + TEXT, None)
    replying.apply("a.txt", None, TEXT)
    assert place(replying, 3) == 3


def test_what_is_no_text_has_no_lines(replying):
    replying.write("a.bin", b"\0\1")
    replying.apply("a.bin", b"\0\1", b"\0\2")
    assert sight(replying, "a.txt") == "seen"


def test_a_reply_ends_with_the_block_and_a_person_has_none(opened):
    with opened.workspace.one_reply():
        outer = opened.workspace.reply
        with opened.workspace.one_reply():
            assert opened.workspace.reply is not outer
        assert opened.workspace.reply is outer
    assert opened.workspace.reply is None


def test_edits_of_lines_move_the_lines_after_them_and_must_not_overlap(replying):
    first = b"one\nTWO\n2\nthree\n"
    both = b"ONE\nTWO\n2\nTHREE\n"  # the user has edited the second one, also elsewhere
    for before, after, line in ((TEXT, first, 2), (first, both, 3)):
        change = Change(path="a.txt", before=before, after=after)
        told = {"tool": "t", "title": "T", "lines": LineSpan(line, line)}
        if line == 3:
            assert place(replying, 3) == 4
        replying.workspace.apply(change, **told)
    for line in (1, 2, 3):
        with pytest.raises(ToolError, match="overlaps an earlier change of this reply"):
            place(replying, line)
