"""Reading a repository starts nothing that the repository names."""

import os

import pytest
from git_repository import Git, diff, sizes, status

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.git.git_program import configured_programs

PROGRAM_SETTINGS = (
    *("core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.fsmonitor"),
    *("core.gitProxy", "core.alternateRefsCommand", "sequence.editor", "credential.helper"),
    *(
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "difftool.x.cmd",
        "interactive.diffFilter",
    ),
    *("gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "gpg.x509.program"),
    *("pager.status", "pager.diff", "pager.show", "pager.log", "uploadpack.packObjectsHook"),
    *("alias.status", "alias.diff", "alias.show", "alias.ls-files", "alias.rev-parse"),
    *("trailer.x.command", "merge.x.driver", "browser.x.cmd", "man.x.cmd", "submodule.sub.update"),
)


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


def test_no_setting_of_the_repository_starts_a_program(git, commit, tmp_path):
    """Not when it is read, and neither by a commit, which runs hooks only."""
    git.write(".gitattributes", "*.ts diff=x merge=x\n")
    git.write("a.ts", "2\n")
    for key in PROGRAM_SETTINGS:
        text = f"touch '{tmp_path}/{key}'; false"
        git("config", key, f"!{text}" if key.startswith(("alias.", "submodule.")) else text)
    git("config", "log.showSignature", "true")
    git("config", "diff.x.cachetextconv", "true")
    assert status(git).modified == ("a.ts",)
    assert sizes(diff(git)) == {"a.ts": (1, 1)}
    assert "+2" in diff(git, "a.ts").diff
    assert [file.path for file in commit("x", ["a.ts"]).files] == ["a.ts"]
    git.write("a.ts", "3\n")
    list_files(git.root)
    assert [place.name for place in tmp_path.iterdir()] == ["project"]


def test_a_partial_clone_fetches_nothing(git, tmp_path):
    """The program that would fetch is named by the repository."""
    git.write("a.ts", "2\n")
    git("commit", "-qam", "two")
    blob = git("rev-parse", "HEAD:a.ts").strip()
    (git.root / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    for key, value in {
        "remote.origin.url": "ssh://nowhere.invalid/x",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "core.sshCommand": f"touch {tmp_path}/ran; false",
    }.items():
        git("config", key, value)
    git.write("a.ts", "3\n")
    with pytest.raises(ToolError, match="git diff failed"):
        diff(git)
    assert status(git).modified == ("a.ts",)
    assert not (tmp_path / "ran").exists()


def test_programs_are_found_whatever_the_bytes_of_their_names(git):
    assert configured_programs(git.root) == []
    for key in ("filter.x.clean", "filter.\udcff.clean", "diff.\udcff.textconv", "a.x.clean"):
        git("config", key, "true")
    names = ["diff.\ufffd.textconv", "filter.x.clean", "filter.\ufffd.clean"]
    assert configured_programs(git.root) == names


def test_settings_too_long_to_be_read_may_name_a_program(git):
    with (git.root / ".git/config").open("a") as settings:
        settings.write(f"[x]\ny = {'z' * 5_000_000}\n")
    assert configured_programs(git.root) == ["settings too long to read"]


def test_a_pager_and_an_editor_of_the_environment_are_not_started(
    git, commit, tmp_path, monkeypatch
):
    program = f"touch {tmp_path}/ran; false"
    for name in ("PAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_EXTERNAL_DIFF"):
        monkeypatch.setenv(name, program)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH_COMMAND", "GIT_SEQUENCE_EDITOR"):
        monkeypatch.setenv(name, program)
    git.write("a.ts", "2\n")
    assert sizes(diff(git)) == {"a.ts": (1, 1)}
    assert status(git).modified == ("a.ts",)
    assert commit("x", ["a.ts"]).hash
    assert not (tmp_path / "ran").exists()
