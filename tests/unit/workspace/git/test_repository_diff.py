"""Uncommitted changes, as git shows them."""

import pytest
from git_repository import conflict, diff, sizes

from ipuaro_jupyter.errors import ToolError


def test_diff_shows_staged_and_unstaged_changes_together(git):
    git.write("a.ts", "1\n2\n3\n")
    git("add", "a.ts")
    git.write("b.ts", "9\n")
    git.write("new.ts", "untracked\n")
    found = diff(git)
    assert sizes(found) == {"a.ts": (2, 0), "b.ts": (1, 1)}
    assert "+++ b/a.ts" in found.diff
    assert "+++ b/b.ts" in found.diff


def test_diff_of_what_is_staged(git):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("b.ts", "2\n")
    found = diff(git, staged=True)
    assert sizes(found) == {"a.ts": (1, 1)}
    assert "b.ts" not in found.diff


def test_diff_before_the_first_commit(empty):
    empty.write("a.ts", "1\n2\n")
    empty("add", "a.ts")
    empty.write("a.ts", "1\n2\n3\n")
    assert sizes(diff(empty)) == {"a.ts": (3, 0)}
    assert sizes(diff(empty, staged=True)) == {"a.ts": (2, 0)}
    assert diff(empty).diff.startswith("diff --git a/a.ts b/a.ts\nnew file")


def test_diff_of_one_path(git):
    git.write("a.ts", "2\n")
    git.write("src/[x]*.ts", "1\n")
    git.write("src/x1.ts", "1\n")
    git("add", "-A")
    assert sizes(diff(git, "a.ts")) == {"a.ts": (1, 1)}
    assert set(sizes(diff(git, "src"))) == {"src/[x]*.ts", "src/x1.ts"}
    assert set(sizes(diff(git, "src/[x]*.ts"))) == {"src/[x]*.ts"}


def test_diff_of_a_deleted_file(git):
    (git.root / "a.ts").unlink()
    assert sizes(diff(git, "a.ts")) == {"a.ts": (0, 1)}
    git("rm", "-q", "--cached", "a.ts")
    assert sizes(diff(git, "a.ts")) == {"a.ts": (0, 1)}


def test_diff_of_an_unknown_path(git):
    with pytest.raises(ToolError, match=r"nope.ts does not exist") as caught:
        diff(git, "nope.ts")
    assert caught.value.type == "file"


def test_diff_without_changes_is_empty(git):
    assert diff(git).files == ()
    assert diff(git).diff == ""


def test_diff_of_a_binary_file(git):
    git.write("x.bin", b"\0\1\2")
    git("add", "x.bin")
    (file,) = diff(git).files
    assert (file.insertions, file.deletions, file.binary) == (0, 0, True)
    assert "Binary files" in diff(git).diff


def test_diff_of_odd_names(git):
    names = ("sp ace.ts", "ünï.ts", "-rf", "tab\there.ts", 'quo"te.ts')
    for name in names:
        git.write(name, "1\n")
    git("add", "-A")
    assert set(sizes(diff(git))) == set(names)
    assert "+++ b/ünï.ts" in diff(git).diff
    assert sizes(diff(git, "-rf")) == {"-rf": (1, 0)}


def test_diff_during_a_conflict_counts_each_file_once(git):
    conflict(git)
    assert [file.path for file in diff(git).files] == ["a.ts"]
