"""A question about a part of a file: its texts, other texts, and the numbers of the parts."""

import pytest
from folder_states import raises

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.workspace.changes.change_proposal import DecodedChange, as_decided, proposal
from ipuaro_jupyter.workspace.changes.decided_problems import as_decided_on
from ipuaro_jupyter.workspace.changes.file_part import FilePart, PartMove
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn

BEFORE, AFTER = b"[a][b]", b"[a][c]"


def made(text):
    return b"[a][" + text.strip().encode() + b"]"


def part(**changed):
    given = {"old": "b\n", "new": "c\n", "make": made, **changed}
    return FilePart("part 2", "py", **given)


def change():
    return Change(path="a.parts", before=BEFORE, after=AFTER)


def test_the_question_shows_the_part():
    asked = proposal(DecodedChange(change(), part=part()), tool="t", title="T")
    assert (asked.old_text, asked.new_text) == ("b\n", "c\n")
    assert (asked.part, asked.language, asked.editable) == ("part 2", "py", True)
    assert asked.text_path == "part 2.py"


def test_a_part_that_cannot_be_another_one_is_not_editable():
    asked = proposal(DecodedChange(change(), part=part(make=None)), tool="t", title="T")
    assert not asked.editable


@pytest.mark.parametrize(
    ("decision", "after"),
    [
        (Decision(action="apply"), AFTER),
        (Decision(action="apply", text="d\n"), b"[a][d]"),
        (Decision(action="apply", text="c\n"), AFTER),
        (Decision(action="apply", hunks=(1,)), AFTER),
    ],
)
def test_what_is_decided_is_written_into_the_part(decision, after):
    decoded = DecodedChange(change(), part=part())
    asked = proposal(decoded, tool="t", title="T")
    assert as_decided(decoded, asked, decision).after == after


@pytest.mark.parametrize(
    "decision", [Decision(action="apply", text="b\n"), Decision(action="apply", hunks=())]
)
def test_a_part_that_stays_is_not_written(decision):
    decoded = DecodedChange(change(), part=part())
    asked = proposal(decoded, tool="t", title="T")
    with raises("cancelled", "left a.parts as it is"):
        as_decided(decoded, asked, decision)


def test_the_problems_are_those_of_the_text_that_is_decided():
    decoded = DecodedChange(change(), part=part(new="def (\n"))
    asked = proposal(decoded, tool="t", title="T")
    assert len(asked.problems) == 1
    better = as_decided_on(asked, Decision(action="apply", text="d = 1\n"))
    assert better.problems == ()


def moves(number, comes):
    return part(moves=(PartMove(LineSpan(number, number), comes),))


def apply(opened, given, *, before=BEFORE, after=AFTER):
    wanted = Change(path="a.parts", before=before, after=after)
    return opened.workspace.apply(wanted, tool="t", title="T", part=given)


def test_numbers_of_parts_follow_the_changes_of_a_reply(opened):
    opened.write("a.parts", BEFORE)
    with opened.workspace.one_reply():
        reply = opened.workspace.reply
        apply(opened, moves(2, 0))
        assert reply.place_part("a.parts", LineSpan(3, 3)) == (2, 2)
        assert reply.has_changed("a.parts", 2)
        assert not reply.has_changed("a.parts", 1)
        with raises("conflict", "has changed cell 2"):
            reply.place_part("a.parts", LineSpan(2, 2))


def test_a_version_is_known_before_a_reply_or_by_its_own_changes(opened):
    opened.write("a.parts", BEFORE)
    opened.write("other", b"x")
    workspace = opened.workspace
    assert workspace.known(workspace.read("a.parts")) == "never seen"
    workspace.note_shown("a.parts", workspace.read("a.parts").hash)
    with workspace.one_reply():
        assert workspace.known(workspace.read("a.parts")) == "seen"
        apply(opened, moves(2, 1))
        assert workspace.known(workspace.read("a.parts")) == "seen"
        opened.write("a.parts", b"[by][others]")
        apply(opened, moves(1, 1), before=b"[by][others]", after=b"[mine][others]")
        assert workspace.known(workspace.read("a.parts")) == "changed"
        assert workspace.known(workspace.read("other")) == "never seen"
        workspace.note_shown("other", workspace.read("other").hash)
        assert workspace.known(workspace.read("other")) == "read in this reply"
    opened.write("a.parts", b"[again]")
    assert workspace.known(workspace.read("a.parts")) == "changed"


def test_what_was_shown_of_the_parts_is_kept_apart_for_the_user(opened):
    workspace = opened.workspace
    assert workspace.parts_shown("a.parts").latest is None
    workspace.note_parts_shown("a.parts", ["1", "2"])
    assert workspace.parts_shown("a.parts").before == ("1", "2")
    with workspace.one_reply():
        workspace.note_parts_shown("a.parts", ["1", "3"])
        shown = workspace.parts_shown("a.parts")
    assert (shown.before, shown.now, shown.latest) == (("1", "2"), ("1", "3"), ("1", "3"))
    with workspace.one_reply(UndoTurn(by_user=True)):
        workspace.note_parts_shown("a.parts", ["4"])
        shown = workspace.parts_shown("a.parts")
        assert (shown.now, shown.by_user, shown.latest) == (("1", "3"), ("4",), ("4",))
        opened.write("a.parts", BEFORE)
        workspace.note_shown("a.parts", workspace.read("a.parts").hash)
        assert workspace.known(workspace.read("a.parts")) == "seen"
    assert workspace.parts_shown("a.parts").latest == ("1", "3")


@pytest.mark.parametrize(("text", "typed"), [("d\n", "d\n"), (None, "")])
def test_what_the_user_typed_is_kept_when_it_cannot_be_written(opened, text, typed):
    opened.write("a.parts", BEFORE)

    opened.user.decision = Decision(action="apply", text=text)
    opened.user.meanwhile = lambda: opened.write("a.parts", b"[other]")
    with pytest.raises(ToolError) as caught:
        apply(opened, moves(2, 1))
    assert caught.value.typed == typed


def test_a_change_past_the_workspace_moves_the_numbers_of_a_reply_only(opened):
    away = (PartMove(LineSpan(1, 1), 0),)
    opened.workspace.note_parts_moved("a.parts", away)
    with opened.workspace.one_reply():
        opened.workspace.note_parts_moved("a.parts", away)
        assert opened.workspace.reply.place_part("a.parts", LineSpan(2, 2)) == (1, 1)
