"""What files held in earlier commits, whichever way a command shows it."""

from ipuaro_jupyter.workspace.git.earlier_texts import earlier_texts


def test_both_sides_of_what_late_commits_changed_and_what_is_named(git):
    git.write("a.ts", "2\n")
    git("commit", "-qam", "two")
    git("rm", "-q", "b.ts")
    (git.root / "c.ts").chmod(0o755)
    git("commit", "-qam", "gone")
    found = list(earlier_texts(git.root, "git show HEAD~2:a.ts ; git log --format=%h:%s x"))
    assert found[0] == ("1\n", "a.ts")
    assert {("1\n", "a.ts"), ("2\n", "a.ts"), ("1\n", "b.ts"), ("", "b.ts")} <= set(found)


def test_no_texts_where_there_is_no_repository_of_the_project(tmp_path):
    assert list(earlier_texts(tmp_path, "git show HEAD:a")) == []
