"""The changes of a turn are taken back together, or not at all."""

import resource
import stat
import tempfile
from pathlib import Path

import pytest
from folder_states import full_disk, raises, snapshot
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.workspace.changes.undo_stack import UndoTurn
from ipuaro_jupyter.workspace.files.text_file import TextFile


def turn(opened, *changes):
    """Apply (path, after) changes in a turn of their own."""
    opened.workspace.turn = UndoTurn()
    for path, after in changes:
        place = opened.root / path
        opened.apply(path, place.read_bytes() if place.exists() else None, after)
    opened.workspace.turn = None


@pytest.fixture
def two_turns(opened):
    """Give a workspace after two turns, and the states before each."""
    opened.write("a.ts", "a")
    opened.write("b.ts", "b").chmod(0o755)
    states = [snapshot(opened.root)]
    turn(opened, ("a.ts", b"1"))
    states.append(snapshot(opened.root))
    turn(opened, ("a.ts", b"2"), ("b.ts", None), ("new/deep/c.ts", b"c"), ("a.ts", b"3"))
    opened.changes.clear()
    return opened, states


def test_a_turn_is_taken_back_as_one(two_turns):
    opened, states = two_turns
    told = opened.workspace.undo_turn()
    assert snapshot(opened.root) == states[1]
    assert [(change.path, change.kind) for change in told] == [
        ("a.ts", "edit"),
        ("new/deep/c.ts", "delete"),
        ("b.ts", "create"),
    ]
    assert opened.changes == list(told)
    opened.workspace.undo_turn()
    assert snapshot(opened.root) == states[0]
    with raises("validation", "nothing to undo"):
        opened.workspace.undo_turn()


def test_a_turn_is_taken_back_singly(two_turns):
    opened, states = two_turns
    paths = [opened.workspace.undo()[0].path for _ in range(4)]
    assert paths == ["a.ts", "new/deep/c.ts", "b.ts", "a.ts"]
    assert snapshot(opened.root) == states[1]


def test_what_is_left_of_a_turn_is_taken_back(two_turns):
    opened, states = two_turns
    opened.workspace.undo()
    opened.workspace.undo()
    assert [change.path for change in opened.workspace.undo_turn()] == ["b.ts", "a.ts"]
    assert snapshot(opened.root) == states[1]


def test_a_turn_is_taken_back_after_a_restart(open_workspace, opened):
    first = open_workspace(opened.root, session="turns")
    turn(first, ("a.ts", b"1"), ("b.ts", b"2"))
    open_workspace(opened.root, session="turns").workspace.undo_turn()
    assert snapshot(opened.root) == {}


def test_changes_without_a_turn_are_taken_back_one_by_one(opened):
    opened.apply("a.ts", None, b"1")
    opened.apply("b.ts", None, b"1")
    assert [change.path for change in opened.workspace.undo_turn()] == ["b.ts"]
    assert (opened.root / "a.ts").exists()


@pytest.mark.parametrize("path", ["a.ts", "b.ts", "new/deep/c.ts"])
def test_one_file_that_has_changed_since_keeps_all_as_they_are(two_turns, path):
    opened, _ = two_turns
    opened.write(path, "human")
    was = snapshot(opened.root)
    for _ in range(2):
        with raises("conflict", f"{path} has been changed since"):
            opened.workspace.undo_turn()
    assert snapshot(opened.root) == was
    assert opened.changes == []


def test_somebody_elses_change_in_the_middle_of_a_turn_is_not_lost(opened):
    opened.write("a.ts", "0")
    opened.workspace.turn = UndoTurn()
    opened.apply("a.ts", b"0", b"1")
    opened.write("a.ts", "human")
    opened.workspace.note_shown("a.ts", opened.workspace.read("a.ts").hash)
    opened.apply("a.ts", b"human", b"2")
    with raises("conflict", "somebody else in between"):
        opened.workspace.undo_turn()
    assert opened.workspace.undo()[0].after == b"human"


def test_what_was_taken_back_by_hand_is_left_alone(two_turns):
    opened, states = two_turns
    opened.write("a.ts", "1")
    assert [change.path for change in opened.workspace.undo_turn()] == ["new/deep/c.ts", "b.ts"]
    assert snapshot(opened.root) == states[1]


def test_a_turn_that_was_taken_back_by_hand_does_not_stand_in_the_way(opened):
    turn(opened, ("a.ts", b"1"))
    turn(opened, ("b.ts", b"1"), ("c.ts", b"1"))
    for name in ("b.ts", "c.ts"):
        (opened.root / name).unlink()
    with raises("conflict", r"c.ts, b.ts are as before"):
        opened.workspace.undo_turn()
    assert opened.workspace.undo_turn()[0].path == "a.ts"


def test_a_turn_that_made_and_deleted_a_file_is_no_obstacle(opened):
    turn(opened, ("a.ts", b"1"))
    turn(opened, ("new/b.ts", b"1"), ("new/b.ts", None))
    assert opened.workspace.undo_turn() == ()
    assert set(snapshot(opened.root)) == {"a.ts"}
    assert opened.workspace.undo_turn()[0].path == "a.ts"


def test_a_failure_in_the_middle_puts_back_what_was_done(opened):
    """The disk has room for the first file, not for the second."""
    opened.write("big.ts", b"b" * 100_000)
    opened.write("small.ts", "s").chmod(0o700)
    turn(opened, ("big.ts", b"tiny"), ("small.ts", b"S"), ("new/c.ts", b"c"))
    was = snapshot(opened.root)
    with full_disk(5000), raises("file", r"Cannot write big.ts"):
        opened.workspace.undo_turn()
    assert snapshot(opened.root) == was
    assert len(opened.workspace.undo_turn()) == 3


def test_a_file_that_was_deleted_and_made_anew_gets_its_permissions_back(opened):
    place = opened.write("run.sh", "x")
    place.chmod(0o750)
    turn(opened, ("run.sh", None), ("run.sh", b"y"))
    opened.workspace.undo_turn()
    assert (place.read_bytes(), stat.S_IMODE(place.stat().st_mode)) == (b"x", 0o750)


def test_a_turn_of_many_files_is_kept_whole_and_older_changes_go(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, undo_depth=2)
    opened.apply("old.ts", None, b"x")
    turn(opened, *((f"{number}.ts", b"x") for number in range(5)))
    assert len(opened.workspace.undo_turn()) == 5
    with raises("validation", "nothing to undo"):
        opened.workspace.undo()
    assert list(snapshot(tmp_path)) == ["old.ts"]


def test_a_turn_that_is_not_kept_whole_is_not_taken_back_in_part(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, undo_depth=2)
    turn(opened, *((f"{number}.ts", b"x") for number in range(3)))
    opened.apply("later.ts", None, b"x")
    opened.workspace.undo()
    with raises("validation", "only the newest 1 of its 3") as caught:
        opened.workspace.undo_turn()
    assert "one by one" in caught.value.suggestion
    assert opened.workspace.undo()[0].path == "2.ts"


PATHS = ("a.ts", "run.sh", "src/b.ts", "src/new/c.ts", "new/deep/er/d.ts", "new/e.ts", "bom.ts")
ENDS = st.sampled_from(["\n", "\r\n", "\r", ""])
TEXTS = st.lists(st.tuples(st.sampled_from(["x", "", "é", " y"]), ENDS), max_size=5).map(
    lambda lines: "".join(line + end for line, end in lines)
)
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.binary(max_size=20)),
    st.tuples(st.just("write"), st.sampled_from(PATHS), TEXTS.map(str.encode)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.none()),
    st.tuples(
        st.just("lines"),
        st.sampled_from(PATHS),
        st.tuples(st.integers(0, 4), st.integers(0, 3), TEXTS),
    ),
)


def wanted(place, kind, what):
    """Return the bytes before and after a step; they are the same for one that cannot be."""
    before = place.read_bytes() if place.exists() else None
    if kind != "lines":
        return before, what
    if before is None or b"\xff" in before:
        return before, before
    try:
        file = TextFile.of("x", before, 0)
        start = min(what[0], len(file.lines)) + 1
        end = min(start - 1 + what[1], len(file.lines))
        return before, file.replaced(start, end, what[2])
    except ToolError:  # no text
        return before, before


def files_of(state):
    return {path: what for path, what in state.items() if what is not None}


def start(root):
    for path, data in {
        "a.ts": b"a\r\n\xff",
        "run.sh": b"#!/bin/sh\n",
        "src/b.ts": b"one\ntwo\r\nthree",
        "bom.ts": b"\xef\xbb\xbf1\r\n2\r\n",
    }.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    (root / "run.sh").chmod(0o750)


@settings(suppress_health_check=list(HealthCheck))
@example(turns=[[("write", "src/new/c.ts", b""), ("delete", "src/new/c.ts", None)]], singly=False)
@given(turns=st.lists(st.lists(STEPS, max_size=6), max_size=4), singly=st.booleans())
def test_undoing_everything_restores_everything(open_workspace, turns, singly):
    with tempfile.TemporaryDirectory() as folder:
        opened = open_workspace(Path(folder), approve="edits", undo_depth=100)
        start(opened.root)
        states = [snapshot(opened.root)]
        for steps in turns:
            opened.workspace.turn = UndoTurn()
            applied = 0
            for kind, path, what in steps:
                before, after = wanted(opened.root / path, kind, what)
                if before != after:
                    change = Change(path=path, before=before, after=after)
                    opened.workspace.apply(change, tool="t", title="T")
                    applied += 1
                    if singly:
                        states.append(snapshot(opened.root))
            if applied and not singly:
                states.append(snapshot(opened.root))
        while len(states) > 1:
            now = states.pop()
            if singly:
                opened.workspace.undo()
            elif files_of(now) != files_of(states[-1]):
                opened.workspace.undo_turn()
            else:  # in the end the turn has changed nothing
                assert opened.workspace.undo_turn() == ()
            assert snapshot(opened.root) == states[-1]
        with raises("validation", "nothing to undo"):
            opened.workspace.undo()


def test_a_turn_over_many_folders_needs_few_file_descriptors(open_workspace, tmp_path):
    opened = open_workspace(tmp_path, approve="edits")
    turn(opened, *((f"a/b/c/{number}/x.ts", b"x") for number in range(120)))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        highest = max(int(place.name) for place in Path("/proc/self/fd").iterdir())
    except OSError:
        pytest.skip("this system does not tell which descriptors are open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(highest + 180, soft), hard))
    try:
        assert len(opened.workspace.undo_turn()) == 120
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert snapshot(tmp_path) == {}
