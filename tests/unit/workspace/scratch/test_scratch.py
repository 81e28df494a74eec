"""A copy of a project to try things in: it is like the project, and apart from it."""

import errno
import os
import shutil
import subprocess

import pytest
from folder_states import snapshot
from git_repository import Git

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled, ProjectError
from ipuaro_jupyter.workspace.files.listing import list_files
from ipuaro_jupyter.workspace.scratch.scratch import CacheFolder, scratch_copy


@pytest.fixture
def git(tmp_path):
    opened = Git(tmp_path / "app")
    opened.root.mkdir()
    opened.begin()
    opened.write(".gitignore", "node_modules/\n.venv/\nvenv/\n*.log\n")
    opened.write("src/a.ts", "export const a = 1\n")
    opened.write("src/gone.ts", "1\n")
    opened.write("logo.png", b"\x89PNG\0")
    opened("add", "-A")
    opened("commit", "-qm", "first")
    return opened


def inside(copy):
    return Git(copy.root)


def test_the_copy_is_as_the_project_is_now(git):
    git.write("src/a.ts", "export const a = 2\n")
    git.write("new.ts", "export const n = 1\n")
    git.write("run.sh", "#!/bin/sh\n")
    (git.root / "run.sh").chmod(0o755)
    git("add", "new.ts")
    (git.root / "src/gone.ts").unlink()
    (git.root / "link.ts").symlink_to("src/a.ts")
    (git.root / "latin.txt").write_bytes(b"\xe9\r\n")
    git.write("debug.log", "ignored")
    with scratch_copy(git.root) as copy:
        own = inside(copy)
        assert own("status", "--porcelain", "-b") == git("status", "--porcelain", "-b")
        assert own("diff") == git("diff")
        assert own("diff", "--cached") == git("diff", "--cached")
        assert own("log") == git("log")
        assert list_files(copy.root).files.keys() == list_files(git.root).files.keys()
        assert not (copy.root / "debug.log").exists()
        assert (copy.root / "run.sh").stat().st_mode & 0o777 == 0o755
        assert (copy.root / "link.ts").resolve() == copy.root / "src/a.ts"
        assert copy.root.name == "app"
        base = copy.root.parent
    assert not base.exists()


def test_nothing_that_is_done_in_the_copy_is_done_in_the_project(git):
    git.write("node_modules/left-pad/index.js", "module.exports = 1\n")
    before = snapshot(git.root)
    with scratch_copy(git.root) as copy:
        own = inside(copy)
        own.write("src/a.ts", "export const a = 3\n")
        own.write("node_modules/new/index.js", "1\n")
        own("add", "-A")
        own("commit", "-qm", "second")
        own("checkout", "-qb", "other")
        own("gc", "-q", "--prune=now")
        own("stash", "list")
        assert len(own("log", "--oneline").splitlines()) == 2
        (copy.root / "src/gone.ts").unlink()
        copy.put("src/a.ts", None, mode=None)
    assert snapshot(git.root) == before


def test_what_the_copy_shares_is_not_set(git):
    git.write("node_modules/left-pad/index.js", "module.exports = 1\n")
    before = snapshot(git.root)
    with scratch_copy(git.root) as copy:
        for path in ("node_modules/left-pad/index.js", "../out.ts"):
            for content in (b"2\n", None):
                with pytest.raises(ProjectError, match="which the copy shares"):
                    copy.put(path, content, mode=None)
        copy.put("node_modules/own/index.js", b"1\n", mode=None)
    assert snapshot(git.root) == before


def test_installed_packages_are_linked_and_git_sees_nothing_of_them(git):
    git.write("node_modules/left-pad/index.js", "module.exports = 1\n")
    git.write("node_modules/@scope/in/index.js", "module.exports = 2\n")
    git.write("node_modules/.vite/cache", "x")
    git.write("node_modules/.tmp/tsconfig.app.tsbuildinfo", "x")
    git.write("node_modules/.bin/left-pad", "x")
    git.write("venv/pyvenv.cfg", "home = /usr")
    git.write("env/ignored.log", "no environment of Python")
    git.write("packages/own/index.js", "module.exports = 3\n")
    git.write("packages/own/node_modules/deep/index.js", "module.exports = 4\n")
    (git.root / "node_modules/own").symlink_to("../packages/own")
    (git.root / ".venv/bin").mkdir(parents=True)
    git("add", "packages/own/index.js")
    with scratch_copy(git.root) as copy:
        modules = copy.root / "node_modules"
        assert (modules / "left-pad/index.js").read_text() == "module.exports = 1\n"
        assert (modules / "@scope/in/index.js").read_text() == "module.exports = 2\n"
        assert (modules / "own").resolve() == copy.root / "packages/own"
        assert (copy.root / "packages/own/node_modules/deep/index.js").exists()
        assert (copy.root / ".venv/bin").is_dir()
        assert (copy.root / "venv/pyvenv.cfg").exists()
        assert not (copy.root / "env").exists()
        assert (modules / ".bin/left-pad").exists()
        assert not (modules / ".vite").exists()
        assert not (modules / ".tmp").exists()
        assert inside(copy)("status", "--porcelain") == git("status", "--porcelain")


def test_packages_installed_in_place_lead_into_the_copy(git):
    site = git.root / "venv/lib/python3.11/site-packages"
    lines = ["import own_finder", str(git.root / "src"), "/elsewhere", str(site / "in"), "src"]
    git.write("venv/pyvenv.cfg", "home = /usr")
    git.write("venv/lib/python3.11/site-packages/own.pth", "\n".join(lines))
    git.write("venv/lib/python3.11/site-packages/other/__init__.py", "1\n")
    (git.root / "venv/lib64").symlink_to("lib")
    with scratch_copy(git.root) as copy:
        inside_copy = copy.root / "venv/lib64/python3.11/site-packages"
        led = ["import own_finder", str(copy.root / "src"), "/elsewhere", str(site / "in"), "src"]
        assert (inside_copy / "own.pth").read_text().splitlines() == led
        assert (inside_copy / "other/__init__.py").read_text() == "1\n"
        assert (inside_copy / "other").is_symlink()


def test_a_worktree_is_copied_on_its_own_branch(git, tmp_path):
    git("worktree", "add", "-qb", "side", str(tmp_path / "side"))
    side = Git(tmp_path / "side")
    side.write("src/a.ts", "export const side = 1\n")
    before = snapshot(git.root)
    with scratch_copy(side.root) as copy:
        own = inside(copy)
        assert own("status", "--porcelain", "-b") == side("status", "--porcelain", "-b")
        own("commit", "-qam", "in the copy")
        assert (copy.root / ".git").is_dir()
    assert snapshot(git.root) == before
    assert len(side("log", "--oneline").splitlines()) == 1


def test_a_folder_of_a_repository_is_copied_without_the_rest(git):
    git.write("packages/one/index.ts", "import { two } from '../two'\n")
    git.write("packages/two/index.ts", "export const two = 2\n")
    git.write("package.json", "{}\n")
    git("add", "-A")
    git("commit", "-qm", "packages")
    git.write("packages/one/index.ts", "changed\n")
    git.write("node_modules/left-pad/index.js", "1\n")
    with scratch_copy(git.root / "packages/one") as copy:
        own = inside(copy)
        assert own("status", "--porcelain") == " M packages/one/index.ts\n"
        assert (copy.root.parents[1] / "package.json").exists()
        assert (copy.root.parents[1] / "node_modules/left-pad/index.js").exists()
        assert not (copy.root.parents[1] / "packages/two").exists()


def test_a_folder_without_a_repository(tmp_path):
    root = tmp_path / "plain"
    (root / "src").mkdir(parents=True)
    (root / "src/a.ts").write_text("1\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / "x.log").write_text("x")
    (root / "dist").mkdir()
    (root / "dist/a.js").write_text("1\n")
    with scratch_copy(root) as copy:
        copied = {p.relative_to(copy.root).as_posix() for p in copy.root.rglob("*")}
    assert copied == {"src", "src/a.ts", ".gitignore"}


def test_a_whole_path_into_the_project_leads_into_the_copy(git, tmp_path):
    (git.root / "whole").symlink_to(git.root / "src/a.ts")
    (git.root / "out").symlink_to(tmp_path / "elsewhere")
    with scratch_copy(git.root) as copy:
        assert (copy.root / "whole").resolve() == copy.root / "src/a.ts"
        assert str((copy.root / "out").readlink()) == str(tmp_path / "elsewhere")


def test_a_link_to_the_top_of_the_repository_leads_to_the_copied_top(git):
    git.write("one/a.ts", "1\n")
    git.write("two/b.ts", "2\n")
    targets = {"top": ".", "file": ".gitignore", "two": "two"}
    for name, target in targets.items():
        (git.root / "one" / name).symlink_to(git.root / target)
    with scratch_copy(git.root / "one") as copy:
        top = copy.root.parent
        assert (copy.root / "top").resolve() == top
        assert (copy.root / "file").resolve() == top / ".gitignore"
        assert (copy.root / "two").resolve() == git.root / "two", "it is not copied"


def test_a_link_that_leads_to_itself_is_copied_as_it_is(make_project):
    root = make_project({"a.ts": "1", "node_modules/b/index.js": "2"})
    for path in ("round", "node_modules/round"):
        (root / path).symlink_to("round")
    with scratch_copy(root) as copy:
        assert str((copy.root / "round").readlink()) == "round"
        assert (copy.root / "node_modules/round").is_symlink()
        assert (copy.root / "node_modules/b/index.js").read_text() == "2"


def test_who_copies_says_what_is_left_out_of_what_git_does_not_track(git):
    git.write("notes.ipynb", "{}")
    git.write("other.md", "")
    with scratch_copy(git.root, is_left_out=lambda path: path != "other.md") as copy:
        assert (copy.root / "logo.png").is_file()
        assert (copy.root / "other.md").is_file()
        assert not (copy.root / "notes.ipynb").exists()


def test_hooks_and_author_come_with_it(git):
    git.hook("pre-commit", "echo hooked >&2; exit 1")
    with scratch_copy(git.root) as copy:
        done = subprocess.run(
            ["git", "commit", "--allow-empty", "-m", "x"],
            cwd=copy.root,
            capture_output=True,
            check=False,
        )
        assert b"hooked" in done.stderr
        assert inside(copy)("config", "user.name") == "Dock Hand\n"


def test_put_and_read(git):
    with scratch_copy(git.root) as copy:
        copy.put("deep/er/b.ts", b"2\n", mode=0o755)
        assert copy.read("deep/er/b.ts") == b"2\n"
        assert (copy.root / "deep/er/b.ts").stat().st_mode & 0o777 == 0o755
        copy.put("deep/er/b.ts", None, mode=None)
        copy.put("none.ts", None, mode=None)
        assert copy.read("deep/er/b.ts") is None


def test_commits_are_taken_back_as_far_as_they_are_the_latest(git):
    first = git("rev-parse", "HEAD").strip()
    hashes = []
    for number in (2, 3):
        git.write("src/a.ts", f"export const a = {number}\n")
        git("commit", "-qam", f"{number}")
        hashes.append(git("rev-parse", "HEAD").strip())
    with scratch_copy(git.root) as copy:
        assert copy.undo_commits(hashes[:1]) == 0
        assert copy.undo_commits(hashes) == 2
        assert inside(copy)("rev-parse", "HEAD").strip() == first
        assert inside(copy)("status", "--porcelain") == " M src/a.ts\n"
        assert copy.undo_commits([first]) == 0, "there is nothing before it"
    assert git("rev-parse", "HEAD").strip() == hashes[-1]


@pytest.mark.parametrize("has_own", [True, False])
def test_repositories_inside_are_copied_each_as_it_is(git, has_own):
    if not has_own:
        shutil.rmtree(git.root / ".git")
    inner = Git(git.root / "libs/inner")
    inner.root.mkdir(parents=True)
    inner.begin()
    inner.write("a.ts", "1\n")
    inner("add", "-A")
    inner("commit", "-qm", "first")
    first = inner("rev-parse", "HEAD").strip()
    inner.write("a.ts", "2\n")
    inner("commit", "-qam", "second")
    inner.write("a.ts", "3\n")
    inner.write("new.ts", "1\n")
    inner("add", "new.ts")
    second = inner("rev-parse", "HEAD").strip()
    with scratch_copy(git.root) as copy:
        copied = Git(copy.root / "libs/inner")
        for command in (["status", "--porcelain", "-b"], ["diff"], ["diff", "--cached"], ["log"]):
            assert copied(*command) == inner(*command)
        if has_own:
            assert inside(copy)("status", "--porcelain") == git("status", "--porcelain")
        assert copy.undo_commits([second]) == 1
        assert copied("rev-parse", "HEAD").strip() == first
        copied.write("a.ts", "4\n")
        copied("add", "-A")
        copied("commit", "-qm", "other")
    assert inner("rev-parse", "HEAD").strip() == second
    assert inner("status", "--porcelain") == " M a.ts\nA  new.ts\n"


def test_a_submodule_has_a_git_folder_of_its_own_in_the_copy(git, tmp_path):
    lib = Git(tmp_path / "lib")
    lib.root.mkdir()
    lib.begin()
    lib.write("a.ts", "1\n")
    lib("add", "-A")
    lib("commit", "-qm", "first")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.root), "sub")
    git("commit", "-qm", "sub")
    git.write("sub/a.ts", "2\n")
    assert git("status", "--porcelain") == " M sub\n"
    before = snapshot(git.root)
    with scratch_copy(git.root) as copy:
        assert inside(copy)("status", "--porcelain") == " M sub\n"
        copied = Git(copy.root / "sub")
        assert copied("status", "--porcelain") == " M a.ts\n"
        copied("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "second")
    assert snapshot(git.root) == before


def test_there_are_no_commits_without_a_repository(tmp_path):
    (tmp_path / "plain").mkdir()
    with scratch_copy(tmp_path / "plain") as copy:
        assert copy.undo_commits(["a" * 40]) == 0


@pytest.mark.usefixtures("permissions_count")
def test_what_cannot_be_read_is_left_out(git):
    (git.root / "src/a.ts").chmod(0)
    with scratch_copy(git.root) as copy:
        assert not (copy.root / "src/a.ts").exists()
        assert inside(copy)("status", "--porcelain") == ""


def test_a_stop_leaves_no_copy(git, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temporary").mkdir()
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled), scratch_copy(git.root, cancel=token):
        raise AssertionError
    assert list((tmp_path / "temporary").iterdir()) == []


def test_files_of_a_copy_are_read_and_put(make_project):
    with scratch_copy(make_project({"a.ts": "1"})) as copy:
        assert copy.read("a.ts") == b"1"
        copy.put("a.ts", None, mode=None)
        assert copy.read("a.ts") is None
        copy.put("new/run.sh", b"2", mode=0o750)
        assert copy.read("new/run.sh") == b"2"
        assert (copy.root / "new/run.sh").stat().st_mode & 0o777 == 0o750
        copy.put("new/run.sh", b"3", mode=None)
        assert copy.read("new/run.sh") == b"3"


def test_project_that_cannot_be_copied_is_an_error(make_project, monkeypatch):
    root = make_project({"a.ts": "1"})

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with (
        pytest.raises(ProjectError, match=r"cannot be copied to .*No space left"),
        scratch_copy(root),
    ):
        pytest.fail("it was copied")


def test_file_that_may_not_be_read_is_left_out(make_project, monkeypatch):
    root = make_project({"a.ts": "1", "b.ts": "2"})
    copy2 = shutil.copy2

    def guarded(source, target):
        if source.name == "a.ts":
            raise PermissionError
        return copy2(source, target)

    monkeypatch.setattr(shutil, "copy2", guarded)
    with scratch_copy(root) as copy:
        assert copy.read("a.ts") is None
        assert copy.read("b.ts") == b"2"


def test_what_is_no_regular_file_is_left_out(make_project):
    root = make_project({"a.ts": "1"})
    os.mkfifo(root / "pipe")
    with scratch_copy(root) as copy:
        assert [entry.name for entry in copy.root.iterdir()] == ["a.ts"]


def test_a_folder_for_caches_is_there_as_long_as_it_is_used():
    folder = CacheFolder()
    path = folder.path
    assert folder.path == path
    assert path.is_dir()
    del folder
    assert not path.exists()


def test_a_closed_folder_for_caches_is_gone_and_another_may_be_made():
    folder = CacheFolder()
    folder.close()
    path = folder.path
    folder.close()
    assert not path.exists()
    assert folder.path.is_dir()
