"""Every applied change can be taken back, byte by byte."""

import tempfile
from pathlib import Path

import pytest
from folder_states import raises, snapshot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError


def test_undo_takes_back_newest_first(opened):
    opened.write("a.ts", b"\xef\xbb\xbf1\r\n\xff")
    was = snapshot(opened.root)
    opened.apply("a.ts", b"\xef\xbb\xbf1\r\n\xff", b"2")
    opened.apply("new/deep/b.ts", None, b"3")
    opened.apply("a.ts", b"2", None)
    told = [opened.workspace.undo() for _ in range(3)]
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
    assert opened.workspace.undo().path == "a.ts"


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


PATHS = ("a.ts", "run.sh", "src/b.ts", "src/new/c.ts", "new/deep/er/d.ts", "new/e.ts")
steps = st.lists(st.tuples(st.sampled_from(PATHS), st.none() | st.binary(max_size=20)), max_size=12)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=steps)
def test_undoing_every_change_restores_everything(open_workspace, steps):
    with tempfile.TemporaryDirectory() as folder:
        opened = open_workspace(Path(folder), approve="edits", undo_depth=50)
        opened.write("a.ts", b"a\r\n\xff")
        opened.write("run.sh", "#!/bin/sh\n").chmod(0o750)
        opened.write("src/b.ts", "b\n")
        states = [snapshot(opened.root)]
        for path, after in steps:
            place = opened.root / path
            before = place.read_bytes() if place.exists() else None
            if before != after:
                opened.apply(path, before, after)
                states.append(snapshot(opened.root))
        assert len(opened.changes) == len(states) - 1
        while len(states) > 1:
            states.pop()
            opened.workspace.undo()
            assert snapshot(opened.root) == states[-1]
