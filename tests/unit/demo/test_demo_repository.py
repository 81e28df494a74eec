import subprocess

import pytest

from ipuaro_jupyter.demo.demo_repository import (
    blob,
    changed_files,
    committed_blob,
    create_repository,
    is_repository,
    tree,
)
from ipuaro_jupyter.errors import ProjectError


@pytest.fixture
def app(make_project):
    return make_project({"a.ts": "export const a = 1;\n", "src/b.ts": "export {};\n"})


def test_everything_is_committed(app):
    assert not is_repository(app)
    create_repository(app)
    assert is_repository(app)
    assert changed_files(app) == ()
    listed = subprocess.run(
        ["git", "ls-files"], cwd=app, capture_output=True, text=True, check=True
    )
    assert listed.stdout.split() == ["a.ts", "src/b.ts"]


def test_changed_new_and_missing_files_are_told_by_name(app):
    create_repository(app)
    (app / "a.ts").write_text("export const a = 2;\n")
    (app / "new file.ts").write_text("export {};\n")
    (app / "src/b.ts").unlink()
    assert changed_files(app) == ("a.ts", "new file.ts", "src/b.ts")


def test_a_changed_file_has_another_hash_until_it_is_put_back(app):
    create_repository(app)
    before = blob(app, "a.ts")
    assert committed_blob(app, "a.ts") == before
    (app / "a.ts").write_text("export const a = 2;\n")
    assert blob(app, "a.ts") != before
    (app / "a.ts").write_text("export const a = 1;\n")
    assert blob(app, "a.ts") == before


def test_a_missing_file_has_no_hash(app):
    create_repository(app)
    assert (blob(app, "c.ts"), committed_blob(app, "c.ts")) == ("none", "none")


def test_the_users_hooks_signing_and_identity_play_no_part(app, tmp_path, monkeypatch):
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-commit").write_text(f"#!/bin/sh\ntouch {tmp_path}/hook-ran\n")
    (hooks / "post-commit").chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[core]\nhooksPath = {hooks}\n[commit]\ngpgSign = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere.git"))
    create_repository(app)
    assert (app / ".git").is_dir()
    assert not (tmp_path / "hook-ran").exists()


def test_equal_files_make_an_equal_tree(app, make_project):
    other = make_project({"a.ts": "export const a = 1;\n", "src/b.ts": "export {};\n"}, "other")
    create_repository(app)
    create_repository(other)
    assert tree(app) == tree(other)


def test_a_machine_without_git_is_told_what_is_missing(app, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProjectError, match="needs git"):
        create_repository(app)
