"""Reading a repository starts nothing that the repository names."""

import os

from git_repository import Git, diff, sizes, status


def test_diff_runs_no_program_of_the_configuration(git, tmp_path):
    program = f"touch {tmp_path}/ran"
    for key in ("diff.external", "diff.x.textconv", "core.pager", "pager.diff"):
        git("config", key, program)
    git("config", "diff.noprefix", "true")
    git("config", "color.ui", "always")
    git.write(".gitattributes", "*.ts diff=x\n")
    git.write("a.ts", "2\n")
    assert "--- a/a.ts\n+++ b/a.ts\n" in diff(git).diff
    assert not (tmp_path / "ran").exists()


def test_reading_starts_no_fsmonitor_and_no_hook(git, tmp_path):
    git.write("a.ts", "2\n")
    git.hook("post-index-change", f"touch {tmp_path}/ran")
    git("config", "core.fsmonitor", f"touch {tmp_path}/ran; true")
    os.utime(git.root / "b.ts", (1, 1))
    assert status(git).modified == ("a.ts",)
    assert sizes(diff(git)) == {"a.ts": (1, 1)}
    assert not (tmp_path / "ran").exists()


def test_reading_starts_nothing_that_a_repository_inside_names(git, tmp_path):
    inner = Git(git.root / "inner")
    inner.root.mkdir()
    inner("init", "-q")
    inner.write("x.ts", "1\n")
    inner("add", "-A")
    inner("-c", "user.name=a", "-c", "user.email=b@c", "commit", "-qm", "base")
    git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    git("commit", "-qm", "inner")
    inner("config", "core.fsmonitor", f"touch {tmp_path}/ran; true")
    inner.write("x.ts", "2\n")
    assert status(git).modified == ()
    assert diff(git).diff == ""
    assert not (tmp_path / "ran").exists()
