"""What has changed since the last commit, and in it, without running anything."""

import os
import time

import pytest
from git_repository import Git

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.workspace.git.late_changes import late_changes

CANNOT_TELL = "git cannot tell what was changed lately"
LEFT_OUT = "1 file changed lately: not looked at, being too large or lost to git"


def place(git, name):
    """The file of a loose object."""
    hash_ = git("rev-parse", name).strip()
    return git.root / ".git/objects" / hash_[:2] / hash_[2:]


def late(root, **options):
    return late_changes(root, lambda path: path.endswith(".ts"), **options)


def found(root, *notes):
    """The changes with the first letters of the commit's hash."""
    told = late(root)
    assert told.notes == [*notes]
    return [
        (one.path, one.before, one.commit.hash[:7] if one.commit else "") for one in told.changes
    ]


def head(git):
    return git("rev-parse", "HEAD").strip()[:7]


def added(git):
    """What the first commit has added."""
    return [(f"{name}.ts", None, head(git)) for name in "abc"]


def test_uncommitted_changes_come_before_those_of_the_latest_commit(git):
    git.write("a.ts", "2\n")
    git("commit", "-qam", "two")
    git.write("a.ts", "3\n")
    git("add", "a.ts")
    git.write("new.ts", "1\n")
    git.write("notes.txt", "1\n")
    git("add", "notes.txt")
    (git.root / "b.ts").unlink()
    (git.root / "c.ts").chmod(0o755)
    os.utime(git.root / "c.ts", (1, 1))
    assert found(git.root) == [
        ("a.ts", b"2\n", ""),
        ("c.ts", b"1\n", ""),
        ("new.ts", None, ""),
        ("a.ts", b"1\n", head(git)),
    ]


def test_only_the_latest_commit_counts_and_only_for_a_month(git, monkeypatch):
    for number in (2, 3):
        git.write("a.ts", f"{number}\n")
        git("commit", "-qam", "more")
    assert found(git.root) == [("a.ts", b"2\n", head(git))]
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00")
    git("commit", "-q", "--amend", "--no-edit")
    assert found(git.root) == []


def test_too_many_files_are_left_out_and_told(git):
    base = added(git)
    for number in range(201):
        git.write(f"many/{number}.ts", "1\n")
    assert found(git.root, "201 files differ from the last commit: not looked at") == base
    git("add", "-A")
    git("commit", "-qm", "many")
    assert found(git.root, f"201 files changed in {head(git)}: not looked at") == []


def test_what_is_too_long_to_compare_is_left_out_and_told(git):
    git.write("a.ts", "x" * 17_000_000)
    git("add", "-A")
    git("commit", "-qm", "long")
    for name in ("a.ts", "b.ts", "new.ts"):
        git.write(name, "2\n")
    assert found(git.root, LEFT_OUT) == [
        ("b.ts", b"1\n", ""),
        ("new.ts", None, ""),
        ("a.ts", b"1\n", head(git)),
    ]


def test_without_commits_or_a_repository_nothing_is_known(tmp_path):
    assert found(tmp_path) == []
    empty = Git(tmp_path)
    empty("init", "-q")
    empty.write("a.ts", "1\n")
    assert found(tmp_path) == []


def test_paths_are_relative_to_a_project_below_its_repository(git):
    git.write("web/a.ts", "1\n")
    git("add", "-A")
    git("commit", "-qm", "web")
    git.write("web/a.ts", "2\n")
    git.write("web/ä\n:x.ts", "2\n")
    git.write("a.ts", "2\n")
    assert found(git.root / "web") == [
        ("a.ts", b"1\n", ""),
        ("ä\n:x.ts", None, ""),
        ("a.ts", None, head(git)),
    ]


@pytest.mark.parametrize("name", ["x", "\udcff"])  # a byte which is not UTF-8
@pytest.mark.parametrize("is_required", [True, False])
def test_no_filter_hook_or_monitor_of_the_repository_is_run(git, tmp_path, is_required, name):
    base = added(git)
    program = f"touch {tmp_path}/ran"
    for key in (f"filter.{name}.clean", f"filter.{name}.process", "core.fsmonitor"):
        git("config", key, program)
    git("config", "diff.x.textconv", program)
    git("config", f"filter.{name}.required", str(is_required).lower())
    git.hook("post-index-change", program)
    git.write(".gitattributes", os.fsencode(f"*.ts filter={name} diff=x\n"))
    git.write("a.ts", "2\n")
    born = min((git.root / f"{file}.ts").stat().st_mtime_ns for file in "bc")
    os.utime(git.root / ".git/index", ns=(born, born))  # as old as them: git has to read them
    assert found(git.root) == [("a.ts", b"1\n", ""), *base]
    assert not (tmp_path / "ran").exists()


def test_where_not_all_settings_can_be_read_nothing_is_started(git):
    with (git.root / ".git/config").open("a") as settings:
        settings.writelines(f'[x "{one}{"y" * 50_000}"]\nz = 1\n' for one in range(90))
    assert found(git.root, CANNOT_TELL) == []


def test_a_submodule_a_link_and_a_mode_are_left_out(git):
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD').strip()},s.ts")
    (git.root / "link.ts").symlink_to("a.ts")
    (git.root / "a.ts").chmod(0o755)
    git("add", "link.ts", "a.ts")
    git("commit", "-qm", "sub")
    (git.root / "link.ts").unlink()
    git.write("link.ts", "1\n")
    assert found(git.root) == [("link.ts", None, "")]


def test_a_content_that_git_has_not_is_left_out_and_told(git):
    git.write("a.ts", "2\n")
    git("commit", "-qam", "two")
    git.write("a.ts", "3\n")
    place(git, "HEAD:a.ts").unlink()
    assert found(git.root, LEFT_OUT) == [("a.ts", b"1\n", head(git))]


def test_a_content_that_is_damaged_is_left_out_and_told(git):
    git.write("a.ts", os.urandom(5000))
    git("commit", "-qam", "two")
    git.write("a.ts", "3\n")
    file = place(git, "HEAD:a.ts")
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:3000])
    assert found(git.root, LEFT_OUT) == []  # nor what git would have told after it


def test_what_a_commit_places_outside_of_the_project_is_not_read_there(git):
    (git.root.parent / "secret.ts").write_text("secret\n")
    git.place_outside("secret.ts")
    assert found(git.root) == [("../secret.ts", None, head(git))]


def commit_at(git, date):
    """Commit a change with any text for the committer's time, which git itself does not write."""
    before = git("rev-parse", "HEAD").strip()
    git.write("a.ts", "2\n")
    git("add", "a.ts")
    who = "a <a@example.test>"
    text = (
        f"tree {git('write-tree').strip()}\nparent {before}\n"
        f"author {who} 1 +0000\ncommitter {who} {date}\n\nx\n"
    )
    words = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
    git("update-ref", "HEAD", git(*words, input=text).strip())


def test_a_commit_without_a_time_zone_has_no_time(git):
    commit_at(git, int(time.time()))
    assert [one.commit.seconds for one in late(git.root).changes if one.before] == [0]


def test_a_time_that_makes_no_sense_is_no_failure(git):
    commit_at(git, f"{'9' * 5000} +0000")
    assert found(git.root, CANNOT_TELL) == []


@pytest.mark.parametrize("count", ["x", "3"])
def test_where_git_does_not_work_that_is_told(git, count, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    assert found(git.root, CANNOT_TELL) == []


def test_when_the_time_is_up_that_is_told(git):
    git.write("a.ts", "2\n")
    token = CancelToken()

    def wanted(_path):
        token.expire()
        return True

    told = late_changes(git.root, wanted, cancel=token)
    assert told == ([], ["git takes too long to tell what was changed lately"])
