"""What has changed since the last commit, and in the latest ones, without running anything."""

import os

import pytest
from git_repository import Git

from ipuaro_jupyter.workspace.files.paths import project_of
from ipuaro_jupyter.workspace.git.late_changes import late_changes


def found(root):
    """The changes by path, with the first letters of the commit's hash."""
    late = late_changes(root, lambda path: path.endswith(".ts"))
    assert late.notes == []
    return [
        (one.path, one.before, one.after, one.commit.hash[:7] if one.commit else "")
        for one in late.changes
    ]


def head(git):
    return git("rev-parse", "HEAD").strip()[:7]


def added(git):
    """What the first commit has added."""
    return [(f"{name}.ts", None, b"1\n", head(git)) for name in "abc"]


def test_uncommitted_changes_come_before_those_of_the_latest_commits(git):
    base = added(git)
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
        ("a.ts", b"2\n", b"3\n", ""),
        ("new.ts", None, b"1\n", ""),
        ("a.ts", b"1\n", b"2\n", head(git)),
        *base,
    ]


def test_only_commits_of_a_month_and_only_a_few_count(git, monkeypatch):
    for number in range(2, 9):
        git.write("a.ts", f"{number}\n")
        git("commit", "-qam", "more")
    assert [one[1:3] for one in found(git.root)] == [
        (f"{number - 1}\n".encode(), f"{number}\n".encode()) for number in range(8, 3, -1)
    ]
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00")
    git("commit", "-q", "--amend", "--no-edit")
    assert found(git.root) == []


def test_too_many_files_are_left_out_and_told(git):
    base = added(git)
    for number in range(201):
        git.write(f"many/{number}.ts", "1\n")
    late = late_changes(git.root, lambda path: path.endswith(".ts"))
    assert late.notes == ["201 files differ from the last commit: not looked at"]
    assert len(late.changes) == len(base)
    git("add", "-A")
    git("commit", "-qm", "many")
    late = late_changes(git.root, lambda path: path.endswith(".ts"))
    assert late.notes == [f"201 files changed in {head(git)}: not looked at"]
    assert {one.path for one in late.changes} == {"a.ts", "b.ts", "c.ts"}


def test_what_is_too_long_to_compare_is_left_out(git):
    git.write("a.ts", "x" * 17_000_000)
    git("add", "-A")
    git("commit", "-qm", "long")
    git.write("new.ts", "1\n")
    assert [(one[0], one[3]) for one in found(git.root)] == [("new.ts", "")]


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
        ("a.ts", b"1\n", b"2\n", ""),
        ("ä\n:x.ts", None, b"2\n", ""),
        ("a.ts", None, b"1\n", head(git)),
    ]


def test_the_paths_of_several_roots_are_those_of_the_project(tmp_path):
    (tmp_path / "plain").mkdir()
    git = Git(tmp_path / "web")
    git.root.mkdir()
    git.begin()
    git.write("a.ts", "1\n")
    git("add", "-A")
    git("commit", "-qm", "base")
    git.write("a.ts", "2\n")
    project = project_of([tmp_path / "plain", git.root])
    assert found(project) == [
        ("web/a.ts", b"1\n", b"2\n", ""),
        ("web/a.ts", None, b"1\n", head(git)),
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
    now = (git.root / ".git/index").stat().st_mtime_ns
    for file in "abc":  # as young as the index: git has to read them
        os.utime(git.root / f"{file}.ts", ns=(now, now))
    assert found(git.root) == [("a.ts", b"1\n", b"2\n", ""), *base]
    assert not (tmp_path / "ran").exists()


def test_where_not_all_settings_can_be_read_nothing_is_started(git):
    with (git.root / ".git/config").open("a") as settings:
        settings.writelines(f'[x "{one}{"y" * 50_000}"]\nz = 1\n' for one in range(90))
    assert found(git.root) == []


@pytest.mark.usefixtures("permissions_count")
def test_a_file_that_cannot_be_read_is_left_out(git):
    base = added(git)
    git.write("a.ts", "2\n")
    (git.root / "a.ts").chmod(0)
    assert found(git.root) == base


def test_a_submodule_and_a_missing_content_are_left_out(git):
    base = added(git)
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD').strip()},s.ts")
    git("commit", "-qm", "sub")
    git.write("a.ts", "2\n")
    git("commit", "-qam", "two")
    git.write("a.ts", "3\n")
    lost = git("rev-parse", "HEAD:a.ts").strip()
    (git.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    assert found(git.root) == base
