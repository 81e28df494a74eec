"""Files are sorted by what has happened to them."""

from git_repository import conflict, status


def test_status_sorts_files_by_what_has_happened_to_them(git):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("b.ts", "2\n")
    git.write("sp ace.ts", "1\n")
    git.write("ünïcode.ts", "1\n")
    git.write('quo"te\\.ts', "1\n")
    git.write("new/deep.ts", "1\n")
    found = status(git)
    assert (found.branch, found.tracking, found.ahead, found.behind) == ("main", None, 0, 0)
    assert not found.detached
    assert found.staged == ("a.ts",)
    assert found.modified == ("b.ts",)
    assert set(found.untracked) == {"sp ace.ts", "ünïcode.ts", 'quo"te\\.ts', "new/deep.ts"}
    assert found.conflicted == ()


def test_status_of_a_file_that_is_staged_and_changed_again(git):
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    git.write("a.ts", "3\n")
    assert (status(git).staged, status(git).modified) == (("a.ts",), ("a.ts",))


def test_status_of_deleted_and_renamed_files(git):
    git("rm", "-q", "a.ts")
    (git.root / "b.ts").unlink()
    git("mv", "c.ts", "d e.ts")
    assert status(git).staged == ("a.ts", "c.ts", "d e.ts")
    assert status(git).modified == ("b.ts",)


def test_status_counts_against_the_remote_branch(git, tmp_path):
    git("clone", "-q", "--bare", ".", str(tmp_path / "remote.git"))
    git("remote", "add", "origin", str(tmp_path / "remote.git"))
    git("fetch", "-q")
    git("branch", "-u", "origin/main")
    git("commit", "-qm", "one", "--allow-empty")
    git("commit", "-qm", "two", "--allow-empty")
    found = status(git)
    assert (found.tracking, found.ahead, found.behind) == ("origin/main", 2, 0)
    git("push", "-q")
    git("reset", "-q", "--soft", "HEAD~2")
    assert (status(git).ahead, status(git).behind) == (0, 2)


def test_status_with_a_gone_remote_branch(git, tmp_path):
    test_status_counts_against_the_remote_branch(git, tmp_path)
    git("update-ref", "-d", "refs/remotes/origin/main")
    found = status(git)
    assert (found.tracking, found.ahead, found.behind) == ("origin/main", 0, 0)


def test_status_without_a_branch(git):
    git("checkout", "-q", "--detach")
    assert (status(git).branch, status(git).detached) == ("HEAD", True)


def test_status_before_the_first_commit(empty):
    empty.write("a.ts", "1\n")
    empty("add", "a.ts")
    empty.write("b.ts", "1\n")
    found = status(empty)
    assert (found.branch, found.staged, found.untracked) == ("main", ("a.ts",), ("b.ts",))


def test_status_of_a_conflict(git):
    conflict(git)
    found = status(git)
    assert (found.conflicted, found.staged, found.modified) == (("a.ts",), (), ())


def test_status_leaves_ignored_files_out(git):
    git.write(".gitignore", "*.log\n")
    git.write("x.log", "")
    assert status(git).untracked == (".gitignore",)
