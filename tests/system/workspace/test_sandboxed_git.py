"""Git directories under a real bwrap: what a command can have git start afterwards."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or (shutil.which("bwrap") is None and not os.environ.get("CI")),
    reason="bwrap is not installed",
)
HOOKS = ("sub", "node_modules/package", "a/b", ".")
MISSING = (
    *("commondir", "config.worktree", "hooks/pre-commit", "info/attributes", "config"),
    *("modules/inner/config", "objects/info/alternates"),
)
TRICKS = {
    "made": "echo x > {0}",
    "moved over it": "echo x > t; mv -f t {0}",
    "linked": "echo x > t; ln -f t {0} || ln -sf ../t {0}",
    "folder moved away": "mv $(dirname {0}) away; mkdir -p $(dirname {0}); echo x > {0}",
}


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def begin(folder):
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", ".")
    git(folder, "config", "user.email", "a@b.c")
    git(folder, "config", "user.name", "A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


def settings(folder):
    told = git(folder, "config", "--list", "--show-scope")
    return [line for line in told.splitlines() if line.startswith(("local", "worktree"))]


def content(folder):
    """Everything in a folder, with what files and links say."""
    return {
        place.relative_to(folder): place.readlink()
        if place.is_symlink()
        else place.read_bytes()
        if place.is_file()
        else None
        for place in folder.rglob("*")
    }


@pytest.fixture
def boxed(open_workspace, tmp_path):
    """A workspace on a folder, whose user gives no command more than the sandbox."""
    return open_workspace(begin(tmp_path / "app"), sandbox="required")


@pytest.fixture
def execute(boxed):
    def execute_now(command):
        return boxed.workspace.run(command, tool="run_command", timeout_s=60)

    return execute_now


@pytest.mark.parametrize("mixed", ["", "git status; "])
@pytest.mark.parametrize("folder", HOOKS)
def test_every_repository_is_read_only(boxed, execute, folder, mixed):
    place = begin(boxed.root / folder) / ".git"
    before = content(place / "hooks"), (place / "config").read_bytes()
    here = f"{folder}/.git"
    done = execute(
        f"{mixed}touch {here}/hooks/pre-commit; echo x >> {here}/config; rm -f {here}/config; "
        f"mv {here}/hooks {here}/h; mv {here} moved; mv {folder}/../{folder} {folder}2; false"
    )
    assert done.exit_code
    assert (content(place / "hooks"), (place / "config").read_bytes()) == before


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_does_not_come(boxed, execute, name, trick):
    place = boxed.root / ".git" / name
    shutil.rmtree(boxed.root / ".git/hooks")
    shutil.rmtree(boxed.root / ".git/info")
    if name == "config":
        place.unlink()
    before = settings(boxed.root)
    told = execute(
        f"git add -A; cd .git; mkdir -p $(dirname {name}); " + TRICKS[trick].format(name)
    )
    assert not place.exists() or not place.read_bytes()
    assert told.exit_code or place.name in told.stderr
    assert settings(boxed.root) == before
    git(boxed.root, "fsck", "--strict")


def test_what_people_do_with_git_goes_on(execute):
    done = execute(
        "set -e; echo 1 > a; git add a; git commit -qm two; git checkout -qb side; echo 2 > a; "
        "git commit -qam three; git checkout -q -; git merge -q side; git tag v1; git tag -am x v; "
        "echo 3 > a; git stash -q; git stash pop -q; git stash -q; git stash drop -q; "
        "git branch other; git branch -d other side; git rm -q a; git reset -q; git switch -qc n; "
        "git checkout -q -- a; git commit -q --amend -m four; git revert --no-edit HEAD >o; rm o; "
        "git cherry-pick --allow-empty HEAD~1 || git cherry-pick --abort; git log --oneline; true"
    )
    assert done.exit_code == 0, done
    assert done.sandbox == ""
    assert "four" in done.stdout


@pytest.mark.parametrize("layout", ["apart", "link", "deep"])
@pytest.mark.parametrize("mixed", ["", "git status; "])
def test_directory_that_is_kept_apart_is_read_only(boxed, execute, layout, mixed):
    place = boxed.root / ("one/two/.bare" if layout == "deep" else ".bare")
    place.parent.mkdir(parents=True, exist_ok=True)
    mark = boxed.root / ".git"
    mark.rename(place)
    if layout == "link":
        mark.symlink_to(".bare")
    else:
        mark.write_text(f"gitdir: {place}\n")
    path = place.relative_to(boxed.root)
    before = content(place / "hooks"), (place / "config").read_bytes()
    execute(
        f"{mixed}touch {path}/hooks/pre-commit; echo x >> {path}/config; mv {path} moved; "
        "mv one two; mkdir -p one/two/.bare; false"
    )
    assert (content(place / "hooks"), (place / "config").read_bytes()) == before
    done = execute("rm -f .git; mkdir .git; cp -r /usr/share/git-core/templates/. .git; :")
    assert layout != "link" or "has come or changed meanwhile: .git." in done.stderr
    assert layout == "link" or mark.is_file()


def test_submodules_and_working_trees_are_read_only(boxed, execute, tmp_path):
    other = begin(tmp_path / "other")
    allow = ("-c", "protocol.file.allow=always")
    git(boxed.root, *allow, "submodule", "--quiet", "add", str(other), "sub")
    git(boxed.root, "worktree", "add", "-q", "tree")
    inner = boxed.root / ".git/modules/sub"
    before = content(boxed.root / ".git/worktrees"), content(inner / "hooks")
    for mixed in ("", "git status; "):
        execute(
            f"{mixed}touch .git/modules/sub/hooks/pre-commit; echo x >> .git/modules/sub/config; "
            "echo ../evil > .git/worktrees/tree/commondir; echo gitdir: e > sub/.git; mv sub sub2; "
            "echo gitdir: e > tree/.git"
        )
        assert (content(boxed.root / ".git/worktrees"), content(inner / "hooks")) == before
        assert (boxed.root / "sub/.git").read_text() == "gitdir: ../.git/modules/sub\n"
    assert git(boxed.root / "sub", "status", "--short") == ""


@pytest.mark.parametrize("command", ["git init -q new; :", "cp -r .git new; :", "mkdir -p x/.git"])
def test_new_repository_is_told(execute, command):
    assert "A git directory has come or changed meanwhile" in execute(command + " ; true").stderr


def test_new_repository_of_the_project_is_told(open_workspace, tmp_path):
    (tmp_path / "plain").mkdir()
    opened = open_workspace(tmp_path / "plain", sandbox="required")
    done = opened.workspace.run("git init -q . && true", tool="run_command", timeout_s=60)
    assert "has come or changed meanwhile: .git." in done.stderr
    assert done.sandbox


def test_repository_that_the_user_lets_git_make_is_not_told(open_workspace, tmp_path):
    (tmp_path / "plain").mkdir()
    opened = open_workspace(tmp_path / "plain", sandbox="required")
    done = opened.workspace.run("git init -q .", tool="run_command", timeout_s=60)
    assert (done.exit_code, done.sandbox) == (0, "")


def test_keys_in_a_repository_stay_hidden(open_workspace, tmp_path, monkeypatch):
    """Protecting what cannot be seen would show it."""
    home = tmp_path / "home"
    begin(home / ".password-store")
    (home / ".password-store/a.gpg").write_text("TOPSECRET")
    monkeypatch.setenv("HOME", str(home))
    opened = open_workspace(home, sandbox="required")
    done = opened.workspace.run("ls -A .password-store; true", tool="run_command", timeout_s=60)
    assert done.stdout == ""
