"""Changes of several files are one question, one write and one undo."""

import pytest
from folder_states import raises, snapshot

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change, ChosenFile, Decision
from ipuaro_jupyter.workspace.changes import write_ahead
from ipuaro_jupyter.workspace.changes.undo_stack import UndoEntry, UndoneStep, UndoTurn
from ipuaro_jupyter.workspace.changes.write_ahead import Intent
from ipuaro_jupyter.workspace.workspace import SetFile


def of(path, before, after, **given):
    return SetFile(Change(path=path, before=before, after=after), **given)


def apply(opened, *files, **given):
    opened.workspace.turn = UndoTurn(by_user=True)
    return opened.workspace.apply_set(files, tool="a_tool", title="Change files", **given)


def lines(count, **changed):
    """``count`` numbered lines, some of them replaced."""
    told = (changed.get(f"line{n}", f"{n}\n") for n in range(1, count + 1))
    return "".join(told).encode()


def choose(opened, *chosen):
    opened.user.decision = Decision(action="apply", chosen=chosen)


@pytest.fixture
def three(opened):
    """An edit, a create and a delete."""
    opened.write("a.ts", "1")
    opened.write("old.ts", "gone")
    return [of("a.ts", b"1", b"2"), of("new/b.ts", None, b"b"), of("old.ts", b"gone", None)]


def test_a_set_is_one_question_one_write_and_one_undo(opened, three):
    was = snapshot(opened.root)
    made = apply(opened, *three, reason="Because.", problems=("a.ts:1: syntax error",))
    assert [(c.path, c.kind) for c in made] == [
        ("a.ts", "edit"),
        ("new/b.ts", "create"),
        ("old.ts", "delete"),
    ]
    (asked,) = opened.user.asked
    assert (asked.kind, asked.tool, asked.title) == ("changes", "a_tool", "Change files")
    assert asked.reason == "Because."
    assert asked.problems == ("a.ts:1: syntax error",)
    assert [(f.path, f.kind, f.old_text, f.new_text) for f in asked.changed] == [
        ("a.ts", "edit", "1", "2"),
        ("new/b.ts", "create", None, "b"),
        ("old.ts", "delete", "gone", None),
    ]
    assert snapshot(opened.root) == {
        "a.ts": (0o644, b"2"),
        "new": None,
        "new/b.ts": (0o644, b"b"),
    }
    assert tuple(opened.changes) == made
    assert opened.workspace.written() == ["a.ts", "new/b.ts", "old.ts"]
    backs = opened.workspace.undo()
    assert {back.path for back in backs} == {"a.ts", "new/b.ts", "old.ts"}
    assert snapshot(opened.root) == was
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()


def test_a_set_counts_as_one_in_the_depth_of_the_undo(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, undo_depth=2)
    for number in range(3):
        apply(opened, of(f"{number}a.ts", None, b"x"), of(f"{number}b.ts", None, b"x"))
    opened.workspace.undo()
    opened.workspace.undo()
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()
    assert sorted(snapshot(tmp_path)) == ["0a.ts", "0b.ts"]


def test_what_is_not_ticked_stays_unless_it_is_chosen(opened, three):
    three[1] = of("new/b.ts", None, b"b", is_chosen=False, group="by name", note="Is it?")
    assert [c.path for c in apply(opened, *three)] == ["a.ts", "old.ts"]
    proposed = opened.user.asked[0].changed[1]
    assert (proposed.is_chosen, proposed.group, proposed.note) == (False, "by name", "Is it?")
    opened.workspace.undo()
    choose(opened, ChosenFile(number=2))
    assert [c.path for c in apply(opened, *three)] == ["new/b.ts"]
    assert (opened.root / "a.ts").read_bytes() == b"1"


def test_only_the_chosen_hunks_of_a_file_are_made(opened):
    old = lines(40)
    opened.write("a.ts", old)
    opened.write("b.ts", "1")
    choose(opened, ChosenFile(number=1, hunks=(2,)), ChosenFile(number=2, hunks=()))
    new = lines(40, line3="x\n", line30="y\n")
    (made,) = apply(opened, of("a.ts", old, new), of("b.ts", b"1", b"2"))
    assert made.after == lines(40, line30="y\n")
    opened.workspace.undo()
    choose(opened, ChosenFile(number=1, hunks=()), ChosenFile(number=2, hunks=()))
    with raises("cancelled", "left all files"):
        apply(opened, of("a.ts", old, new), of("b.ts", b"1", b"2"))
    assert (opened.root / "a.ts").read_bytes() == old


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_parts_of_one_file_in_two_groups_are_merged(opened, newline):
    def ended(data):
        return b"\xef\xbb\xbf" + data.replace(b"\n", newline.encode())

    old = ended(lines(9))
    opened.write("a.ts", old)
    certain = of("a.ts", old, ended(lines(9, line2="two\n", line4="")))
    named = of("a.ts", old, ended(lines(9, line3="three\nmore\n", line9="nine")), group="named")
    (made,) = apply(opened, certain, named)
    assert made.after == ended(
        lines(9, line2="two\n", line3="three\nmore\n", line4="", line9="nine")
    )
    assert (opened.root / "a.ts").read_bytes() == made.after
    opened.workspace.undo()
    choose(opened, ChosenFile(number=2), ChosenFile(number=1, hunks=()))
    (made,) = apply(opened, certain, named)
    assert made == named.change.model_copy(update={"mode": 0o644})


FIRST = {"line2": "A\n", "line3": "A\n", "line20": "A\n"}
SECOND = {"line3": "A b\n", "line4": "b\n", "line30": "b\n"}


@pytest.mark.parametrize(
    ("chosen", "made"),
    [
        ((ChosenFile(number=1), ChosenFile(number=2)), FIRST | SECOND),
        ((ChosenFile(number=1),), FIRST),
        ((ChosenFile(number=2),), SECOND),
        (
            (ChosenFile(number=2, hunks=(1,)), ChosenFile(number=1, hunks=(2,))),
            {"line3": "A b\n", "line4": "b\n", "line20": "A\n"},
        ),
        (
            (ChosenFile(number=1, hunks=(1,)), ChosenFile(number=2, hunks=(2,))),
            {"line2": "A\n", "line3": "A\n", "line30": "b\n"},
        ),
    ],
)
def test_a_line_that_two_parts_replace_is_as_the_including_one_shows_it(opened, chosen, made):
    old = lines(40)
    opened.write("a.ts", old)
    choose(opened, *chosen)
    second = of("a.ts", old, lines(40, **SECOND), group="b", includes_earlier=True)
    (change,) = apply(opened, of("a.ts", old, lines(40, **FIRST)), second)
    assert change.after == lines(40, **made)


@pytest.mark.parametrize(
    "other", [lines(5, line3="x\ny\n"), lines(5, line3=""), lines(5, line2="", line3="y\n")]
)
def test_lines_that_one_part_makes_more_or_fewer_are_not_replaced_by_another(opened, other):
    opened.write("a.ts", lines(5))
    one = of("a.ts", lines(5), lines(5, line3="x\n"))
    with raises("validation", "a.ts: line 3"):
        apply(opened, one, of("a.ts", lines(5), other, group="b", includes_earlier=True))
    assert opened.user.asked == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lines(5, line3="x\n"), lines(5, line3="y\n")),
        (lines(5, line2="x\n", line3="x\n"), lines(5, line3="", line4="")),
        (lines(5, line2="2\nx\n"), lines(5, line2="2\ny\n")),
        (lines(5, line3="x\n"), None),
    ],
)
def test_parts_that_overlap_are_refused_before_the_question(opened, one, other):
    opened.write("a.ts", lines(5))
    with raises("validation", "a.ts"):
        apply(opened, of("a.ts", lines(5), one), of("a.ts", lines(5), other, group="b"))
    assert opened.user.asked == []
    assert (opened.root / "a.ts").read_bytes() == lines(5)


def test_a_file_is_named_once_in_a_group(opened):
    opened.write("a.ts", lines(5))
    (opened.root / "link.ts").symlink_to("a.ts")
    one, other = lines(5, line1="x\n"), lines(5, line5="x\n")
    with raises("validation", "a.ts is named twice"):
        apply(opened, of("a.ts", lines(5), one), of("link.ts", lines(5), other))
    with raises("validation", "cannot be a file and the folder"):
        apply(opened, of("b", None, b"x"), of("b/c.ts", None, b"x"))
    assert opened.user.asked == []


@pytest.mark.parametrize(
    "decision",
    [
        Decision(action="apply", chosen=(ChosenFile(number=4),)),
        Decision(action="apply", chosen=(ChosenFile(number=1), ChosenFile(number=1))),
        Decision(action="apply", chosen=(ChosenFile(number=1, hunks=(2,)),)),
        Decision(action="apply", chosen=(ChosenFile(number=2, hunks=(1,)),)),
        Decision(action="apply", hunks=(1,)),
        Decision(action="apply", text="x"),
    ],
)
def test_a_choice_of_what_there_is_not_is_a_rejection(opened, three, decision):
    was = snapshot(opened.root)
    opened.user.decision = decision
    with raises("cancelled", "rejected"):
        apply(opened, *three)
    assert snapshot(opened.root) == was


def test_files_cannot_be_chosen_of_a_single_edit(opened):
    choose(opened, ChosenFile(number=1))
    with raises("cancelled", "not possible here"):
        opened.apply("a.ts", None, b"x")


def test_a_set_is_refused_when_a_file_changed_while_the_user_decided(opened, three):
    opened.user.meanwhile = lambda: opened.write("old.ts", "new")
    with raises("conflict", "old.ts has been changed while the question was open"):
        apply(opened, *three)
    assert (opened.root / "a.ts").read_bytes() == b"1"
    assert opened.changes == []


def test_each_file_is_checked_before_the_question(opened, three):
    opened.write(".git/config", "x")
    for path, before in (("../out.ts", None), (".git/config", b"x"), ("a.ts", b"other")):
        with pytest.raises(ToolError):
            apply(opened, three[2], of(path, before, b"y"))
    assert opened.user.asked == []
    assert (opened.root / "old.ts").exists()


def test_a_rejected_set_changes_nothing(opened, three):
    was = snapshot(opened.root)
    opened.user.decision = Decision(action="reject", reason="no")
    with raises("cancelled", "no"):
        apply(opened, *three)
    assert snapshot(opened.root) == was


def test_a_set_that_nobody_would_see_can_be_refused(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="edits")
    files = [of("a.ts", None, b"x"), of("b.ts", None, b"x")]
    with raises("validation", "Look first."):
        opened.workspace.apply_set(files, tool="a_tool", title="x", unseen="Look first.")
    assert snapshot(tmp_path) == {}
    assert len(apply(opened, *files, unseen="Look first.")) == 2


def test_a_permission_for_sets_is_for_one_folder(opened):
    opened.user.decision = Decision(action="apply", remember=True)
    apply(opened, of("src/a.ts", None, b"x"), of("src/b.ts", None, b"x"))
    assert opened.user.asked[-1].pattern == "on files directly in src/"
    apply(opened, of("src/c.ts", None, b"x"), of("src/d.ts", None, b"x"))
    assert len(opened.user.asked) == 1
    apply(opened, of("src/e.ts", None, b"x"), of("other/f.ts", None, b"x"))
    assert opened.user.asked[-1].pattern is None
    apply(opened, of(".ipuaro.json", None, b"{}"), of("g.ts", None, b"x"))
    assert "settings of this assistant" in opened.user.asked[-1].reason


def test_hard_links_are_told_of(opened):
    opened.write("a.ts", "1")
    (opened.root / "b.ts").hardlink_to(opened.root / "a.ts")
    apply(opened, of("a.ts", b"1", b"2"), of("c.ts", None, b"x"))
    assert "a.ts: The file has 2 names" in opened.user.asked[0].reason


def test_new_syntax_errors_are_told_by_file(opened):
    opened.write("a.ts", "f();\n")
    apply(opened, of("a.ts", b"f();\n", b"f(;\n"), of("b.py", None, b"x = (\n"))
    told = opened.user.asked[0].problems
    assert [line.partition(":")[0] for line in told] == ["a.ts", "b.py"]
    assert all("syntax error in line 1" in line for line in told)


def test_a_set_belongs_to_its_turn(opened, three):
    was = snapshot(opened.root)
    opened.workspace.turn = UndoTurn()
    opened.apply("first.ts", None, b"x")
    opened.workspace.apply_set(three, tool="a_tool", title="x")
    opened.apply("a.ts", b"2", b"3")
    opened.workspace.undo_turn()
    assert snapshot(opened.root) == was


def test_a_set_that_cannot_be_undone_is_skipped_as_one(opened, three):
    apply(opened, *three)
    opened.write("new/b.ts", "mine")
    with raises("conflict", "new/b.ts has been changed since"):
        opened.workspace.undo()
    assert (opened.root / "a.ts").read_bytes() == b"2"
    entry, reason = opened.workspace.skip_undo()
    assert len(entry.changes) == 3
    assert "new/b.ts has been changed since" in reason


def test_a_change_of_no_files_is_refused(opened):
    with raises("validation", "no files"):
        apply(opened)


def test_the_question_tells_of_an_interrupted_change(opened, three):
    """A kernel was killed after it had written the journal of a change of one file."""
    entry = UndoEntry(change=Change(path="b.ts", before=None, after=b"x"), id="interrupted")
    modes = {"b.ts": None}
    step = UndoneStep(entries=(entry,))
    write_ahead.begin(
        opened.root, Intent(act="apply", session="another", step=step, modes=modes)
    ).leave()
    apply(opened, *three, reason="Because.")
    assert opened.user.asked[0].reason == (
        "A change of b.ts was interrupted and taken back: the file is as before. Because."
    )
