"""What decides what git lists, and lies outside of the watched folders."""

import os
import subprocess

import pytest

from ipuaro_jupyter.workspace.git.git_files import rules_stamp


def git(folder, *arguments):
    name = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a commit, in a folder of its own, and a home without settings."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "project"
    (root / "in").mkdir(parents=True)
    (root / "in/a.ts").touch()
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    return root


def written(place, text="x"):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def test_it_differs_when_a_rule_outside_or_what_is_tracked_does(repository, tmp_path):
    seen = [rules_stamp(str(repository / "in"))]
    assert rules_stamp(str(repository / "in")) == seen[0]
    written(repository / ".git/info/exclude", "made/")
    seen.append(rules_stamp(str(repository / "in")))
    written(repository / ".gitignore")
    seen.append(rules_stamp(str(repository / "in")))
    written(tmp_path / "config/git/ignore")
    seen.append(rules_stamp(str(repository / "in")))
    git(repository, "rm", "-q", "--cached", "in/a.ts")
    seen.append(rules_stamp(str(repository / "in")))
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("is_relative", [False, True])
def test_a_worktree_has_its_own_index_and_shares_the_excludes(repository, tmp_path, is_relative):
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "-q", str(tree))
    if is_relative:
        place = os.path.relpath(repository / ".git/worktrees/tree", tree)
        (tree / ".git").write_text(f"gitdir: {place}\n")
    before = rules_stamp(str(tree))
    written(repository / ".git/info/exclude", "made/")
    between = rules_stamp(str(tree))
    git(repository, "rm", "-q", "--cached", "in/a.ts")
    assert before != between == rules_stamp(str(tree))


def test_a_folder_that_becomes_a_repository_has_other_rules(tmp_path):
    before = rules_stamp(str(tmp_path))
    git(tmp_path, "init", "-q")
    assert rules_stamp(str(tmp_path)) != before


def test_it_differs_when_settings_do_or_a_file_that_they_name(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    rules, more = tmp_path / "home/rules", tmp_path / "more"
    steps = [
        lambda: git(repository, "config", "core.excludesFile", "~/rules"),
        lambda: written(rules, "made/"),
        lambda: git(repository, "config", "include.path", "../../more"),
        lambda: written(more, "[core]\nignoreCase = true\n"),
        lambda: written(more, "[core]\nignoreCase = false\n"),
        lambda: written(tmp_path / "home/.gitconfig", "[core]\nignoreCase = true\n"),
        lambda: written(repository / ".git/config", "[core"),
    ]
    seen = [rules_stamp(str(repository))]
    for step in steps:
        step()
        seen.append(rules_stamp(str(repository)))
        assert rules_stamp(str(repository)) == seen[-1]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("name", ["worktrees/main", "main"])
@pytest.mark.parametrize("kind", ["main", "worktree"])
def test_what_is_excluded_counts_in_a_folder_named_worktrees_too(repository, tmp_path, name, kind):
    main = tmp_path / name
    main.parent.mkdir(exist_ok=True)
    repository.rename(main)
    folder = main
    if kind == "worktree":
        folder = tmp_path / "worktrees/other"
        git(main, "worktree", "add", "-q", folder)
    before = rules_stamp(str(folder))
    written(main / ".git/info/exclude", "made/")
    assert rules_stamp(str(folder)) != before


def test_a_pipe_in_the_place_of_a_repository_is_not_waited_for(tmp_path):
    before = rules_stamp(str(tmp_path))
    os.mkfifo(tmp_path / ".git")
    assert rules_stamp(str(tmp_path)) != before
